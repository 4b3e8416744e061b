"""Reads what the explorer has counted: kinds of games, their tables with intervals, examples, positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.errors import Malformed
from domain.features import FeatureTable
from domain.json_fields import one_of
from domain.lifecycle import seat_counts
from domain.messages import Text
from domain.registry import rule_systems
from replay.bots.ratings import wilson_interval
from service.explorer.observed_game import NO_SEAT, ROUNDS, tables_of
from service.explorer.projection import (
    Counts,
    ExplorerProjection,
    all_field,
    games_field,
    lines_of,
    own_field,
    position_field,
)
from service.projections.counted_kind import CountedKind
from service.projections.event_feed import EventFeed
from service.projections.projections import Projections

LEAST: Final = 200
"""Shares of fewer seats or games are not shown for all games: their intervals are too wide."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of a table: `count` of `of`, with the interval of Wilson at a confidence of 95 %."""

    value: str
    label: Text
    count: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ShareTable:
    """A table of shares: of the seats with a value, how many have won; of games, how many had a length.

    `hidden` is how many values are left out because of LEAST.
    """

    table: FeatureTable
    shares: Sequence[Share]
    hidden: int

    @property
    def is_of_games(self) -> bool:
        """Whether the shares are those of games, and nothing that seats win."""
        return self.table.name == ROUNDS


@dataclass(frozen=True, slots=True)
class ExploredKind:
    """A kind of games with its tables. `games` were counted, and `lag` entries of the log are not yet."""

    kind: CountedKind
    games: int
    tables: Sequence[ShareTable]
    lag: int


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event of a finished public game, and the seat that it is about, if it is about one."""

    game: str
    seq: int
    seat: int | None = None


def explored_kinds() -> list[CountedKind]:
    """Return all kinds of games that can be explored, in order."""
    return [
        CountedKind(name, seats, has_bots)
        for name, entry in rule_systems().items()
        for seats in seat_counts(entry.system)
        for has_bots in (False, True)
    ]


def tables_of_kind(kind: CountedKind) -> list[FeatureTable]:
    """Return the tables of a kind of games."""
    return tables_of(rule_systems()[kind.system].system, kind.seats)


@dataclass(eq=False, repr=False)
class Explorer:
    """Reads the counts. Thread-safe. Its methods raise Unavailable if Redis does not respond."""

    _projections: Projections
    _feed: EventFeed

    def games(self, player: str | None = None) -> dict[CountedKind, int]:
        """Return how many games of each kind were counted, of all or of a player, without kinds of none."""
        fields = {kind: _field(kind, player) for kind in explored_kinds()}
        stored = self._projections.read(ExplorerProjection.name, list(fields.values()))
        counts = {kind: Counts.decode(stored.get(name)).games for kind, name in fields.items()}
        return {kind: count for kind, count in counts.items() if count}

    def kind(self, kind: CountedKind, player: str | None = None) -> ExploredKind:
        """Return the tables of a kind, for all games without small shares, or for a player with all."""
        name = _field(kind, player)
        stored = self._projections.read(ExplorerProjection.name, [name])
        counts = Counts.decode(stored.get(name))
        least = LEAST if player is None else 1
        tables = [_share_table(table, counts, least) for table in tables_of_kind(kind)]
        return ExploredKind(kind, counts.games, tables, self.lag())

    def lag(self) -> int:
        """Return how many entries of the transparency log are not counted yet."""
        return self._projections.state(ExplorerProjection.name).lag

    def examples(self, kind: CountedKind, table: str, value: str) -> list[Occurrence]:
        """Return the last games with a value of a table, the newest first.

        Raises Malformed if the kind has no such table or value.
        """
        tables = {each.name: each for each in tables_of_kind(kind)}
        if table not in tables:
            raise Malformed({"table": one_of(list(tables))})
        if value not in tables[table].values:
            raise Malformed({"value": one_of(list(tables[table].values))})
        name = games_field(kind, table, value)
        stored = self._projections.read(ExplorerProjection.name, [name])
        return [_occurrence(line) for line in lines_of(stored.get(name))]

    def occurrences(self, state: str) -> list[Occurrence]:
        """Return the events of finished public games after which the position had this hash.

        `state` is the one of an event, 64 digits. Only the games that finished last are indexed.
        """
        name = position_field(state)
        stored = self._projections.read(ExplorerProjection.name, [name])
        listed = [_occurrence(line) for line in lines_of(stored.get(name))]
        ranges = [(each.game, each.seq, each.seq) for each in listed]
        return [
            occurrence
            for occurrence, events in zip(listed, self._feed.event_ranges(ranges), strict=True)
            if events and events[0]["state"] == state
        ]


def _field(kind: CountedKind, player: str | None) -> str:
    return all_field(kind) if player is None else own_field(player, kind)


def _share_table(table: FeatureTable, counts: Counts, least: int) -> ShareTable:
    """Return the shares of a table with at least so many seats, or games if it is of games."""
    cells = {value: counts.of(table.name, value) for value in table.values}
    if table.name == ROUNDS:
        total = sum(count for count, _ in cells.values())
        shares = {value: (count, total) for value, (count, _) in cells.items() if count}
    else:
        shares = {value: (wins, count) for value, (count, wins) in cells.items() if count}
    return ShareTable(
        table,
        [
            Share(value, table.values[value], count, of, *wilson_interval(count, of))
            for value, (count, of) in shares.items()
            if of >= least
        ],
        sum(of < least for _, of in shares.values()),
    )


def _occurrence(line: str) -> Occurrence:
    game, seq, *seats = line.split()
    seat = int(seats[0]) if seats else NO_SEAT
    return Occurrence(game, int(seq), None if seat == NO_SEAT else seat)
