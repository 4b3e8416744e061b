"""Who plays whom: the tables of a round, for 2 to 5 seats at a table (docs/tournaments.md, Pairing).

All functions are pure, and players are numbers: their places in the draw of lots. Everything that the
arguments leave open follows from the order of the players, so that anybody pairs a round in the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Final, TypeAlias

from domain.chance import Chance
from domain.tournaments.matching import least_costly_pairs

Player: TypeAlias = int
Table: TypeAlias = tuple[Player, ...]
"""Players in the order of their seats. A table of one player is a bye."""
Pair: TypeAlias = tuple[Player, Player]
"""Two players, the smaller number first."""

MIN_TABLE: Final = 2
MAX_TABLE: Final = 5
ATTEMPTS: Final = 12
"""How many arrangements of a round are tried at least, the cheapest of which is taken."""
_SEARCHED_SEATS: Final = 1536
"""The bound of a search for a round: the number of arrangements times that of the players."""


def table_sizes(players: int, size: int) -> list[int]:
    """Return how many players sit at each table, the largest tables first.

    There are as few tables as possible with at most `size` players each, as equal as possible. So only tables
    for two leave a player over, who has a bye: the last size is then 1.
    """
    if size == MIN_TABLE:
        return [MIN_TABLE] * (players // MIN_TABLE) + [1] * (players % MIN_TABLE)
    if not players:
        return []
    tables = -(-players // size)
    least, larger = divmod(players, tables)
    return [least + 1] * larger + [least] * (tables - larger)


def drawn_orders(players: int, size: int, version: int) -> int:
    """Return from how many drawn orders a round is arranged that depends on what was played before.

    Tables for two need none, because the cheapest are computed.
    """
    if version == 1:
        return ATTEMPTS
    return 1 if size == MIN_TABLE else max(ATTEMPTS, _SEARCHED_SEATS // max(1, players))


def pair(first: Player, second: Player) -> Pair:
    """Return two players in the order in which meetings are counted."""
    return (first, second) if first < second else (second, first)


def meetings(tables: Iterable[Table]) -> Counter[Pair]:
    """Count how often each two players have sat at one table."""
    return Counter(pair(*two) for table in tables for two in combinations(table, 2))


def berger(players: int) -> list[list[Table]]:
    """Return the rounds of the Berger tables, in which each two players meet once at a table for two.

    With an odd number, the player who would meet the missing one has no table in that round. Everybody sits
    first in half of their games, or in half a game more or less.
    """
    last = players - 1 + players % 2
    rounds: list[list[Table]] = []
    for number in range(last):
        # Players whose numbers, counted from 1, add up to this (modulo `last`) meet in this round; the one
        # who would meet themselves meets the last one.
        total = number + 2
        tables = []
        for one in range(1, last + 1):
            other = (total - one) % last or last
            if one < other:
                tables.append((other, one) if (one + other) % 2 == 0 else (one, other))
            elif one == other and players % 2 == 0:
                tables.append((one, players) if one <= players // 2 else (players, one))
        rounds.append([(one - 1, other - 1) for one, other in tables])
    return rounds


@cache
def round_robin(players: int, size: int) -> tuple[tuple[Table, ...], ...]:
    """Return rounds in which all players sit at tables, until each two of them have met at least once.

    For tables of two these are the Berger tables, and nobody meets twice. For larger tables, each round is
    the one of some arrangements in which the fewest players meet again (`arrange`).
    """
    if size == MIN_TABLE or players <= MIN_TABLE:
        return tuple(tuple(tables) for tables in berger(players))
    meeting_counts: Counter[Pair] = Counter()

    def cost(pair: Pair) -> int:
        # As few as possible meet again, and rather those who have met less often.
        return 100 + meeting_counts[pair] ** 3 if meeting_counts[pair] else 0

    rounds: list[tuple[Table, ...]] = []
    while len(meeting_counts) < players * (players - 1) // 2:
        chance = Chance(b"round robin %d %d %d" % (players, size, len(rounds)))
        orders = (chance.shuffle(range(players)) for _ in range(ATTEMPTS))
        tables = arrange(orders, table_sizes(players, size), cost)
        meeting_counts.update(meetings(tables))
        rounds.append(tuple(tables))
    return tuple(rounds)


def swiss(
    orders: Iterable[Sequence[Player]],
    size: int,
    meeting_counts: Mapping[Pair, int],
    byes: Mapping[Player, int],
    version: int,
) -> list[Table]:
    """Return the tables of a round in which players of similar rank meet, and nobody twice if possible.

    The first of the orders has the players from the first rank to the last; the others are orders to start
    from. Each two players who meet cost the cube of the number of times that they have met before, times the
    cube of the number of players; and the square of the difference of their ranks. The bye of an odd number
    of players at tables for two goes to the player of the lowest rank among those with the fewest byes.

    The tables for two are the cheapest of all; those of equally cheap ones in which the player of the first
    rank meets the one of the highest rank, and so on. Larger tables are the cheapest that `arrange` finds
    from all orders. In tournaments of version 1, tables for two were arranged too, and the search ended at
    the first arrangement in which nobody met again.
    """
    order, *others = orders
    ranks = {player: rank for rank, player in enumerate(order)}
    repeat = max(1, len(ranks)) ** 3
    bye: list[Player] = []
    if size == MIN_TABLE and len(order) % 2:
        bye = [min(order, key=lambda player: (byes.get(player, 0), -ranks[player]))]

    def cost(pair: Pair) -> int:
        return meeting_counts.get(pair, 0) ** 3 * repeat + (ranks[pair[0]] - ranks[pair[1]]) ** 2

    seated = [[player for player in some if player not in bye] for some in (order, *others)]
    if size == MIN_TABLE and version > 1:
        ranked = seated[0]
        pairs = least_costly_pairs(
            len(ranked), lambda one, other: cost(pair(ranked[one], ranked[other]))
        )
        tables: list[Table] = [(ranked[one], ranked[other]) for one, other in pairs]
    else:
        enough = repeat if version == 1 else 1
        tables = arrange(seated, table_sizes(len(seated[0]), size), cost, enough=enough)
    tables.sort(key=lambda table: min(ranks[player] for player in table))
    return [
        *(tuple(sorted(table, key=ranks.__getitem__)) for table in tables),
        *([tuple(bye)] if bye else []),
    ]


def arrange(
    orders: Iterable[Sequence[Player]],
    sizes: Sequence[int],
    cost: Callable[[Pair], int],
    *,
    enough: int = 1,
) -> list[Table]:
    """Return tables of these sizes at which the players who sit together cost as little as was found.

    From each order, in turn: the players sit down one table after the other; then players of two tables
    change places as long as that lowers the cost. The cheapest result counts, the first one of equals. The
    search ends early if no table costs as much as `enough`.
    """
    costs: dict[Player, dict[Player, int]] = {}
    best: tuple[int, list[list[Player]]] | None = None
    for order in orders:
        if not costs:
            costs = {player: {player: 0} for player in order}
            for one, other in combinations(order, 2):
                costs[one][other] = costs[other][one] = cost(pair(one, other))
        tables = []
        start = 0
        for places in sizes:
            tables.append(list(order[start : start + places]))
            start += places
        _swap_players(tables, costs)
        by_table = [sum(costs[a][b] for a, b in combinations(table, 2)) for table in tables]
        total = sum(by_table)
        if best is None or total < best[0]:
            best = (total, tables)
        if max(by_table, default=0) < enough:
            break
    return [tuple(table) for table in best[1]] if best else []


def _swap_players(tables: list[list[Player]], costs: Mapping[Player, Mapping[Player, int]]) -> None:
    """Let players of two tables change places while that lowers the cost of their tables.

    What each player would cost at each table is computed once, and corrected when players change places.
    """
    sums = {
        player: [sum(row[other] for other in table) for table in tables]
        for player, row in costs.items()
    }
    is_better = True
    while is_better:
        is_better = False
        for (m, one), (n, other) in combinations(enumerate(tables), 2):
            for i in range(len(one)):
                for j in range(len(other)):
                    a, b = one[i], other[j]
                    before = sums[a][m] + sums[b][n]
                    if sums[b][m] + sums[a][n] - 2 * costs[a][b] < before:
                        one[i], other[j] = b, a
                        is_better = True
                        for player, row in costs.items():
                            sums[player][m] += row[b] - row[a]
                            sums[player][n] += row[a] - row[b]


def seated(tables: Iterable[Table], before: Iterable[Table]) -> tuple[Table, ...]:
    """Return the tables with their players in seats that they have had as seldom as possible `before`.

    The seats of a table are such that the sum over its players of how often each has had the seat is the
    least; of equally good ones, the first in the order in which the players are listed.
    """
    had = Counter((player, seat) for table in before for seat, player in enumerate(table))

    def cost(table: Table) -> int:
        return sum(had[player, seat] for seat, player in enumerate(table))

    return tuple(min(permutations(table), key=cost) for table in tables)
