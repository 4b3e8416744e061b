"""Event streams: complete, resumed, many at once, ended in good order, and never in anybody's way."""

import asyncio
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.bootstrap import build
from service.embedded_redis import EmbeddedRedis
from service.server.streams import MAX_QUEUED_EVENTS
from service.settings import Settings
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, PlayerClient, take_turn
from tests.support.http_contract import Contract
from tests.support.server import WebServer
from tests.support.service_games import start_game
from tests.support.streams import Reader, Received, opened


async def beside(call: Callable[..., Any], *args: Any) -> Any:
    """Do something that waits, while streams are read."""
    return await asyncio.get_running_loop().run_in_executor(None, call, *args)


def streamed(url: str, game: str, upto: int, **headers: str) -> list[Received]:
    """What a stream gives up to event `upto`."""

    async def read() -> list[Received]:
        stream = await opened(url, f"/api/v1/games/{game}/stream", headers)
        found: list[Received] = []
        while not found or found[-1].id != upto:
            received = await stream.next()
            assert received is not None
            found.append(received)
        await stream.close()
        return found

    return asyncio.run(read())


@pytest.mark.http("GET /games/ID/stream", 200)
def test_a_stream_is_the_log_and_goes_on(accounts: Accounts, contract: Contract) -> None:
    game, players = accounts.start_game()

    async def follow() -> None:
        stream = await opened(accounts.url, f"/api/v1/games/{game}/stream")
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        for seq in range(1, 5):
            assert (await stream.next()).id == seq  # type: ignore[union-attr]
        for _ in range(3):
            event = await beside(take_turn, game, players)
            received = await stream.next()
            assert received is not None
            assert (received.id, received.event, received.data) == (event["seq"], "message", event)
        await stream.close()

    asyncio.run(follow())
    with httpx.stream("GET", f"{accounts.url}/api/v1/games/{game}/stream") as response:
        contract.see(response)


@pytest.mark.parametrize("seen", [0, 1, 3, 4])
def test_it_resumes_after_the_last_event_that_arrived(accounts: Accounts, seen: int) -> None:
    game, _ = accounts.start_game()
    events = accounts.anonymous.get(f"/api/v1/games/{game}/events").json()["events"]
    if seen < 4:
        found = streamed(accounts.url, game, 4, **{"Last-Event-ID": str(seen)})
        assert [received.data for received in found] == events[seen:]
    found = streamed(f"{accounts.url}", f"{game}", 4, **{"Last-Event-ID": "2"})
    assert [received.id for received in found] == [3, 4]


def test_a_header_goes_before_the_query(accounts: Accounts) -> None:
    game, _ = accounts.start_game()

    async def first(query: str, headers: dict[str, str]) -> int | None:
        stream = await opened(accounts.url, f"/api/v1/games/{game}/stream{query}", headers)
        received = await stream.next()
        await stream.close()
        return None if received is None else received.id

    assert asyncio.run(first("?after=2", {})) == 3
    # A browser that comes back sends both, and the address still says where it began.
    assert asyncio.run(first("?after=0", {"Last-Event-ID": "3"})) == 4


@pytest.mark.http("GET /games/ID/stream", 400, 401, 404)
def test_it_is_strict(accounts: Accounts) -> None:
    path = f"/api/v1/games/{accounts.start_game()[0]}/stream"
    for query in ("?after=x", "?after=-1", "?since=3"):
        assert accounts.anonymous.get(path + query).status_code == 400
    for sent in ("x", "-1", "1.5", "9" * 17):
        response = accounts.anonymous.get(path, headers={"Last-Event-ID": sent})
        assert response.status_code == 400
        assert response.json()["errors"][0]["field"] == "Last-Event-ID"
    wrong = {"Authorization": "Bearer wrong"}
    assert accounts.anonymous.get(path, headers=wrong).status_code == 401
    assert accounts.anonymous.get("/api/v1/games/nothing/stream").status_code == 404


