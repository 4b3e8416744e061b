"""Points, tie-breaks and standings of tournaments."""

from fractions import Fraction
from itertools import pairwise

import pytest

from domain.tournaments.standings import (
    ELIMINATION,
    EVERYBODY_MEETS,
    OPPONENTS_DIFFER,
    OPPONENTS_DIFFER_BEFORE_VERSION_3,
    Decision,
    Result,
    TieBreak,
    decision_between,
    rank,
)


@pytest.mark.parametrize(
    ("places", "points"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (Fraction(1, 2), Fraction(1, 2))),
        ((2, 1, 3), (Fraction(1, 2), 1, 0)),
        ((1, 1, 3, 4), (Fraction(5, 6), Fraction(5, 6), Fraction(1, 3), 0)),
        ((1, 2, 2, 2, 5), (1, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), 0)),
        ((1,), (1,)),
        ((0,), (0,)),
        ((1, 0), (1, 0)),
        ((0, 0), (0, 0)),
        ((2, 1, 0), (Fraction(1, 2), 1, 0)),
    ],
)
def test_a_place_is_worth_the_share_of_the_others_who_are_behind(
    places: tuple[int, ...], points: tuple[Fraction, ...]
) -> None:
    result = Result(tuple(range(len(places))), places)
    assert tuple(result.points().values()) == points
    if len(places) > 1 and 0 not in places:
        assert sum(result.points().values()) == Fraction(len(places), 2)


def test_sonneborn_berger_scores_are_those_of_a_published_example() -> None:
    # The first example of http://www.fiveinline.com/sbps.html: four players who each meet twice.
    # A and B have four points each and have beaten each other once; whom else they have beaten decides.
    a, b, c, d = range(4)
    winners = [(b, a), (a, b), (a, c), (a, c), (a, d), (d, a)]
    winners += [(c, b), (b, c), (b, d), (b, d), (c, d), (c, d)]
    rows = rank(range(4), [Result(two, (1, 2)) for two in winners], EVERYBODY_MEETS)
    assert [row.player for row in rows] == [a, b, c, d]
    assert [row.points for row in rows] == [4, 4, 3, 1]
    assert [row.direct for row in rows] == [1, 1, 0, 0]
    assert [row.sonneborn_berger for row in rows] == [11, 9, 6, 4]


def test_the_games_among_players_with_equal_points_come_first_where_everybody_meets() -> None:
    # 0 and 1 have two points each; 1 has beaten 0, who has beaten stronger players.
    winners = [(1, 0), (0, 2), (0, 3), (2, 1), (1, 3), (2, 3)]
    rows = rank(range(4), [Result(two, (1, 2)) for two in winners], EVERYBODY_MEETS)
    assert [row.player for row in rows] == [0, 1, 2, 3]
    assert [row.points for row in rows] == [2, 2, 2, 0]
    assert [row.direct for row in rows] == [1, 1, 1, 0]
    winners[3] = (1, 2)
    rows = rank(range(4), [Result(two, (1, 2)) for two in winners], EVERYBODY_MEETS)
    assert [row.player for row in rows] == [1, 0, 2, 3]


def test_swiss_standings_are_by_points_then_buchholz() -> None:
    results = [Result((0, 1), (1, 2)), Result((2, 3), (1, 2)), Result((1, 2), (2, 1))]
    rows = rank(range(4), results, OPPONENTS_DIFFER)
    # 1 has lost to both winners, 3 to one of them.
    assert [row.player for row in rows] == [2, 0, 1, 3]
    assert [row.buchholz for row in rows] == [0, 0, 3, 2]


