"""BY-END-5, 6: round limit, end by agreement, and seats that leave the game."""

import pytest

from domain import barony
from domain.barony.state import State
from domain.errors import Malformed
from tests.support.barony_positions import given
from tests.support.barony_results import ranking
from tests.support.given_when import (
    play_lines,
    progress_of,
    when,
    when_removed,
    when_scored,
    when_time_is_up,
)


def three_players(*words: str, head: str = "play round 4 seat 0 agreement") -> State:
    """Three seats with these words in their lines, each with a city and a knight."""
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words))
    return given(f"{head}\n{seats}\nboard\nP0ck P P1ck P P2ck")


def asking(state: State) -> list[int]:
    """The seats that ask for the end, according to the position."""
    seats: list[int] = barony.position(state, None)["end_agreed_by"]
    return seats


LIMITED = "play round 4 seat 2 limit 4"


@pytest.mark.allows("BY-END-5")
def test_the_game_ends_with_the_last_round_of_the_limit() -> None:
    state = three_players("baron", "baron", "baron", head=LIMITED)
    when(state, 2, "recruit 1 at 4,0").leads_to("scoring round 4")
    when_time_is_up(state).leads_to("scoring round 4")
    when(state, 2, "resign").leads_to("scoring round 4")


@pytest.mark.refuses("BY-END-5")
@pytest.mark.parametrize(
    ("head", "progress"),
    [
        ("play round 4 seat 1 limit 4", "play round 4 seat 2"),
        ("play round 3 seat 2 limit 4", "play round 4 seat 0"),
        ("play round 4 seat 2", "play round 5 seat 0"),
    ],
    ids=["the round is not over", "it is not the last", "there is no limit"],
)
def test_the_round_limit_does_not_end_the_game_earlier(head: str, progress: str) -> None:
    state = three_players("baron", "baron", "baron", head=head)
    assert progress_of(when_time_is_up(state).after) == progress


@pytest.mark.allows("BY-END-5")
def test_both_options_are_off_unless_chosen() -> None:
    off = {"sorcery": False, "round_limit": None, "end_by_agreement": False}
    assert barony.check_options(3, {}) == off
    chosen = {"round_limit": 1, "end_by_agreement": True}
    assert barony.check_options(3, chosen) == {"sorcery": False, **chosen}


@pytest.mark.refuses("BY-END-5")
@pytest.mark.parametrize("limit", [0, -1, 10_001, True, "4", 4.0])
def test_a_round_limit_must_be_a_number_of_rounds(limit: object) -> None:
    with pytest.raises(Malformed) as refused:
        barony.check_options(3, {"round_limit": limit})
    assert list(refused.value.fields) == ["options.round_limit"]


@pytest.mark.refuses("BY-END-5")
@pytest.mark.parametrize("flag", [0, 1, None, "yes"])
def test_end_by_agreement_must_be_true_or_false(flag: object) -> None:
    with pytest.raises(Malformed) as refused:
        barony.check_options(3, {"end_by_agreement": flag})
    assert list(refused.value.fields) == ["options.end_by_agreement"]


@pytest.mark.allows("BY-END-5")
def test_once_all_have_asked_the_game_ends_with_the_current_round() -> None:
    state = play_lines(three_players("baron", "baron", "baron"), "2 agree", "0 agree")
    assert asking(state) == [0, 2]
    state = when(state, 1, "agree").becomes("""
        play round 4 seat 0 agreement
        0: baron, asked
        1: baron, asked
        2: baron, asked
        board
        P0ck P P1ck P P2ck
        """)
    state = play_lines(state, "0 recruit 1 at 0,0", "clock")
    when(state, 2, "recruit 1 at 4,0").leads_to("scoring round 4")


@pytest.mark.allows("BY-END-5")
def test_a_seat_may_withdraw_its_request_and_ask_again() -> None:
    state = play_lines(three_players("baron", "baron", "baron"), "2 agree", "1 agree", "2 disagree")
    assert asking(state) == [1]
    assert asking(play_lines(state, "1 disagree")) == []
    assert asking(play_lines(state, "2 agree")) == [1, 2]


@pytest.mark.allows("BY-END-5")
def test_a_request_stays_in_force_in_the_following_rounds() -> None:
    state = play_lines(three_players("baron", "baron", "baron"), "2 agree", *["clock"] * 4)
    assert (progress_of(state), asking(state)) == ("play round 5 seat 1", [2])
    state = play_lines(state, "0 agree", "1 agree", "clock")
    when_time_is_up(state).leads_to("scoring round 5")


@pytest.mark.allows("BY-END-5")
@pytest.mark.parametrize("line", ["1 resign", "arbiter 1"])
def test_all_have_asked_once_only_seats_that_asked_are_left(line: str) -> None:
    state = three_players("baron, asked", "baron", "baron, asked")
    state = play_lines(state, line)
    when(state, 0, "disagree").is_refused("BY-END-5", "can no longer be withdrawn")
    state = play_lines(state, "clock")
    when_time_is_up(state).leads_to("scoring round 4")


@pytest.mark.allows("BY-END-5")
def test_a_departure_on_the_last_turn_may_complete_the_agreement_and_end_the_game() -> None:
    state = three_players(
        "baron, asked", "baron, asked", "baron", head="play round 4 seat 2 agreement"
    )
    when(state, 2, "resign").leads_to("scoring round 4")