@pytest.mark.http("GET /games/ID/stream", 204)
def test_it_ends_with_the_game_and_then_there_is_nothing_to_wait_for(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game()

    async def follow() -> list[Received | None]:
        stream = await opened(accounts.url, f"/api/v1/games/{game}/stream?after=2")
        await beside(ada.http.delete, f"/api/v1/games/{game}/players/me")
        return [await stream.next() for _ in range(4)]

    left, abandoned, end, nothing = asyncio.run(follow())
    assert left is not None
    assert abandoned is not None
    assert end is not None
    assert (left.data["type"], abandoned.data["type"]) == ("SeatLeft", "GameAbandoned")
    assert (end.id, end.event) == (None, "end")
    assert nothing is None
    path = f"/api/v1/games/{game}/stream"
    assert accounts.anonymous.get(path, headers={"Last-Event-ID": "4"}).status_code == 204
    # Who does not know all of it yet gets the rest, and then the end.
    told = accounts.anonymous.get(path, headers={"Last-Event-ID": "3"})
    assert told.text.count("id: ") == 1
    assert told.text.endswith("event: end\ndata: {}\n\n")


def test_who_leaves_a_private_game_sees_no_more_of_it(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(3, options={"private": True}, invite=[bea.handle])
    bea.join(game)

    async def follow(person: PlayerClient) -> Reader:
        headers = {"Authorization": f"Bearer {person.token}"}
        return await opened(accounts.url, f"/api/v1/games/{game}/stream?after=3", headers)

    async def both() -> None:
        hers, guests = await follow(ada), await follow(bea)
        await beside(ada.http.delete, f"/api/v1/games/{game}/players/me")
        assert await hers.next() is None
        received = await guests.next()
        assert received is not None
        assert received.data["type"] == "SeatLeft"
        await guests.close()

    asyncio.run(both())


def figure(url: str, name: str) -> float:
    """A figure that the server gives of itself."""
    text = httpx.get(url + "/metrics").text
    return sum(
        float(line.split(" ")[-1]) for line in text.splitlines() if line.startswith(name + " ")
    )


def test_who_hangs_up_is_forgotten_at_once(accounts: Accounts) -> None:
    game, _ = accounts.start_game()
    before = figure(accounts.url, "cartulary_streams_open")

    async def come_and_go() -> None:
        streams = [
            await opened(accounts.url, f"/api/v1/games/{game}/stream?after=4") for _ in range(5)
        ]
        assert await beside(figure, accounts.url, "cartulary_streams_open") == before + 5
        for stream in streams:
            await stream.close()

    asyncio.run(come_and_go())
    deadline = time.monotonic() + 5
    while figure(accounts.url, "cartulary_streams_open") != before:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def many(accounts: Accounts, streams: int, actions: int) -> tuple[float, float]:
    """Hold streams of one game open while it is played; the median seconds of an action with and without."""
    game, players = accounts.start_game()

    def acting(count: int) -> list[float]:
        taken = []
        for _ in range(count):
            seat = accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"]
            seq, legal = players[seat].legal_actions(game)
            began = time.perf_counter()
            assert players[seat].act(game, legal[0], seq).status_code == 201
            taken.append(time.perf_counter() - began)
        return sorted(taken)

    async def hold() -> list[float]:
        head = accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"]
        path = f"/api/v1/games/{game}/stream?after={head}"
        readers: list[Reader] = []
        for start in range(0, streams, 100):
            readers += await asyncio.gather(
                *(opened(accounts.url, path) for _ in range(min(100, streams - start)))
            )
        assert await beside(figure, accounts.url, "cartulary_streams_open") >= streams
        taken: list[float] = await beside(acting, actions)
        for reader in readers:
            got = [await reader.next() for _ in range(actions)]
            assert [one and one.id for one in got] == list(range(head + 1, head + 1 + actions))
        await asyncio.gather(*(reader.close() for reader in readers))
        return taken

    without = acting(actions)
    with_streams = asyncio.run(hold())
    return with_streams[actions // 2], without[actions // 2]


def test_a_hundred_streams_take_no_request_thread(accounts: Accounts) -> None:
    # There are far fewer threads than that: were a stream to hold one, nobody could act.
    many(accounts, 100, 5)


@pytest.mark.soak
@pytest.mark.parametrize("streams", [1000, 4000])
def test_thousands_of_streams(accounts: Accounts, streams: int) -> None:
    held, free = many(accounts, streams, 20)
    said = f"{streams} streams: an action takes {held * 1000:.1f} ms, without them {free * 1000:.1f} ms"
    print(said)  # noqa: T201


def test_a_reader_who_does_not_read_is_dropped_and_others_are_not(
    web_redis: EmbeddedRedis, accounts: Accounts, tmp_path: Path
) -> None:
    service = build(settings_for(web_redis, tmp_path))
    game = start_game(service).id
    dropped = figure(accounts.url, "cartulary_streams_dropped_total")

    async def follow() -> None:
        slow = socket.create_connection(accounts.url.removeprefix("http://").split(":"))  # type: ignore[arg-type]
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(
            f"GET /api/v1/games/{game}/stream?after=4 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        )
        quick = await opened(accounts.url, f"/api/v1/games/{game}/stream?after=4")
        seen = 4
        # Agreeing and taking it back changes little and goes on for ever; what it writes fills every buffer.
        while await beside(figure, accounts.url, "cartulary_streams_dropped_total") == dropped:
            await beside(fill, seen)
            for _ in range(MAX_QUEUED_EVENTS // 2):
                received = await quick.next()
                assert received is not None
                seen += 1
                assert received.id == seen
            assert seen < 200_000
        await quick.close()
        slow.close()

    def fill(head: int) -> None:
        # Straight into the log, with no more of an event than a stream looks at.
        line = b'{"data":{},"seq":%d,"type":"Filler","x":"' + b"x" * 8000 + b'"}'
        with service.redis.pipeline() as pipeline:
            for seq in range(head + 1, head + 1 + MAX_QUEUED_EVENTS // 2):
                pipeline.xadd(f"cartulary:{{{game}}}:log", {"e": line % seq}, id=f"{seq}-0")
            pipeline.publish(f"cartulary:appended:{game}", head)
            pipeline.publish(f"cartulary:appended:{game}", head)
            pipeline.execute()

    asyncio.run(follow())
    service.redis.close()


@pytest.mark.http("GET /games/ID/stream", 503)
def test_no_more_streams_than_there_is_room_for(
    web_redis: EmbeddedRedis, contract: Contract, tmp_path: Path
) -> None:
    with WebServer(settings_for(web_redis, tmp_path), max_files=300) as server:
        accounts = Accounts(server.url, contract)
        game, players = accounts.start_game()

        async def fill() -> None:
            path = f"/api/v1/games/{game}/stream?after=4"
            readers = [await opened(server.url, path) for _ in range(50)]
            statuses = [reader.status for reader in readers]
            assert statuses == [200] * 44 + [503] * 6
            # There is room for requests still, and for a stream once another has gone.
            refused = await beside(accounts.anonymous.get, f"/api/v1/games/{game}/stream")
            assert refused.status_code == 503
            event = await beside(take_turn, game, players)
            received = await readers[0].next()
            assert received is not None
            assert received.data == event
            for reader in readers:
                await reader.close()

        asyncio.run(fill())
        accounts.close()


class TestOfItsOwn:
    """With a server and a Redis that these tests may stop."""

    @pytest.fixture
    def own_redis(self, tmp_path: Path) -> Any:
        with EmbeddedRedis(tmp_path / "redis") as server:
            yield server

    @pytest.fixture
    def own_settings(self, own_redis: EmbeddedRedis, tmp_path: Path) -> Settings:
        return settings_for(own_redis, tmp_path)

    def test_stopping_the_server_ends_streams_and_they_resume(self, own_settings: Settings) -> None:
        with WebServer(own_settings) as server:
            accounts = Accounts(server.url)
            game, players = accounts.start_game()

            async def follow() -> None:
                stream = await opened(server.url, f"/api/v1/games/{game}/stream?after=4")
                event = await beside(take_turn, game, players)
                received = await stream.next()
                assert received is not None
                assert received.data == event
                taken = await beside(server.stop)
                assert taken < 5
                assert await stream.next() is None

            asyncio.run(follow())
            assert server.status == 0
            server.start()
            event = take_turn(game, players)
            (received,) = streamed(server.url, game, 6, **{"Last-Event-ID": "5"})
            assert received.data == event
            accounts.close()

    def test_a_redis_that_was_away_loses_no_event(
        self, own_redis: EmbeddedRedis, own_settings: Settings
    ) -> None:
        with WebServer(own_settings) as server:
            accounts = Accounts(server.url)
            game, players = accounts.start_game()

            async def follow() -> None:
                stream = await opened(server.url, f"/api/v1/games/{game}/stream?after=4")
                await beside(take_turn, game, players)
                assert (await stream.next()).id == 5  # type: ignore[union-attr]
                # The embedded Redis is started and stopped by the main thread only.
                own_redis.kill()
                own_redis.start()
                await beside(take_turn, game, players)
                assert (await stream.next(20)).id == 6  # type: ignore[union-attr]
                await stream.close()

            asyncio.run(follow())
            accounts.close()


def test_readers_at_once_do_not_get_in_each_others_way(accounts: Accounts) -> None:
    games = [accounts.start_game() for _ in range(3)]

    async def follow() -> None:
        streams = [
            await opened(accounts.url, f"/api/v1/games/{game}/stream?after=4")
            for game, _ in games
            for _ in range(3)
        ]
        with ThreadPoolExecutor() as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(
                *(loop.run_in_executor(pool, take_turn, game, players) for game, players in games)
            )
        for number, stream in enumerate(streams):
            received = await stream.next()
            assert received is not None
            assert received.data["game"] == games[number // 3][0]
            await stream.close()

    asyncio.run(follow())
