"""What the pages offer on the way to an action."""

import pytest

from domain.choices import COMMON_QUESTIONS
from domain.game import copy
from replay.language.renderer import english
from service.pages.view_models.action_query import ActionQuery
from service.pages.view_models.action_steps import ActionSteps, action_steps
from service.pages.view_models.choice_numbers import choice_numbers
from tests.games.records import course_of
from tests.support.barony_positions import given


@pytest.mark.parametrize(
    ("seat", "label", "action"),
    [
        (1, "ask for the end of the game", "agree"),
        (0, "no longer ask for the end of the game", "disagree"),
    ],
)
def test_asking_for_the_end_and_withdrawing_it_have_different_words(
    seat: int, label: str, action: str
) -> None:
    game = course_of("agreement")[24]
    assert game.state is not None
    assert game.state.end_agreed_by == (0,)
    steps = action_steps(game, seat, ActionQuery())
    assert steps is not None
    options = {english(option.label): option.address for option in steps.others}
    assert options == {label: f"?action={action}", "resign": "?action=resign"}


def test_an_allowed_choice_that_is_not_offered_is_explained() -> None:
    game = copy(course_of("sorcery-movement")[-1])
    game.status = "playing"
    game.state = given("""
        play round 2 seat 0
        spells: celerity
        0: baron, magic 1
        1: baron
        board
        P0k D P P P0k P F P1c
        """)
    request = ActionQuery(("cast", "4,0"), attempt="4,0")
    steps = action_steps(game, 0, request)
    assert steps is not None
    assert steps.attempts
    assert english(steps.attempts[0].why) == "this would have the same result as another choice"
    steps = action_steps(game, 0, ActionQuery(("cast",), attempt="charm"))
    assert steps is not None
    assert steps.attempts
    assert english(steps.attempts[0].why) == "this cannot be chosen here"


def steps_in(text: str, *values: str, attempt: str | None = None) -> ActionSteps:
    """Return the steps of seat 0 in a position of Sorcery, as a text diagram."""
    game = copy(course_of("sorcery-movement")[-1])
    game.status = "playing"
    game.state = given(text)
    steps = action_steps(game, 0, ActionQuery(values, attempt))
    assert steps is not None
    return steps


CITY_AND_KNIGHTS = """
    play round 2 seat 0
    spells: celerity
    0: baron, magic 1
    1: baron
    board
    P0ck P P P0k F P1c
    """


def test_at_first_a_hex_says_all_that_can_be_done_there() -> None:
    steps = steps_in(CITY_AND_KNIGHTS)
    words = {option.address: english(option.label) for option in steps.hexes}
    assert words["?choose=0,0"] == "0,0: recruitment, movement, spell"
    assert words["?choose=3,0"] == "3,0: movement, construction, spell"
    assert english(steps.links[0, 0].label) == "recruitment, movement, spell"
    assert (steps.links[0, 0].state, steps.links[0, 0].is_aside) == ("option", False)
    assert (steps.links[1, 0].state, steps.links[1, 0].is_aside) == ("option", True)
    assert {english(option.label) for option in steps.options} >= {"movement", "recruitment"}


def test_what_can_be_added_is_offered_beside_the_action() -> None:
    steps = steps_in(CITY_AND_KNIGHTS, "3,0", "4,0")
    assert steps.shown_actions[-1].text == "move 3,0>4,0"
    assert steps.question is not None
    assert english(steps.question) == "Which other knight moves?"
    assert steps.options == []
    assert [english(option.label) for option in steps.hexes] == ["the knight on 0,0"]
    further = steps_in(CITY_AND_KNIGHTS, "3,0", "2,0", "done")
    assert (further.shown_actions[-1].text, further.question) == ("move 3,0>2,0", None)
    assert "option" not in {link.state for link in further.links.values()}


def test_another_piece_and_another_destination_replace_the_chosen_ones() -> None:
    begun = steps_in(CITY_AND_KNIGHTS, "3,0")
    other_piece = begun.links[0, 0]
    assert (other_piece.href, other_piece.state) == ("?choose=0,0", "other")
    assert (begun.links[3, 0].state, begun.links[3, 0].is_aside) == ("chosen", False)
    previewed = steps_in(CITY_AND_KNIGHTS, "move", "3,0", "4,0")
    place = previewed.links[2, 0]
    assert (place.href, place.state) == ("?choose=move&choose=3,0&choose=2,0", "other")
    # The question is about another knight: its answers alone have signs.
    assert place.is_aside
    assert previewed.links[0, 0].state == "option"
    whole = steps_in(CITY_AND_KNIGHTS, "3,0", "4,0", "done")
    assert not whole.links[2, 0].is_aside
    assert (whole.links[4, 0].state, whole.links[3, 0].is_aside) == ("chosen", True)
    assert whole.drop == "?"


def test_what_the_player_has_in_hand_is_dropped_for_a_hex_that_cannot_be_chosen() -> None:
    steps = steps_in(CITY_AND_KNIGHTS, "3,0", attempt="5,0")
    assert steps.attempts
    assert (steps.query.values, steps.question) == ((), COMMON_QUESTIONS["action"])
    # Of two knights, the one that has no destination yet is dropped alone.
    second = steps_in(CITY_AND_KNIGHTS, "0,0", "1,0", "3,0")
    assert second.drop == "?choose=0,0&choose=1,0"
    assert steps_in(CITY_AND_KNIGHTS).drop is None


def test_a_preview_says_in_pieces_and_numbers_what_it_does() -> None:
    effects = steps_in(CITY_AND_KNIGHTS, "3,0", "2,0", "done").effects
    assert (effects.type, effects.seat) == ("move", 0)
    assert [(piece.kind, piece.count) for piece in effects.placed] == [("knight", 1)]
    assert (effects.gains, effects.losses, effects.changes) == ((), (), ())


def test_why_ones_own_pieces_can_do_nothing_is_explained_for_each_type_of_action() -> None:
    steps = steps_in(
        """
        play round 2 seat 0
        0: baron
        1: baron
        spells: charm
        board
        P0v P P P0k F P1c
        """,
        attempt="0,0",
    )
    assert len(steps.attempts) > 1
    clauses = {attempt.clause for attempt in steps.attempts}
    assert len(clauses) == len(steps.attempts)
    assert "BY-MOV-1" in clauses


@pytest.mark.parametrize(
    ("cards", "hexes"), [(0, 9), (2, 51), (0, 108), (3, 97), (9, 40), (12, 0), (8, 90)]
)
def test_no_number_of_a_choice_begins_with_another_one(cards: int, hexes: int) -> None:
    chosen = choice_numbers(cards, hexes)
    assert len(set(chosen)) == len(chosen) == cards + hexes
    assert not any(a != b and a.startswith(b) for a in chosen for b in chosen)
    assert max(map(len, chosen)) <= 3
