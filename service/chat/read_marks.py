"""The chat messages that players have read, and the alerts that they have dismissed.

They are fields of the hash with the chat messages of a game (service/chat/store.py):

    read/PLAYER        the number of the last message that the player has read or written
    dismissed/PLAYER   the keys of the alerts (service/games/alerts.py) that the player has dismissed, at
                       most the last MAX_DISMISSED

In an archived game, no message counts as unread.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import redis

from domain.game import Game
from service.accounts.mutes import mutes_key
from service.chat.store import (
    MESSAGES,
    ChatMessage,
    decode_message,
    games_key,
    mark_fields,
    messages_key,
)
from service.cluster import ClusterClient
from service.connection import read_field, to_text, unavailable_on_error
from service.store.archive import Archive

MAX_DISMISSED: Final = 20
MAX_UNREAD: Final = 20
"""The most messages of a game that are examined, and therefore counted as unread."""
_SEPARATOR: Final = " "


@dataclass(frozen=True, slots=True)
class ReadMark:
    """The messages of a game that a player has not read yet, and the alerts that they have dismissed.

    `unread` is the number of unread messages, at most MAX_UNREAD, and `last` the last of them. `messages` is
    the number of the last message of all.
    """

    unread: int = 0
    last: ChatMessage | None = None
    dismissed: frozenset[str] = frozenset()
    messages: int = 0


class ReadMarks:
    """The read marks of all players. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, archive: Archive) -> None:
        self._redis = client
        self._archive = archive
        script = (Path(__file__).parent / "unread.lua").read_text(encoding="utf-8")
        self._unread = client.register_script(script)

    def of(self, player: str, game_ids: Sequence[str]) -> list[ReadMark]:
        """Return the marks of a player in games, in order, in one round trip (in a cluster, two).

        The marks of archived games are empty. The player must be allowed to read the messages of these games.
        """
        if not game_ids:
            return []
        keys = [messages_key(game_id) for game_id in game_ids]
        with unavailable_on_error():
            if isinstance(self._redis, ClusterClient):
                replies = self._of_slots(player, keys)
            else:
                args: list[str | int] = [player, MAX_UNREAD, ""]
                replies = self._unread(keys=[*keys, mutes_key(player)], args=args)
        return [_mark(*reply) for reply in replies]

    def _of_slots(self, player: str, keys: Sequence[str]) -> Any:
        muted = self._redis.zrange(mutes_key(player), 0, -1)
        with self._redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                args: list[Any] = [player, MAX_UNREAD, "1", *muted]
                self._unread(keys=[key], args=args, client=pipeline)
            return [reply for replies in pipeline.execute() for reply in replies]

    def of_game(self, player: str, game: Game) -> ReadMark:
        """Return the mark of a player in a game, like `of`, even if the game is archived."""
        (mark,) = self.of(player, [game.id])
        if mark.messages or not game.has_ended:
            return mark
        fields = self._archive.part(game.id, MESSAGES)
        dismissed = fields.get(mark_fields(player)[1], "")
        return _mark(dismissed, 0, 0, b"", int(fields.get("last", 0)))

    def read(self, game_id: str, player: str, number: int) -> None:
        """Record that a player has read the messages up to a number. Idempotent."""
        key, (name, _) = messages_key(game_id), mark_fields(player)
        if number > int(read_field(self._redis, key, name) or 0):
            self._set(game_id, player, name, str(number), recalls=False)

    def dismiss(self, game_id: str, player: str, alert: str) -> None:
        """Record that a player has dismissed the alert with this key. Idempotent."""
        key, (_, name) = messages_key(game_id), mark_fields(player)
        self._archive.recall(game_id, for_write=True)
        stored = read_field(self._redis, key, name)
        dismissed = [] if stored is None else stored.split(_SEPARATOR)
        if alert not in dismissed:
            kept = [*dismissed, alert][-MAX_DISMISSED:]
            self._set(game_id, player, name, _SEPARATOR.join(kept), recalls=True)

    def _set(self, game_id: str, player: str, name: str, value: str, *, recalls: bool) -> None:
        # The game is added first, so that an erasure finds every mark.
        with unavailable_on_error():
            self._redis.sadd(games_key(player), game_id)
        self._archive.change(game_id, MESSAGES, {name: value}, recalls=recalls)


def _mark(dismissed: Any, unread: int, number: int, newest: Any, messages: int) -> ReadMark:
    keys = to_text(dismissed).split(_SEPARATOR) if dismissed else ()
    last = decode_message(number, newest) if number else None
    return ReadMark(unread, last, frozenset(keys), messages)
