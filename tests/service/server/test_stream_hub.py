"""The hub of event streams: resets after lost events, tokens that are no longer valid, and bounds."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import orjson
import pytest

from domain.game import Game
from service.accounts.account_reader import account_key
from service.accounts.tokens import token_key
from service.bootstrap import Service
from service.http.access_log import Metrics
from service.http.event_streams import StreamRequest
from service.server import streams
from service.server.stream_listener import BATCH_SIZE, HEARTBEAT_FRAME, Listener
from service.server.streams import StreamHub
from service.store.async_log_reader import AsyncLogReader
from tests.support.processes import HANG_SECONDS
from tests.support.service_games import play_until, start_game, take_action

RESET: dict[str, Any] = {"id": 0, "event": "reset"}


def log_key(game: Game) -> str:
    return f"cartulary:{{{game.id}}}:log"


def game_with(service: Service, events: int) -> Game:
    return play_until(service, start_game(service).id, lambda game: game.seq == events)


def parse(frame: bytes) -> dict[str, Any]:
    """Return the fields of a frame: `id`, `event` (if it has one) and `data`."""
    fields = dict(line.split(": ", 1) for line in frame.decode().splitlines() if line)
    parsed: dict[str, Any] = {**fields, "data": orjson.loads(fields["data"])}
    if "id" in fields:
        parsed["id"] = int(fields["id"])
    return parsed


@asynccontextmanager
async def running_hub(service: Service, **options: Any) -> AsyncIterator[StreamHub]:
    options = {"max_streams": 9, "max_streams_per_visitor": 9, **options}
    hub = StreamHub(service.settings.redis_url, Metrics(), **options)
    hub.start()
    try:
        yield hub
    finally:
        await hub.close()


class Stream:
    """A stream of the hub, read frame by frame."""

    def __init__(self, hub: StreamHub, request: StreamRequest) -> None:
        self.listener = Listener()
        self.frames = hub.frames(request, self.listener)
        self._received: list[bytes] = []

    async def next(self) -> dict[str, Any] | None:
        """Return the next frame that is not a heartbeat, parsed; None at the end of the stream."""
        async with asyncio.timeout(HANG_SECONDS):
            while not self._received:
                try:
                    part = await anext(self.frames)
                except StopAsyncIteration:
                    return None
                assert part, "an empty part would end a response in chunks"
                if part != HEARTBEAT_FRAME:
                    self._received = part.removesuffix(b"\n\n").split(b"\n\n")
        return parse(self._received.pop(0))

    async def read_to(self, last: int) -> None:
        """Read the stream up to event `last`."""
        frame: dict[str, Any] | None = {"id": 0}
        while frame is not None and frame["id"] < last:
            frame = await self.next()
        assert frame is not None
        assert frame["id"] == last

    async def close(self) -> None:
        await self.frames.aclose()


async def wait_until(condition: Callable[[], bool]) -> None:
    """Let the hub run until a condition holds, for at most 10 seconds."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


async def run(call: Callable[..., Any], *args: Any) -> Any:
    """Call a blocking function while the hub runs."""
    return await asyncio.to_thread(call, *args)


def fail_over(service: Service, game: Game, lost: bytes, *, plays_to: int) -> None:
    """Restore a log, as in a failover to a replica that was behind, and play on differently."""
    service.redis.restore(log_key(game), 0, lost, replace=True)
    chance = random.Random(9)
    for _ in range(plays_to - service.games.queries.game(game.id).seq):
        take_action(service, game.id, chance)


@pytest.mark.parametrize("plays_to", [17, 24, 25])
def test_a_stream_is_reset_when_events_that_it_sent_were_lost(
    service: Service, plays_to: int
) -> None:
    game = game_with(service, 16)
    lost = service.redis.dump(log_key(game))
    assert lost is not None
    play_until(service, game.id, lambda game: game.seq == 24, seed=1)

    async def follow() -> None:
        async with running_hub(service) as hub:
            stream = Stream(hub, StreamRequest(game.id, 0))
            await stream.read_to(24)
            await run(lambda: fail_over(service, game, lost, plays_to=plays_to))
            frame = await stream.next()
            assert frame == {**RESET, "data": {"game": game.id, "after": 0}}
            assert await stream.next() is None, "the stream has not ended"
            again = Stream(hub, StreamRequest(game.id, 0))
            await again.read_to(plays_to)
            await again.close()

    asyncio.run(follow())


