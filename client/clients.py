"""The synchronous and the asynchronous client, which send the requests that `calls` describes.

Each method of `_Calls` makes one call, or several where `evidence` adds some. On a Client it returns the
result, on an AsyncClient an awaitable of the result.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

import client.calls as api
from client.errors import ClientError
from client.evidence import Evidence, EvidenceKeeper
from client.groups.all import Groups
from client.methods import Method
from client.requests import FILE_TYPE, Call
from client.response_cache import ResponseCache
from client.results import Event, GamePositions, Registration, Token
from client.retries import (
    BodyReader,
    Limits,
    Outcome,
    Pause,
    Response,
    Steps,
    body_reader,
    request_error_reason,
)
from client.streams import GameStream, PlayerStream, StreamProgress, event_source
from ledger import statements
from ledger.statements import Statement

P = ParamSpec("P")
T = TypeVar("T")


def _statement(
    describe: Callable[[str, Statement], Call[T]], kind: Callable[P, Statement]
) -> Method[Concatenate[str, P], T]:
    """Return the method that makes a statement of this kind in a game; its other arguments are its fields."""

    def call(game: str, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        return describe(game, kind(*args, **kwargs))

    call.__doc__ = kind.__doc__
    game = Parameter("game", Parameter.POSITIONAL_OR_KEYWORD, annotation=str)
    fields = signature(kind).parameters.values()
    call.__signature__ = Signature([game, *fields])  # type: ignore[attr-defined] # what `help` shows
    return Method(call, EvidenceKeeper.state)


class _Calls(Groups):
    """The calls of both clients, and their common parts."""

    register = Method(api.register)
    become_guest = Method(api.become_guest)
    log_in = Method(api.log_in)
    log_out = Method(api.log_out)
    choose_handle = Method(api.choose_handle)
    me = Method(api.me)
    create_game = Method(api.create_game, EvidenceKeeper.create_game)
    games = Method(api.games)
    game = Method(api.game)
    join = Method(api.join, EvidenceKeeper.join)
    leave = Method(api.leave)
    invite = Method(api.invite)
    invite_player = Method(api.invite_player)
    revoke_invitation = Method(api.revoke_invitation)
    invitation = Method(api.invitation)
    add_bot = Method(api.add_bot, EvidenceKeeper.add_bot)
    position = Method(api.position)
    legal_actions = Method(api.legal_actions)
    lessons = Method(api.lessons)
    submit = Method(api.submit, EvidenceKeeper.submit)
    request_takeback = _statement(api.state, statements.RequestTakeback)
    answer_takeback = _statement(api.state, statements.AnswerTakeback)
    agree_to_pause = _statement(api.state, statements.AgreeToPause)
    give_time = _statement(api.state, statements.GiveTime)
    open_dispute = _statement(api.state, statements.OpenDispute)
    answer_dispute = _statement(api.state, statements.AnswerDispute)
    withdraw_dispute = _statement(api.withdraw, statements.WithdrawDispute)
    events = Method(api.events)
    event_feed = Method(api.event_feed)
    messages = Method(api.messages)
    send_message = Method(api.send_message)
    erase_message = Method(api.erase_message)
    record = Method(api.record)

    def __init__(
        self,
        url: str,
        token: str | None,
        language: str | None,
        limits: Limits | None,
        evidence: Evidence | None,
    ) -> None:
        self.token = token
        """The token that requests are made with; None for a spectator."""
        self.limits = limits or Limits()
        self._language = language
        self._base_url = _base_url(url)
        self._response_cache = ResponseCache()
        self.keeper = EvidenceKeeper(
            self._base_url,
            Evidence.of_user() if evidence is None else evidence,
            self.limits,
            lambda: self.token,
        )
        """Keeps evidence of the games that are played with this client."""

    def _headers(self, key: str | None = None, *, sends_token: bool = True) -> dict[str, str]:
        headers = {"Accept-Language": self._language} if self._language else {}
        if self.token is not None and sends_token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        return headers

    def _request_options(self, call: Call[object]) -> dict[str, Any]:
        headers = self._headers(call.idempotency_key, sends_token=call.sends_token)
        options: dict[str, Any] = {
            "params": dict(call.params),
            "headers": {**headers, **self._response_cache.headers(call, self.token)},
        }
        if call.body is not None:
            options["json"] = call.body
        if call.file is not None:
            options["content"] = call.file
            options["headers"]["Content-Type"] = FILE_TYPE
        return options

    def _stream_options(self, progress: StreamProgress[Any]) -> dict[str, Any]:
        headers = {**self._headers(), **progress.headers}
        return {"headers": headers, "timeout": self.limits.stream_silence}

    def _adopt(self, result: T) -> T:
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
    return ClientError.with_message(
        "the URL or the token cannot be sent: {reason}", reason=request_error_reason(error)
    )


class Client(_Calls):
    """A synchronous client of the server at a URL, such as `http://127.0.0.1:8000`.

    `language` is a language tag for the texts of problems. `evidence` says where nonces, the player's key and
    receipts are kept; None stands for the user's folder. Tests pass a `transport` to use in place of that of
    httpx. Every method raises ClientError.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        language: str | None = None,
        limits: Limits | None = None,
        evidence: Evidence | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(url, token, language, limits, evidence)
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=self._base_url, timeout=self.limits.timeout, transport=transport
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
        return self.take(self.keeper.send(call))

    def take(self, steps: Steps[T]) -> T:
        """Take steps until they have a result, and return it."""
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return self._adopt(result)
            if isinstance(step, Pause):
                outcome = None
                self._sleep(step.seconds)
            else:
                outcome = self._attempt(step)

    def _attempt(self, call: Call[object]) -> Outcome:
        reader = body_reader(call, self.limits)
        try:
            with self._http.stream(
                call.method, call.path, **self._request_options(call)
            ) as response:
                return self._response_cache.complete(call, self.token, self._read(response, reader))
        except httpx.HTTPError as error:
            return error
        except (httpx.InvalidURL, ValueError) as error:
            raise _invalid_url(error) from None

    def _read(self, response: httpx.Response, reader: BodyReader) -> Response:
        for part in response.iter_bytes():
            reader.add(part)
        return reader.response(response.status_code, response.headers)

    def stream(self, game: str, *, after: int = 0) -> Iterator[Event]:
        """Return the events of a game after event `after` as they are appended, until the game has ended.

        A connection that is lost is resumed after the last event. Raises StreamReset, and the other errors
        of calls.
        """
        return self._stream(GameStream(game, after, self.limits))

    def stream_mine(self) -> Iterator[Event | GamePositions]:
        """Return the events of all games of the player as they are appended, without end.

        The first item, and that after a lost connection, are the GamePositions from which the stream goes
        on. Raises StreamReset, and the other errors of calls.
        """
        return self._stream(PlayerStream(self.limits))

    def _stream(self, progress: StreamProgress[T]) -> Iterator[T]:
        while not progress.is_over():
            with (
                progress.attempt(),
                self._http.stream(
                    "GET", progress.path, **self._stream_options(progress)
                ) as response,
            ):
                if response.status_code != 200:
                    progress.refuse(self._read(response, progress.problem_reader()))
                else:
                    for server_event in event_source(response, progress).iter_sse():
                        if (item := progress.receive(server_event)) is not None:
                            yield self.keeper.note(item)
                        elif progress.is_over():
                            break
            if seconds := progress.pause():
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
        evidence: Evidence | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
    ) -> None:
        super().__init__(url, token, language, limits, evidence)
        self._sleep = sleep
        self._http = httpx.AsyncClient(
            base_url=self._base_url, timeout=self.limits.timeout, transport=transport
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
        return await self.take(self.keeper.send(call))

    async def take(self, steps: Steps[T]) -> T:
        """Take steps until they have a result, and return it."""
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return self._adopt(result)
            if isinstance(step, Pause):
                outcome = None
                await self._sleep(step.seconds)
            else:
                outcome = await self._attempt(step)

    async def _attempt(self, call: Call[object]) -> Outcome:
        reader = body_reader(call, self.limits)
        try:
            async with self._http.stream(
                call.method, call.path, **self._request_options(call)
            ) as response:
                read = await self._read(response, reader)
                return self._response_cache.complete(call, self.token, read)
        except httpx.HTTPError as error:
            return error
        except (httpx.InvalidURL, ValueError) as error:
            raise _invalid_url(error) from None

    async def _read(self, response: httpx.Response, reader: BodyReader) -> Response:
        async for part in response.aiter_bytes():
            reader.add(part)
        return reader.response(response.status_code, response.headers)

    def stream(self, game: str, *, after: int = 0) -> AsyncIterator[Event]:
        """Return the events of a game, as `Client.stream` does."""
        return self._stream(GameStream(game, after, self.limits))

    def stream_mine(self) -> AsyncIterator[Event | GamePositions]:
        """Return the events of all games of the player, as `Client.stream_mine` does."""
        return self._stream(PlayerStream(self.limits))

    async def _stream(self, progress: StreamProgress[T]) -> AsyncIterator[T]:
        while not progress.is_over():
            with progress.attempt():
                async with self._http.stream(
                    "GET", progress.path, **self._stream_options(progress)
                ) as response:
                    if response.status_code != 200:
                        progress.refuse(await self._read(response, progress.problem_reader()))
                    else:
                        async for server_event in event_source(response, progress).aiter_sse():
                            if (item := progress.receive(server_event)) is not None:
                                yield self.keeper.note(item)
                            elif progress.is_over():
                                break
            if seconds := progress.pause():
                await self._sleep(seconds)
