"""The projection behind the explorer: counts of finished public games, examples, where positions occurred.

Its values (see `service.projections.projections`):

    all KIND                 the counts of a kind of games (`Counts`)
    own PLAYER KIND          the counts of a player's own seats; seats that changed hands count for nobody
    games KIND TABLE VALUE   the EXAMPLES last games with this value, as `GAME SEQ SEAT`, the newest first
    at HASH                  where a position occurred, as `GAME SEQ`, at most EXAMPLES, the newest first
    ring N, ring             a game whose positions are indexed, `GAME HASH…`; how many were indexed so far

A position is the first HASH_DIGITS digits of its hash. Positions are indexed of the INDEXED_GAMES games that
finished last, so the index has a bound; counts are of all games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from domain.event import Event
from service.explorer.observed_game import NO_SEAT, ObservedGame, observed_game
from service.projections.counted_kind import CountedKind
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, ReadValues
from service.stored_objects import decode_object, members_of

EXAMPLES: Final = 20
INDEXED_GAMES: Final = 1000
HASH_DIGITS: Final = 16


@dataclass(slots=True)
class Counts:
    """How many games were counted, and by `TABLE VALUE`: how many seats had it, and how many of these won.

    A shared first place counts for each seat that has it. For the lengths of games, it is the number of
    games, and nothing wins.
    """

    games: int = 0
    cells: dict[str, list[int]] = field(default_factory=dict)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def decode(cls, text: str | None) -> "Counts":
        """Return the counts that this text encodes; empty ones for None."""
        return cls() if text is None else decode_object(cls, text)

    def encode(self) -> str:
        """Return the counts as text, for storage."""
        return orjson.dumps(members_of(self), option=orjson.OPT_SORT_KEYS).decode()

    def of(self, table: str, value: str) -> tuple[int, int]:
        """Return how many seats had a value, and how many of these won."""
        count, wins = self.cells.get(f"{table} {value}", (0, 0))
        return count, wins

    def add(self, game: ObservedGame, seats: Sequence[int]) -> None:
        """Count a game for these seats."""
        self.games += 1
        for feature in game.features:
            if feature.seat == NO_SEAT or feature.seat in seats:
                cell = self.cells.setdefault(f"{feature.table} {feature.value}", [0, 0])
                cell[0] += 1
                cell[1] += feature.seat in game.winners


class ExplorerProjection:
    """Counts the games that have finished. Each costs one reading of its log."""

    name = "explorer"

    def handle(self, events: Sequence[Event], feed: EventFeed, read: ReadValues, /) -> Changes:
        """See `Projection.handle`."""
        values: dict[str, str | None] = {}
        for end in events:
            if end["type"] != "GameFinished":
                continue
            (log,) = feed.event_ranges([(end["game"], 1, end["seq"])])
            game = observed_game(log)
            if game is not None:
                _count(game, values, read)
                _index(game, values, read)
        return Changes(values=values)


def all_field(kind: CountedKind) -> str:
    """Return the name of the value with the counts of a kind."""
    return f"all {kind.encode()}"


def own_field(player: str, kind: CountedKind) -> str:
    """Return the name of the value with the counts of a player."""
    return f"own {player} {kind.encode()}"


def games_field(kind: CountedKind, table: str, value: str) -> str:
    """Return the name of the value with examples."""
    return f"games {kind.encode()} {table} {value}"


def position_field(state: str) -> str:
    """Return the name of the value with the events after which games had a position."""
    return f"at {state[:HASH_DIGITS]}"


def _count(game: ObservedGame, values: dict[str, str | None], read: ReadValues) -> None:
    """Add a game to the counts and the examples."""
    own: dict[str, list[int]] = {}
    for seat, player in enumerate(game.players):
        if player is not None and player not in game.bots:
            own.setdefault(player, []).append(seat)
    seats = {own_field(player, game.kind): own[player] for player in own}
    seats[all_field(game.kind)] = [*range(game.kind.seats)]
    examples: dict[str, str] = {}
    for feature in game.features:
        name = games_field(game.kind, feature.table, feature.value)
        examples.setdefault(name, f"{game.id} {feature.seq} {feature.seat}")
    before = {**read([*seats, *examples]), **values}
    for name, counted in seats.items():
        counts = Counts.decode(before.get(name))
        counts.add(game, counted)
        values[name] = counts.encode()
    for name, example in examples.items():
        values[name] = _with_newest(before.get(name), example)


def _index(game: ObservedGame, values: dict[str, str | None], read: ReadValues) -> None:
    """Index the positions of a game, in place of those of the game that has been indexed for longest."""
    number = int({**read(["ring"]), **values}.get("ring") or 0)
    place = f"ring {number % INDEXED_GAMES}"
    replaced = {**read([place]), **values}.get(place)
    if replaced is not None:
        _remove(replaced, values, read)
    positions = {state[:HASH_DIGITS]: seq for state, seq in game.positions.items()}
    before = {**read([*map(position_field, positions)]), **values}
    for state, seq in positions.items():
        name = position_field(state)
        values[name] = _with_newest(before.get(name), f"{game.id} {seq}")
    values[place] = " ".join([game.id, *positions])
    values["ring"] = str(number + 1)


def _remove(indexed: str, values: dict[str, str | None], read: ReadValues) -> None:
    """Remove the positions of a game from the index."""
    id, *positions = indexed.split()
    before = {**read([*map(position_field, positions)]), **values}
    for name in map(position_field, positions):
        lines = [line for line in lines_of(before.get(name)) if line.split()[0] != id]
        values[name] = "\n".join(lines) or None


def _with_newest(text: str | None, line: str) -> str:
    return "\n".join([line, *lines_of(text)][:EXAMPLES])


def lines_of(text: str | None) -> list[str]:
    """Return the lines of a value; none if it does not exist."""
    return text.splitlines() if text else []
