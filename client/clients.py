"""The synchronous and the asynchronous client: they send what `calls` describes, and wait.

Each method of `_Calls` is one call. On a Client it returns the result, on an AsyncClient an awaitable of it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper
from typing import Any, Final, Generic, ParamSpec, Self, TypeVar, overload

import httpx
from httpx_sse import EventSource, SSEError

import client.calls as api
from client.calls import Call
from client.errors import ClientError, InvalidResponse
from client.exchange import (
    BodyReader,
    Limits,
    Outcome,
    Pause,
    body_reader,
    exchange,
    request_error_reason,
)
from client.results import Event, Registration, Token
from client.streams import StreamProgress, bounded
from domain.messages import message

P = ParamSpec("P")
T = TypeVar("T")

_PROBLEM_BYTES: Final = 1 << 16
"""The longest problem that is read from a stream that is refused."""


class _Method(Generic[P, T]):
    """A call as a method of both clients."""

    def __init__(self, describe: Callable[P, Call[T]]) -> None:
        self._describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, client: "Client", owner: object) -> Callable[P, T]: ...

    @overload
    def __get__(
        self, client: "AsyncClient", owner: object
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...

    @overload
    def __get__(self, client: None, owner: object) -> Self: ...

    def __get__(self, client: "Client | AsyncClient | None", owner: object) -> Any:
        if client is None:
            return self
        run = client.run

        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return run(self._describe(*args, **kwargs))

        return update_wrapper(method, self._describe)


class _Calls:
    """The calls that both clients have, and what they share."""

    register = _Method(api.register)
    become_guest = _Method(api.become_guest)
    log_in = _Method(api.log_in)
    log_out = _Method(api.log_out)
    choose_handle = _Method(api.choose_handle)
    me = _Method(api.me)
    create_game = _Method(api.create_game)
    games = _Method(api.games)
    game = _Method(api.game)
    join = _Method(api.join)
    leave = _Method(api.leave)
    invite = _Method(api.invite)
    revoke_invitation = _Method(api.revoke_invitation)
    invitation = _Method(api.invitation)
    add_bot = _Method(api.add_bot)
    position = _Method(api.position)
    legal_actions = _Method(api.legal_actions)
    lessons = _Method(api.lessons)
    submit = _Method(api.submit)
    request_takeback = _Method(api.request_takeback)
    answer_takeback = _Method(api.answer_takeback)
    events = _Method(api.events)
    messages = _Method(api.messages)
    send_message = _Method(api.send_message)
    erase_message = _Method(api.erase_message)
    record = _Method(api.record)

    def __init__(self, token: str | None, language: str | None, limits: Limits) -> None:
        self.token = token
        """The token with which requests are made; None as a spectator."""
        self.limits = limits
        self._language = language

    def _headers(self, key: str | None = None) -> dict[str, str]:
        headers = {"Accept-Language": self._language} if self._language else {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        return headers

    def _request_options(self, call: Call[object]) -> dict[str, Any]:
        options: dict[str, Any] = {
            "params": dict(call.params),
            "headers": self._headers(call.idempotency_key),
        }
        if call.body is not None:
            options["json"] = call.body
        return options

    def _adopt(self, result: T) -> T:
        """Use the token of a result from now on, if it has one."""
        if isinstance(result, Registration | Token):
            self.token = result.token
        return result


def _base_url(url: str) -> str:
    """Return the URL of a server without a slash at its end. Raises ClientError."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise _invalid_url(error) from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise _invalid_url(httpx.InvalidURL(""))
    return url.rstrip("/")


def _invalid_url(error: Exception) -> ClientError:
    return ClientError(
        message("the URL or the token cannot be sent: {reason}", reason=request_error_reason(error))
    )


