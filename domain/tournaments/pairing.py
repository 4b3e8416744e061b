"""Who plays whom: the tables of a round, for 2 to 5 seats at a table.

All functions are pure, and players are numbers: their places in the draw of lots. Where a round could be paired
in several equally good ways, the order of the players decides, so that anybody pairs it in the same way.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

Player: TypeAlias = int
Table: TypeAlias = tuple[Player, ...]
"""Players in the order of their seats. A table of one player is a bye."""

MIN_TABLE: Final = 2
MAX_TABLE: Final = 5


def table_sizes(players: int, size: int) -> list[int]:
    """Return how many players sit at each table, the largest tables first.

    There are as few tables as possible with at most `size` players each, as equal as possible. So only tables
    for two leave a player over, who has a bye: the last size is then 1.
    """
    tables = -(-players // size)
    if size == MIN_TABLE:
        return [MIN_TABLE] * (players // MIN_TABLE) + [1] * (players % MIN_TABLE)
    least, larger = divmod(players, tables)
    return [least + 1] * larger + [least] * (tables - larger)


def pair(first: Player, second: Player) -> tuple[Player, Player]:
    """Return two players in the order in which meetings are counted."""
    return (first, second) if first < second else (second, first)


def meetings(tables: Sequence[Table]) -> Counter[tuple[Player, Player]]:
    """Count how often each two players have sat at one table."""
    return Counter(pair(*two) for table in tables for two in combinations(table, 2))


def round_robin(players: int) -> list[list[Table]]:
    """Return the rounds in which each two players meet once at a table for two.

    The players move around a circle, on which the first one stands still. With an odd number, each player has
    one bye. Everybody sits first in half of their games, or in one more or less than half.
    """
    circle: list[Player | None] = list(range(players))
    if players % 2:
        circle.append(None)
    rounds = []
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        opposite = zip(circle[:half], reversed(circle[half:]), strict=True)
        tables = [
            _alternating([player for player in two if player is not None]) for two in opposite
        ]
        rounds.append(sorted(tables, key=len, reverse=True))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def _alternating(players: Sequence[Player]) -> Table:
    """Return players in an order in which, over a round robin, each of them sits first equally often."""
    return tuple(sorted(players, reverse=sum(players) % 2 == 0))


def swiss(
    order: Sequence[Player],
    size: int,
    met: Mapping[tuple[Player, Player], int],
    byes: Mapping[Player, int],
) -> list[Table]:
    """Return the tables of a round in which players of similar rank meet, and nobody twice if possible.

    `order` has the players from the first rank to the last. At first, players of neighbouring ranks sit
    together. Then players of two tables change places as long as that lowers the cost: each two players who
    meet cost the cube of the number of times that they have met before, times the number of players, and the
    difference of their ranks decides among equals. The bye of an odd number of players at tables for two goes
    to the player of the lowest rank among those with the fewest byes.
    """
    ranks = {player: rank for rank, player in enumerate(order)}
    seated = list(order)
    bye: list[Player] = []
    if size == MIN_TABLE and len(seated) % 2:
        bye = [min(seated, key=lambda player: (byes.get(player, 0), -ranks[player]))]
        seated.remove(bye[0])
    tables: list[list[Player]] = []
    start = 0
    for places in sorted(table_sizes(len(seated), size), reverse=True) if seated else []:
        tables.append(seated[start : start + places])
        start += places
    _exchange(tables, ranks, met)
    return [tuple(table) for table in (*tables, *([bye] if bye else []))]


def _exchange(
    tables: list[list[Player]],
    ranks: Mapping[Player, int],
    met: Mapping[tuple[Player, Player], int],
) -> None:
    """Let players of two tables change places while that lowers the cost of their tables."""
    repeat = len(ranks) ** 3

    def cost(table: Sequence[Player]) -> int:
        return sum(
            met.get(pair(*two), 0) ** 3 * repeat + (ranks[two[0]] - ranks[two[1]]) ** 2
            for two in combinations(table, 2)
        )

    is_better = True
    while is_better:
        is_better = False
        for one, other in combinations(tables, 2):
            for i in range(len(one)):
                for j in range(len(other)):
                    before = cost(one) + cost(other)
                    one[i], other[j] = other[j], one[i]
                    if cost(one) + cost(other) < before:
                        is_better = True
                    else:
                        one[i], other[j] = other[j], one[i]
