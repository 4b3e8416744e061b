"""Traces of requests and jobs for a collector that speaks OTLP over HTTP, by OpenTelemetry.

They are on if the environment names a collector (ENDPOINTS). Otherwise, requests and jobs call nothing in
this file. The context of a trace is kept in the provenance of each event (service/provenance.py), from which
the jobs that the event causes take it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

from domain.errors import CartularyError
from service.provenance import CURRENT, with_trace_context

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""The environment variables of OpenTelemetry, one of which must be set."""
EXPORT_SECONDS: Final = 2.0
"""The time that a collector has to take a batch of spans."""
_FIELD: Final = "traceparent"


class TracingUnavailable(CartularyError):
    """Traces are switched on, and the packages that send them are not installed."""


class Tracing:
    """Makes the spans of one process, and sends them in batches from a separate thread."""

    def __init__(self, service_name: str) -> None:
        """Raises TracingUnavailable."""
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ModuleNotFoundError as error:
            raise TracingUnavailable.with_message(
                "traces need the extra `otel` ({reason}): install it, or unset {variables}",
                reason=str(error),
                variables=", ".join(ENDPOINTS),
            ) from error
        # Nothing is registered in `atexit`, which forked processes do not run.
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": service_name}), shutdown_on_exit=False
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(timeout=EXPORT_SECONDS))
        )
        self._tracer = self._provider.get_tracer("cartulary")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, str] | None = None, parent: str = ""
    ) -> Iterator[None]:
        """Make a span for the block, within the span of the surrounding block or the context `parent`.

        Events that the block appends are stored with its context. An error is recorded by its type only,
        because its text may be about a player.
        """
        context = self._propagator.extract({_FIELD: parent}) if parent else None
        with self._tracer.start_as_current_span(
            name,
            context,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            carrier: dict[str, str] = {}
            self._propagator.inject(carrier)
            before = CURRENT.get()
            token = CURRENT.set(with_trace_context(before, carrier.get(_FIELD, "")))
            try:
                yield
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                raise
            finally:
                CURRENT.reset(token)

    def trace(self, owner: object, method: str, name: str) -> None:
        """Make a span for every call of a method of an object from now on."""
        call: Callable[..., Any] = getattr(owner, method)

        @wraps(call)
        def traced(*args: Any, **arguments: Any) -> Any:
            with self.span(name):
                return call(*args, **arguments)

        setattr(owner, method, traced)

    def end(self) -> None:
        """Send the last spans."""
        self._provider.shutdown()


def tracing_of(environ: Mapping[str, str], service_name: str) -> Tracing | None:
    """Return the Tracing of this process, or None if traces are off. Raises TracingUnavailable."""
    return Tracing(service_name) if any(environ.get(name) for name in ENDPOINTS) else None
