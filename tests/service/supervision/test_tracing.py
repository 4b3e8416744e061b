"""Traces: what a collector of OpenTelemetry receives of a request and of the jobs that follow from it."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typing_extensions import override

from service.operation.tracing import TracingUnavailable, tracing_of
from tests.support.processes import environment, free_port, wait_until
from tests.support.running_service import RunningService


class Collector(HTTPServer):
    """Receives spans over OTLP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Any] = []

    @property
    def url(self) -> str:
        """What OTEL_EXPORTER_OTLP_ENDPOINT is set to."""
        return f"http://127.0.0.1:{self.server_port}"

    def with_attribute(self, name: str, value: str) -> list[Any]:
        """Return the spans that have an attribute with this value."""
        return [
            span
            for span in [*self.spans]
            if any((item.key, item.value.string_value) == (name, value) for item in span.attributes)
        ]

    def named(self, name: str, trace: bytes) -> list[Any]:
        """Return the spans of a trace with this name."""
        return [span for span in [*self.spans] if (span.name, span.trace_id) == (name, trace)]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Take a batch of spans."""
        assert isinstance(self.server, Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        batch = ExportTraceServiceRequest.FromString(body)
        self.server.spans += [
            span
            for resource in batch.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that receives."""
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        yield collector
        collector.shutdown()
        thread.join()


def test_the_jobs_that_follow_from_a_request_are_in_its_trace(
    tmp_path: Path, collector: Collector
) -> None:
    def spans(name: str) -> list[Any]:
        spans = collector.with_attribute("cartulary.request.id", "place-1")
        return [span for span in spans if span.name.startswith(name)]

    running = RunningService(
        tmp_path,
        processes=1,
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_BSP_SCHEDULE_DELAY="50",
    )
    running.start()
    try:
        with httpx.Client(base_url=f"{running.url}/api/v1") as client:
            body = {"handle": "ada", "password": "correct horse"}
            token = client.post("/players", json=body).json()["token"]
            client.headers["Authorization"] = f"Bearer {token}"
            options = {"seating": "joined"}
            game = {"rules": "barony", "seats": 2, "options": options, "bots": ["sensible"]}
            id = client.post("/games", json=game).json()["id"]
            legal = client.get(f"/games/{id}/legal-actions").json()
            client.post(
                f"/games/{id}/actions",
                json={"action": legal["actions"][0], "expected_seq": legal["seq"]},
                headers={"X-Request-ID": "place-1"},
            ).raise_for_status()
        # Each process exports its spans by itself, so that a job may be received before its request.
        wait_until(lambda: spans("POST ") and spans("job bot"))
    finally:
        running.stop()
    (request,) = spans("POST ")
    job = spans("job bot")[0]
    assert request.parent_span_id == b""
    assert job.trace_id == request.trace_id
    decides = collector.named("decide", request.trace_id)
    appends = {span.span_id: span for span in collector.named("append", request.trace_id)}
    parents = {span.span_id for span in decides if span.parent_span_id == request.span_id}
    # The job follows from the append of the request, and appends as well.
    assert appends[job.parent_span_id].parent_span_id in parents
    assert job.span_id in {span.parent_span_id for span in decides}


@pytest.mark.nightly
def test_without_a_collector_there_are_no_traces_and_nothing_of_them_is_imported() -> None:
    assert tracing_of({}, "test") is None
    parts = "workers.run, service.server.web_process"
    program = f"""
import sys
from cartulary.imports import quick_imports
with quick_imports():
    import {parts}
print('opentelemetry' in sys.modules)
import opentelemetry.sdk.trace
"""
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, check=True
    )
    assert result.stdout == b"False\n"


def test_the_error_of_a_part_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(TracingUnavailable, match="traces need the extra `otel`"):
        tracing_of({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, "test")


@pytest.mark.nightly
def test_a_collector_that_does_not_respond_delays_no_request(tmp_path: Path) -> None:
    running = RunningService(
        tmp_path, processes=1, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{free_port()}"
    )
    running.start()
    try:
        assert running.register("ada") == 201
    finally:
        running.stop()
    assert running.process is not None
    assert running.process.returncode == 0
