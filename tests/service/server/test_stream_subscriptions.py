"""The subscription of event streams to Redis, when it begins and when it was interrupted."""

import asyncio

from service.http.access_log import Metrics
from service.http.event_streams import StreamRequest
from service.operation.embedded_redis import EmbeddedRedis
from service.server.stream_listener import Listener
from service.server.streams import StreamHub


def test_a_game_is_subscribed_whenever_its_stream_is_opened(web_redis: EmbeddedRedis) -> None:
    """Otherwise a stream would get its events only with the next poll."""

    async def is_subscribed(hub: StreamHub, channel: str) -> bool:
        for _ in range(3000):
            (_, subscribers), *_ = await hub._redis.pubsub_numsub(channel)
            if subscribers:
                return True
            await asyncio.sleep(0.01)
        return False

    async def open_after(steps: int) -> bool:
        """Open a stream after some steps of the event loop; returns whether its game is subscribed."""
        hub = StreamHub(web_redis.url, Metrics(), max_streams=9, max_streams_per_visitor=9)
        hub.start()
        for _ in range(steps):
            await asyncio.sleep(0)
        game = f"race-{steps}"
        frames = hub.frames(StreamRequest(game, 0), Listener())
        assert await anext(frames)
        waiting = asyncio.create_task(anext(frames))
        result = await is_subscribed(hub, f"cartulary:appended:{game}")
        waiting.cancel()
        await asyncio.wait([waiting])
        await hub.close()
        return result

    async def missed_steps() -> list[int]:
        return [steps for steps in range(40) if not await open_after(steps)]

    assert asyncio.run(missed_steps()) == []


def test_a_new_connection_after_a_lost_one_is_reported(web_redis: EmbeddedRedis) -> None:
    async def interrupt_twice() -> None:
        reports = 0

        def count() -> None:
            nonlocal reports
            reports += 1

        hub = StreamHub(
            web_redis.url, Metrics(), max_streams=9, max_streams_per_visitor=9, on_reconnect=count
        )
        hub.start()
        for _ in range(3000):
            if reports == 2:
                break
            # Other tests have subscriptions to this Redis, too, and this one may have none at the moment.
            await hub._redis.client_kill_filter(_type="pubsub")
            await asyncio.sleep(0.01)
        await hub.close()
        assert reports == 2

    asyncio.run(interrupt_twice())
