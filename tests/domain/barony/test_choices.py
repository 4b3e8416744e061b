"""The choices by which a player of Barony comes to an action, in the order and the words of the game."""

import pytest

from domain import barony
from domain.barony.actions import AgreeToEnd
from domain.choices import action_choice
from domain.contract import Resign
from replay.language.renderer import english
from tests.support.barony_positions import given
from tests.support.choices import action_after, options_after, question_after

MOVING = """
    play round 2 seat 0
    0: baron
    1: baron, 2P 1D
    2: baron, 1F
    board
    P0k D0k M1v P1ck
      P   F2v P0k
    """
FIGHTING = """
    play round 2 seat 0
    0: baron
    1: baron, 2P 1D
    2: baron, 1F 1M
    board
    P0k D0k M P1ck
      P1v F2v P0k P
        P0k D0k P2ck
    """


def test_the_first_city_is_a_hex() -> None:
    state = given("setup seat 0\n0: baron\n1: baron\nboard\nP F D L\n M P P P")
    assert question_after(state) == "Where do you place a city and a knight?"
    assert options_after(state)["0,0"] == "the plain on 0,0"
    assert options_after(state).keys() == {"0,0", "2,0", "0,1", "1,1", "2,1", "3,1"}
    assert action_after(state, "2,0") == "place 2,0"


def test_the_type_of_the_action_comes_first() -> None:
    state = given(MOVING)
    assert question_after(state) == "What do you do?"
    assert options_after(state) == {
        "move": "movement",
        "build": "construction",
        "expedition": "expedition",
    }


def test_a_move_is_a_knight_then_its_destination_then_another_knight() -> None:
    state = given(MOVING)
    assert question_after(state, "move") == "Which knight moves?"
    assert options_after(state, "move")["1,0"] == "the knight on 1,0"
    assert question_after(state, "move", "0,0") == "Where does the knight move?"
    assert options_after(state, "move", "0,0") == {
        "0,1": "the plain on 0,1",
        "1,0": "the field on 1,0",
    }
    assert question_after(state, "move", "0,0", "1,0") == "Which other knight moves?"
    assert options_after(state, "move", "0,0", "1,0") == {
        "done": "no other knight moves",
        "1,0": "the knight on 1,0",
        "2,1": "the knight on 2,1",
    }
    assert action_after(state, "move", "0,0", "1,0", "done") == "move 0,0>1,0"


def test_two_knights_move_by_the_same_action_in_either_order() -> None:
    state = given(MOVING)
    first = action_after(state, "move", "0,0", "0,1", "1,0", "0,0")
    assert first == action_after(state, "move", "1,0", "0,0", "0,0", "0,1")


def test_two_knights_move_in_the_order_in_which_they_are_chosen_if_it_matters() -> None:
    state = given("""
        play round 2 seat 0
        0: baron
        1: baron
        board
        P0k P0k1k P0k P1c
        """)
    assert action_after(state, "move", "0,0", "1,0", "2,0") == "move 0,0>1,0 1,0>2,0"
    assert action_after(state, "move", "1,0", "2,0", "0,0") == "move 1,0>2,0 0,0>1,0"


def test_one_of_several_knights_on_a_hex_moves() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nP0kk P D P0k P1c")
    assert options_after(state, "move")["0,0"] == "one of the 2 knights on 0,0"
    assert options_after(state, "move", "0,0")["0,0"] == "the knight on 0,0"


def test_a_destination_names_the_pawns_that_are_destroyed() -> None:
    state = given(FIGHTING)
    destinations = options_after(state, "move", "0,0", "0,1", "0,2")
    assert destinations["0,1"] == "the plain on 0,1, where the knight destroys seat 1's village"
    assert destinations["1,1"] == "the forest on 1,1"


def test_the_first_destination_names_the_pawns_that_a_second_knight_would_destroy() -> None:
    state = given(FIGHTING)
    destinations = options_after(state, "move", "0,0")
    assert destinations["0,1"] == (
        "the plain on 0,1, where a second knight would destroy seat 1's village"
    )
    assert "would destroy" not in "".join(
        options_after(state, "move", "0,0", "0,1", "0,2").values()
    )


def test_nobody_with_a_single_knight_reads_what_a_second_one_would_destroy() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nP0k P1v P0c P1c\nP P P P")
    assert options_after(state, "move")["1,0"] == "the plain on 1,0"


def test_a_token_is_chosen_from_the_owner_of_the_village_after_the_knight_that_destroys_it() -> (
    None
):
    state = given(FIGHTING)
    values = ("move", "0,0", "0,1", "0,2", "0,1")
    assert question_after(state, *values) == "Which token do you take for the village?"
    assert options_after(state, *values) == {
        "plain-1": "a plain token from seat 1",
        "field-1": "a field token from seat 1",
    }
    assert action_after(state, *values, "field-1") == "move 0,0>0,1 0,2>0,1 take field"


