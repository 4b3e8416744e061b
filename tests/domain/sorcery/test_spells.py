"""BS-SPL-1, 2, 4, 5: which spells can be cast together, what they cost, and a cast as the action of a turn.

The effects of spells (with BS-SPL-3, 6 and 7) are in test_movement.py, test_tornado.py, test_recruitment.py
and test_construction.py.
"""

import pytest

from domain.barony import sorcery
from domain.barony.components import Spell
from domain.barony.sorcery.components import COST
from domain.barony.state import State
from domain.errors import FORMAT, Malformed
from tests.support.barony_positions import given
from tests.support.barony_results import magic_of
from tests.support.events import data_of
from tests.support.faults import faults_of
from tests.support.given_when import play_lines, progress_of, rule_system_for, when, when_removed

ALL = "abundance celerity charm illusion petrification portal sanctuary teleportation tornado"


def position_for_casts(magic: int, spells: str = ALL) -> State:
    """A position in which seat 0 can cast every open spell that it can pay for."""
    return given(f"""
        play round 4 seat 0
        spells: {spells}
        0: baron, removed 1, magic {magic}
        1: baron, 1P, magic 9
        board
        P0ck P   P0k M1v P0s P  P0v P  F0v F0k P  P1ck
           P   P   P   P   P  P   P   P   P   P  P
        """)


CASTS = {
    "abundance at 6,0": 1,
    "celerity 2,0>1,0>1,1": 1,
    "charm 1 at 0,0": 1,
    "illusion 2 at 4,0": 1,
    "petrification at 8,0": 1,
    "portal 2 at 0,0": 2,
    "sanctuary at 2,0": 2,
    "teleportation 2,0>3,0": 1,
    "tornado 2,0>1,0": 2,
    "celerity teleportation 2,0>3,0>3,1": 2,
    "celerity tornado 2,0>1,0>1,1": 3,
    "celerity teleportation tornado 2,0>2,1>3,0 take plain": 4,
    "charm illusion 1 at 0,0 1 at 4,0": 2,
    "illusion portal 2 at 4,0": 3,
    "charm illusion portal 1 at 0,0 1 at 4,0": 4,
    "abundance sanctuary at 2,0": 3,
    "petrification sanctuary at 9,0": 3,
    "abundance petrification at 8,0": 2,
    "abundance petrification sanctuary at 9,0": 4,
}
"""Legal casts on `position_for_casts`, with their costs."""


@pytest.mark.allows("BS-SPL-1", "BS-SPL-2")
@pytest.mark.parametrize(("text", "cost"), CASTS.items())
@pytest.mark.parametrize("more", [0, 3])
def test_spells_of_one_family_cost_the_sum_of_their_costs(text: str, cost: int, more: int) -> None:
    names = [word for word in text.split() if word in ALL.split()]
    outcome = when(position_for_casts(cost + more), 0, f"cast {text}")
    assert magic_of(outcome.produces("SpellsCast", seat=0, spells=names, cost=cost)) == [more, 9]


@pytest.mark.parametrize(("text", "cost"), CASTS.items())
def test_spells_are_not_cast_with_one_magic_token_too_few(text: str, cost: int) -> None:
    state = position_for_casts(cost - 1)
    tokens = "1 magic token," if cost == 1 else f"{cost} magic tokens,"
    when(state, 0, f"cast {text}").is_refused("BS-SPL-2", f"costs {tokens}", f"has {cost - 1}")


@pytest.mark.parametrize("text", CASTS)
def test_a_spell_that_does_not_lie_open_is_not_cast(text: str) -> None:
    for closed in [word for word in text.split() if word in ALL.split()]:
        others = " ".join(spell for spell in ALL.split() if spell != closed)
        when(position_for_casts(9, others), 0, f"cast {text}").is_refused(
            "BS-SPL-1", closed.capitalize(), "not available"
        )


@pytest.mark.parametrize("text", CASTS)
def test_no_spell_is_cast_without_the_expansion(text: str) -> None:
    state = given(
        "play round 4 seat 0\n0: baron\n1: baron\nboard\nP0ck P P0k P P0s P P0v P F0v P1ck"
    )
    when(state, 0, f"cast {text}").is_refused("BS-SPL-1", "without Sorcery")


@pytest.mark.parametrize(
    ("words", "text", "gain"),
    [
        ("baron", "celerity 0,0>1,0>2,0", 3),
        ("baron, magic 1", "tornado 3,0>2,0", 3),
        ("baron, magic 1", "celerity tornado 0,0>1,0>2,0", 3),
    ],
)
def test_magic_that_a_cast_would_gain_does_not_pay_for_it(words: str, text: str, gain: int) -> None:
    row = "spells: celerity tornado\n0: {}\n1: baron\nboard\nP0k P S P0k P1ck"
    head = "play round 4 seat 0\n"
    when(given(head + row.format(words)), 0, f"cast {text}").is_refused("BS-SPL-2")
    after = when(given(head + row.format("baron, magic 3")), 0, f"cast {text}")
    assert magic_of(after.after) == [3 - data_of(after.event)["cost"] + gain, 0]


