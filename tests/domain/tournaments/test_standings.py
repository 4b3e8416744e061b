"""Points and standings of tournaments."""

from fractions import Fraction

import pytest

from domain.tournaments.standings import Result, standings


@pytest.mark.parametrize(
    ("places", "points"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (Fraction(1, 2), Fraction(1, 2))),
        ((2, 1, 3), (Fraction(1, 2), 1, 0)),
        ((1, 1, 3, 4), (Fraction(5, 6), Fraction(5, 6), Fraction(1, 3), 0)),
        ((1, 2, 2, 2, 5), (1, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), 0)),
        ((1,), (1,)),
    ],
)
def test_a_place_is_worth_a_share_of_the_best(
    places: tuple[int, ...], points: tuple[Fraction, ...]
) -> None:
    result = Result(tuple(range(len(places))), places)
    assert tuple(result.points().values()) == points
    if len(places) > 1:
        assert sum(result.points().values()) == Fraction(len(places), 2)


def test_standings_are_by_points_then_opponents_then_wins_then_lots() -> None:
    rows = standings(
        [3, 2, 1, 0],
        [
            Result((0, 1), (1, 2)),
            Result((2, 3), (1, 2)),
            Result((0, 2), (1, 2)),
            Result((1, 3), (1, 2)),
        ],
    )
    assert [row.player for row in rows] == [0, 2, 1, 3]
    assert [row.points for row in rows] == [2, 1, 1, 0]
    assert [row.opponents for row in rows] == [2, 2, 2, 2]
    assert [row.wins for row in rows] == [2, 1, 1, 0]


def test_a_player_with_stronger_opponents_is_before_one_with_weaker_ones() -> None:
    rows = standings(
        [0, 1, 2, 3],
        [Result((0, 1), (1, 2)), Result((2, 3), (1, 2)), Result((1, 2), (2, 1))],
    )
    # 1 has lost to both winners, 3 to one of them.
    assert [row.player for row in rows] == [2, 0, 1, 3]
    by_player = {row.player: row for row in rows}
    assert by_player[1].opponents == 3
    assert by_player[3].opponents == 2


def test_a_bye_is_worth_a_first_place_and_is_no_win() -> None:
    (row,) = standings([0], [Result((0,), (1,))])
    assert (row.points, row.wins, row.played, row.opponents) == (1, 0, 0, 0)
