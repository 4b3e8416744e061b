"""The export of all games of a player: a line of JSON for each game, with its record, newest first.

A line is {"game", "cursor", "notes", "record"}. The notes are the private ones of the player. The record is
the text that `GET /games/ID/record` returns to the player, or null if the game cannot be read now. An
interrupted export continues after the cursor of its last line.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import orjson

from domain.errors import CartularyError
from domain.game import Game
from domain.json_types import JsonObject
from service.errors import Unavailable
from service.games.listings import Listings, Page
from service.games.private_notes import PrivateNote, PrivateNotes
from service.games.queries import GameQueries

MAX_GAMES: Final = 1_000
"""Games in one response."""
_PAGE_GAMES: Final = 50
_END: Final = b'"}\n'


def note_json(note: PrivateNote) -> JsonObject:
    """Return a private note as JSON, without its game."""
    return {"seq": note.seq, "at": note.at, "text": note.text}


class GameExports:
    """Exports games. Thread-safe."""

    def __init__(
        self, queries: GameQueries, listings: Listings, private_notes: PrivateNotes
    ) -> None:
        self._queries = queries
        self._listings = listings
        self._private_notes = private_notes

    def export(self, player: str, cursor: str | None, limit: int = MAX_GAMES) -> Iterator[bytes]:
        """Return the lines of up to `limit` games in which a player has or had a place, in pages.

        Each page is read when the iterator reaches it, and has about as many bytes as a page of a record.
        Raises Malformed for an invalid cursor. The iterator raises Unavailable if the store does not respond.
        """
        return self._lines(player, self._page(player, cursor), limit)

    def _page(self, player: str, cursor: str | None) -> Page:
        return self._listings.page((), player, cursor, _PAGE_GAMES, viewer=player)

    def _lines(self, player: str, page: Page, limit: int) -> Iterator[bytes]:
        count = 0
        while True:
            for cursor, game_id in zip(page.members, page.games, strict=True):
                if count == limit:
                    return
                count += 1
                yield from self._line(player, cursor, game_id)
            if page.next is None:
                return
            page = self._page(player, page.next)

    def _line(self, player: str, cursor: str, game_id: str) -> Iterator[bytes]:
        # The part of variable length is at the end, so that the record is never in memory as a whole.
        notes = [note_json(note) for note in self._private_notes.in_game(game_id, player)]
        fields = {"game": game_id, "cursor": cursor, "notes": notes}
        beginning = orjson.dumps(fields)[:-1] + b',"record":'
        try:
            game: Game = self._queries.game(game_id)
            if not self._queries.access.can_see(game, player):
                return
            parts = self._queries.record(game_id, game.seat_of(player))
            first = next(parts)
        except Unavailable:
            raise
        except CartularyError:
            yield beginning + b"null}\n"
            return
        yield beginning + b'"'
        for part in chain([first], parts):
            yield orjson.dumps(part.decode())[1:-1]
        yield _END
