"""The gateway, which takes complete requests from connections and runs the Flask application in threads.

    connection ─▶ gateway ─┬▶ /healthz, /readyz         answered by the event loop
                           ├▶ queue of accounts ─▶ threads ─┐
                           ├▶ queue of pictures ─▶ threads ─┤
                           └▶ queue of requests ─▶ threads ─┴▶ Flask ─▶ response, parts or event stream

Registering and logging in cost a password hash, and a PNG takes long to draw, so each has a separate queue
and separate threads. A thread only computes: everything that waits for a client happens in the event loop.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Final, TypeAlias

from flask import Flask

from domain.messages import Text, message
from replay.language.renderer import renderer
from service.accounts.tokens import TokenOwner
from service.bounds import Bounds
from service.connection import STORE_AWAY
from service.http.event_streams import STREAM_REFUSAL, STREAM_REQUEST, StreamRequest
from service.http.language import select_language
from service.http.problems import NO_RESOURCE
from service.readiness import Readiness, readiness_as_json
from service.server.exchange import Exchange, send_parts, send_stream
from service.server.health_checks import HealthChecks
from service.server.http_connection import HttpConnection
from service.server.http_request import HttpRequest, has_normal_path
from service.server.http_response import json_response, problem_response, response_head
from service.server.refusals import Reason, Refusals
from service.server.request_parser import Fault
from service.server.request_queue import Job, RequestQueue
from service.server.request_queues import RequestQueues
from service.server.streams import StreamHub
from service.server.wsgi import AppResponse, call_app, wsgi_environ
from service.visitors import network_of

log = logging.getLogger(__name__)

SLOW_SECONDS: Final = 0.75
"""The handling time of a request after which the gateway checks whether the store responds."""
RETRY_AFTER: Final = 1
"""Seconds after which a client may repeat a request that was refused because of the load."""
STREAM_RETRY_AFTER: Final = 5
"""Seconds after which a client may try again to open an event stream."""
PAGE_RETRY_SECONDS: Final = 0.2

OwnerOf: TypeAlias = Callable[[HttpRequest], TokenOwner | None]
"""Returns the player who sends a request, if that is known without a call to the store."""


class _NotRunError(Exception):
    """A job has waited too long for a thread."""


class Gateway:
    """The handler of all requests of a process. Belongs to one event loop."""

    def __init__(
        self,
        app: Flask,
        hub: StreamHub,
        readiness: Readiness,
        refusals: Refusals,
        bounds: Bounds,
        owner_of: OwnerOf,
    ) -> None:
        self._app = app
        self._hub = hub
        self._refusals = refusals
        self._owner_of = owner_of
        self._loop = asyncio.get_running_loop()
        self._queues = RequestQueues(bounds)
        self._checks = HealthChecks(readiness, self._on_store_lost)
        self._inbox: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._is_scheduled = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._exchanges: set[Exchange] = set()
        self._is_stopping = False

    @property
    def waiting_requests(self) -> int:
        """The number of requests that wait for a thread."""
        return len(self._queues)

    # The connection calls these.

    def handle(self, request: HttpRequest, connection: HttpConnection) -> None:
        """See `RequestHandler.handle`."""
        queue = self._queues.queue_for(request)
        owner = self._owner_of(request)
        visitor = (network_of(request.address), False) if owner is None else (owner.id, True)
        exchange = Exchange(request, connection, queue, visitor, owner)
        connection.exchange = exchange
        self._exchanges.add(exchange)
        if request.method in ("GET", "HEAD") and request.raw_path in (b"/healthz", b"/readyz"):
            # Not at once, so that the connection counts the requests that a client sends together.
            if request.raw_path == b"/healthz":
                self._loop.call_soon(self._respond_alive, exchange)
            else:
                self._start(self._respond_ready(exchange))
        elif not has_normal_path(request.raw_path):
            self._loop.call_soon(self._respond_problem, exchange, 404, NO_RESOURCE)
        elif not self._checks.store_responds:
            self._loop.call_soon(self._refuse_without_store, exchange)
        else:
            exchange.job = Job(
                *exchange.visitor,
                run=partial(self._run, exchange),
                refuse=partial(self._refuse_load, exchange),
            )
            self._enqueue(queue, exchange.job)

    def refuse(self, connection: HttpConnection, fault: Fault, accept_language: bytes) -> None:
        """See `RequestHandler.refuse`."""
        language = select_language(None, accept_language.decode("latin-1"))
        retry_after = RETRY_AFTER if fault.status == 503 else None
        response = problem_response(
            fault.status, fault.detail, language=language, is_last=True, retry_after=retry_after
        )
        connection.write(response)
        connection.end_response(is_last=True)

    def on_disconnect(self, connection: HttpConnection) -> None:
        """See `RequestHandler.on_disconnect`."""
        exchange = connection.exchange
        if isinstance(exchange, Exchange):
            self._end(exchange)

    def on_half_close(self, connection: HttpConnection) -> None:
        """See `RequestHandler.on_half_close`."""
        exchange = connection.exchange
        if isinstance(exchange, Exchange) and exchange.job is not None:
            refused = exchange.queue.postpone(exchange.job)
            if refused is not None:
                refused.refuse("queue_full")

    def on_timeout(self, connection: HttpConnection) -> None:
        """See `RequestHandler.on_timeout`."""
        exchange = connection.exchange
        self._refusals.add("no_response", connection.client)
        if isinstance(exchange, Exchange) and not exchange.has_started:
            # The result of the thread, if there is one, is dropped.
            detail = message("the server is overloaded and could not respond in time")
            self._respond_problem(exchange, 503, detail, RETRY_AFTER, is_last=True)
        else:
            connection.abort()

    # The web process calls these.

    def stop(self) -> None:
        """Tell the clients with all further responses that their connections are closed."""
        self._is_stopping = True

    def refuse_late_requests(self) -> None:
        """Refuse the requests that have waited too long for a thread."""
        for job in self._queues.remove_expired():
            job.refuse("waited_too_long")
        if not self._checks.store_responds or any(map(self._is_slow, self._exchanges)):
            self._checks.probe_store()

    def _is_slow(self, exchange: Exchange) -> bool:
        """Return whether a request takes so long that the store may have stopped responding."""
        started = None if exchange.job is None else exchange.job.started_at
        return started is not None and monotonic() - started > SLOW_SECONDS

    def _on_store_lost(self) -> None:
        """Refuse the requests that wait for the store or for a thread."""
        for exchange in [*self._exchanges]:
            if exchange.job is not None and not exchange.has_started:
                self._refuse_without_store(exchange)

    def _refuse_without_store(self, exchange: Exchange) -> None:
        """Refuse a request immediately. If a thread has begun it, it may still take effect."""
        if exchange.is_open:
            self._refusals.add("store_away", exchange.request.address)
            self._respond_problem(exchange, 503, STORE_AWAY, RETRY_AFTER)

    def close(self, seconds: float) -> None:
        """End the threads. Threads that are handling a request have this time to finish it."""
        self._queues.close(seconds)
        self._checks.close()

    def _enqueue(self, queue: RequestQueue, job: Job) -> None:
        """Queue a job, and refuse the one that it displaces."""
        displaced = queue.put(job)
        if displaced is not None:
            # Not at once, so that the connection counts the requests that a client sends together.
            self._loop.call_soon(displaced.refuse, "queue_full")

    def _is_last(self, request: HttpRequest) -> bool:
        return request.is_last or self._is_stopping

    def _end(self, exchange: Exchange) -> None:
        """Forget an exchange, because it is complete or its client has disconnected."""
        if not exchange.is_open:
            return
        exchange.is_open = False
        exchange.connection.exchange = None
        if exchange.listener is not None:
            exchange.listener.close()
        self._exchanges.discard(exchange)
        job, exchange.job = exchange.job, None
        if job is not None and exchange.queue.remove(job) and exchange.part is not None:
            _set_exception(exchange.part, ConnectionError("the client has disconnected"))

    def _respond(self, exchange: Exchange, response: bytes, *, is_last: bool = False) -> None:
        """Send a complete response, unless its client has disconnected."""
        if exchange.is_open:
            self._end(exchange)
            exchange.connection.write(response)
            exchange.connection.end_response(is_last=is_last)

    def _respond_problem(
        self,
        exchange: Exchange,
        status: int,
        detail: Text,
        retry_after: int | None = None,
        *,
        is_last: bool = False,
    ) -> None:
        request = exchange.request
        response = problem_response(
            status,
            detail,
            request,
            language=exchange.language,
            is_last=self._is_last(request) or is_last,
            retry_after=retry_after,
        )
        self._respond(exchange, response, is_last=is_last)

    def _refuse_load(self, exchange: Exchange, reason: Reason) -> None:
        """Refuse a request because too many others are waiting."""
        if exchange.is_open:
            self._refusals.add(reason, exchange.request.address)
            detail = message("the server is overloaded at the moment")
            self._respond_problem(exchange, 503, detail, RETRY_AFTER)

    def _respond_alive(self, exchange: Exchange) -> None:
        request = exchange.request
        body = {"status": "alive"}
        self._respond(exchange, json_response(body, request, is_last=self._is_last(request)))

    async def _respond_ready(self, exchange: Exchange) -> None:
        state, request = await self._checks.readiness(), exchange.request
        if state.problem is not None:
            self._respond_problem(exchange, 503, state.problem, RETRY_AFTER)
            return
        language = exchange.language
        response = json_response(
            readiness_as_json(state.risks, renderer(language)),
            request,
            is_last=self._is_last(request),
            language=language if state.risks else None,
        )
        self._respond(exchange, response)

    # A thread runs these two, and `_post`.

    def _run(self, exchange: Exchange) -> None:
        """Run the application on a request and have the event loop send the response."""
        request = exchange.request
        try:
            environ = wsgi_environ(request, {STREAM_REFUSAL: self._hub.refusal})
            response = call_app(self._app, environ)
            stream: StreamRequest | None = environ.get(STREAM_REQUEST)
            if stream is not None and response.status == 200 and request.method == "GET":
                response.close()
                self._post(self._start_stream, exchange, stream, response)
                return
            if response.is_paged and request.method != "HEAD":
                self._post(self._start_pages, exchange, response)
                return
            try:
                body = b"".join(response.parts)
            finally:
                response.close()
            head = response_head(
                response.status,
                response.headers,
                http_version=request.http_version,
                is_last=self._is_last(request),
            )
        except Exception:
            log.exception("the application failed without a response")
            detail = message("the request could not be handled")
            self._post(self._respond_problem, exchange, 500, detail)
            return
        self._post(self._respond, exchange, head + body)

    def _post(self, callback: Callable[..., None], *args: Any) -> None:
        """Have the event loop call a function. Wakes the loop once for several calls."""
        self._inbox.append((callback, args))
        if not self._is_scheduled:
            self._is_scheduled = True
            # The loop is closed if the process has not waited for this request.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._empty_inbox)

    def _empty_inbox(self) -> None:
        self._is_scheduled = False
        while self._inbox:
            callback, args = self._inbox.popleft()
            try:
                callback(*args)
            except Exception:
                # The other callbacks belong to other requests.
                log.exception("a result of a thread could not be used")

    def _start(self, coroutine: Any) -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _start_stream(
        self, exchange: Exchange, stream: StreamRequest, response: AppResponse
    ) -> None:
        if exchange.is_open:
            exchange.job = None
            self._start(self._send_stream(exchange, stream, response.headers))

    def _start_pages(self, exchange: Exchange, response: AppResponse) -> None:
        if exchange.is_open:
            exchange.job = None
            self._start(self._send_parts(exchange, response))
        else:
            response.close()

    async def _send_stream(
        self, exchange: Exchange, stream: StreamRequest, headers: list[tuple[str, str]]
    ) -> None:
        # Check again, because several threads may have found the last free place for a stream.
        reached = self._hub.refusal(stream.visitor)
        if reached is not None:
            status = 429 if reached == "max_streams_per_visitor" else 503
            detail = message("too many event streams are open")
            self._respond_problem(exchange, status, detail, STREAM_RETRY_AFTER)
        elif await send_stream(exchange, self._hub, stream, headers):
            self._respond(exchange, exchange.body_end, is_last=not exchange.is_chunked)

    async def _send_parts(self, exchange: Exchange, response: AppResponse) -> None:
        parts = iter(response.parts)
        if await send_parts(exchange, response, lambda: self._next_part(exchange, parts)):
            self._respond(exchange, exchange.body_end, is_last=not exchange.is_chunked)

    async def _next_part(self, exchange: Exchange, parts: Iterator[bytes]) -> bytes | None:
        """Have a thread produce the next part, None after the last. Raises ConnectionError."""
        while exchange.is_open:
            part: asyncio.Future[bytes | None] = self._loop.create_future()
            exchange.part = part
            exchange.job = Job(
                *exchange.visitor,
                run=partial(self._read_part, parts, part),
                refuse=partial(_set_not_run, part),
            )
            self._enqueue(exchange.queue, exchange.job)
            try:
                return await part
            except _NotRunError:
                pass
            finally:
                # The future has the exception, whose traceback has this frame, which has the response: a
                # reference cycle would keep a large page until the next collection.
                exchange.job = exchange.part = None
                del part
            # Too many requests wait. The client already has a part of the response, so it cannot be refused
            # now.
            await asyncio.sleep(PAGE_RETRY_SECONDS)
        raise ConnectionError("the client has disconnected")

    def _read_part(self, parts: Iterator[bytes], result: "asyncio.Future[bytes | None]") -> None:
        try:
            self._post(_set_result, result, next(parts, None))
        except Exception as error:  # noqa: BLE001 # it is raised again where the result is awaited
            self._post(_set_exception, result, error)
        finally:
            # The traceback of the error has this frame; see `_next_part`.
            del result


def _set_result(future: "asyncio.Future[Any]", value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _set_exception(future: "asyncio.Future[Any]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _set_not_run(future: "asyncio.Future[Any]", _reason: Reason) -> None:
    _set_exception(future, _NotRunError())
