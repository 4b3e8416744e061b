"""Numbered texts that many people read, in Redis: the comments on a game, and the wall of a club.

    KEY            hash: N -> JSON of text N; `last` -> number of the last text; `count/PLAYER` -> how many
                   of the texts a player has written
    AUTHORS:PLAYER set: the ids of what the player has written about

A text that was erased keeps its number, its author and its time; one that a moderator has removed also has
their id and the reason.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import orjson
import redis

from service import wall_clock
from service.chat.store import ChatMessage, decode_message
from service.connection import read_field, read_members, to_text, unavailable_on_error, which_exist

_LAST: Final = "last"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many texts there may be together, and by one author, erased ones included.

    `keeps_last`: instead of refusing another text, the first one is deleted.
    """

    most: int
    most_by_author: int
    keeps_last: bool = False


class PublicTexts:
    """The texts of one kind. Thread-safe. Methods raise Unavailable if Redis does not respond.

    `key` returns the key for an id, such as that of a game; `authors` begins the keys of authors.
    """

    def __init__(
        self, client: redis.Redis, key: Callable[[str], str], authors: str, bounds: Bounds
    ) -> None:
        self._redis = client
        self._key = key
        self._authors = authors
        self._bounds = bounds

    def add(self, id: str, author: str, text: str, seq: int | None = None) -> ChatMessage | None:
        """Add a text and return it; None if there are as many as allowed."""
        key, count = self._key(id), f"count/{author}"
        at = wall_clock.format(wall_clock.now())
        with unavailable_on_error():
            # The id is added before the text exists, so that an erasure finds every text.
            self._redis.sadd(self._authors + author, id)
            if self._redis.hincrby(key, count, 1) > self._bounds.most_by_author:
                self._redis.hincrby(key, count, -1)
                return None
            # A number is used once, even if several players write at the same time.
            number = self._redis.hincrby(key, _LAST, 1)
            if number > self._bounds.most:
                if not self._bounds.keeps_last:
                    # There may be more texts than the bound, which the operator can lower.
                    self._redis.hincrby(key, _LAST, -1)
                    self._redis.hincrby(key, count, -1)
                    return None
                self._delete(id, number - self._bounds.most)
            stored = {"author": author, "at": at, "text": text, "seq": seq}
            self._redis.hset(key, str(number), orjson.dumps(stored))
        return ChatMessage(number, author, at, text, seq)

    def _delete(self, id: str, number: int) -> None:
        for former in self.read(id, [number]):
            if self._redis.hdel(self._key(id), str(number)):
                self._redis.hincrby(self._key(id), f"count/{former.author}", -1)

    def get(self, id: str, number: int) -> ChatMessage | None:
        """Return a text; None if there is none with this number."""
        return next(iter(self.read(id, [number])), None)

    def read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        """Return the existing texts with these numbers."""
        if not numbers:
            return []
        with unavailable_on_error():
            replies: Any = self._redis.hmget(self._key(id), [str(number) for number in numbers])
        return [
            decode_message(number, reply)
            for number, reply in zip(numbers, replies, strict=True)
            if reply is not None
        ]

    def last_number(self, id: str) -> int:
        """Return the number of the last text; 0 if there is none."""
        return int(read_field(self._redis, self._key(id), _LAST) or 0)

    def erase(
        self, id: str, text: ChatMessage, removed_by: str | None = None, reason: str | None = None
    ) -> None:
        """Erase an existing text, as its author, or as a moderator with a reason. Idempotent."""
        remainder: dict[str, str | None] = {"author": text.author, "at": text.at, "text": None}
        if removed_by is not None:
            remainder |= {"removed_by": removed_by, "reason": reason}
        with unavailable_on_error():
            self._redis.hset(self._key(id), str(text.number), orjson.dumps(remainder))

    def erase_all_of(self, author: str) -> None:
        """Erase every text that a player has written, and every reason that they gave. Idempotent."""
        for id in read_members(self._redis, self._authors + author):
            for text in self._all(id):
                if author in (text.author, text.removed_by):
                    self.erase(id, text)
        with unavailable_on_error():
            self._redis.delete(self._authors + author)

    def note_moderator(self, id: str, player: str) -> None:
        """Record that a player is going to remove a text with a reason, so that an erasure finds it."""
        with unavailable_on_error():
            self._redis.sadd(self._authors + player, id)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written something that is not erased."""
        keys = (self._authors + player for player in players)
        return list(compress(players, which_exist(self._redis, keys)))

    def delete_all(self, id: str) -> None:
        """Delete every text about something that is no more."""
        with unavailable_on_error():
            self._redis.delete(self._key(id))

    def _all(self, id: str) -> Iterator[ChatMessage]:
        with unavailable_on_error():
            for name, stored in [*self._redis.hscan_iter(self._key(id))]:
                if (number := to_text(name)).isdecimal():
                    yield decode_message(int(number), stored)
