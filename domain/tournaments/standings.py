"""Points and tie-breaks: what a place at a table is worth, and how players compare (docs/tournaments.md,
Standings).

Points are exact fractions: the share of the others at the table whom a player has beaten. So a table of two
and one of five count the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final, Literal, TypeAlias

from domain.tournaments.pairing import Player, Table

BYE_POINTS: Final = Fraction(1)
"""What a player without opponents at a table gets: as much as for a first place."""
HALF_POINT: Final = Fraction(1, 2)
"""What a player gets who has asked for no table."""
NO_PLACE: Final = 0
"""The place of a player who has forfeited the game."""


@dataclass(frozen=True, slots=True)
class Result:
    """The places at a table, 1 for the best; players who share places have the first of them."""

    table: Table
    places: tuple[int, ...]
    """By seat; `NO_PLACE` for a player who has forfeited, and comes after all others."""
    bye_points: Fraction = BYE_POINTS
    """What it is worth if the player has no opponents."""

    def points(self) -> dict[Player, Fraction]:
        """Return the points of the players: for each other player at the table 1 if they are behind and 1/2
        if they share the place, divided by the number of the others. A player who has forfeited has none.
        """
        if len(self.table) == 1:
            return {self.table[0]: self.bye_points if self.places[0] else Fraction(0)}
        return {
            player: sum(
                (self.score(player, other) for other in self.opponents(player)), Fraction(0)
            )
            / (len(self.table) - 1)
            for player in self.table
        }

    def board_points(self) -> dict[Player, Fraction]:
        """Return the points at the boards of a match, by team; at other tables, the points."""
        return self.points()

    def opponents(self, player: Player) -> list[Player]:
        """Return the others at the table."""
        return [other for other in self.table if other != player]

    def score(self, player: Player, other: Player) -> Fraction:
        """Return what a player has scored against another one: 1, 1/2 or 0."""
        own, others = self.place(player), self.place(other)
        if own == NO_PLACE:
            return Fraction(0)
        if others == NO_PLACE or own < others:
            return Fraction(1)
        return Fraction(1, 2) if own == others else Fraction(0)

    def place(self, player: Player) -> int:
        """Return the place of a player."""
        return self.places[self.table.index(player)]


def half_point_bye(player: Player) -> Result:
    """Return the result of a player who rests for half a point."""
    return Result((player,), (1,), HALF_POINT)


TieBreak: TypeAlias = Literal[
    "points",
    "board_points",
    "direct",
    "direct_of_all",
    "buchholz",
    "sonneborn_berger",
    "wins",
    "reached",
    "last_points",
]


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides the place of a player. Players who are equal in all of it are in the order of the lots."""

    player: Player
    points: Fraction = Fraction(0)
    board_points: Fraction = Fraction(0)
    """Teams: the sum of the points at all boards."""
    direct: Fraction = Fraction(0)
    """What the player has scored against those with as many points."""
    direct_of_all: Fraction = Fraction(0)
    """The same if each two of those with as many points have met, else 0 for all of them."""
    buchholz: Fraction = Fraction(0)
    """The sum, over the tables of the player, of the mean points of the others at the table."""
    sonneborn_berger: Fraction = Fraction(0)
    """The same, of the points of the others times what the player has scored against them."""
    wins: int = 0
    """First places at tables with opponents, also shared ones."""
    played: int = 0
    """Tables with opponents."""
    reached: int = 0
    """Knockout: how many rounds the player has reached."""
    last_points: Fraction = Fraction(0)
    """Knockout: the points at the last table."""

    def value(self, tie_break: TieBreak) -> Fraction:
        """Return the value of a tie-break; more is better."""
        value: Fraction | int = getattr(self, tie_break)
        return Fraction(value)


EVERYBODY_MEETS: Final[tuple[TieBreak, ...]] = ("points", "direct", "sonneborn_berger", "wins")
"""The tie-breaks where everybody meets everybody."""
OPPONENTS_DIFFER: Final[tuple[TieBreak, ...]] = (
    *("points", "direct_of_all", "buchholz", "sonneborn_berger", "wins"),
)
"""The tie-breaks where players have different opponents."""
OPPONENTS_DIFFER_BEFORE_VERSION_3: Final[tuple[TieBreak, ...]] = (
    *("points", "buchholz", "sonneborn_berger", "wins"),
)
"""The same in tournaments of versions 1 and 2."""
ARENA: Final[tuple[TieBreak, ...]] = ("points", "wins")
"""The tie-breaks where players have different numbers of games."""
ELIMINATION: Final[tuple[TieBreak, ...]] = ("reached", "last_points", "points")
"""The tie-breaks where players drop out."""