@pytest.mark.refuses("BY-END-5")
def test_a_seat_that_goes_out_is_removed_from_the_seats_that_asked() -> None:
    state = three_players("baron, asked", "baron", "baron, asked")
    when(state, 2, "resign").becomes("""
        play round 4 seat 0 agreement
        0: baron, asked
        1: baron
        2: baron, out
        board
        P0ck P P1ck P P2ck
        """)


@pytest.mark.refuses("BY-END-5")
def test_a_single_seat_that_has_not_asked_keeps_the_game_going() -> None:
    state = three_players(
        "baron, asked", "baron", "baron, asked", head="play round 4 seat 2 agreement"
    )
    when_time_is_up(state).leads_to("play round 5 seat 0")


@pytest.mark.allows("BY-END-6")
@pytest.mark.parametrize("phase", ["play round 4", "setup round 0"])
def test_resigning_and_being_removed_have_the_same_effect(phase: str) -> None:
    state = three_players("baron", "baron", "baron", head=f"{phase} seat 1")
    resigned, removed = when(state, 1, "resign").after, when_removed(state, 1).after
    assert barony.position(resigned, None) == barony.position(removed, None)
    assert barony.position(resigned, None)["players"][1]["status"] == "out"


@pytest.mark.allows("BY-END-6")
def test_pawns_and_tokens_of_a_seat_that_leaves_stay_as_they_are() -> None:
    state = given("""
        play round 4 seat 1
        0: baron
        1: count, 3P, new cities 1, removed 1
        2: baron
        board
        P0ck P P1c P P1ckk F1v M1sk P2ck
        """)
    when(state, 1, "resign").becomes("""
        play round 4 seat 2
        0: baron
        1: count, 3P, new cities 1, removed 1, out
        2: baron
        board
        P0ck P P1c P P1ckk F1v M1sk P2ck
        """)


@pytest.mark.allows("BY-END-6")
def test_pawns_of_a_seat_that_is_out_can_still_be_destroyed() -> None:
    state = given("""
        play round 4 seat 0
        0: baron
        1: baron, 1D, out
        2: baron
        board
        P0k F0k1v2k P P2ck
        """)
    when(state, 0, "move 0,0>1,0 take field").becomes("""
        play round 4 seat 2
        0: baron, 1D
        1: baron, out
        2: baron
        board
        P F0kk P P2ck
        """)


@pytest.mark.allows("BY-END-6")
def test_seats_that_are_out_rank_last_ordered_by_their_scores() -> None:
    state = given("""
        scoring round 9
        0: duke, 3D, out
        1: baron
        2: marquis, out
        3: viscount
        board
        P0ck P P1ck P P2ck
        """)
    assert ranking(state) == [(3, 15), (1, 0), (0, 69), (2, 45)]


@pytest.mark.allows("BY-END-6")
def test_equal_seats_that_are_out_rank_by_seat_number() -> None:
    words = ["baron, out", "baron, out", "baron", "baron, out"]
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words))
    state = given(f"scoring round 9\n{seats}\nboard\nP0ck P P1ck")
    assert ranking(state) == [(2, 0), (3, 0), (1, 0), (0, 0)]


@pytest.mark.allows("BY-END-6")
@pytest.mark.parametrize("departing", [0, 1])
@pytest.mark.parametrize("to_act", [0, 1])
def test_the_game_ends_at_once_when_a_single_seat_is_left(departing: int, to_act: int) -> None:
    state = given(f"play round 4 seat {to_act}\n0: baron\n1: baron\nboard\nP0ck P P1ck")
    after = when(state, departing, "resign").leads_to("scoring round 4")
    assert ranking(after) == [(1 - departing, 0), (departing, 0)]


@pytest.mark.allows("BY-END-6")
@pytest.mark.parametrize("lines", [("0 resign", "2 resign"), ("clock", "arbiter 2")])
def test_the_game_ends_at_once_in_set_up_too_with_round_0(lines: tuple[str, ...]) -> None:
    state = given("setup round 0 seat 0\n0: baron\n1: baron\n2: baron\nboard\nP P P P P P")
    after = play_lines(state, *lines)
    assert progress_of(after) == "scoring round 0"
    assert ranking(after) == [(1, 0), (2, 0), (0, 0)]
    assert progress_of(when_scored(after).after) == "finished round 0"


@pytest.mark.refuses("BY-END-6")
def test_with_two_seats_left_the_game_goes_on() -> None:
    state = play_lines(three_players("baron", "baron", "baron"), "0 resign")
    assert progress_of(state) == "play round 4 seat 1"
    when(state, 0, "recruit 1 at 0,0").is_refused("BY-TURN-3", "out")


@pytest.mark.refuses("BY-END-6")
def test_a_seat_cannot_leave_twice() -> None:
    state = play_lines(three_players("baron", "baron", "baron"), "2 resign")
    when(state, 2, "resign").is_refused("BY-TURN-3", "out")
    when_removed(state, 2).is_refused("BY-TURN-3", "out")


@pytest.mark.refuses("BY-END-6")
@pytest.mark.parametrize(
    ("cell", "clause"),
    [
        ("D2c", "BY-MOV-4"),
        ("D2s", "BY-MOV-4"),
        ("D2kk", "BY-MOV-5"),
        ("D2vk", "BY-MOV-5"),
        ("M2k", "BY-MOV-6"),
    ],
)
def test_pawns_of_a_seat_that_is_out_still_block_and_defend(cell: str, clause: str) -> None:
    state = given(f"""
        play round 4 seat 0
        0: baron
        1: baron
        2: baron, out
        board
        P0k {cell} P P1ck
        """)
    when(state, 0, "move 0,0>1,0").is_refused(clause)
