"""The tables of rounds: sizes, round robins and Swiss rounds."""

from collections import Counter
from itertools import combinations

import pytest

from domain.tournaments.pairing import MAX_TABLE, meetings, round_robin, swiss, table_sizes


@pytest.mark.parametrize("size", range(2, MAX_TABLE + 1))
@pytest.mark.parametrize("players", range(2, 130))
def test_tables_are_as_few_and_as_equal_as_possible(players: int, size: int) -> None:
    sizes = table_sizes(players, size)
    assert sum(sizes) == players
    assert len(sizes) == -(-players // size)
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    if size > 2:
        assert min(sizes) >= 2


@pytest.mark.parametrize("players", range(2, 18))
def test_in_a_round_robin_each_two_players_meet_once(players: int) -> None:
    rounds = round_robin(players)
    assert len(rounds) == players - 1 + players % 2
    for tables in rounds:
        assert sorted(player for table in tables for player in table) == list(range(players))
    met = meetings([table for tables in rounds for table in tables])
    assert met == Counter(combinations(range(players), 2))


@pytest.mark.parametrize("players", range(3, 18))
def test_in_a_round_robin_everybody_sits_first_about_as_often(players: int) -> None:
    tables = [table for tables in round_robin(players) for table in tables if len(table) == 2]
    first = Counter(table[0] for table in tables)
    games = Counter(player for table in tables for player in table)
    assert all(abs(2 * first[player] - games[player]) <= 1 for player in games)


def test_an_odd_round_robin_gives_each_player_one_bye() -> None:
    byes = [table for tables in round_robin(7) for table in tables if len(table) == 1]
    assert sorted(byes) == [(player,) for player in range(7)]


def test_the_first_swiss_round_follows_the_lots() -> None:
    assert swiss([4, 2, 0, 1, 3, 5], 3, {}, {}) == [(4, 2, 0), (1, 3, 5)]


def test_players_of_a_swiss_round_do_not_meet_again_where_that_is_possible() -> None:
    tables = swiss([0, 1, 2, 3], 2, {(0, 1): 1, (2, 3): 1}, {})
    assert {frozenset(table) for table in tables} == {frozenset({0, 2}), frozenset({1, 3})}


def test_the_bye_goes_to_the_last_player_without_one() -> None:
    assert swiss([0, 1, 2, 3, 4], 2, {}, {4: 1})[-1] == (3,)
    assert swiss([0, 1, 2, 3, 4], 2, {}, dict.fromkeys(range(5), 1))[-1] == (4,)


@pytest.mark.parametrize(
    ("players", "size", "rounds"), [(8, 2, 5), (32, 2, 6), (32, 4, 5), (31, 3, 5), (25, 5, 3)]
)
def test_nobody_meets_twice_in_the_usual_swiss_tournaments(
    players: int, size: int, rounds: int
) -> None:
    points = dict.fromkeys(range(players), 0)
    tables = []
    byes: Counter[int] = Counter()
    for _ in range(rounds):
        order = sorted(points, key=lambda player: (-points[player], player))
        paired = swiss(order, size, meetings(tables), byes)
        byes.update(table[0] for table in paired if len(table) == 1)
        tables += paired
        for table in paired:
            # The player with the smaller number always wins, so that the same players meet if they can.
            for place, player in enumerate(sorted(table, reverse=True)):
                points[player] += place
    assert max(meetings(tables).values()) == 1
