"""BY-END-1 to 4 and 7: the score, the duke's last round, the ranking.

Options that end a game and departures (BY-END-5, 6) are in test_early_end.py.
"""

import pytest

from domain import barony
from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.barony_results import final_scores, ranking, scores
from tests.support.given_when import play_lines, progress_of, when, when_removed, when_scored


def state_after(words: str, *actions: str) -> State:
    """The state after these actions of seat 0, which has two villages that can become cities."""
    state = given(f"""
        play round 1 seat 0
        0: {words}, removed 7
        1: baron, removed 7
        board
        P0v D P0v D P0c D P0c D P0c D P1c
        """)
    for action in actions:
        state = play_lines(state, f"0 {action}", "1 pass")
    return state


@pytest.mark.allows("BY-END-1")
@pytest.mark.parametrize(
    ("actions", "score"),
    [
        (["city 0,0", "title 3 field"], 25),
        (["title 3 field", "city 2,0"], 25),
        (["title 3 field"] * 4, 60),
        (["city 0,0", *["title 3 field"] * 4], 70),
        (["city 0,0", "city 2,0", *["title 3 field"] * 4], 80),
    ],
)
def test_example_2_the_track_counts_15_a_rank_and_10_a_new_city(
    actions: list[str], score: int
) -> None:
    assert scores(state_after("baron, 12D", *actions)) == [score, 0]


@pytest.mark.allows("BY-END-1")
def test_standings_list_the_parts_of_the_score() -> None:
    entry = barony.standings(state_after("baron, 4D", "city 0,0", "title 3 field"))[0]
    assert entry == {
        "seat": 0,
        "score": 25,
        "final_score": 28,
        "rank": "viscount",
        "new_cities": 1,
        "resources": {"mountain": 0, "forest": 0, "plain": 0, "field": 1},
        "token_points": 3,
    }


@pytest.mark.refuses("BY-END-1")
def test_first_cities_villages_strongholds_knights_and_tokens_score_nothing_on_the_track() -> None:
    state = given("play round 1 seat 0\n0: baron, 4D\n1: baron\nboard\nP0ck D P0v M0s D0kk P1ck")
    assert scores(state) == [0, 0]
    assert scores(when(state, 0, "build stronghold 4,0").after) == [0, 0]


def last_round(duke: int, to_act: int) -> State:
    """A round in which the seat `duke` is a duke, or is about to become one."""
    words = ["baron", "baron", "baron"]
    words[duke] = "marquis, 3D" if to_act == duke else "duke"
    seats = "\n".join(f"{seat}: {rank}" for seat, rank in enumerate(words))
    return given(f"play round 8 seat {to_act}\n{seats}\nboard\nP0ck P P1ck P P2ck")


@pytest.mark.allows("BY-END-2")
def test_once_a_seat_is_duke_the_round_is_played_to_its_end() -> None:
    state = when(last_round(0, 0), 0, "title 3 field").leads_to("play round 8 seat 1")
    state = when(state, 1, "recruit 1 at 2,0").leads_to("play round 8 seat 2")
    when(state, 2, "recruit 1 at 4,0").becomes("""
        scoring round 8
        0: duke
        1: baron
        2: baron
        board
        P0ck P P1ckk P P2ckk
        """)


@pytest.mark.allows("BY-END-2")
def test_the_last_seat_of_a_round_that_becomes_duke_ends_the_game() -> None:
    when(last_round(2, 2), 2, "title 3 field").leads_to("scoring round 8")


@pytest.mark.allows("BY-END-2")
@pytest.mark.parametrize("duke", [0, 1])
def test_the_round_stays_the_last_if_the_duke_resigns(duke: int) -> None:
    state = when(last_round(duke, 2), duke, "resign").leads_to("play round 8 seat 2")
    when(state, 2, "recruit 1 at 4,0").leads_to("scoring round 8")


@pytest.mark.allows("BY-END-2")
def test_a_departure_may_end_the_last_round() -> None:
    when(last_round(0, 2), 2, "resign").leads_to("scoring round 8")
    when_removed(last_round(0, 2), 2).leads_to("scoring round 8")


@pytest.mark.refuses("BY-END-2")
def test_the_duke_has_no_further_turn() -> None:
    state = play_lines(
        last_round(0, 0), "0 title 3 field", "1 recruit 1 at 2,0", "2 recruit 1 at 4,0"
    )
    when(state, 0, "recruit 1 at 0,0").is_refused("BY-TURN-3", "being scored")


