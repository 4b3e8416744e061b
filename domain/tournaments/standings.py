"""Points and standings: what a place at a table is worth, and who is before whom.

A table of n players gives n - 1 points to the first place, one less to each following one, and none to the last.
So that tables of different sizes count the same, points are shares of these: they are fractions between 0 and 1,
which are exact. Players who share places share their points.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from domain.tournaments.pairing import Player, Table

BYE_POINTS: Final = Fraction(1)
"""What a player without opponents in a round gets: as much as for a first place."""


@dataclass(frozen=True, slots=True)
class Result:
    """The places at a table, 1 for the best; players who share places have the first of them."""

    table: Table
    places: tuple[int, ...]
    """By seat."""

    def points(self) -> dict[Player, Fraction]:
        """Return the points of the players, of which the sum is half of the number of players."""
        count = len(self.table)
        if count == 1:
            return {self.table[0]: BYE_POINTS}
        points = {}
        for player, place in zip(self.table, self.places, strict=True):
            sharing = self.places.count(place)
            # The places `place`..`place + sharing - 1` are shared: their points are those of the one in the middle.
            middle = place + Fraction(sharing - 1, 2)
            points[player] = (count - middle) / (count - 1)
        return points

    def wins(self) -> tuple[Player, ...]:
        """Return the players in the first place, if it is a game: a bye is no win."""
        if len(self.table) == 1:
            return ()
        return tuple(
            player for player, place in zip(self.table, self.places, strict=True) if place == 1
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """A player among the others. Players are equal only before lots are drawn, so each place has one player."""

    player: Player
    points: Fraction
    opponents: Fraction
    """The sum, over the tables of the player, of the mean points of the others at the table."""
    wins: int
    played: int
    """The tables with opponents."""


def standings(players: Sequence[Player], results: Iterable[Result]) -> list[Standing]:
    """Return the standings, the best first.

    They are by points; then by the points of the opponents; then by wins; then by the draw of lots, which is the
    order of `players`.
    """
    tables = list(results)
    points: dict[Player, Fraction] = dict.fromkeys(players, Fraction(0))
    wins: dict[Player, int] = dict.fromkeys(players, 0)
    played: dict[Player, int] = dict.fromkeys(players, 0)
    for result in tables:
        for player, share in result.points().items():
            points[player] += share
            played[player] += len(result.table) > 1
        for player in result.wins():
            wins[player] += 1
    opponents = _opponents(tables, points)
    rows = [
        Standing(
            player, points[player], opponents.get(player, Fraction(0)), wins[player], played[player]
        )
        for player in players
    ]
    lots = {player: lot for lot, player in enumerate(players)}
    return sorted(rows, key=lambda row: (-row.points, -row.opponents, -row.wins, lots[row.player]))


def _opponents(
    results: Sequence[Result], points: Mapping[Player, Fraction]
) -> dict[Player, Fraction]:
    """Return the tie-break by opponents of those who have had any."""
    sums: dict[Player, Fraction] = {}
    for result in results:
        for player in result.table:
            others = [points[other] for other in result.table if other != player]
            if others:
                mean = sum(others, Fraction(0)) / len(others)
                sums[player] = sums.get(player, Fraction(0)) + mean
    return sums