def test_a_stream_is_reset_when_the_log_is_rewritten_while_its_beginning_is_read(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BATCH_SIZE", 5)
    game = game_with(service, 6)
    lost = service.redis.dump(log_key(game))
    assert lost is not None
    play_until(service, game.id, lambda game: game.seq == 24, seed=1)

    async def follow() -> None:
        async with running_hub(service) as hub:
            stream = Stream(hub, StreamRequest(game.id, 0))
            # The first two pages are read, and events 11 to 24 are not.
            await stream.read_to(10)
            await run(lambda: fail_over(service, game, lost, plays_to=30))
            assert (await stream.next() or {}).get("event") == "reset"
            assert await stream.next() is None

    asyncio.run(follow())


def test_a_stream_whose_client_does_not_read_keeps_few_events(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_with(service, 100)
    lines: list[bytes] = []
    read = AsyncLogReader.read

    async def count(reader: AsyncLogReader, game_id: str, after: int, upto: int) -> list[bytes]:
        page = await read(reader, game_id, after, upto)
        lines.extend(page)
        return page

    monkeypatch.setattr(AsyncLogReader, "read", count)

    async def follow() -> None:
        async with running_hub(service) as hub:
            stream = Stream(hub, StreamRequest(game.id, 0))
            await stream.read_to(1)
            # One page, and the last event, which is read for its hash with each message.
            assert len(lines) < 2 * BATCH_SIZE
            await stream.read_to(100)
            await stream.close()

    asyncio.run(follow())


@pytest.fixture
def pages_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seqs before the pages of five events that streams read from the log, in order."""
    monkeypatch.setattr(streams, "BATCH_SIZE", 5)
    read = AsyncLogReader.read
    pages: list[int] = []

    async def count(reader: AsyncLogReader, game_id: str, after: int, upto: int) -> list[bytes]:
        # What follows a game reads PAGE_SIZE events.
        if upto - after <= 5:
            pages.append(after)
        return await read(reader, game_id, after, upto)

    monkeypatch.setattr(AsyncLogReader, "read", count)
    return pages


def test_streams_that_begin_together_read_each_page_once(
    service: Service, pages_read: list[int]
) -> None:
    game = game_with(service, 23)

    async def follow() -> None:
        async with running_hub(service, max_streams=50, max_streams_per_visitor=50) as hub:
            opened = [Stream(hub, StreamRequest(game.id, 0)) for _ in range(50)]
            await asyncio.gather(*(stream.read_to(20) for stream in opened))
            assert pages_read == [0, 5, 10, 15]
            await asyncio.gather(*(stream.read_to(23) for stream in opened))
            # The last page is not full: it was shared by those who read it at the same time, and is not kept.
            assert pages_read == [0, 5, 10, 15, 20]
            late = Stream(hub, StreamRequest(game.id, 0))
            await opened.pop().close()
            await late.read_to(23)
            assert pages_read == [0, 5, 10, 15, 20, 20]
            for stream in (*opened, late):
                await stream.close()
            # Nobody needs the pages any more.
            again = Stream(hub, StreamRequest(game.id, 0))
            await again.read_to(23)
            assert pages_read == [0, 5, 10, 15, 20, 20, 0, 5, 10, 15, 20]
            await again.close()

    asyncio.run(follow())


def has_joined(hub: StreamHub, game_id: str, number: int) -> bool:
    """Whether so many streams follow a game: their pages are kept until the last of them leaves."""
    channel = hub._channels.get(game_id)
    return channel is not None and len(channel.listeners) == number


def test_a_page_continues_being_read_for_others_when_the_first_stream_ends(
    service: Service, pages_read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_with(service, 10)
    read = AsyncLogReader.read
    has_ended = asyncio.Event()

    async def read_later(reader: AsyncLogReader, *args: Any) -> list[bytes]:
        lines = await read(reader, *args)
        await has_ended.wait()
        return lines

    monkeypatch.setattr(AsyncLogReader, "read", read_later)

    async def follow() -> None:
        async with running_hub(service) as hub:
            first, second = (Stream(hub, StreamRequest(game.id, 0)) for _ in range(2))
            reading = [asyncio.create_task(stream.read_to(5)) for stream in (first, second)]
            await wait_until(lambda: has_joined(hub, game.id, 2) and bool(pages_read))
            reading[0].cancel()
            await asyncio.wait(reading[:1])
            has_ended.set()
            await reading[1]
            assert reading[0].cancelled()
            assert pages_read == [0]
            await second.close()

    asyncio.run(follow())


def test_a_chat_message_is_reported_only_to_streams_of_its_readers(service: Service) -> None:
    game = game_with(service, 5)

    async def follow() -> None:
        async with running_hub(service) as hub:
            reader = Stream(hub, StreamRequest(game.id, 0, has_messages=True))
            other = Stream(hub, StreamRequest(game.id, 0))
            for stream in (reader, other):
                await stream.read_to(5)
            await run(service.chat.post, game.id, game.players[0], "Well played.")
            assert await reader.next() == {"event": "message-posted", "data": {}}
            await run(take_action, service, game.id)
            for stream in (reader, other):
                frame = await stream.next()
                assert frame is not None
                assert frame["id"] == 6
                await stream.close()

    asyncio.run(follow())


def test_a_chat_message_is_reported_to_the_stream_of_the_first_page_of_a_reader(
    service: Service,
) -> None:
    game = game_with(service, 5)

    async def follow() -> None:
        async with running_hub(service) as hub:
            positions = {game.id: 5}
            request = StreamRequest(
                "", 0, player=game.players[1], positions=positions, has_messages=True
            )
            async with aclosing(hub.frames(request, Listener())) as frames:
                async for frame in frames:
                    if b"event: games" in frame:
                        await run(take_action, service, game.id)
                    elif b"id: " in frame:
                        # The stream follows the game by now.
                        await run(service.chat.post, game.id, game.players[0], "Well played.")
                    elif b"event: message-posted" in frame:
                        return

    asyncio.run(follow())


def test_a_message_that_a_client_is_page_outdated_is_reported_when_its_stream_begins(
    service: Service,
) -> None:
    game = game_with(service, 5)

    async def follow() -> None:
        async with running_hub(service) as hub:
            request = StreamRequest(game.id, 4, has_messages=True, is_page_outdated=lambda: True)
            stream = Stream(hub, request)
            await stream.read_to(5)
            assert await stream.next() == {"event": "message-posted", "data": {}}
            await stream.close()

    asyncio.run(follow())


def test_pages_with_lost_events_are_dropped_after_a_failover(
    service: Service, pages_read: list[int]
) -> None:
    game = game_with(service, 16)
    lost = service.redis.dump(log_key(game))
    assert lost is not None
    play_until(service, game.id, lambda game: game.seq == 24, seed=1)

    async def follow() -> None:
        async with running_hub(service) as hub:
            stream, slow = (Stream(hub, StreamRequest(game.id, 0)) for _ in range(2))
            await stream.read_to(24)
            # This stream still waits for its client, so that the game has streams all the time.
            await slow.read_to(1)
            await run(lambda: fail_over(service, game, lost, plays_to=30))
            assert ((await stream.next()) or {}).get("event") == "reset"
            pages_read.clear()
            again = Stream(hub, StreamRequest(game.id, 0))
            await again.read_to(30)
            assert pages_read == [0, 5, 10, 15, 20, 25]
            await again.close()
            await slow.close()

    asyncio.run(follow())


def test_a_page_that_cannot_be_read_is_not_kept(service: Service, pages_read: list[int]) -> None:
    game = game_with(service, 10)
    entries: Any = service.redis.xrange(log_key(game))
    service.redis.delete(log_key(game))
    for id, fields in entries:
        service.redis.xadd(log_key(game), {"e": "no event"} if id == b"3-0" else fields, id=id)

    async def follow() -> None:
        async with running_hub(service) as hub:
            keeping = Stream(hub, StreamRequest(game.id, 9))
            await keeping.read_to(10)
            pages_read.clear()
            for _ in range(2):
                assert await Stream(hub, StreamRequest(game.id, 0)).next() is None
            assert pages_read == [0, 0]
            await keeping.close()

    asyncio.run(follow())


def test_a_stream_that_begins_after_a_reset_of_its_game_continues(service: Service) -> None:
    """The channel of a game stays usable while its other streams are reset."""
    game = game_with(service, 10)
    lost = service.redis.dump(log_key(game))
    assert lost is not None
    take_action(service, game.id)

    async def follow() -> None:
        async with running_hub(service) as hub:
            slow = Stream(hub, StreamRequest(game.id, 0))
            await slow.read_to(11)
            await run(lambda: fail_over(service, game, lost, plays_to=10))
            await run(lambda: service.redis.publish(f"cartulary:appended:{game.id}", "10"))
            await wait_until(lambda: hub._channels[game.id].seq == 10)
            stream = Stream(hub, StreamRequest(game.id, 10))
            assert await anext(stream.frames) == HEARTBEAT_FRAME
            following = asyncio.create_task(stream.next())
            event = await run(lambda: take_action(service, game.id).events[0])
            assert ((await following) or {})["data"] == event
            assert ((await slow.next()) or {})["event"] == "reset"
            await stream.close()

    asyncio.run(follow())


def test_a_damaged_line_ends_the_streams_of_its_game_only(service: Service) -> None:
    damaged, intact = game_with(service, 6), game_with(service, 6)

    async def follow() -> None:
        async with running_hub(service) as hub:
            of_damaged = Stream(hub, StreamRequest(damaged.id, 5))
            of_intact = Stream(hub, StreamRequest(intact.id, 5))
            await of_damaged.read_to(6)
            await of_intact.read_to(6)
            await run(lambda: service.redis.xadd(log_key(damaged), {"e": "no event"}, id="7-0"))
            await run(lambda: service.redis.publish(f"cartulary:appended:{damaged.id}", "7"))
            assert await of_damaged.next() is None
            event = await run(lambda: take_action(service, intact.id).events[0])
            assert ((await of_intact.next()) or {})["data"] == event
            again = Stream(hub, StreamRequest(damaged.id, 5))
            assert await again.next() is None
            await of_intact.close()

    asyncio.run(follow())


def test_streams_end_when_their_token_is_revoked_or_their_account_deleted(service: Service) -> None:
    game = game_with(service, 5)
    accounts = [service.accounts.players.register(f"player-{n}", "correct horse") for n in range(3)]
    requests = [
        StreamRequest(game.id, 4, player=player.id, token_key=token_key(token))
        for player, token in accounts
    ]

    async def follow() -> None:
        async with running_hub(service, token_check_seconds=0.05) as hub:
            opened = [Stream(hub, request) for request in requests]
            anonymous = Stream(hub, StreamRequest(game.id, 4))
            for stream in (*opened, anonymous):
                await stream.read_to(5)
            (_, revoked_token), (deleted, _), _ = accounts
            await run(service.accounts.players.tokens.revoke, revoked_token)
            await run(service.redis.delete, account_key(deleted.id))
            assert [await stream.next() for stream in opened[:2]] == [None, None]
            event = await run(lambda: take_action(service, game.id).events[0])
            for stream in (opened[2], anonymous):
                assert ((await stream.next()) or {})["data"] == event
                await stream.close()

    asyncio.run(follow())


def test_events_in_the_queue_are_not_sent_after_the_token_is_revoked(service: Service) -> None:
    game = game_with(service, 5)
    player, token = service.accounts.players.register("ada", "correct horse")
    request = StreamRequest(game.id, 4, player=player.id, token_key=token_key(token))

    async def follow() -> None:
        async with running_hub(service, token_check_seconds=0.05) as hub:
            stream = Stream(hub, request)
            listener = stream.listener
            await stream.read_to(5)
            await run(lambda: [take_action(service, game.id) for _ in range(3)])
            await wait_until(lambda: listener.queue.qsize() == 3)
            await run(service.accounts.players.tokens.revoke, token)
            await wait_until(lambda: listener.is_ended)
            assert await stream.next() is None

    asyncio.run(follow())


def test_requests_have_a_turn_while_an_event_is_sent_to_many_streams(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SLICE_SIZE", 5)
    game = game_with(service, 16)
    turn, turns = 0, Counter[int]()

    async def count_turns() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    async def receive(stream: Stream) -> None:
        await stream.read_to(17)
        turns[turn] += 1

    async def follow() -> None:
        async with running_hub(service, max_streams=20, max_streams_per_visitor=20) as hub:
            all_streams = [Stream(hub, StreamRequest(game.id, 15)) for _ in range(20)]
            for stream in all_streams:
                await stream.read_to(16)
            tasks = [asyncio.create_task(receive(stream)) for stream in all_streams]
            # Nobody may count before all of them wait for the event.
            await wait_until(lambda: all(s.listener.queue._getters for s in all_streams))  # type: ignore[attr-defined] # private to asyncio
            counting = asyncio.create_task(count_turns())
            await run(lambda: play_until(service, game.id, lambda game: game.seq == 17))
            await asyncio.gather(*tasks)
            counting.cancel()
            for stream in all_streams:
                await stream.close()

    asyncio.run(follow())
    assert turns.total() == 20
    assert max(turns.values()) <= 5


def test_streams_are_bounded_in_total_and_per_visitor(service: Service) -> None:
    game = start_game(service)

    async def follow() -> None:
        async with running_hub(service, max_streams=3, max_streams_per_visitor=2) as hub:
            opened = []
            for visitor in ("ada", "ada", "bea"):
                assert hub.refusal(visitor) is None
                stream = Stream(hub, StreamRequest(game.id, 0, visitor))
                await stream.read_to(1)
                opened.append(stream)
                if len(opened) == 2:
                    assert hub.refusal("ada") == "max_streams_per_visitor"
            assert hub.refusal("cid") == hub.refusal("ada") == "max_streams"
            await opened[0].close()
            assert hub.refusal("ada") is None
            for stream in opened[1:]:
                await stream.close()
            assert not hub._streams_by_visitor, "visitors without streams are still counted"

    asyncio.run(follow())


def test_what_follows_a_game_is_kept_until_it_has_ended(service: Service) -> None:
    game = start_game(service)

    async def close_the_only_stream() -> None:
        async with running_hub(service) as hub:
            frames = hub.frames(StreamRequest(game.id, game.seq), Listener())
            await anext(frames)
            waiting = asyncio.create_task(anext(frames))
            while not hub._channels or hub._channels[game.id].task is None:  # noqa: ASYNC110 # the hub reports no such event
                await asyncio.sleep(0.01)
            follower = hub._channels[game.id].task
            assert follower is not None
            waiting.cancel()
            await asyncio.wait([waiting])
            assert follower in hub._background or follower.done()
        assert follower.done()

    asyncio.run(close_the_only_stream())


def test_a_stream_that_ends_does_not_interrupt_the_subscription_to_its_game(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start_game(service)

    async def cancel_while_it_subscribes() -> None:
        async with running_hub(service) as hub:
            begun, may_continue, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

            async def subscribe(game_id: str) -> None:
                begun.set()
                await may_continue.wait()
                ended.set()

            monkeypatch.setattr(hub._feed, "subscribe", subscribe)
            frames = hub.frames(StreamRequest(game.id, game.seq), Listener())
            await anext(frames)
            waiting = asyncio.create_task(anext(frames))
            async with asyncio.timeout(HANG_SECONDS):
                await begun.wait()
                waiting.cancel()
                await asyncio.wait([waiting])
                assert waiting.cancelled()
                assert not hub._channels, "the game is followed without a stream"
                may_continue.set()
                await ended.wait()

    asyncio.run(cancel_while_it_subscribes())