def rank(
    players: Sequence[Player],
    results: Iterable[Result],
    tie_breaks: Sequence[TieBreak],
    reached: Mapping[Player, int] | None = None,
) -> list[Standing]:
    """Return the standings by these tie-breaks, the best first.

    `reached` has the number of rounds that each player has reached, where that counts. Players who are equal
    in all of them are in the order in which `players` has them: that of the lots.
    """
    rows = _standings(players, list(results), reached or {})
    return sorted(rows, key=lambda row: tuple(-row.value(tie_break) for tie_break in tie_breaks))


def _standings(
    players: Sequence[Player], results: Sequence[Result], reached: Mapping[Player, int]
) -> list[Standing]:
    own: dict[Player, list[Result]] = {player: [] for player in players}
    points: dict[Player, Fraction] = dict.fromkeys(players, Fraction(0))
    at_boards: dict[Player, Fraction] = dict.fromkeys(players, Fraction(0))
    last: dict[Player, Fraction] = dict.fromkeys(players, Fraction(0))
    for result in results:
        for player, share in result.points().items():
            own[player].append(result)
            points[player] += share
            last[player] = share
        for player, share in result.board_points().items():
            at_boards[player] += share
    by_points = groupby(sorted(players, key=points.__getitem__), key=points.__getitem__)
    tied = {player: peers for _, group in by_points for peers in [set(group)] for player in peers}
    direct = {
        player: sum(
            (
                result.score(player, other)
                for result in own[player]
                for other in result.opponents(player)
                if other in tied[player]
            ),
            Fraction(0),
        )
        for player in players
    }
    opponents = {
        player: {other for result in own[player] for other in result.table} for player in players
    }
    have_all_met = {
        player: all(tied[other] <= opponents[other] | {other} for other in tied[player])
        for player in players
    }
    return [
        Standing(
            player,
            points=points[player],
            board_points=at_boards[player],
            direct=direct[player],
            direct_of_all=direct[player] if have_all_met[player] else Fraction(0),
            buchholz=_buchholz(player, own[player], points),
            sonneborn_berger=_sonneborn_berger(player, own[player], points),
            wins=sum(len(result.table) > 1 and result.place(player) == 1 for result in own[player]),
            played=sum(len(result.table) > 1 for result in own[player]),
            reached=reached.get(player, 0),
            last_points=last[player],
        )
        for player in players
    ]


def _buchholz(
    player: Player, results: Iterable[Result], points: dict[Player, Fraction]
) -> Fraction:
    # A bye counts as a game against an opponent with as many points as the player has.
    total = Fraction(0)
    for result in results:
        others = result.opponents(player) or [player]
        total += sum((points[other] for other in others), Fraction(0)) / len(others)
    return total


def _sonneborn_berger(
    player: Player, results: Iterable[Result], points: dict[Player, Fraction]
) -> Fraction:
    total = Fraction(0)
    for result in results:
        others = result.opponents(player)
        if others:
            won = (result.score(player, other) * points[other] for other in others)
            total += sum(won, Fraction(0)) / len(others)
        else:
            total += result.points()[player] * points[player]
    return total


@dataclass(frozen=True, slots=True)
class Decision:
    """What decides that a player comes before the next one: the first tie-break in which they differ."""

    tie_break: TieBreak | None
    """None if it is the order before the first round: that of the lots, or of the seeds."""
    value: Fraction = Fraction(0)
    against: Fraction = Fraction(0)
    """That of the next player."""


def decision_between(first: Standing, next: Standing, tie_breaks: Sequence[TieBreak]) -> Decision:
    """Return what decides that a player comes before the next one in the standings."""
    for tie_break in tie_breaks:
        value, against = first.value(tie_break), next.value(tie_break)
        if value != against:
            return Decision(tie_break, value, against)
    return Decision(None)