def test_buchholz_scores_take_the_mean_of_the_others_at_a_table() -> None:
    results = [Result((0, 1, 2), (1, 2, 3)), Result((0, 3), (1, 2)), Result((1, 2), (1, 2))]
    rows = {row.player: row for row in rank(range(4), results, OPPONENTS_DIFFER)}
    assert [rows[player].points for player in range(4)] == [2, Fraction(3, 2), 0, 0]
    assert rows[0].buchholz == Fraction(3, 2) / 2 + 0
    assert rows[2].buchholz == (2 + Fraction(3, 2)) / 2 + Fraction(3, 2)
    assert rows[1].sonneborn_berger == Fraction(0) / 2 + 0
    assert rows[0].sonneborn_berger == Fraction(3, 2) / 2


def test_a_shared_place_counts_half_against_each_of_those_who_share_it() -> None:
    results = [Result((0, 1), (1, 1)), Result((0, 2), (1, 2)), Result((1, 2), (2, 1))]
    rows = {row.player: row for row in rank(range(3), results, EVERYBODY_MEETS)}
    assert rows[0].sonneborn_berger == Fraction(1, 2) * Fraction(1, 2) + 1
    assert (rows[0].wins, rows[1].wins, rows[2].wins) == (2, 1, 1)


def test_a_bye_counts_like_beating_somebody_with_as_many_points() -> None:
    (row,) = rank([0], [Result((0,), (1,))], OPPONENTS_DIFFER)
    assert [row.points, row.buchholz, row.sonneborn_berger] == [1, 1, 1]
    assert (row.wins, row.played) == (0, 0)


def test_players_who_are_equal_in_everything_are_in_the_order_of_the_lots() -> None:
    rows = rank([3, 1, 2, 0], [Result((0, 1), (1, 1))], OPPONENTS_DIFFER)
    assert [row.player for row in rows] == [1, 0, 3, 2]


def test_those_who_reach_later_rounds_come_first_in_a_knockout() -> None:
    results = [Result((0, 1), (1, 2)), Result((2, 3), (1, 2)), Result((0, 2), (2, 1))]
    rows = rank(range(4), results, ELIMINATION, {0: 2, 1: 1, 2: 2, 3: 1})
    assert [row.player for row in rows] == [2, 0, 1, 3]


def test_a_direct_encounter_decides_before_buchholz_if_all_who_are_equal_have_met() -> None:
    a, b, c, d, e, f = range(6)
    # A and B have two points each. B has beaten A, whose opponents have more points.
    games = [(b, a), (a, c), (a, d), (b, e), (d, b), (c, e)]
    results = [Result(two, (1, 2)) for two in games]
    first, second, *others = rank(range(6), results, OPPONENTS_DIFFER)
    assert (first.player, second.player) == (b, a)
    assert [row.direct_of_all for row in (first, second)] == [1, 0]
    assert [row.buchholz for row in (first, second)] == [3, 4]
    # C and D are equal, too, but have not met.
    assert [row.direct_of_all for row in others] == [0, 0, 0, 0]
    before = rank(range(6), results, OPPONENTS_DIFFER_BEFORE_VERSION_3)
    assert [row.player for row in before[:2]] == [a, b]
    # With another victory, C has two points as well, and has not met B.
    rows = rank(range(6), [*results, Result((c, f), (1, 2))], OPPONENTS_DIFFER)
    assert {row.player for row in rows[:3]} == {a, b, c}
    assert {row.direct_of_all for row in rows} == {0}


def test_a_place_is_decided_by_the_first_criterion_that_differs() -> None:
    games = [Result(two, (1, 2)) for two in [(0, 2), (1, 3), (2, 3)]]
    rows = rank(range(4), games, OPPONENTS_DIFFER)
    assert [row.player for row in rows] == [0, 2, 1, 3]
    decisions = [decision_between(one, other, OPPONENTS_DIFFER) for one, other in pairwise(rows)]
    one, none = Fraction(1), Fraction(0)
    criteria: tuple[TieBreak, ...] = ("sonneborn_berger", "buchholz", "points")
    assert decisions == [Decision(criterion, one, none) for criterion in criteria]
    first, second = rank(range(2), [], OPPONENTS_DIFFER)
    assert decision_between(first, second, OPPONENTS_DIFFER) == Decision(None)
