"""The chat messages of games in Redis.

    cartulary:{GAME}:messages   hash: N -> JSON of message N; `last` -> number of the last message;
                                `count/PLAYER` -> how many messages the player has written;
                                `key/PLAYER/DIGEST` -> `REQUEST-DIGEST N`, an idempotency key;
                                `read/PLAYER`, `dismissed/PLAYER`: see service/chat/read_marks.py
    cartulary:messages:PLAYER   set: the ids of the games in which the player has written or read messages

The messages of an archived game are read from the archive; writing recalls the game.

Messages are numbered from 1 on. An erased message keeps its number, its author and its time, but has no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, Final

import orjson
import redis

from service import wall_clock
from service.connection import read_members, unavailable_on_error, which_exist
from service.errors import IdempotencyConflict, Unavailable
from service.store.archive import MAX_ATTEMPTS, Archive
from service.store.event_store import IdempotencyRecord
from service.store.redis_event_store import ARCHIVED, MESSAGE_POSTED, appended_channel, game_key

MESSAGES: Final = "messages"
_GAMES_OF: Final = "cartulary:messages:"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message in a game. `text` is None if it was erased; `seq` is the event that the message is about.

    A post on the wall of a club may have been removed by a moderator, `removed_by`, for a reason.
    """

    number: int
    author: str
    at: str
    text: str | None
    seq: int | None = None
    removed_by: str | None = None
    reason: str | None = None


class ChatMessageStore:
    """The chat messages of all games. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, archive: Archive, max_per_author: int) -> None:
        """Keep at most `max_per_author` messages of one player in one game, erased ones included."""
        self._redis = client
        self._archive = archive
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

        A repeated request returns the message that the first one added, in its current state. Raises
        IdempotencyConflict if the key was used for another request.
        """
        at = wall_clock.format(wall_clock.now())
        key = "" if record is None else f"key/{record.name}"
        stored = {"author": author, "at": at, "text": text, "seq": seq, "key": key}
        digest = "" if record is None else record.digest
        with unavailable_on_error():
            # The game is added before the message exists, so that an erasure finds every message.
            self._redis.sadd(games_key(author), game_id)
        args: list[str | bytes | int] = [
            author,
            key,
            digest,
            self._max_per_author,
            orjson.dumps(stored),
            appended_channel(game_id),
            MESSAGE_POSTED,
        ]
        match self._posted(game_id, args):
            case [1, number]:
                return ChatMessage(number, author, at, text, seq)
            case [2, number]:
                return self.get(game_id, number)
            case [0]:
                return None
            case _:
                raise IdempotencyConflict.with_message(
                    "this Idempotency-Key was used for another request"
                )

    def _posted(self, game_id: str, args: list[str | bytes | int]) -> list[int]:
        """Run the script that adds a message, recall the game if necessary, and return the reply."""
        keys = [messages_key(game_id), game_key(game_id, ARCHIVED)]
        for _ in range(MAX_ATTEMPTS):
            with unavailable_on_error():
                reply: list[int] = self._post(keys=keys, args=args)
            if reply != [-2]:
                return reply
            self._archive.recall(game_id, for_write=True)
        raise Unavailable.with_message("the game is moved into the archive again and again")

    def get(self, game_id: str, number: int) -> ChatMessage | None:
        """Return a message of a game; None if there is none with this number."""
        stored = self._field(game_id, str(number))
        return None if stored is None else decode_message(number, stored)

    def last_number(self, game_id: str) -> int:
        """Return the number of the last message of a game; 0 if there is none."""
        last = self._field(game_id, "last")
        return 0 if last is None else int(last)

    def _field(self, game_id: str, name: str) -> bytes | str | None:
        """Return a field of the messages of a game, in one round trip unless the game is archived."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.hget(messages_key(game_id), name)
            pipeline.exists(game_key(game_id, ARCHIVED))
            value: bytes | str | None
            value, is_archived = pipeline.execute()
        if not is_archived:
            return value
        return self._archive.part(game_id, MESSAGES).get(name)

    def read(self, game_id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        """Return the existing messages of a game with these numbers."""
        if not numbers:
            return []
        with unavailable_on_error():
            replies: Any = self._redis.hmget(
                messages_key(game_id), [str(number) for number in numbers]
            )
        if not any(replies):
            archived = self._archive.part(game_id, MESSAGES)
            replies = [archived.get(str(number)) for number in numbers]
        return [
            decode_message(number, reply)
            for number, reply in zip(numbers, replies, strict=True)
            if reply is not None
        ]

    def erase(self, game_id: str, number: int) -> None:
        """Erase the text of an existing message, and the data of its request. Idempotent."""
        stored: Any = self._field(game_id, str(number))
        fields = orjson.loads(stored)
        remainder = {"author": fields["author"], "at": fields["at"], "text": None}
        keys = [fields["key"]] if fields.get("key") else []
        self._archive.change(game_id, MESSAGES, {str(number): orjson.dumps(remainder)}, keys)

    def erase_all_of(self, author: str) -> None:
        """Erase every message that a player has written in any game, and the player's read marks.
        Idempotent.
        """
        for game_id in read_members(self._redis, games_key(author)):
            last = self.last_number(game_id)
            for written in self.read(game_id, range(1, last + 1)):
                if written.author == author and written.text is not None:
                    self.erase(game_id, written.number)
            self._archive.change(game_id, MESSAGES, to_delete=mark_fields(author))
        with unavailable_on_error():
            self._redis.delete(games_key(author))

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have messages that are not erased, or read marks."""
        return list(compress(players, which_exist(self._redis, map(games_key, players))))


def decode_message(number: int, stored: bytes | str) -> ChatMessage:
    """Return a message from its JSON in the store."""
    fields = orjson.loads(stored)
    return ChatMessage(
        number,
        fields["author"],
        fields["at"],
        fields["text"],
        fields.get("seq"),
        fields.get("removed_by"),
        fields.get("reason"),
    )


def messages_key(game_id: str) -> str:
    """Return the key of the messages of a game."""
    return game_key(game_id, MESSAGES)


def games_key(player: str) -> str:
    """Return the key of the games in which a player has written or read messages."""
    return _GAMES_OF + player


def mark_fields(player: str) -> tuple[str, str]:
    """Return the fields with the messages that a player has read and the alerts that they have dismissed
    (`ReadMarks`).
    """
    return f"read/{player}", f"dismissed/{player}"
