"""The log in Redis: one stream a game, ids `SEQ-0`, and beside it hashes of the same slot.

    cartulary:{GAME}:log      stream, one field `e` an entry: the event's canonical JSON
    cartulary:{GAME}:secrets  hash, `seed` and `SEQ/NAME`
    cartulary:{GAME}:notes    hash, what the log calls for and is not yet done
    cartulary:{GAME}:answers  hash, `PLAYER/KEY-DIGEST` -> `BODY-DIGEST FIRST LAST`, for idempotency
                              keys; goes a week after the game's end
    cartulary:live            set, ids of games that may have notes
    cartulary:appended        channel, `GAME SEQ` after every append; a lost message loses nothing
    cartulary:appended:GAME   channel, `SEQ` after every append to that game

What is written in one step is one Lua script, whose keys all carry the same hash tag. No method
here sends anything twice on its own (service/connection.py).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import redis

from service.connection import reachable
from service.errors import IdempotencyConflict
from service.store.event_store import Appended, AppendRequest, HeadMoved, IdempotencyRecord

APPENDED: Final = "cartulary:appended"
LIVE: Final = "cartulary:live"
ANSWERS_KEPT = 7 * 24 * 3600
"""Seconds for which the answers of a game that is over are kept."""

_PAGE = 500


def key(game: str, part: str) -> str:
    """The key of a part of a game: all parts of one game share their slot of a cluster."""
    return f"cartulary:{{{game}}}:{part}"


class RedisEventStore:
    """All logs of one Redis; implements `service.log.interface.Log`. Safe for threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        here = Path(__file__).parent
        self._append = client.register_script((here / "append.lua").read_text(encoding="utf-8"))
        self._done = client.register_script((here / "ack.lua").read_text(encoding="utf-8"))

    def append(self, game: str, expected: int, append: AppendRequest) -> Appended:
        """See `Log.append`."""
        fresh = [(name, value) for name, value in append.notes.items() if value is not None]
        stale = [name for name, value in append.notes.items() if value is None]
        words: list[str | bytes | int] = [
            game,
            expected,
            append.answer.name if append.answer else "",
            append.answer.body if append.answer else "",
            ANSWERS_KEPT if append.over else 0,
            append.follows or "",
            len(append.events),
            len(append.secrets),
            len(fresh),
            len(stale),
            *append.events,
        ]
        for name, value in (*append.secrets.items(), *fresh):
            words += (name, value)
        words += stale
        keys = [key(game, part) for part in ("log", "secrets", "notes", "answers")]
        with reachable():
            match self._append(keys=keys, args=words):
                case [1, first, last]:
                    return Appended(first, last)
                case [2, first, last]:
                    return Appended(first, last, repeated=True)
                case [0, head]:
                    raise HeadMoved(head)
                case _:
                    raise _mismatch()

    def find_idempotency_record(self, game: str, answer: IdempotencyRecord) -> Appended | None:
        """See `Log.find_idempotency_record`."""
        with reachable():
            known = self._redis.hget(key(game, "answers"), answer.name)
        if known is None:
            return None
        body, first, last = _text(known).split(" ")
        if body != answer.body:
            raise _mismatch()
        return Appended(int(first), int(last), repeated=True)

    def read(
        self, game: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        """See `Log.read`."""
        last = "+" if upto is None else f"{upto}-0"
        with reachable():
            return _lines(self._redis.xrange(key(game, "log"), f"{after + 1}-0", last, limit))

    def read_each(self, after: Mapping[str, int]) -> dict[str, list[bytes]]:
        """See `Log.read_each`."""
        with reachable(), self._redis.pipeline(transaction=False) as pipeline:
            for game, seq in after.items():
                pipeline.xrange(key(game, "log"), f"{seq + 1}-0", "+")
            return dict(zip(after, map(_lines, pipeline.execute()), strict=True))

    def head(self, game: str) -> int:
        """See `Log.head`."""
        with reachable():
            return self._redis.xlen(key(game, "log"))

    def secrets(self, game: str) -> dict[str, str]:
        """See `Log.secrets`."""
        with reachable():
            return _texts(self._redis.hgetall(key(game, "secrets")))

    def notes(self, game: str) -> dict[str, str]:
        """See `Log.notes`."""
        with reachable():
            return _texts(self._redis.hgetall(key(game, "notes")))

    def done(self, game: str, note: str, value: str) -> bool:
        """See `Log.done`."""
        with reachable():
            return bool(self._done(keys=[key(game, "notes")], args=[note, value]))

    def expect(self, game: str) -> None:
        """See `Log.expect`."""
        with reachable():
            self._redis.sadd(LIVE, game)

    def settle(self, game: str) -> bool:
        """See `Log.settle`."""
        with reachable():
            if self._redis.hlen(key(game, "notes")):
                return False
            return bool(self._redis.srem(LIVE, game))

    def live(self) -> Iterator[str]:
        """See `Log.live`."""
        with reachable():
            for game in self._redis.sscan_iter(LIVE, count=_PAGE):
                yield _text(game)

    def games(self) -> Iterator[str]:
        """See `Log.games`."""
        before, after = key("\0", "log").split("\0")
        seen = set()
        with reachable():
            for name in self._redis.scan_iter(before + "*" + after, count=_PAGE):
                game = _text(name).removeprefix(before).removesuffix(after)
                if game not in seen:
                    seen.add(game)
                    yield game


def _lines(entries: Any) -> list[bytes]:
    # XRANGE's answer, whose declared type has room for what other commands may say.
    return [fields[b"e"] for _, fields in entries]


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _texts(pairs: Mapping[bytes | str, bytes | str]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in pairs.items()}


def _mismatch() -> IdempotencyConflict:
    return IdempotencyConflict("this Idempotency-Key was used before, for another request")
