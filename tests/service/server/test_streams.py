"""Event streams are complete, can be resumed, end with the game, and do not slow other requests down."""

import asyncio
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from ledger.canonical import canonical
from service.bootstrap import build
from service.operation.embedded_redis import EmbeddedRedis
from service.server.stream_listener import MAX_QUEUED_EVENTS
from service.settings import Settings
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, PlayerClient, take_turn
from tests.support.http_contract import Contract
from tests.support.processes import wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer
from tests.support.service_games import start_game
from tests.support.stored_games import rechained
from tests.support.streams import ServerSentEvent, StreamClient, open_stream


async def run_in_thread(call: Callable[..., Any], *args: Any) -> Any:
    """Call a blocking function while the event loop reads streams."""
    return await asyncio.get_running_loop().run_in_executor(None, call, *args)


def read_stream(url: str, game: str, last: int, **headers: str) -> list[ServerSentEvent]:
    """Open a stream and return its events up to event `last`."""

    async def read() -> list[ServerSentEvent]:
        stream = await open_stream(url, f"/api/v1/games/{game}/stream", headers)
        events: list[ServerSentEvent] = []
        while not events or events[-1].id != last:
            events.append(await stream.next_event())
        await stream.close()
        return events

    return asyncio.run(read())


def test_a_stream_has_the_whole_log_and_continues(accounts: Accounts, contract: Contract) -> None:
    game, players = accounts.start_game()

    async def follow() -> None:
        stream = await open_stream(accounts.url, f"/api/v1/games/{game}/stream")
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        for seq in range(1, 5):
            assert (await stream.next_event()).id == seq
        for _ in range(3):
            event = await run_in_thread(take_turn, game, players)
            received = await stream.next_event()
            assert (received.id, received.event, received.data) == (event["seq"], "message", event)
        await stream.close()

    asyncio.run(follow())
    with httpx.stream("GET", f"{accounts.url}/api/v1/games/{game}/stream") as response:
        contract.check(response)


@pytest.mark.parametrize("last_id", [0, 1, 3, 4])
def test_a_stream_resumes_after_the_last_event_that_arrived(
    accounts: Accounts, last_id: int
) -> None:
    game, _ = accounts.start_game()
    events = accounts.anonymous.get(f"/api/v1/games/{game}/events").json()["events"]
    if last_id < 4:
        received = read_stream(accounts.url, game, 4, **{"Last-Event-ID": str(last_id)})
        assert [event.data for event in received] == events[last_id:]
    received = read_stream(accounts.url, game, 4, **{"Last-Event-ID": "2"})
    assert [event.id for event in received] == [3, 4]


def test_the_header_takes_precedence_over_the_query(accounts: Accounts) -> None:
    game, _ = accounts.start_game()

    async def first(query: str, headers: dict[str, str]) -> int | None:
        stream = await open_stream(accounts.url, f"/api/v1/games/{game}/stream{query}", headers)
        received = await stream.next()
        await stream.close()
        return None if received is None else received.id

    assert asyncio.run(first("?after=2", {})) == 3
    # A browser that reconnects sends both: the header, and the URL with which it began.
    assert asyncio.run(first("?after=0", {"Last-Event-ID": "3"})) == 4


def test_an_invalid_request_is_refused(accounts: Accounts) -> None:
    path = f"/api/v1/games/{accounts.start_game()[0]}/stream"
    for query in ("?after=x", "?after=-1", "?since=3"):
        assert accounts.anonymous.get(path + query).status_code == 400
    for last_id in ("x", "-1", "1.5", "9" * 17):
        response = accounts.anonymous.get(path, headers={"Last-Event-ID": last_id})
        assert response.status_code == 400
        assert response.json()["errors"][0]["field"] == "Last-Event-ID"
    invalid_token = {"Authorization": "Bearer wrong"}
    assert accounts.anonymous.get(path, headers=invalid_token).status_code == 401
    assert accounts.anonymous.get("/api/v1/games/nothing/stream").status_code == 404


