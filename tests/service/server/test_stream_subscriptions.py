"""Event streams whose subscription is only beginning: nobody is overlooked."""

import asyncio

from service.embedded_redis import EmbeddedRedis
from service.http.environ import StreamRequest
from service.http.metrics import Metrics
from service.server.streams import Listener, StreamHub


def test_whoever_comes_while_the_subscription_begins_is_in_it(web_redis: EmbeddedRedis) -> None:
    """At whatever point of it: else they would hear of events only when all games are looked at."""

    async def is_subscribed(hub: StreamHub, channel: str) -> bool:
        for _ in range(100):
            (_, listening), *_ = await hub._redis.pubsub_numsub(channel)
            if listening:
                return True
            await asyncio.sleep(0.01)
        return False

    async def come(steps: int) -> bool:
        hub = StreamHub(web_redis.url, Metrics())
        hub.start()
        for _ in range(steps):
            await asyncio.sleep(0)
        game = f"race-{steps}"
        frames = hub.frames(StreamRequest(game, 0), Listener())
        assert await anext(frames)
        waiting = asyncio.create_task(anext(frames))
        found = await is_subscribed(hub, f"cartulary:appended:{game}")
        waiting.cancel()
        await asyncio.wait([waiting])
        await hub.close()
        return found

    async def come_at_every_step() -> list[int]:
        return [steps for steps in range(40) if not await come(steps)]

    assert asyncio.run(come_at_every_step()) == []
