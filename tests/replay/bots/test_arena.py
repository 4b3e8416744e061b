"""The arena: every bot plays every other one on all seats, equal seeds give equal results, ratings fit."""

from collections import Counter
from itertools import pairwise
from math import log

import pytest

from domain.errors import Malformed
from domain.registry import rule_systems
from replay.bots.arena import ArenaGame, ArenaPlan, arena_plan, play_game, play_games, summary
from replay.bots.ratings import MEAN_RATING, POINTS_A_LOGIT, ratings, wilson_interval

SEED = bytes(32)


def planned(*bots: str, rules: str = "baron", seats: int = 2, games: int = 4) -> ArenaPlan:
    return arena_plan(rule_systems()[rules], seats, bots, games, SEED, playouts=1)


def test_every_bot_plays_every_other_one_equally_often_on_each_seat() -> None:
    plan = planned("random", "sensible", "strong", games=4)
    assert plan.lineups == (("random", "sensible"), ("random", "strong"), ("sensible", "strong"))
    assert plan.number_of_games == 12
    fewer = planned("random", "sensible", seats=3)
    assert fewer.lineups == (("random", "sensible", "random"), ("sensible", "random", "sensible"))


def test_the_bots_of_a_lineup_change_seats_on_the_same_set_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = planned("random", "sensible", games=4)
    rules = rule_systems()["baron"].system
    set_ups, set_up = [], rules.set_up

    def recorded(*arguments: object) -> object:
        opening = set_up(*arguments)  # type: ignore[arg-type] # passed on as they are
        set_ups.append(opening)
        return opening

    monkeypatch.setattr(rules, "set_up", recorded)
    games = [play_game(plan, number) for number in range(4)]
    assert [game.bots for game in games] == [("random", "sensible"), ("sensible", "random")] * 2
    assert set_ups[0] == set_ups[1] != set_ups[2] == set_ups[3]


def test_equal_plans_have_equal_results_on_several_processes() -> None:
    plan = planned("random", "sensible", games=2)
    assert list(play_games(plan)) == list(play_games(plan, jobs=2))


def test_the_limit_on_playouts_reaches_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("sensible", "strong")
    limit = plan.limit()
    assert limit is not None
    assert [limit(done) for done in (0, 1)] == [True, False]
    timed = arena_plan(rule_systems()["baron"], 2, ("sensible", "strong"), 1, SEED, seconds=0.01)
    limit = timed.limit()
    assert limit is not None
    assert limit(0)
    own = arena_plan(rule_systems()["baron"], 2, ("sensible", "strong"), 1, SEED)
    assert own.limit() is None


@pytest.mark.parametrize(
    ("bots", "seats", "field"),
    [
        (("sensible",), 2, "bots"),
        (("sensible", "sensible"), 2, "bots"),
        (("sensible", "clever"), 2, "bots"),
        (("sensible", "random"), 6, "seats"),
    ],
)
def test_an_invalid_plan_is_refused(bots: tuple[str, ...], seats: int, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        planned(*bots, seats=seats)
    assert refused.value.fields.keys() == {field}


def test_a_summary_has_ratings_wins_scores_and_pairs() -> None:
    plan = planned("random", "sensible", games=4)
    games = [
        ArenaGame(("random", "sensible"), (2, 1), (3, 9)),
        ArenaGame(("sensible", "random"), (1, 2), (8, 2)),
        ArenaGame(("random", "sensible"), (1, 1), (5, 5)),
        ArenaGame(("sensible", "random"), (2, 1), (4, 6)),
    ]
    result = summary(plan, games)
    assert result["games"] == 4
    better, worse = result["bots"]
    assert (better["bot"], better["games"], better["wins"]) == ("sensible", 4, 2.5)
    assert (better["average_score"], better["average_place"]) == (6.5, 1.25)
    assert better["rating"] > MEAN_RATING > worse["rating"]
    assert better["rating_margin"] == worse["rating_margin"] > 0
    (pair,) = result["pairs"]
    assert pair["bots"] == ["random", "sensible"]
    assert (pair["ahead"], pair["tied"], pair["behind"], pair["share"]) == (1, 1, 2, 0.375)
    low, high = pair["share_interval"]
    assert low < 0.375 < high


def test_ratings_fit_the_odds_of_the_games() -> None:
    # Three wins in four games are odds of 3 to 1. The tied game of each player counts little here.
    better, worse = ratings(("a", "b"), {("a", "b"): 30000, ("b", "a"): 10000})
    assert better.points - worse.points == pytest.approx(POINTS_A_LOGIT * log(3), abs=0.1)
    assert (better.points + worse.points) / 2 == pytest.approx(MEAN_RATING)
    assert 0 < better.margin < 3


def test_margins_become_smaller_with_the_square_root_of_the_number_of_games() -> None:
    margins = [
        ratings(("a", "b"), {("a", "b"): games, ("b", "a"): games})[0].margin
        for games in (100, 400, 1600)
    ]
    for larger, smaller in pairwise(margins):
        assert larger / smaller == pytest.approx(2, abs=0.05)


def test_a_player_who_wins_every_game_has_a_finite_rating_and_a_margin() -> None:
    best, middle, worst = ratings(("a", "b", "c"), {("a", "b"): 50, ("a", "c"): 50, ("b", "c"): 50})
    assert best.points > middle.points > worst.points > 0
    assert best.margin > 100


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    # The values are those of the formula in Wilson (1927), for 140 of 200 and for extremes.
    assert wilson_interval(140, 200) == pytest.approx((0.6332, 0.7592), abs=1e-4)
    assert wilson_interval(0, 10)[0] == 0.0
    assert wilson_interval(10, 10)[1] == pytest.approx(1.0)
    assert Counter(low < high for low, high in map(wilson_interval, (1, 5), (9, 9))) == {True: 2}