def test_a_stream_ends_with_the_game_and_cannot_be_opened_again(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game()

    async def follow() -> list[ServerSentEvent | None]:
        stream = await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=2")
        await run_in_thread(ada.http.delete, f"/api/v1/games/{game}/players/me")
        return [await stream.next() for _ in range(4)]

    left, abandoned, end, after_end = asyncio.run(follow())
    assert left is not None
    assert abandoned is not None
    assert end is not None
    assert (left.data["type"], abandoned.data["type"]) == ("SeatLeft", "GameAbandoned")
    assert (end.id, end.event) == (None, "end")
    assert after_end is None
    path = f"/api/v1/games/{game}/stream"
    assert accounts.anonymous.get(path, headers={"Last-Event-ID": "4"}).status_code == 204
    # A client that lacks events gets them, and then the end.
    response = accounts.anonymous.get(path, headers={"Last-Event-ID": "3"})
    assert response.text.count("id: ") == 1
    assert response.text.endswith("event: end\ndata: {}\n\n")


def test_the_stream_of_a_player_who_leaves_a_private_game_ends(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(3, options={"private": True}, invite=[bea.handle])
    bea.join(game)

    async def follow(player: PlayerClient) -> StreamClient:
        headers = {"Authorization": f"Bearer {player.token}"}
        return await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=3", headers)

    async def follow_both() -> None:
        of_ada, of_bea = await follow(ada), await follow(bea)
        await run_in_thread(ada.http.delete, f"/api/v1/games/{game}/players/me")
        assert await of_ada.next() is None
        received = await of_bea.next_event()
        assert received.data["type"] == "SeatLeft"
        await of_bea.close()

    asyncio.run(follow_both())


def read_metric(url: str, name: str) -> float:
    """Return the value of a metric of the server."""
    text = httpx.get(url + "/metrics").text
    return sum(
        float(line.split(" ")[-1]) for line in text.splitlines() if line.startswith(name + " ")
    )


def test_a_stream_whose_client_disconnects_is_closed_immediately(accounts: Accounts) -> None:
    game, _ = accounts.start_game()
    before = read_metric(accounts.url, "cartulary_streams_open")

    async def open_and_close() -> None:
        streams = [
            await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=4")
            for _ in range(5)
        ]
        assert (
            await run_in_thread(read_metric, accounts.url, "cartulary_streams_open") == before + 5
        )
        for stream in streams:
            await stream.close()

    asyncio.run(open_and_close())
    wait_until(lambda: read_metric(accounts.url, "cartulary_streams_open") == before)


def time_actions(accounts: Accounts, streams: int, actions: int) -> tuple[float, float]:
    """Return the median seconds of an action while many streams of the game are open, and without them."""
    game, players = accounts.start_game()

    def act(count: int) -> list[float]:
        durations = []
        for _ in range(count):
            seat = accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"]
            seq, legal = players[seat].legal_actions(game)
            start = time.perf_counter()
            assert players[seat].act(game, legal[0], seq).status_code == 201
            durations.append(time.perf_counter() - start)
        return sorted(durations)

    async def act_with_streams() -> list[float]:
        head = accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"]
        path = f"/api/v1/games/{game}/stream?after={head}"
        clients: list[StreamClient] = []
        for start in range(0, streams, 100):
            clients += await asyncio.gather(
                *(open_stream(accounts.url, path) for _ in range(min(100, streams - start)))
            )
        assert await run_in_thread(read_metric, accounts.url, "cartulary_streams_open") >= streams
        durations: list[float] = await run_in_thread(act, actions)
        for client in clients:
            events = [await client.next_event() for _ in range(actions)]
            assert [event.id for event in events] == list(range(head + 1, head + 1 + actions))
        await asyncio.gather(*(client.close() for client in clients))
        return durations

    without = act(actions)
    with_streams = asyncio.run(act_with_streams())
    return with_streams[actions // 2], without[actions // 2]


def test_a_hundred_streams_take_no_request_thread(accounts: Accounts) -> None:
    # There are far fewer threads: if each stream used one, nobody could act.
    time_actions(accounts, 100, 5)


@pytest.mark.soak
@pytest.mark.parametrize("streams", [1000, 4000])
def test_actions_are_accepted_while_thousands_of_streams_are_open(
    accounts: Accounts, streams: int
) -> None:
    seconds, without = time_actions(accounts, streams, 20)
    result = f"an action takes {seconds * 1000:.1f} ms, without streams {without * 1000:.1f} ms"
    print(f"{streams} streams: {result}")  # noqa: T201 # the result of a measurement


def test_a_client_that_does_not_read_is_dropped_and_others_are_not(
    web_redis_urls: RedisUrls, accounts: Accounts, tmp_path: Path
) -> None:
    service = build(settings_for(web_redis_urls, tmp_path))
    game = start_game(service).id
    dropped = read_metric(accounts.url, "cartulary_streams_dropped_total")

    async def follow() -> None:
        slow = socket.create_connection(accounts.url.removeprefix("http://").split(":"))  # type: ignore[arg-type] # the port may be a string
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(
            f"GET /api/v1/games/{game}/stream?after=4 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        )
        fast = await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=4")
        seq = 4
        # These events do not end, so they fill every buffer in between.
        while (
            await run_in_thread(read_metric, accounts.url, "cartulary_streams_dropped_total")
            == dropped
        ):
            await run_in_thread(fill, seq)
            for _ in range(MAX_QUEUED_EVENTS // 2):
                received = await fast.next_event()
                seq += 1
                assert received.id == seq
            assert seq < 200_000
        await fast.close()
        slow.close()

    def fill(head: int) -> None:
        # Written directly to the log, with only those fields of an event that a stream reads.
        def line(seq: int) -> bytes:
            fields = {"data": {}, "game": game, "seq": seq, "type": "Filler", "x": "x" * 8000}
            return canonical({**fields, "hash": ""})

        prev = orjson.loads(service.store.read(game, head - 1)[0])["hash"]
        seqs = range(head + 1, head + 1 + MAX_QUEUED_EVENTS // 2)
        with service.redis.pipeline() as pipeline:
            for seq, event in zip(seqs, rechained(map(line, seqs), prev=prev), strict=True):
                pipeline.xadd(f"cartulary:{{{game}}}:log", {"e": event}, id=f"{seq}-0")
            pipeline.publish(f"cartulary:appended:{game}", head)
            pipeline.publish(f"cartulary:appended:{game}", head)
            pipeline.execute()

    asyncio.run(follow())
    service.redis.close()


def test_the_number_of_streams_is_limited(
    web_redis_urls: RedisUrls, contract: Contract, tmp_path: Path
) -> None:
    with WebServer(settings_for(web_redis_urls, tmp_path), max_files=300) as server:
        accounts = Accounts(server.url, contract)
        game, players = accounts.start_game()

        async def fill() -> None:
            path = f"/api/v1/games/{game}/stream?after=4"
            clients = [await open_stream(server.url, path) for _ in range(50)]
            statuses = [client.status for client in clients]
            assert statuses == [200] * 26 + [503] * 24
            # Other requests still succeed.
            response = await run_in_thread(accounts.anonymous.get, f"/api/v1/games/{game}/stream")
            assert response.status_code == 503
            event = await run_in_thread(take_turn, game, players)
            received = await clients[0].next_event()
            assert received.data == event
            for client in clients:
                await client.close()

        asyncio.run(fill())
        accounts.close()


class TestInterruptions:
    """With a server and a Redis that these tests may stop."""

    @pytest.fixture
    def own_redis(self, tmp_path: Path) -> Any:
        with EmbeddedRedis(tmp_path / "redis") as server:
            yield server

    @pytest.fixture
    def own_settings(self, own_redis: EmbeddedRedis, tmp_path: Path) -> Settings:
        return settings_for(own_redis, tmp_path)

    def test_streams_end_when_the_server_stops_and_can_be_resumed(
        self, own_settings: Settings
    ) -> None:
        with WebServer(own_settings) as server:
            accounts = Accounts(server.url)
            game, players = accounts.start_game()

            async def follow() -> None:
                stream = await open_stream(server.url, f"/api/v1/games/{game}/stream?after=4")
                event = await run_in_thread(take_turn, game, players)
                received = await stream.next_event()
                assert received.data == event
                seconds = await run_in_thread(server.stop)
                assert seconds < 5
                assert await stream.next() is None

            asyncio.run(follow())
            assert server.status == 0
            server.start()
            event = take_turn(game, players)
            (received,) = read_stream(server.url, game, 6, **{"Last-Event-ID": "5"})
            assert received.data == event
            accounts.close()

    def test_a_stream_continues_after_redis_was_away(
        self, own_redis: EmbeddedRedis, own_settings: Settings
    ) -> None:
        with WebServer(own_settings) as server:
            accounts = Accounts(server.url)
            game, players = accounts.start_game()

            async def follow() -> None:
                stream = await open_stream(server.url, f"/api/v1/games/{game}/stream?after=4")
                await run_in_thread(take_turn, game, players)
                assert (await stream.next_event()).id == 5
                # Only the main thread may start and stop the embedded Redis.
                own_redis.kill()
                own_redis.start()
                await run_in_thread(take_turn, game, players)
                assert (await stream.next_event(20)).id == 6
                await stream.close()

            asyncio.run(follow())
            accounts.close()


def test_streams_of_several_games_do_not_mix(accounts: Accounts) -> None:
    games = [accounts.start_game() for _ in range(3)]

    async def follow() -> None:
        streams = [
            await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=4")
            for game, _ in games
            for _ in range(3)
        ]
        with ThreadPoolExecutor() as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(
                *(loop.run_in_executor(pool, take_turn, game, players) for game, players in games)
            )
        for number, stream in enumerate(streams):
            received = await stream.next_event()
            assert received.data["game"] == games[number // 3][0]
            await stream.close()

    asyncio.run(follow())
