"""What is noted beside the logs, seen from those who do it: many games in one exchange; and what got lost.

A note is written with the events and removed through the log (`Log.done`). Here it is read; and noted again
where only the log is left of it.
"""

from collections.abc import Iterable, Sequence

import orjson
import redis

from service.bootstrap import Service
from service.connection import reachable
from service.store.outbox import notes
from service.store.redis_event_store import key
from workers.tasks import Work


def noted(client: redis.Redis, games: Sequence[str]) -> dict[str, list[Work]]:
    """The work that each game's notes call for; [] for one without notes. Raises Unavailable."""
    with reachable(), client.pipeline(transaction=False) as pipeline:
        for game in games:
            pipeline.hgetall(key(game, "notes"))
        answers = pipeline.execute()
    return {
        game: [Work(game, note.decode(), value.decode()) for note, value in notes.items()]
        for game, notes in zip(games, answers, strict=True)
    }


def last_types(client: redis.Redis, games: Iterable[str]) -> dict[str, str | None]:
    """The type of each game's last event; None for one that has no log. Raises Unavailable."""
    games = list(games)
    with reachable(), client.pipeline(transaction=False) as pipeline:
        for game in games:
            pipeline.xrevrange(key(game, "log"), count=1)
        answers = pipeline.execute()
    return {
        game: orjson.loads(entries[0][1][b"e"])["type"] if entries else None
        for game, entries in zip(games, answers, strict=True)
    }


def rebuild_outbox(service: Service, game_id: str) -> None:
    """Note what a game's log calls for and is not noted: its rounds, its end, its deadline. What is noted
    stays as it is.

    That somebody is to be told of something is not: it may have been done. A note that is out of date by
    the time it is written does no harm, as no note does. Raises NotFound, Unavailable.
    """
    game = service.games.game(game_id)
    if game.status != "playing":
        return
    with reachable():
        for note, value in notes(None, game, ()).items():
            if value is not None and Work(game_id, note, value).kind in ("score", "forfeit"):
                service.redis.hsetnx(key(game_id, "notes"), note, value)