@pytest.mark.allows("BS-SPL-2")
def test_only_the_casting_seat_pays() -> None:
    when(position_for_casts(2), 0, "cast charm 1 at 0,0").becomes("""
        play round 4 seat 1
        spells: abundance celerity charm illusion petrification portal sanctuary teleportation tornado
        0: baron, removed 1, magic 1
        1: baron, 1P, magic 9
        board
        P0ckk P   P0k M1v P0s P  P0v P  F0v F0k P  P1ck
           P   P   P   P   P  P   P   P   P   P  P
        """)


@pytest.mark.allows("BS-SPL-4")
def test_a_spell_can_be_cast_again_by_any_seat() -> None:
    state = given("""
        play round 4 seat 0
        spells: charm portal
        0: baron, magic 2
        1: baron, magic 1
        board
        P0ck P P1ck
        """)
    lines = ("0 cast charm 1 at 0,0", "1 cast charm 1 at 2,0", "0 cast charm 1 at 0,0")
    state = play_lines(state, *lines)
    assert (magic_of(state), progress_of(state)) == ([0, 0], "play round 5 seat 1")
    assert rule_system_for(state).position(state, None)["spells"] == ["charm", "portal"]


@pytest.mark.refuses("BS-SPL-4")
@pytest.mark.parametrize(
    "text",
    [
        "cast charm charm 1 at 0,0",
        "cast abundance sanctuary abundance at 2,0",
        "cast celerity celerity 2,0>1,0>2,0",
        "cast tornado tornado 2,0>1,0",
    ],
)
def test_no_spell_is_named_twice_in_one_action(text: str) -> None:
    with pytest.raises(Malformed) as refused:
        sorcery.parse_action_text(text)
    assert (refused.value.clause, faults_of(refused.value)) == (
        FORMAT,
        {"spells": "names something twice"},
    )


@pytest.mark.allows("BS-SPL-5")
@pytest.mark.parametrize(
    ("cell", "left", "destroyed"),
    [
        ("P0k1k", "P", [("knight", 1)]),
        ("P0k1v", "P", [("village", 1)]),
        ("P0k1k2k", "P", [("knight", 1), ("knight", 2)]),
        ("P0k1k2v", "P", [("knight", 1), ("village", 2)]),
        ("P0kk1v", "P0k", [("village", 1)]),
        ("P0vk1k", "P0v", [("knight", 1)]),
    ],
)
def test_a_single_pawn_of_a_colour_is_isolated_among_other_colours(
    cell: str, left: str, destroyed: list[tuple[str, int]]
) -> None:
    state = single_open_spell("tornado", f"{cell} P P1ck P2ck")
    event = when(state, 0, "cast tornado 0,0>1,0").event
    fallen = [(pawn["pawn"], pawn["seat"]) for pawn in data_of(event)["moves"][0]["left"]]
    assert fallen == destroyed
    when(state, 0, "cast tornado 0,0>1,0").becomes(f"""
        play round 4 seat 1
        spells: tornado
        0: baron
        1: baron
        2: baron
        board
        {left} P0k P1ck P2ck
        """)


@pytest.mark.refuses("BS-SPL-5")
@pytest.mark.parametrize("cell", ["P0k1kk", "P0k1vk", "P0k1ck", "P0k1sk"])
def test_two_pawns_of_one_colour_are_not_isolated(cell: str) -> None:
    state = single_open_spell("tornado", f"{cell} P P1ck P2ck")
    when(state, 0, "cast tornado 0,0>1,0").becomes(f"""
        play round 4 seat 1
        spells: tornado
        0: baron
        1: baron
        2: baron
        board
        {cell.replace("0k", "")} P0k P1ck P2ck
        """)


@pytest.mark.allows("BS-SPL-5")
@pytest.mark.parametrize("cell", ["M1v", "M1v2k"])
def test_a_single_village_of_a_colour_is_isolated_for_teleportation(cell: str) -> None:
    state = single_open_spell("teleportation", f"P0k {cell} P P1ck P2ck")
    when(state, 0, "cast teleportation 0,0>1,0").produces("SpellsCast", spells=["teleportation"])


@pytest.mark.refuses("BS-SPL-5")
@pytest.mark.parametrize("cell", ["M1vk", "M1vkk"])
def test_a_village_with_a_knight_of_its_colour_is_not_isolated(cell: str) -> None:
    state = single_open_spell("teleportation", f"P0k {cell} P P1ck P2ck")
    when(state, 0, "cast teleportation 0,0>1,0").is_refused("BY-MOV-5")


def single_open_spell(spell: Spell, cells: str) -> State:
    """A row on which seat 0 of three can pay for the only open spell."""
    return given(f"""
        play round 4 seat 0
        spells: {spell}
        0: baron, magic {COST[spell]}
        1: baron
        2: baron
        board
        {cells}
        """)