def test_each_of_two_knights_takes_its_own_token() -> None:
    state = given("""
        play round 2 seat 0
        0: baron
        1: baron, 2P 1D
        2: baron, 1F 1M
        board
        P0k P0k1v D P0k P0k2v P1c P2c
        """)
    forwards = action_after(state, "move", "0,0", "plain-1", "3,0", "4,0", "forest-2")
    assert forwards == "move 0,0>1,0 3,0>4,0 take plain forest"
    assert action_after(state, "move", "3,0", "4,0", "forest-2", "0,0", "plain-1") == forwards


def test_a_construction_is_sites_in_any_order_with_their_buildings() -> None:
    state = given(MOVING)
    assert question_after(state, "build") == "On which hex do you build?"
    assert options_after(state, "build")["1,0"] == "the field on 1,0"
    assert options_after(state, "build", "1,0") == {
        "village": "village",
        "stronghold": "stronghold",
    }
    assert question_after(state, "build", "1,0", "village") == "On which other hex do you build?"
    assert options_after(state, "build", "1,0", "village") == {
        "done": "nothing else is built",
        "0,0": "the plain on 0,0",
        "2,1": "the plain on 2,1",
    }
    both = action_after(state, "build", "1,0", "village", "0,0", "stronghold", "done")
    assert both == "build stronghold 0,0 village 1,0"
    assert both == action_after(state, "build", "0,0", "stronghold", "1,0", "village", "done")


def test_recruitment_is_a_city_and_a_number_of_knights() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nP0c P L M0ck P1c")
    assert question_after(state, "recruit") == "In which city do you recruit?"
    assert options_after(state, "recruit") == {"0,0": "the city on 0,0", "3,0": "the city on 3,0"}
    assert question_after(state, "recruit", "3,0") == "How many knights do you recruit?"
    assert options_after(state, "recruit", "3,0") == {
        "1": "1 knight",
        "2": "2 knights",
        "3": "3 knights",
    }
    assert action_after(state, "recruit", "3,0", "2") == "recruit 2 at 3,0"


def test_a_noble_title_is_a_payment() -> None:
    state = given("play round 2 seat 0\n0: baron, 2F 2P 1D\n1: baron\nboard\nP0ck P P1c")
    assert question_after(state, "noble_title") == "Which tokens do you discard?"
    assert options_after(state, "noble_title") == {
        "0-1-2-1": "1 forest token, 2 plain tokens and 1 field token, worth 16 resource points",
        "0-2-1-1": "2 forest tokens, 1 plain token and 1 field token, worth 15 resource points",
    }
    assert action_after(state, "noble_title", "0-2-1-1") == "title 2 forest 1 plain 1 field"


def test_new_cities_and_expeditions_are_hexes() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nP0v P M0v F P1c")
    assert question_after(state, "new_city") == "Which village becomes a city?"
    assert options_after(state, "new_city") == {
        "0,0": "the village on 0,0",
        "2,0": "the village on 2,0",
    }
    assert question_after(state, "expedition") == "Where does the expedition arrive?"
    assert options_after(state, "expedition") == {
        "1,0": "the plain on 1,0",
        "3,0": "the forest on 3,0",
    }


def test_passing_is_chosen_automatically_where_nothing_else_is_possible() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nP1ck L")
    assert options_after(state) == {}
    assert action_after(state) == "pass"


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("play round 2 seat 1", [Resign()]),
        ("play round 2 seat 0 agreement", [AgreeToEnd(agree=True), Resign()]),
        ("setup seat 0 agreement", [Resign()]),
    ],
)
def test_what_is_possible_at_any_time(text: str, actions: list[object]) -> None:
    state = given(f"{text}\n0: baron\n1: baron\nboard\nP P P")
    assert barony.actions_at_any_time(state, 0) == actions


def test_asking_for_the_end_can_be_withdrawn() -> None:
    state = given("play round 2 seat 0 agreement\n0: baron, asked\n1: baron\nboard\nP0ck P P1c")
    (withdrawal, _) = barony.actions_at_any_time(state, 0)
    assert withdrawal == AgreeToEnd(agree=False)
    (choice,) = barony.choices(state, 0, withdrawal, [action_choice("agree_to_end")])
    position = barony.position(state, 0)
    label = barony.choice_message(position, choice, [action_choice("agree_to_end")])
    assert english(label) == "no longer ask for the end of the game"


def test_a_preview_is_everything_that_follows() -> None:
    state = given(MOVING)
    for action in barony.legal_actions(state, 0):
        preview = barony.preview(state, 0, action)
        assert (preview.event, preview.hidden) == (barony.decide(state, 0, action), None)
