"""Presence: event streams of pages say who is there, with few writes, in several processes."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from service import wall_clock
from service.accounts.account_reader import account_key
from service.accounts.presence import HERE_SECONDS, KEPT_SECONDS, MAX_GAMES, presence_key
from service.bootstrap import Service
from service.connection import connect_async, to_text
from service.http.event_streams import StreamRequest
from service.server.presence import PresenceWriter
from service.server.stream_listener import Listener
from tests.service.server.test_stream_hub import Stream, running_hub
from tests.support.service_games import start_game


class Time:
    """The time of all processes: that of the wall clock and the monotonic one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.start, self.seconds = wall_clock.now(), 0.0
        monkeypatch.setattr(wall_clock, "now", self.now)

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds)

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def listeners(*requests: StreamRequest) -> list[Listener]:
    """Return open streams for these requests."""
    return [Listener(request=request) for request in requests]


def page_of(game: str, player: str | None, **fields: Any) -> StreamRequest:
    """Return the request for the stream of a page of a game."""
    return StreamRequest(game, 0, player=player, has_presence=player is not None, **fields)


def register(service: Service, handle: str) -> str:
    player, _ = service.accounts.players.register(handle, "correct horse")
    return player.id


class Processes:
    """Writers of several processes on one Redis."""

    def __init__(self, service: Service, now: Time, *streams: Sequence[Listener]) -> None:
        self._url, self._now, self._streams = service.settings.redis_url, now, streams

    async def __aenter__(self) -> list[PresenceWriter]:
        options = {"max_connections": 2, "seconds_to_connect": 5, "seconds_to_respond": 5}
        self._client = connect_async(self._url, **options)
        return [
            PresenceWriter(self._client, list(streams), _time=self._now)
            for streams in self._streams
        ]

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


def test_a_player_costs_one_write_a_minute_whatever_pages_and_processes_there_are(
    service: Service, now: Time
) -> None:
    ada = register(service, "ada")
    pages = [page_of(game, ada) for game in ("a", "b", "a")]
    written: list[tuple[float, float | None]] = []

    async def watch() -> None:
        async with Processes(service, now, listeners(*pages), listeners(*pages)) as writers:
            for _ in range(60):
                for writer in writers:
                    await writer.renew()
                    scores = {service.redis.zscore(presence_key(ada), game) for game in "ab"}
                    assert len(scores) == 1
                    written.append((now.seconds, scores.pop()))
                    now.seconds += 2.5

    asyncio.run(watch())
    times = sorted({score for _, score in written if score is not None})
    assert len(times) == 5
    gaps = [(after - before) / 1000 for before, after in pairwise(times)]
    assert all(60 <= gap < HERE_SECONDS for gap in gaps), gaps


def test_a_player_who_leaves_is_soon_no_longer_here(service: Service, now: Time) -> None:
    ada = register(service, "ada")

    async def visit() -> None:
        async with Processes(service, now, listeners(page_of("a", ada))) as (writer,):
            await writer.renew()

    asyncio.run(visit())
    seen = service.accounts.players.presence.of("a", [ada, "unknown"])
    assert seen.keys() == {ada}
    assert seen[ada].is_here
    assert seen[ada].at == wall_clock.format(now.start)
    now.seconds = HERE_SECONDS + 1
    gone = service.accounts.players.presence.of("a", [ada])[ada]
    assert (gone.is_here, gone.at) == (False, wall_clock.format(now.start))
    assert service.redis.ttl(presence_key(ada)) > KEPT_SECONDS / 2


def test_nothing_is_written_about_those_who_hide_it_or_have_no_account(
    service: Service, now: Time
) -> None:
    ada, token = service.accounts.players.register("ada", "correct horse")
    bea = register(service, "bea")
    pages = [page_of("a", player) for player in (ada.id, bea, "erased", None)]
    settings = service.accounts.players.change_settings

    async def visit() -> None:
        async with Processes(service, now, listeners(*pages)) as (writer,):
            await writer.renew()
            assert service.redis.exists(presence_key(ada.id), presence_key(bea)) == 2
            settings(ada.id, token, {"presence": "hidden"})
            assert not service.redis.exists(presence_key(ada.id))
            for _ in range(3):
                now.seconds += 61
                await writer.renew()
            assert not service.redis.exists(presence_key(ada.id), presence_key("erased"))
            settings(ada.id, token, {"presence": "shown"})
            assert service.redis.hget(account_key(ada.id), "presence") is None
            now.seconds += 61
            await writer.renew()
            assert service.redis.exists(presence_key(ada.id))

    asyncio.run(visit())
    # A write that was under way when the setting changed is not shown.
    service.redis.hset(account_key(ada.id), "presence", "hidden")
    assert service.accounts.players.presence.of("a", [ada.id]) == {}
    service.accounts.erasure.erase_without_password(bea)
    assert not service.redis.exists(presence_key(bea))


def test_only_the_last_visits_are_kept(service: Service, now: Time) -> None:
    ada = register(service, "ada")
    old = wall_clock.milliseconds(now.start) - KEPT_SECONDS * 1000 - 1
    games = {f"game-{number:03}": old + 10_000 + number for number in range(MAX_GAMES + 20)}
    service.redis.zadd(presence_key(ada), {"old": old, **games})

    async def visit() -> None:
        async with Processes(service, now, listeners(page_of("new", ada))) as (writer,):
            await writer.renew()

    asyncio.run(visit())
    members: list[Any] = service.redis.zrange(presence_key(ada), 0, -1)
    kept = list(map(to_text, members))
    assert kept == [*list(games)[21:], "new"]


def test_the_players_of_a_game_hear_at_once_who_comes_and_others_do_not(service: Service) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    game = start_game(service, players=(ada, bea)).id

    async def watch() -> None:
        # Two hubs are two web processes.
        async with running_hub(service) as first, running_hub(service) as second:
            mine = Stream(first, page_of(game, ada))
            program = Stream(first, StreamRequest(game, 0, player=ada))
            spectator = Stream(second, StreamRequest(game, 0))
            for stream in (mine, program, spectator):
                assert [(await stream.next() or {})["id"] for _ in range(4)] == [1, 2, 3, 4]
            theirs = Stream(second, page_of(game, bea))
            assert [(await theirs.next() or {})["id"] for _ in range(4)] == [1, 2, 3, 4]
            assert await mine.next() == {"event": "people-changed", "data": {}}
            take = service.games.commands.act
            seq, actions = service.games.queries.legal_actions(game, ada)
            await asyncio.to_thread(take, game, ada, actions[0], seq)
            for stream in (program, spectator):
                assert (await stream.next() or {})["id"] == 5

    asyncio.run(watch())
    assert all(person.is_here for person in service.games.people.of_game(game, ada))
