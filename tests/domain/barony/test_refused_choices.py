"""What a player tries against the rules of Barony is refused with the clause for it."""

import pytest

from domain import barony
from tests.support.barony_positions import given
from tests.support.choices import path_of, refusal_of

BOARD = """
    play round 2 seat 0
    0: baron, 2P
    1: baron, 2P 1D
    board
    P0k  F0k  L    P1c  P1vk
       M1v  P    D0k  P0k  P
          P0v  D0vk D0k1k P1k .
             P0s  P0c P0s F .
    """


@pytest.mark.parametrize(
    ("values", "clause", "reason"),
    [
        (["move", "1,1"], "BY-MOV-1", "seat 0 has no knight on 1,1"),
        (["move", "3,0"], "BY-MOV-1", "seat 0 has no knight on 3,0"),
        (["move", "2,0"], "BY-MOV-1", "seat 0 has no knight on 2,0"),
        (["move", "1,0", "2,0"], "BY-MOV-3", "2,0 is a lake"),
        (["move", "2,1", "2,0"], "BY-MOV-3", "2,0 is a lake"),
        (["move", "2,1", "3,0"], "BY-MOV-4", "an opponent's city or stronghold is on 3,0"),
        (["move", "3,1", "4,0"], "BY-MOV-5", "two or more pawns of one opponent are on 4,0"),
        (["move", "0,0", "0,1"], "BY-MOV-6", "0,1 is a mountain with an opponent's pawn on it"),
        (["move", "0,0", "3,1"], "BY-MOV-1", "3,1 is not adjacent to 0,0"),
        (["move", "0,0", "0,0"], "BY-MOV-1", "0,0 is not adjacent to 0,0"),
        (["move", "0,0", "-1,0"], "BY-MOV-1", "-1,0 is not on the board"),
        (["move", "1,0", "1,1", "1,0"], "BY-MOV-2", "the knight on 1,0 has already moved"),
        (["move", "1,0", "1,1", "1,1"], "BY-MOV-2", "the knight on 1,1 has already moved"),
        (["move", "1,0", "1,1", "0,0", "0,1"], "BY-MOV-6", "0,1 is a mountain"),
        (["move", "1,0", "1,1", "3,0"], "BY-MOV-1", "seat 0 has no knight on 3,0"),
        (["build", "1,1"], "BY-BLD-1", "seat 0 has no knight on 1,1"),
        (["build", "1,2"], "BY-BLD-2", "there is already a building on 1,2"),
        (["build", "2,2"], "BY-BLD-3", "an opponent's knight is on 2,2"),
        (["build", "0,0", "stronghold"], "BY-BLD-4", "the reserve is too small"),
        (["build", "0,0", "village", "1,2"], "BY-BLD-2", "there is already a building on 1,2"),
        (["new_city", "0,0"], "BY-CTY-1", "seat 0 has no village on 0,0"),
        (["new_city", "0,1"], "BY-CTY-1", "seat 0 has no village on 0,1"),
        (["new_city", "1,2"], "BY-CTY-3", "no city on 1,2: it is adjacent to a city"),
        (["recruit", "3,0"], "BY-REC-1", "seat 0 has no city on 3,0"),
        (["recruit", "0,0"], "BY-REC-1", "seat 0 has no city on 0,0"),
        (["noble_title"], "BY-TTL-1", "these tokens are worth 8 resource points"),
        (["pass"], "BY-TURN-2", "another action is legal"),
        (["expedition"], "BY-EXP-5", "an expedition takes two knights of the reserve"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_refused_with_its_clause(values: list[str], clause: str, reason: str) -> None:
    state = given(BOARD)
    refused_by, why = refusal_of(state, *values)
    assert refused_by == clause
    assert why.startswith(reason)


@pytest.mark.parametrize(
    ("values", "clause", "reason"),
    [
        (["place_city", "2,0"], "BY-SET-4", "2,0 is a lake"),
        (["place_city", "1,0"], "BY-SET-4", "1,0 is a forest"),
        (["place_city", "4,0"], "BY-SET-4", "there is a city on 4,0 or adjacent to it"),
        (["place_city", "5,0"], "BY-SET-4", "there is a city on 5,0 or adjacent to it"),
        (["place_city", "9,9"], "BY-SET-4", "9,9 is not on the board"),
        (["move"], "BY-SET-6", "only first cities are placed in set-up"),
    ],
    ids=" ".join,
)
def test_a_mistake_in_the_set_up_is_refused_with_its_clause(
    values: list[str], clause: str, reason: str
) -> None:
    state = given("setup seat 1\n0: baron\n1: baron\nboard\nP F L D P P0ck")
    assert refusal_of(state, *values) == (clause, reason)


@pytest.mark.parametrize(
    ("player", "cells", "values", "clause"),
    [
        ("duke, 9D", "P0ck P P1c", ["noble_title"], "BY-TTL-2"),
        ("baron, 4D", "P0ck P P1c", ["noble_title", "0-0-0-4"], "BY-TTL-3"),
        ("baron, 4D", "P0ck P P1c", ["noble_title", "0-0-0-2"], "BY-TTL-1"),
        ("baron, 4D", "P0ck P P1c", ["noble_title", "1-0-0-3"], "BY-TTL-1"),
        ("baron", "P0ck P P1c", ["recruit", "0,0", "3"], "BY-REC-1"),
        ("baron", "P0ckkkkkk P P1c", ["recruit", "0,0", "2"], "BY-REC-2"),
        ("baron", "P0ckkkkkkk P P1c", ["recruit"], "BY-REC-2"),
        ("baron", "P0ck P P1c", ["new_city"], "BY-CTY-1"),
        ("baron", "F0v P0v P P1c", ["new_city", "0,0"], "BY-CTY-2"),
        ("baron", "P0v1k P0v P P1c", ["new_city", "0,0"], "BY-CTY-4"),
        ("baron", "P0c P P0c P P0c P P0c P P0c P P0v F P1c", ["new_city"], "BY-CTY-5"),
        ("baron", "P0c L P1c P", ["expedition", "1,0"], "BY-EXP-3"),
        ("baron", "P0c L P1c P", ["expedition", "2,0"], "BY-EXP-4"),
        ("baron", "P0c L P1c P", ["expedition", "9,9"], "BY-EXP-2"),
        ("baron", "P0ckk P L P1c", ["move", "0,0", "1,0", "1,0"], "BY-MOV-2"),
        ("baron", "P0k L P1c", ["move"], "BY-MOV-3"),
        ("baron", "P0c P P1c", ["move"], "BY-MOV-1"),
        ("baron", "P0c P P1c", ["build"], "BY-BLD-1"),
        ("baron", "P0k P0k1v P P1c", ["move", "0,0", "1,0", "mountain-1"], "BY-CON-3"),
    ],
)
def test_other_mistakes_are_refused_with_their_clauses(
    player: str, cells: str, values: list[str], clause: str
) -> None:
    state = given(f"play round 2 seat 0\n0: {player}\n1: baron, 1P 1D\nboard\n{cells}")
    assert refusal_of(state, *values)[0] == clause


@pytest.mark.parametrize(
    "values",
    [
        ["sleep"],
        ["cast"],
        ["place_city"],
        ["agree_to_end"],
        ["move", ""],
        ["move", "done"],
        ["move", "plain-1"],
        ["move", "1,0,0"],
        ["move", "1_0,0"],
        ["move", "1,0", "done"],
        ["move", "1,0", "1,1", "done", "0,0"],
        ["build", "done"],
        ["build", "0,0", "city"],
        ["build", "0,0", "village", "0,0"],
        ["recruit", "1,3", "-1"],
        ["recruit", "1,3", "0"],
        ["noble_title", "1-2"],
        ["noble_title", "many"],
        ["pass", "1"],
    ],
    ids=" ".join,
)
def test_values_without_an_action_return_none(values: list[str]) -> None:
    state = given(BOARD.replace("0: baron, 2P", "0: baron, 9D"))
    path = () if values[0] == "pass" else path_of(state, *values[:-1])
    assert barony.action_for_choice(state, 0, path, values[-1]) is None


def test_the_action_for_a_type_is_legal_if_there_is_a_legal_one() -> None:
    state = given(BOARD)
    for type in {action.type for action in barony.legal_actions(state, 0)}:
        action = barony.action_for_choice(state, 0, (), type)
        assert action is not None
        assert barony.decide(state, 0, action)