@pytest.mark.refuses("BY-END-2")
def test_a_marquis_ends_nothing() -> None:
    state = given("play round 8 seat 1\n0: baron\n1: count, 3D\nboard\nP0ck P P1ck")
    when(state, 1, "title 3 field").leads_to("play round 9 seat 0")


def test_no_ranking_before_the_round_is_over() -> None:
    state = when(last_round(0, 0), 0, "title 3 field").after
    when_scored(state).is_refused("BY-END-2", "play is not over")


@pytest.mark.allows("BY-END-3")
@pytest.mark.parametrize("tokens", ["1M 1F 1D", "1M 2P", "2F 1P"])
def test_example_3_seventy_and_three_tokens_worth_4_are_74(tokens: str) -> None:
    state = given(f"""
        scoring round 9
        0: baron
        1: duke, new cities 1, {tokens}
        board
        P0ck P P1c D P1c D P1c D P1c
        """)
    assert scores(state) == [0, 70]
    assert final_scores(state) == [0, 74]
    assert ranking(state) == [(1, 74), (0, 0)]


@pytest.mark.refuses("BY-END-3")
def test_spent_tokens_no_longer_count() -> None:
    state = given("play round 9 seat 1\n0: baron\n1: marquis, 1F 3D\nboard\nP0ck P P1ck")
    assert final_scores(state) == [0, 55]
    assert final_scores(when(state, 1, "title 3 field").after) == [0, 61]


@pytest.mark.refuses("BY-END-3")
def test_the_track_score_does_not_change_when_the_game_is_finished() -> None:
    state = given("scoring round 9\n0: duke, 2D\n1: baron, 1F\nboard\nP0ck P P1ck")
    position = barony.position(when_scored(state).after, None)
    assert [player["score"] for player in position["players"]] == [60, 0]
    assert position["ranking"] == [
        {"seat": 0, "score": 66, "place": 1},
        {"seat": 1, "score": 1, "place": 2},
    ]


def being_scored(*words: str) -> State:
    """A game that is being scored, with these words in the lines of its seats."""
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words))
    return given(f"scoring round 9\n{seats}\nboard\nP0ck P P1ck")


@pytest.mark.allows("BY-END-4")
def test_the_highest_final_score_wins_not_the_highest_rank() -> None:
    state = being_scored("duke", "marquis, 6D", "baron, 3P", "viscount")
    assert ranking(state) == [(1, 63), (0, 60), (3, 15), (2, 6)]


@pytest.mark.allows("BY-END-4")
def test_among_equals_the_seat_furthest_from_the_first_player_ranks_first() -> None:
    assert ranking(being_scored("baron", "baron", "baron", "baron")) == [
        (3, 0),
        (2, 0),
        (1, 0),
        (0, 0),
    ]
    assert ranking(being_scored("duke, 1D", "duke, 3F", "viscount")) == [(1, 63), (0, 63), (2, 15)]


@pytest.mark.refuses("BY-END-4")
def test_turn_order_does_not_outweigh_a_single_point() -> None:
    assert ranking(being_scored("duke, 1F", "duke", "duke, 9M")) == [(0, 61), (2, 60), (1, 60)]


@pytest.mark.refuses("BY-END-4")
def test_exactly_one_seat_is_king() -> None:
    state = when_scored(being_scored("duke", "baron")).after
    assert progress_of(state) == "finished round 9"
    when_scored(state).is_refused("BY-END-2")


@pytest.mark.allows("BY-END-7")
def test_a_city_forgone_in_set_up_can_be_built_later_and_bring_more_than_80_points() -> None:
    state = given("""
        play round 9 seat 0
        0: duke, new cities 2
        1: baron
        board
        P0v D P0c D P0c D P0c D P0c D P1ck
        """)
    after = when(state, 0, "city 0,0").leads_to("play round 9 seat 1")
    assert scores(after) == [90, 0]


@pytest.mark.allows("BY-END-7")
def test_a_forgone_city_stays_in_the_reserve_after_set_up() -> None:
    state = given("setup round 0 seat 0\n0: baron\n1: baron\nboard\nP P F F F P L")
    state = play_lines(
        state, "0 place 0,0", "1 place 5,0", "0 recruit 1 at 0,0", "1 recruit 1 at 5,0"
    )
    assert state.reserve_cities == [4, 4]
    assert scores(state) == [0, 0]


@pytest.mark.refuses("BY-END-7")
def test_a_seat_that_forwent_no_city_can_found_two_and_no_third() -> None:
    state = given("""
        play round 9 seat 0
        0: duke, new cities 2
        1: baron
        board
        P0v D P0c D P0c D P0c D P0c D P0c D P1ck
        """)
    when(state, 0, "city 0,0").is_refused("BY-CTY-5")
