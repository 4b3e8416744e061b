"""Notes that players write for themselves beside the events of games.

    cartulary:private-notes:PLAYER        hash: GAME/SEQ -> JSON of the note on that event: `at` and `text`
    cartulary:private-note-index:PLAYER   sorted set of the same names, in their order; SEQ has ten digits

Only their author reads them: they are not in any log, and nothing else depends on them. A name enters the
index before the note is written, so that the bound holds, and stays until the note is deleted.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson
import redis

from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.connection import to_text, unavailable_on_error
from service.errors import TooManyNotes
from service.games.dispute_view import check_text_about
from service.games.loader import GameLoader

_NOTES: Final = "cartulary:private-notes:"
_INDEX: Final = "cartulary:private-note-index:"


@dataclass(frozen=True, slots=True)
class PrivateNote:
    """A note of a player on event `seq` of a game, and when it was written."""

    game: str
    seq: int
    at: str
    text: str


class PrivateNotes:
    """The private notes of all players. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(
        self, client: redis.Redis, loader: GameLoader, max_characters: int, max_notes: int
    ) -> None:
        """A player has at most `max_notes` notes, in all games together."""
        self._redis = client
        self._loader = loader
        self._max_characters = max_characters
        self._max_notes = max_notes

    def write(self, game_id: str, player: str, seq: int, text: str) -> PrivateNote:
        """Write a note on an event, which replaces an earlier one, and return it.

        Raises NotFound (a game that the player may not see), Malformed, TooManyNotes.
        """
        game, _ = self._loader.visible_history(game_id, player, seq)
        check_text_about(game, seq, text, self._max_characters)
        note = PrivateNote(game_id, seq, wall_clock.format(wall_clock.now()), text)
        name = _name(game_id, seq)
        index = _INDEX + player
        is_stored = store_if_fewer(
            self._redis,
            index,
            self._max_notes,
            # A note that replaces an earlier one does not count.
            lambda pipeline: pipeline.zcard(index) - (pipeline.zscore(index, name) is not None),
            lambda pipeline: pipeline.zadd(index, {name: 0}),
        )
        if not is_stored:
            raise TooManyNotes.with_message(
                "a player can have {count} notes", count=self._max_notes
            )
        with unavailable_on_error():
            self._redis.hset(_NOTES + player, name, orjson.dumps({"at": note.at, "text": text}))
        return note

    def of_game(self, game_id: str, player: str) -> list[PrivateNote]:
        """Return the notes of a player on the events of a game, in their order.

        Raises NotFound for a game that the player may not see.
        """
        self._loader.visible_history(game_id, player, 1)
        return self.in_game(game_id, player)

    def in_game(self, game_id: str, player: str) -> list[PrivateNote]:
        """Return the same for a game that the player is known to see."""
        # "0" follows "/" in ASCII, so these are all names that begin with the id and a slash.
        return self._read(player, f"[{game_id}/", f"({game_id}0", self._max_notes)

    def page(
        self, player: str, cursor: str | None, limit: int
    ) -> tuple[list[PrivateNote], str | None]:
        """Return a page of the notes of a player in all games, grouped by game, and the next cursor."""
        start = "-" if cursor is None else f"({cursor}"
        notes = self._read(player, start, "+", limit + 1)
        rest = notes[limit:]
        return notes[:limit], _name(notes[limit - 1].game, notes[limit - 1].seq) if rest else None

    def delete(self, game_id: str, player: str, seq: int) -> None:
        """Delete the note of a player on an event, if there is one. Raises NotFound as `of_game`."""
        self._loader.visible_history(game_id, player, seq)
        name = _name(game_id, seq)
        with unavailable_on_error():
            self._redis.hdel(_NOTES + player, name)
            self._redis.zrem(_INDEX + player, name)

    def delete_all_of(self, player: str) -> None:
        """Delete all notes of a player. Idempotent."""
        with unavailable_on_error():
            self._redis.delete(_NOTES + player)
            self._redis.delete(_INDEX + player)

    def _read(self, player: str, start: str, end: str, limit: int) -> list[PrivateNote]:
        with unavailable_on_error():
            members: Any = self._redis.zrangebylex(_INDEX + player, start, end, start=0, num=limit)
            names = list(map(to_text, members))
            stored: Any = self._redis.hmget(_NOTES + player, names) if names else []
        return [
            _decode(name, value)
            for name, value in zip(names, stored, strict=True)
            if value is not None
        ]


def _name(game_id: str, seq: int) -> str:
    return f"{game_id}/{seq:010}"


def _decode(name: str, stored: bytes | str) -> PrivateNote:
    game_id, seq = name.split("/")
    fields = orjson.loads(stored)
    return PrivateNote(game_id, int(seq), fields["at"], fields["text"])
