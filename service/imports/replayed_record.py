"""An imported record that pages replay, up to the first fault, like any game.

It uses the classes for games of this server (service/games), but each record has separate objects, which read
only its lines. A record with the id of a game of this server is therefore never mistaken for that game, nor
for another record.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final

import orjson
from typing_extensions import override

from domain.contract import STATEMENT
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from ledger.record import Record
from replay.language.renderer import Names, Renderer
from replay.language.text_layout import clean
from service.bounds import Bounds
from service.games.event_queries import EventQueries
from service.games.game_cache import GameCache
from service.games.loader import GameLoader
from service.games.replays import Replays
from service.imports.store import ImportedRecord
from service.store.event_store import LogReader

MAX_SHOWN_CHARACTERS: Final = 2_000
"""The number of characters that are shown of the event with the first fault."""
MAX_NAME_CHARACTERS: Final = 40
"""The number of characters that are shown of a name in the header of a record."""
_SNAPSHOTS: Final = 16
"""The number of earlier states of a record that are kept."""


class ReplayedRecord:
    """The intact events of an imported record. Thread-safe.

    Pages read the record with `events`, `replays` and `loader`.
    """

    def __init__(self, imported: ImportedRecord, record: Record, bounds: Bounds) -> None:
        self.imported = imported
        self._record = record
        reader = _RecordReader(record, imported.intact)
        self.loader = GameLoader(
            reader, GameCache(1, max_snapshots=_SNAPSHOTS, snapshot_interval=bounds.prefix_interval)
        )
        self.events = EventQueries(self.loader, reader, _no_deliveries, bounds)
        self.replays = Replays(self.loader, bounds)

    @property
    def head(self) -> Game | None:
        """The game after the last intact event; None if not even the first event is intact."""
        return self.loader.load(self._record.game).game if self.imported.intact else None

    @cached_property
    def names(self) -> Names:
        """The names of the players in the header, which are claims, and not handles of accounts here."""
        head = self.head
        names = {id: shortened(name) for id, name in self._record.names.items()}
        return Names(names, () if head is None else head.players)

    @property
    def first_faulty_event(self) -> tuple[int, str] | None:
        """The seq of the first event that is not replayed, and its beginning as ASCII; None if all are."""
        seq = self.imported.intact + 1
        if seq > len(self._record.events):
            return None
        event: Event = self._record.events[seq - 1]
        return seq, json.dumps(event)[:MAX_SHOWN_CHARACTERS]


class _RecordReader(LogReader):
    """The first events of one record as a `LogReader`, whatever game is asked for."""

    def __init__(self, record: Record, intact: int) -> None:
        self._lines = record.lines[:intact]
        self._secrets = {
            f"{seq}/{name}": orjson.dumps(opening).decode()
            for seq, openings in record.openings.items()
            for name, opening in openings.items()
            if seq <= intact
        }

    @override
    def read(
        self, game_id: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        lines = self._lines[after:upto]
        return lines if limit is None else lines[:limit]

    @override
    def read_each(
        self, after: Mapping[str, int], limit: int | None = None
    ) -> dict[str, list[bytes]]:
        return {game_id: self.read(game_id, seq, None, limit) for game_id, seq in after.items()}

    @override
    def read_ranges(self, ranges: Sequence[tuple[str, int, int]]) -> list[list[bytes]]:
        return [self.read(game_id, first - 1, last) for game_id, first, last in ranges]

    @override
    def head(self, game_id: str) -> int:
        return len(self._lines)

    @override
    def secrets(self, game_id: str, names: Collection[str] | None = None) -> dict[str, str]:
        if names is None:
            return self._secrets
        return {name: self._secrets[name] for name in names if name in self._secrets}

    @override
    def receipts(self, game_id: str, seqs: Collection[int]) -> dict[int, str]:
        return {}


def shortened(text: str, most: int = MAX_NAME_CHARACTERS) -> str:
    """Return a text from a record in the form in which it is shown: one line, without harmful characters."""
    shown = clean(text[: 4 * most])
    return shown if len(shown) <= most else f"{shown[:most]}…"


def first_unopened(record: Record) -> int | None:
    """Return the first event with a secret that the record does not open; None if there is none.

    Statements in disputes do not count: they may have been erased, and nothing depends on them.
    """
    for event in record.events:
        openings = record.openings.get(event["seq"], {})
        if any(name != STATEMENT and name not in openings for name in event.get("secrets", ())):
            return event["seq"]
    return None


def _no_deliveries(_game: str, _seq: int, _player: str, _renderer: Renderer) -> list[JsonObject]:
    return []