class Client(_Calls):
    """A synchronous client of the server at a URL, such as `http://127.0.0.1:8000`.

    `language` is a language tag for the texts of problems. `transport` replaces that of httpx, in tests.
    Every method raises ClientError.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        language: str | None = None,
        limits: Limits | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(token, language, limits or Limits())
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=_base_url(url), timeout=self.limits.timeout, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def run(self, call: Call[T]) -> T:
        """Carry out a call, which is repeated after a failure where that is safe."""
        steps = exchange(call, self.limits)
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return self._adopt(result)
            outcome = None
            if isinstance(step, Pause):
                self._sleep(step.seconds)
                step = next(steps)
            outcome = self._attempt(call)

    def _attempt(self, call: Call[object]) -> Outcome:
        reader = body_reader(call, self.limits)
        try:
            with self._http.stream(
                call.method, call.path, **self._request_options(call)
            ) as response:
                for part in response.iter_bytes():
                    reader.add(part)
        except httpx.HTTPError as error:
            return error
        except (httpx.InvalidURL, ValueError) as error:
            raise _invalid_url(error) from None
        return reader.response(response.status_code, response.headers)

    def stream(self, game: str, *, after: int = 0) -> Iterator[Event]:
        """Yield the events of a game after event `after` as they are appended, until the game has ended.

        A connection that is lost is resumed after the last event. Raises StreamReset, and the other errors
        of calls.
        """
        progress = StreamProgress(game, after, self.limits)
        while not progress.is_over():
            outcome: Outcome | None = None
            try:
                with self._http.stream(
                    "GET",
                    progress.path,
                    headers={**self._headers(), **progress.headers},
                    timeout=self.limits.stream_silence,
                ) as response:
                    if response.status_code == 200:
                        source = EventSource(bounded(response, progress))
                        for server_event in source.iter_sse():
                            if (event := progress.receive(server_event)) is not None:
                                yield event
                            elif progress.is_over():
                                break
                    else:
                        reader = BodyReader(_PROBLEM_BYTES, self.limits.timeout)
                        for part in response.iter_bytes():
                            reader.add(part)
                        outcome = reader.response(response.status_code, response.headers)
            except SSEError:
                raise _no_stream() from None
            except httpx.HTTPError as error:
                outcome = error
            if seconds := progress.pause(outcome):
                self._sleep(seconds)


class AsyncClient(_Calls):
    """The client for asyncio. Its methods are those of Client and are awaited; `async for` reads `stream`."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        language: str | None = None,
        limits: Limits | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
    ) -> None:
        super().__init__(token, language, limits or Limits())
        self._sleep = sleep
        self._http = httpx.AsyncClient(
            base_url=_base_url(url), timeout=self.limits.timeout, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def run(self, call: Call[T]) -> T:
        """Carry out a call, which is repeated after a failure where that is safe."""
        steps = exchange(call, self.limits)
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return self._adopt(result)
            outcome = None
            if isinstance(step, Pause):
                await self._sleep(step.seconds)
                step = next(steps)
            outcome = await self._attempt(call)

    async def _attempt(self, call: Call[object]) -> Outcome:
        reader = body_reader(call, self.limits)
        try:
            async with self._http.stream(
                call.method, call.path, **self._request_options(call)
            ) as response:
                async for part in response.aiter_bytes():
                    reader.add(part)
        except httpx.HTTPError as error:
            return error
        except (httpx.InvalidURL, ValueError) as error:
            raise _invalid_url(error) from None
        return reader.response(response.status_code, response.headers)

    async def stream(self, game: str, *, after: int = 0) -> AsyncIterator[Event]:
        """Yield the events of a game, as `Client.stream` does."""
        progress = StreamProgress(game, after, self.limits)
        while not progress.is_over():
            outcome: Outcome | None = None
            try:
                async with self._http.stream(
                    "GET",
                    progress.path,
                    headers={**self._headers(), **progress.headers},
                    timeout=self.limits.stream_silence,
                ) as response:
                    if response.status_code == 200:
                        source = EventSource(bounded(response, progress))
                        async for server_event in source.aiter_sse():
                            if (event := progress.receive(server_event)) is not None:
                                yield event
                            elif progress.is_over():
                                break
                    else:
                        reader = BodyReader(_PROBLEM_BYTES, self.limits.timeout)
                        async for part in response.aiter_bytes():
                            reader.add(part)
                        outcome = reader.response(response.status_code, response.headers)
            except SSEError:
                raise _no_stream() from None
            except httpx.HTTPError as error:
                outcome = error
            if seconds := progress.pause(outcome):
                await self._sleep(seconds)


def _no_stream() -> InvalidResponse:
    return InvalidResponse(message("the server's response is not an event stream"))
