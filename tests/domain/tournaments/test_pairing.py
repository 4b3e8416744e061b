"""The tables of rounds: sizes, round robins, Swiss rounds and seats."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import pytest

from domain.chance import Chance
from domain.tournaments.pairing import (
    ATTEMPTS,
    MAX_TABLE,
    Pair,
    Table,
    berger,
    drawn_orders,
    meetings,
    pair,
    round_robin,
    seated,
    swiss,
    table_sizes,
)
from tests.support.pages import DOCS

BERGER_TABLES = {
    4: "1-4 2-3; 4-3 1-2; 2-4 3-1",
    6: "1-6 2-5 3-4; 6-4 5-3 1-2; 2-6 3-1 4-5; 6-5 1-4 2-3; 3-6 4-2 5-1",
    8: """
        1-8 2-7 3-6 4-5; 8-5 6-4 7-3 1-2; 2-8 3-1 4-7 5-6; 8-6 7-5 1-4 2-3;
        3-8 4-2 5-1 6-7; 8-7 1-6 2-5 3-4; 4-8 5-3 6-2 7-1
    """,
    10: """
        1-10 2-9 3-8 4-7 5-6; 10-6 7-5 8-4 9-3 1-2; 2-10 3-1 4-9 5-8 6-7;
        10-7 8-6 9-5 1-4 2-3; 3-10 4-2 5-1 6-9 7-8; 10-8 9-7 1-6 2-5 3-4;
        4-10 5-3 6-2 7-1 8-9; 10-9 1-8 2-7 3-6 4-5; 5-10 6-4 7-3 8-2 9-1
    """,
}
"""Annex 1 of part C.05 of the FIDE Handbook, where the player who is named first has the white pieces."""


@pytest.mark.parametrize("size", range(2, MAX_TABLE + 1))
def test_tables_are_as_few_and_as_equal_as_possible(size: int) -> None:
    for players in range(2, 130):
        sizes = table_sizes(players, size)
        assert sum(sizes) == players
        assert len(sizes) == -(-players // size)
        assert sizes == sorted(sizes, reverse=True)
        assert max(sizes) <= size
        assert max(sizes) - min(sizes) <= 1
        if size > 2:
            assert min(sizes) >= 2


@pytest.mark.parametrize("players", BERGER_TABLES)
def test_round_robins_of_two_are_the_published_berger_tables(players: int) -> None:
    published = [
        {tuple(int(number) - 1 for number in two.split("-")) for two in tables.split()}
        for tables in BERGER_TABLES[players].split(";")
    ]
    assert [set(tables) for tables in berger(players)] == published
    without_last = [{table for table in tables if players - 1 not in table} for tables in published]
    assert [set(tables) for tables in berger(players - 1)] == without_last


@pytest.mark.parametrize("players", range(2, 33))
def test_in_a_round_robin_of_two_each_two_meet_once_and_sit_first_equally_often(
    players: int,
) -> None:
    rounds = round_robin(players, 2)
    assert len(rounds) == players - 1 + players % 2
    for tables in rounds:
        seats = [player for table in tables for player in table]
        assert len(seats) == len(set(seats)) == players - players % 2
    every = [table for tables in rounds for table in tables]
    assert meetings(every) == Counter(combinations(range(players), 2))
    first = Counter(table[0] for table in every)
    assert all(abs(2 * first[player] - (players - 1)) <= 1 for player in range(players))


@pytest.mark.parametrize("size", range(3, MAX_TABLE + 1))
@pytest.mark.parametrize("players", [*range(2, 14), 16, 20])
def test_in_a_round_robin_of_larger_tables_everybody_meets_everybody(
    players: int, size: int
) -> None:
    rounds = round_robin(players, size)
    for tables in rounds:
        assert sorted(player for table in tables for player in table) == [*range(players)]
        assert sorted(map(len, tables), reverse=True) == table_sizes(players, size)
    met = meetings([table for tables in rounds for table in tables])
    assert set(met) == {*combinations(range(players), 2)}


@pytest.mark.parametrize(("players", "size", "rounds"), [(9, 3, 4), (16, 5, 5), (9, 4, 4)])
def test_nobody_meets_twice_in_a_round_robin_where_the_tables_allow_it(
    players: int, size: int, rounds: int
) -> None:
    tables = [table for tables in round_robin(players, size) for table in tables]
    assert max(meetings(tables).values()) == 1
    assert len(round_robin(players, size)) == rounds


def test_the_first_swiss_round_follows_the_order() -> None:
    assert swiss([[4, 2, 0, 1, 3, 5]], 3, {}, {}, 2) == [(4, 2, 0), (1, 3, 5)]


def test_players_of_a_swiss_round_do_not_meet_again_where_that_is_possible() -> None:
    tables = swiss([[0, 1, 2, 3]], 2, {(0, 1): 1, (2, 3): 1}, {}, 2)
    assert {frozenset(table) for table in tables} == {frozenset({0, 2}), frozenset({1, 3})}


def test_the_bye_goes_to_the_last_player_without_one() -> None:
    assert swiss([[0, 1, 2, 3, 4]], 2, {}, {4: 1}, 2)[-1] == (3,)
    assert swiss([[0, 1, 2, 3, 4]], 2, {}, dict.fromkeys(range(5), 1), 2)[-1] == (4,)


@pytest.mark.parametrize(
    ("players", "size", "rounds"),
    [(8, 2, 7), (9, 2, 6), (12, 2, 9), (32, 2, 7), (32, 4, 5), (31, 3, 6), (25, 5, 3)],
)
def test_nobody_meets_twice_in_a_swiss_tournament(players: int, size: int, rounds: int) -> None:
    points = dict.fromkeys(range(players), 0)
    tables: list[Table] = []
    byes: Counter[int] = Counter()
    for number in range(rounds):
        order = sorted(points, key=lambda player: (-points[player], player))
        chance = Chance(bytes([number]))
        orders = [order, *(chance.shuffle(order) for _ in range(ATTEMPTS))]
        paired = swiss(orders, size, meetings(tables), byes, 2)
        byes.update(table[0] for table in paired if len(table) == 1)
        tables += paired
        for table in paired:
            # The player with the smaller number always wins, so that the same players meet if they can.
            for place, player in enumerate(sorted(table, reverse=True)):
                points[player] += place
    assert max(meetings(tables).values()) == 1
    assert max(byes.values(), default=0) <= 1


@dataclass(frozen=True)
class SwissRound:
    """A round of a Swiss tournament: the orders that it was paired from, and its tables."""

    orders: list[list[int]]
    meeting_counts: Counter[Pair]
    tables: list[Table]

    def cost(self, tables: Iterable[Table]) -> int:
        """Return what tables cost, as docs/tournaments.md says."""
        ranks = {player: rank for rank, player in enumerate(self.orders[0])}
        return sum(
            (ranks[one] - ranks[other]) ** 2
            + self.meeting_counts[pair(one, other)] ** 3 * len(ranks) ** 3
            for table in tables
            for one, other in combinations(table, 2)
        )


def swiss_rounds(players: int, size: int, rounds: int, seed: int) -> Iterator[SwissRound]:
    """Yield the rounds of a Swiss tournament with random results, and what is to be paired in each."""
    chance = Chance(b"swiss %d" % seed)
    points = dict.fromkeys(range(players), 0)
    tables: list[Table] = []
    for _ in range(rounds):
        order = sorted(points, key=lambda player: (-points[player], player))
        orders = [order, *(chance.shuffle(order) for _ in range(drawn_orders(players, size, 2)))]
        paired = swiss(orders, size, meetings(tables), {}, 2)
        yield SwissRound(orders, meetings(tables), paired)
        tables += paired
        for table in paired:
            for place, player in enumerate(chance.shuffle(table)):
                points[player] += place


def partitions(players: list[int], sizes: list[int]) -> Iterator[list[Table]]:
    """Yield all tables of these sizes, in which the first player of those who are left sits first."""
    if not players:
        yield []
        return
    first, *others = players
    for size in set(sizes):
        left = sizes.copy()
        left.remove(size)
        for mates in combinations(others, size - 1):
            rest = [player for player in others if player not in mates]
            for tables in partitions(rest, left):
                yield [(first, *mates), *tables]


def test_every_swiss_round_at_tables_of_two_is_the_cheapest_of_all() -> None:
    for seed in range(12):
        for drawn in swiss_rounds(8, 2, 6, seed):
            every = partitions(drawn.orders[0], table_sizes(8, 2))
            assert drawn.cost(drawn.tables) == min(map(drawn.cost, every))


@pytest.mark.parametrize(("players", "size"), [(8, 3), (9, 3), (8, 4), (10, 5)])
def test_the_search_for_larger_tables_goes_on_after_the_first_arrangement_without_a_rematch(
    players: int, size: int
) -> None:
    # docs/tournaments.md says so of these numbers of players.
    for seed in range(4):
        for drawn in swiss_rounds(players, size, 4, seed):
            every = partitions(drawn.orders[0], table_sizes(players, size))
            assert drawn.cost(drawn.tables) == min(map(drawn.cost, every))


@pytest.mark.parametrize("size", range(2, MAX_TABLE + 1))
def test_the_players_of_a_table_take_every_seat_in_turn(size: int) -> None:
    before: list[Table] = []
    for _ in range(3 * size):
        before += seated([tuple(range(size))], before)
    seats = Counter((player, seat) for table in before for seat, player in enumerate(table))
    assert set(seats.values()) == {3}
    assert len(seats) == size * size


def test_the_page_on_tournaments_has_the_number_of_rounds_of_each_round_robin() -> None:
    lines = (DOCS / "tournaments.md").read_text().splitlines()
    rows = {
        cells[0]: [int(cell) for cell in cells[1:]]
        for line in lines
        if line.startswith(("| players | 4", "| tables of 3", "| tables of 4", "| tables of 5"))
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    for size in (3, 4, 5):
        rounds = [len(round_robin(players, size)) for players in rows["players"]]
        assert rows[f"tables of {size}"] == rounds
