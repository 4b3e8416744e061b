"""Who plays whom: the tables of a round, for 2 to 5 seats at a table (docs/tournaments.md, Pairing).

All functions are pure, and players are numbers: their places in the draw of lots. Everything that the
arguments leave open follows from the order of the players, so that anybody pairs a round in the same way.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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


class NoPairing(Exception):
    """There is no pairing without a prohibited pair, or none was found."""


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
    prohibited: Collection[Pair] = frozenset(),
) -> list[Table]:
    """Return the tables of a round in which players of similar rank meet, and nobody twice if possible.

    The first of the orders has the players from the first rank to the last; the others are orders to start
    from. Each two players who meet cost the cube of the number of times that they have met before, times the
    cube of the number of players; and the square of the difference of their ranks. The bye of an odd number
    of players at tables for two goes to the player of the lowest rank among those with the fewest byes.

    The tables for two are the cheapest of all; those of equally cheap ones in which the player of the first
    rank meets the one of the highest rank, and so on. Larger tables are the cheapest that `arrange` finds
    from all orders. Nobody meets whom they are prohibited to meet: raises NoPairing if that cannot be
    avoided, or if no arrangement was found that avoids it. A bye goes to the first player, in the order
    above, for whom the others can be paired. In tournaments of version 1, tables for two were arranged too,
    and the search ended at the first arrangement in which nobody met again.
    """
    order, *others = orders
    ranks = {player: rank for rank, player in enumerate(order)}
    repeat = max(1, len(ranks)) ** 3
    worst = max(meeting_counts.values(), default=0) ** 3 * repeat + len(ranks) ** 2

    def cost(pair: Pair) -> int:
        return meeting_counts.get(pair, 0) ** 3 * repeat + (ranks[pair[0]] - ranks[pair[1]]) ** 2

    for_bye: list[Player] = []
    if size == MIN_TABLE and len(order) % 2:
        for_bye = sorted(order, key=lambda player: (byes.get(player, 0), -ranks[player]))
    if size == MIN_TABLE and version > 1:
        tables, bye = _cheapest_pairs(
            order, cost, for_bye if prohibited else for_bye[:1], worst, prohibited
        )
    else:
        bye = for_bye[:1]
        seated = [[player for player in some if player not in bye] for some in (order, *others)]
        enough = repeat if version == 1 else 1
        # A table with a prohibited pair costs more than any arrangement without one.
        penalty = worst * len(order) ** 2
        sizes = table_sizes(len(seated[0]), size)
        tables = arrange(
            seated,
            sizes,
            lambda two: cost(two) + (penalty if two in prohibited else 0),
            enough=enough,
        )
        if any(pair(*two) in prohibited for table in tables for two in combinations(table, 2)):
            raise NoPairing
    tables.sort(key=lambda table: min(ranks[player] for player in table))
    return [
        *(tuple(sorted(table, key=ranks.__getitem__)) for table in tables),
        *([tuple(bye)] if bye else []),
    ]


def _cheapest_pairs(
    order: Sequence[Player],
    cost: Callable[[Pair], int],
    for_bye: Sequence[Player],
    worst: int,
    prohibited: Collection[Pair],
) -> tuple[list[Table], list[Player]]:
    """Return the cheapest pairs of players, and who has a bye: the first of `for_bye` for whom the others can
    be paired. `worst` is more than any pair costs. Raises NoPairing.
    """
    players: list[Player | None] = list(order)
    if len(for_bye) == 1:
        players.remove(for_bye[0])
    elif for_bye:
        # The bye is a partner who costs more the later a player would get it, and more than all pairs.
        players.append(None)
    prices = {player: number * worst * len(order) for number, player in enumerate(for_bye)}

    def price(one: int, other: int) -> int | None:
        first, second = players[one], players[other]
        assert first is not None, "the bye comes last"
        if second is None:
            return prices[first]
        two = pair(first, second)
        return None if two in prohibited else cost(two)

    pairs = least_costly_pairs(len(players), price)
    if pairs is None:
        raise NoPairing
    seated = [(players[one], players[other]) for one, other in pairs]
    tables: list[Table] = [
        (one, other) for one, other in seated if one is not None and other is not None
    ]
    bye = [one for one, other in seated if one is not None and other is None]
    return tables, bye or list(for_bye[:1])


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