@pytest.mark.allows("BS-SPL-1", "BY-TURN-1")
@pytest.mark.parametrize("text", CASTS)
def test_a_cast_is_the_action_of_the_turn(text: str) -> None:
    after = when(position_for_casts(9), 0, f"cast {text}").leads_to("play round 4 seat 1")
    when(after, 0, "cast charm 1 at 0,0").is_refused("BY-TURN-3", "the turn of seat 1")


@pytest.mark.allows("BS-SPL-1", "BY-TURN-1")
def test_a_cast_by_the_last_seat_ends_the_round() -> None:
    state = given(
        "play round 4 seat 1\nspells: charm\n0: baron\n1: baron, magic 1\nboard\nP0ck P P1ck"
    )
    when(state, 1, "cast charm 1 at 2,0").leads_to("play round 5 seat 0")


def test_no_seat_casts_off_turn() -> None:
    state = given("""
        play round 4 seat 0
        spells: charm
        0: baron, magic 2
        1: baron, magic 2
        2: baron, magic 2
        board
        P0ck P P1ck P P2ck
        """)
    when(state, 1, "cast charm 1 at 2,0").is_refused("BY-TURN-3", "the turn of seat 0")
    out = when_removed(state, 1).after
    when(out, 1, "cast charm 1 at 2,0").is_refused("BY-TURN-3", "out")
    over = play_lines(out, "2 resign")
    assert progress_of(over) == "scoring round 4"
    when(over, 0, "cast charm 1 at 0,0").is_refused("BY-TURN-3", "being scored")


LAST_RESORTS = [
    ("portal", "P0c L", "baron, removed 7, magic 2", "cast portal 1 at 0,0"),
    ("illusion", "L P0s", "baron, removed 6, magic 1", "cast illusion 1 at 1,0"),
    ("charm illusion", "L P0s", "baron, removed 6, magic 2", "cast illusion 1 at 1,0"),
    ("teleportation", "M0ck M1v", "baron, removed 6, magic 1", "cast teleportation 0,0>1,0"),
    ("petrification", "F0v L", "baron, removed 7, magic 1", "cast petrification at 0,0"),
]
"""Positions in which seat 0 can only cast: open spells, the row, the line of the seat, its first cast."""


@pytest.mark.parametrize(("spells", "row", "words", "only"), LAST_RESORTS)
def test_a_seat_that_can_only_cast_may_not_pass(
    spells: str, row: str, words: str, only: str
) -> None:
    state = position_without_actions(spells, row, words)
    when(state, 0, "pass").is_refused("BY-TURN-2", only)
    listed = [
        sorcery.action_text(action) for action in rule_system_for(state).legal_actions(state, 0)
    ]
    assert only in listed
    assert {text.split()[0] for text in listed} == {"cast"}
    when(state, 0, only).leads_to("play round 4 seat 1")


@pytest.mark.allows("BY-TURN-2")
@pytest.mark.parametrize(("spells", "row", "words", "only"), LAST_RESORTS)
def test_a_seat_that_cannot_pay_for_any_cast_passes(
    spells: str, row: str, words: str, only: str
) -> None:
    state = position_without_actions(spells, row, words.split(", magic", maxsplit=1)[0])
    when(state, 0, only).is_refused("BS-SPL-2")
    when(state, 0, "pass").produces("TurnPassed", seat=0)
    assert [action.type for action in rule_system_for(state).legal_actions(state, 0)] == ["pass"]


@pytest.mark.allows("BY-TURN-2")
@pytest.mark.parametrize("spells", ["abundance", "celerity tornado", "charm illusion portal"])
def test_spells_without_a_legal_cast_do_not_prevent_passing(spells: str) -> None:
    state = position_without_actions(spells, "P0v P1c", "baron, removed 7, magic 9")
    when(state, 0, "pass").leads_to("play round 4 seat 1")


def position_without_actions(spells: str, row: str, words: str) -> State:
    """A position in which seat 0 can at most cast these spells; lakes separate it from seat 1."""
    return given(f"""
        play round 4 seat 0
        spells: {spells}
        0: {words}
        1: baron
        board
        {row} L P1ck
        """)


@pytest.mark.refuses("BY-TURN-4")
def test_a_round_with_a_cast_in_it_is_not_the_last() -> None:
    state = given("""
        play round 4 seat 0
        spells: portal
        0: baron, removed 7, magic 2
        1: baron, removed 7
        board
        P0c L P1c
        """)
    after = when(state, 0, "cast portal 1 at 0,0").after
    when(after, 1, "pass").leads_to("play round 5 seat 0")


@pytest.mark.allows("BY-TURN-4")
def test_the_game_ends_when_every_seat_passes_for_want_of_magic() -> None:
    state = given("""
        play round 4 seat 0
        spells: portal
        0: baron, removed 7, magic 1
        1: baron, removed 7
        board
        P0c L P1c
        """)
    state = when(state, 0, "pass").leads_to("play round 4 seat 1")
    when(state, 1, "pass").leads_to("scoring round 4")
