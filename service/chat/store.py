"""The chat messages of games in Redis.

    cartulary:{GAME}:messages   hash: N -> JSON of message N; `last` -> number of the last message;
                                `count/PLAYER` -> how many messages the player has written;
                                `key/PLAYER/DIGEST` -> `REQUEST-DIGEST N`, an idempotency key
    cartulary:messages:PLAYER   set: the ids of the games in which the player has written messages

Messages are numbered from 1 on. An erased one keeps its number, its author and its time, and has no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import redis

from domain.messages import message
from service import clock
from service.connection import to_text, unavailable_on_error
from service.errors import IdempotencyConflict
from service.store.event_store import IdempotencyRecord
from service.store.redis_event_store import MESSAGE_POSTED, appended_channel, game_key

_GAMES_OF: Final = "cartulary:messages:"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """What a player wrote in a game. `text` is None if it was erased; `seq` is the event that it is about."""

    number: int
    author: str
    at: str
    text: str | None
    seq: int | None = None


class ChatMessageStore:
    """The chat messages of all games. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_per_author: int) -> None:
        """Keep at most `max_per_author` messages of one player in one game, erased ones included."""
        self._redis = client
        self._max_per_author = max_per_author
        script = (Path(__file__).parent / "post.lua").read_text(encoding="utf-8")
        self._post = client.register_script(script)

    def post(
        self,
        game_id: str,
        author: str,
        text: str,
        seq: int | None,
        record: IdempotencyRecord | None = None,
    ) -> ChatMessage | None:
        """Add a message and return it; None if the author has written as many as allowed.

        A repeated request returns the message that the first one has added, as it is now. Raises
        IdempotencyConflict if the key was used for another request.
        """
        at = clock.format(clock.now())
        key = "" if record is None else f"key/{record.name}"
        stored = {"author": author, "at": at, "text": text, "seq": seq, "key": key}
        digest = "" if record is None else record.digest
        with unavailable_on_error():
            # Added before there is a message, so that an erasure finds every message.
            self._redis.sadd(_GAMES_OF + author, game_id)
            reply: list[int] = self._post(
                keys=[_key(game_id)],
                args=[
                    author,
                    key,
                    digest,
                    self._max_per_author,
                    orjson.dumps(stored),
                    appended_channel(game_id),
                    MESSAGE_POSTED,
                ],
            )
        match reply:
            case [1, number]:
                return ChatMessage(number, author, at, text, seq)
            case [2, number]:
                return self.get(game_id, number)
            case [0]:
                return None
            case _:
                raise IdempotencyConflict(
                    message("this Idempotency-Key was used for another request")
                )

    def get(self, game_id: str, number: int) -> ChatMessage | None:
        """Return a message of a game; None if there is none with this number."""
        with unavailable_on_error():
            stored: Any = self._redis.hget(_key(game_id), str(number))
        return None if stored is None else _decode(number, stored)

    def last_number(self, game_id: str) -> int:
        """Return the number of the last message of a game; 0 if there is none."""
        with unavailable_on_error():
            last: Any = self._redis.hget(_key(game_id), "last")
        return 0 if last is None else int(last)

    def read(self, game_id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        """Return the messages of a game with these numbers, as far as they exist."""
        if not numbers:
            return []
        with unavailable_on_error():
            replies: Any = self._redis.hmget(_key(game_id), [str(number) for number in numbers])
        return [
            _decode(number, reply)
            for number, reply in zip(numbers, replies, strict=True)
            if reply is not None
        ]

    def erase(self, game_id: str, number: int) -> None:
        """Erase the text of a message, which must exist, and what is kept of the request. Idempotent."""
        with unavailable_on_error():
            stored: Any = self._redis.hget(_key(game_id), str(number))
            fields = orjson.loads(stored)
            remainder = {"author": fields["author"], "at": fields["at"], "text": None}
            with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(_key(game_id), str(number), orjson.dumps(remainder))
                if fields.get("key"):
                    pipeline.hdel(_key(game_id), fields["key"])
                pipeline.execute()

    def erase_all_of(self, author: str) -> None:
        """Erase every message that a player has written in any game. Idempotent."""
        with unavailable_on_error():
            games: Any = self._redis.smembers(_GAMES_OF + author)
        for game_id in map(to_text, games):
            last = self.last_number(game_id)
            for written in self.read(game_id, range(1, last + 1)):
                if written.author == author and written.text is not None:
                    self.erase(game_id, written.number)
        with unavailable_on_error():
            self._redis.delete(_GAMES_OF + author)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return those of some players who have written messages that are not erased."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.exists(_GAMES_OF + player)
            replies = pipeline.execute()
        return [player for player, exists in zip(players, replies, strict=True) if exists]


def _decode(number: int, stored: bytes | str) -> ChatMessage:
    fields = orjson.loads(stored)
    return ChatMessage(number, fields["author"], fields["at"], fields["text"], fields.get("seq"))


def _key(game_id: str) -> str:
    return game_key(game_id, "messages")
