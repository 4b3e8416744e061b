"""An arena: who is free for a table, and who of them sit together (docs/tournaments.md, Arenas).

All functions are pure, and players are numbers. Whoever has the log pairs in the same way.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from domain.tournaments.matching import most_pairs
from domain.tournaments.pairing import MIN_TABLE, Pair, Player, Table, pair
from domain.tournaments.standings import Result

PATIENCE_SECONDS: Final = 30
"""How long players wait, at most, for somebody with whom they have not just played, or for a full table."""
MAX_GAMES: Final = 64
"""The most games of an entrant in an arena, which bounds its log."""
MAX_BREAKS: Final = 32
"""The most breaks that an entrant can take in an arena."""
BLOCK: Final = 32
"""How many players are paired together at tables of two, which bounds the time of a draw."""


@dataclass(frozen=True, slots=True)
class ArenaState:
    """What decides who is free. Entrants who are not in `free_since` sit at a table without a result."""

    ends: str
    """From then on nobody is seated."""
    free_since: Mapping[Player, str]
    """By entrant without a table, since when."""
    resting: frozenset[Player] = frozenset()
    """The entrants who take a break, or who have let a game pass."""
    breaks: Mapping[Player, int] = field(default_factory=dict)
    """By entrant, how many breaks they have taken."""
    games: Mapping[Player, int] = field(default_factory=dict)
    """By entrant, how many games they have begun."""
    last_tables: Mapping[Player, Table] = field(default_factory=dict)
    """By entrant, the last table that they sat at."""

    def free(self, withdrawn: Collection[Player]) -> dict[Player, str]:
        """Return the entrants who can be seated now, and since when they have waited."""
        return {
            player: since
            for player, since in self.free_since.items()
            if player not in self.resting
            and player not in withdrawn
            and self.games.get(player, 0) < MAX_GAMES
        }

    def after_draw(self, tables: Iterable[Table]) -> "ArenaState":
        """Return the state when tables have been seated."""
        seated = {player: table for table in tables for player in table}
        return replace(
            self,
            free_since={
                player: since for player, since in self.free_since.items() if player not in seated
            },
            games={**self.games, **{player: self.games.get(player, 0) + 1 for player in seated}},
            last_tables={**self.last_tables, **seated},
        )

    def with_free(self, players: Iterable[Player], at: str) -> "ArenaState":
        """Return the state when players have no table from a time on."""
        return replace(self, free_since={**self.free_since, **dict.fromkeys(players, at)})

    def with_break(self, player: Player) -> "ArenaState":
        """Return the state when a player has taken a break."""
        return replace(
            self,
            resting=self.resting | {player},
            breaks={**self.breaks, player: self.breaks.get(player, 0) + 1},
        )

    def without_break(self, player: Player, at: str) -> "ArenaState":
        """Return the state when a player goes on, who waits from now on if there is no table."""
        after = replace(self, resting=self.resting - {player})
        return after.with_free([player], at) if player in self.free_since else after


def points_of(results: Iterable[Result]) -> dict[Player, Fraction]:
    """Return the points of the players who have any result."""
    points: dict[Player, Fraction] = {}
    for result in results:
        for player, share in result.points().items():
            points[player] = points.get(player, Fraction(0)) + share
    return points


def arena_tables(
    order: Sequence[Player],
    size: int,
    since: Mapping[Player, str],
    patient_since: str,
    last_tables: Mapping[Player, Table],
    prohibited: Collection[Pair] = frozenset(),
) -> list[Table]:
    """Return the tables for players who are free. Not everybody gets one.

    `order` has those with the most points first, and `since` says when each began to wait. Nobody is
    seated with a prohibited opponent, or, unless all at the table have waited since `patient_since` or
    longer, with somebody from their last table.
    """
    waiting = sorted(order, key=lambda player: since[player])
    queue = {player: place for place, player in enumerate(waiting)}

    def is_patient(player: Player) -> bool:
        return since[player] <= patient_since

    def can_meet(one: Player, other: Player) -> bool:
        if pair(one, other) in prohibited:
            return False
        have_just_met = other in last_tables.get(one, ()) or one in last_tables.get(other, ())
        return not have_just_met or (is_patient(one) and is_patient(other))

    if size == MIN_TABLE:
        blocks = (order[start : start + BLOCK] for start in range(0, len(order), BLOCK))
        return [table for block in blocks for table in _pairs(block, queue, can_meet)]
    return _larger_tables(order, size, waiting, is_patient, can_meet)


def _pairs(
    order: Sequence[Player], queue: Mapping[Player, int], can_meet: Callable[[Player, Player], bool]
) -> list[Table]:
    """Return as many pairs as possible: of those who have waited longest, and with similar points."""
    scale = len(order) ** 3

    def cost(one: int, other: int) -> int | None:
        first, second = order[one], order[other]
        if not can_meet(first, second):
            return None
        return (queue[first] + queue[second]) * scale + (other - one) ** 2

    return [(order[one], order[other]) for one, other in most_pairs(len(order), cost)]


def _larger_tables(
    order: Sequence[Player],
    size: int,
    waiting: Sequence[Player],
    is_patient: Callable[[Player], bool],
    can_meet: Callable[[Player, Player], bool],
) -> list[Table]:
    """Return full tables; smaller ones of players who have waited long enough. Each begins with who has
    waited longest, whom those join in turn who have the most similar points and may meet all at the table.
    """
    rank = {player: place for place, player in enumerate(order)}
    left, tables = list(waiting), list[Table]()
    for first in waiting:
        if first not in left:
            continue
        table = [first]
        for other in sorted(
            left, key=lambda player: (abs(rank[player] - rank[first]), rank[player])
        ):
            if len(table) == size:
                break
            if other != first and all(can_meet(each, other) for each in table):
                table.append(other)
        if len(table) < size:
            table = [player for player in table if is_patient(player)]
        if len(table) == size or (len(table) >= MIN_TABLE and first in table):
            tables.append(tuple(sorted(table, key=rank.__getitem__)))
            left = [player for player in left if player not in table]
    return sorted(tables, key=lambda table: min(rank[player] for player in table))
