"""BS-CEL, BS-TEL, and BY-MOV in their steps: one knight moves by spells."""

import pytest

from domain.barony import sorcery
from domain.errors import FORMAT, Malformed
from tests.support.barony_positions import given
from tests.support.given_when import when
from tests.support.sorcery_diagrams import MOVEMENT, three_seats
from tests.support.sorcery_positions import after_movement, given_movement


@pytest.mark.allows("BS-CEL-1")
def test_celerity_moves_one_knight_two_steps() -> None:
    state = given_movement("P0kk D F0k P1ck")
    when(state, 0, "cast celerity 0,0>1,0>2,0").becomes(after_movement("P0k D F0kk P1ck"))


@pytest.mark.allows("BS-CEL-1")
@pytest.mark.parametrize(
    "path", ["2,1>3,1", "2,1>3,0", "2,0>2,1", "1,0>0,0", "0,2>0,3", "1,2>0,2", "0,1>1,1"]
)
def test_the_second_step_may_go_in_any_direction(path: str) -> None:
    state = given_movement("P P P P\nP P0k P P\nP P P P\nP P P P1ck")
    when(state, 0, f"cast celerity 1,1>{path}").leads_to("play round 5 seat 1")


@pytest.mark.refuses("BS-CEL-1")
def test_a_path_of_three_steps_is_malformed() -> None:
    with pytest.raises(Malformed) as refused:
        sorcery.parse_action_text("cast celerity 0,0>1,0>2,0>3,0")
    assert refused.value.clause == FORMAT


@pytest.mark.refuses("BS-SPL-3")
@pytest.mark.parametrize("spells", ["teleportation", "tornado", "teleportation tornado"])
def test_two_steps_without_celerity_are_refused(spells: str) -> None:
    state = given_movement("P0k P M1v P1ck")
    when(state, 0, f"cast {spells} 0,0>1,0>2,0").is_refused("BS-CEL-2", "one step")


@pytest.mark.allows("BS-CEL-2")
def test_an_own_knight_on_the_hex_between_makes_the_arrival_destroy_opponents() -> None:
    state = given_movement("P0k F0k1k2v D P1ck", blue="1M 1D")
    when(state, 0, "cast celerity 0,0>1,0>2,0 take field").becomes(
        after_movement("P F0k D0k P1ck", yellow="1D, magic 3", blue="1M")
    )


@pytest.mark.allows("BS-CEL-2")
def test_an_own_village_on_the_hex_between_makes_the_arrival_destroy_opponents() -> None:
    state = given_movement("P0k F0v1k2k D P1ck")
    when(state, 0, "cast celerity 0,0>1,0>2,0").becomes(after_movement("P F0v D0k P1ck"))


@pytest.mark.allows("BS-CEL-2")
def test_villages_on_both_hexes_yield_tokens_in_the_order_of_the_steps() -> None:
    state = given_movement("P0k F0k1v D0k2v P1ck", red="1M 1F", blue="1P")
    when(state, 0, "cast celerity 0,0>1,0>2,0 take forest plain").becomes(
        after_movement("P F0k D0kk P1ck", yellow="1F 1P, magic 3", red="1M")
    )
    backwards = when(state, 0, "cast celerity 0,0>1,0>2,0 take plain forest")
    backwards.is_refused("BY-CON-3", "seat 1 has no plain")


@pytest.mark.allows("BS-CEL-2")
def test_the_first_of_two_villages_costs_their_owner_the_only_token() -> None:
    state = given_movement("P0k F0k1v D0k1v P1ck", red="1P")
    when(state, 0, "cast celerity 0,0>1,0>2,0 take plain").becomes(
        after_movement("P F0k D0kk P1ck", yellow="1P, magic 3")
    )
    greedy = when(state, 0, "cast celerity 0,0>1,0>2,0 take plain plain")
    greedy.is_refused("BY-CON-3", "no destroyed village is left")


@pytest.mark.refuses("BS-CEL-2")
def test_a_knight_that_passes_an_opposing_pawn_destroys_nothing() -> None:
    state = given_movement("P0k F1v D2k P1ck", red="1P")
    when(state, 0, "cast celerity 0,0>1,0>2,0").becomes(
        after_movement("P F1v D0k2k P1ck", red="1P")
    )
    when(state, 0, "cast celerity 0,0>1,0>2,0 take plain").is_refused(
        "BY-CON-3", "no destroyed village"
    )


@pytest.mark.allows("BS-CEL-2")
@pytest.mark.parametrize(
    ("cells", "then", "magic"),
    [
        ("P0k S F P1ck", "P S*0 F0k P1ck", 6),
        ("P0k F S P1ck", "P F S*00k P1ck", 6),
        ("P0k S*1 F P1ck", "P S*0*1 F0k P1ck", 5),
        ("P0k S*1 S*1*2 P1ck", "P S*0*1 S*0*1*20k P1ck", 6),
        ("P0k S*0 S P1ck", "P S*0 S*00k P1ck", 6),
        ("P0k S0k1k S2k P1ck", "P S*00k S*00k2k P1ck", 9),
    ],
    ids=["between", "at the end", "second between", "on both", "known between", "with conflict"],
)
def test_every_mysterious_place_on_the_path_gets_an_imprint(
    cells: str, then: str, magic: int
) -> None:
    when(given_movement(cells), 0, "cast celerity 0,0>1,0>2,0").becomes(
        after_movement(then, yellow=f"magic {magic}")
    )


@pytest.mark.allows("BS-CEL-2")
@pytest.mark.parametrize(
    "cells",
    ["P0k D P1ck", "P0ckk D P1ck", "F0k1v D P1ck", "F0k1k2v D P1ck", "S*00k D P1ck"],
    ids=["alone", "into a city", "where a village is", "where two others are", "an explored place"],
)
def test_a_path_back_to_the_start_costs_magic_and_changes_nothing(cells: str) -> None:
    when(given_movement(cells, red="1P"), 0, "cast celerity 0,0>1,0>0,0").becomes(
        after_movement(cells, red="1P")
    )


@pytest.mark.allows("BS-CEL-2")
@pytest.mark.parametrize(
    ("start", "left"), [("F0kk1v2k", "F0kk"), ("F0vk1k2k", "F0vk")], ids=["knight", "village"]
)
def test_coming_back_to_a_start_with_own_pawns_destroys_opponents_there(
    start: str, left: str
) -> None:
    state = given_movement(f"{start} D P1ck")
    when(state, 0, "cast celerity 0,0>1,0>0,0").becomes(after_movement(f"{left} D P1ck"))


@pytest.mark.refuses("BS-CEL-2")
@pytest.mark.parametrize("start", ["M0k1v", "M0k1k", "M0kk1v"])
def test_no_step_leads_back_onto_a_shared_mountain(start: str) -> None:
    state = given_movement(f"{start} D P1ck")
    when(state, 0, "cast celerity 0,0>1,0>0,0").is_refused("BY-MOV-6", "0,0")


BARRED = [
    ("L", "BY-MOV-3"),
    ("D1c", "BY-MOV-4"),
    ("D1s", "BY-MOV-4"),
    ("D1kk", "BY-MOV-5"),
    ("D1vk", "BY-MOV-5"),
    ("D0k1vk", "BY-MOV-5"),
    ("M1kk", "BY-MOV-5"),
    ("M1k", "BY-MOV-6"),
    ("M1v", "BY-MOV-6"),
    ("M0k1v", "BY-MOV-6"),
    (".", "BY-MOV-1"),
]
"""Cells that a knight cannot enter, with the clause."""


@pytest.mark.refuses("BS-CEL-2", "BS-TOR-3")
@pytest.mark.parametrize(("cell", "clause"), BARRED)
@pytest.mark.parametrize("spells", ["celerity", "celerity tornado"])
def test_each_step_must_be_legal_on_its_own(spells: str, cell: str, clause: str) -> None:
    path = f"cast {spells} 0,0>1,0>2,0"
    when(given_movement(f"P0k {cell} P P2ck", red="1P"), 0, path).is_refused(clause, "1,0")
    when(given_movement(f"P0k P {cell} P2ck", red="1P"), 0, path).is_refused(clause, "2,0")


@pytest.mark.refuses("BS-CEL-2")
@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("0,0>0,0>1,0", "not adjacent"),
        ("0,0>1,0>1,0", "not adjacent"),
        ("0,0>2,0>3,0", "not adjacent"),
        ("0,0>1,0>3,0", "not adjacent"),
        ("1,0>2,0>3,0", "no knight"),
        ("4,0>3,0>2,0", "no knight"),
        ("2,0>1,0>2,0", "no knight"),
        ("9,9>1,0>2,0", "not on the board"),
    ],
    ids=[
        "stay",
        "rest",
        "leap",
        "leap on",
        "nobody",
        "an opponent",
        "a building",
        "not on the board",
    ],
)
def test_the_path_starts_with_an_own_knight_and_goes_from_hex_to_adjacent_hex(
    path: str, word: str
) -> None:
    state = given_movement("P0k D P0v P P1kk")
    when(state, 0, f"cast celerity {path}").is_refused("BY-MOV-1", word)


@pytest.mark.allows("BS-TEL-1", "BS-TEL-3")
@pytest.mark.parametrize("words", ["1P", "1P, out"])
def test_teleportation_enters_a_mountain_with_an_isolated_village(words: str) -> None:
    state = given_movement("P0k M2v P1ck", blue=words)
    when(state, 0, "cast teleportation 0,0>1,0").becomes(after_movement("P M0k2v P1ck", blue=words))


@pytest.mark.allows("BS-TEL-1", "BS-TEL-3")
def test_another_opponents_knight_on_the_mountain_does_not_prevent_teleportation() -> None:
    state = given_movement("P0k M1v2k P1ck", red="1P")
    when(state, 0, "cast teleportation 0,0>1,0").becomes(after_movement("P M0k1v2k P1ck", red="1P"))


@pytest.mark.allows("BS-TEL-3")
def test_teleportation_onto_a_mountain_with_own_pawns_destroys_the_opponents_there() -> None:
    state = given_movement("P0k M0k1v2k P1ck", red="1M 1P")
    when(state, 0, "cast teleportation 0,0>1,0 take plain").becomes(
        after_movement("P M0kk P1ck", yellow="1P, magic 3", red="1M")
    )


@pytest.mark.refuses("BS-TEL-3")
def test_a_single_knight_takes_no_token_by_teleportation() -> None:
    state = given_movement("P0k M1v P1ck", red="1P")
    take = when(state, 0, "cast teleportation 0,0>1,0 take plain")
    take.is_refused("BY-CON-3", "no destroyed village")


@pytest.mark.refuses("BS-TEL-1")
@pytest.mark.parametrize(
    ("cell", "clause"),
    [
        ("P", "BS-TEL-1"),
        ("P1v", "BS-TEL-1"),
        ("P1k", "BS-TEL-1"),
        ("M", "BS-TEL-1"),
        ("M0v", "BS-TEL-1"),
        ("M0k", "BS-TEL-1"),
        ("M1k", "BY-MOV-6"),
        ("M0v1k", "BY-MOV-6"),
        ("M1k2k", "BY-MOV-6"),
        ("M1vk", "BY-MOV-5"),
        ("M1v2kk", "BY-MOV-5"),
        ("M0k1vk", "BY-MOV-5"),
        ("M1s", "BY-MOV-4"),
        ("M1ck", "BY-MOV-4"),
        ("L", "BY-MOV-3"),
        ("L1v", "BY-MOV-3"),
        (".", "BY-MOV-1"),
    ],
)
def test_teleportation_leads_only_to_mountains_with_an_isolated_village(
    cell: str, clause: str
) -> None:
    state = given_movement(f"P0k {cell} P P1ck")
    for spells in ("teleportation", "teleportation tornado"):
        when(state, 0, f"cast {spells} 0,0>1,0").is_refused(clause)


@pytest.mark.refuses("BS-TEL-1")
def test_teleportation_does_not_lead_to_a_mountain_with_an_opposing_knight_alone() -> None:
    cells = "P1k M0k M2k P1k M0v"
    state = given(three_seats(MOVEMENT, cells, seat=1, red="magic 1"))
    when(state, 1, "cast teleportation 0,0>1,0").is_refused("BY-MOV-6", "1,0")
    when(state, 1, "cast teleportation 3,0>2,0").is_refused("BY-MOV-6", "2,0")
    when(state, 1, "cast teleportation 3,0>4,0").leads_to("play round 5 seat 2")


@pytest.mark.refuses("BS-TEL-1")
def test_teleportation_leads_only_to_an_adjacent_mountain() -> None:
    state = given_movement("P0k P M1v P1ck")
    when(state, 0, "cast teleportation 0,0>2,0").is_refused("BY-MOV-1", "not adjacent")


@pytest.mark.refuses("BS-TEL-1")
def test_without_the_spell_the_mountain_stays_closed() -> None:
    state = given_movement("P0k M1v P P1ck")
    when(state, 0, "move 0,0>1,0").is_refused("BY-MOV-6")
    when(state, 0, "cast tornado 0,0>1,0").is_refused("BY-MOV-6")
    when(state, 0, "cast celerity 0,0>1,0>2,0").is_refused("BY-MOV-6")


@pytest.mark.allows("BS-TEL-2", "BS-SPL-3")
def test_with_celerity_the_first_step_may_be_the_teleportation() -> None:
    state = given_movement("P0k M0k1v D P1ck", red="1F")
    when(state, 0, "cast celerity teleportation 0,0>1,0>2,0 take forest").becomes(
        after_movement("P M0k D0k P1ck", yellow="1F, magic 2")
    )


@pytest.mark.allows("BS-TEL-2", "BS-SPL-3")
def test_with_celerity_the_second_step_may_be_the_teleportation() -> None:
    state = given_movement("P0k S M1v P1ck")
    when(state, 0, "cast celerity teleportation 0,0>1,0>2,0").becomes(
        after_movement("P S*0 M0k1v P1ck", yellow="magic 5")
    )


@pytest.mark.allows("BS-TEL-2")
@pytest.mark.parametrize(
    ("cells", "then"),
    [
        ("M0k1v D P1ck", "M0k1v D P1ck"),
        ("M0kk1v D P1ck", "M0kk D P1ck"),
        ("D0k M1v P1ck", "D0k M1v P1ck"),
    ],
    ids=["back onto the mountain", "back to company there", "there and back"],
)
def test_the_step_back_may_be_the_teleportation(cells: str, then: str) -> None:
    state = given_movement(cells)
    when(state, 0, "cast celerity teleportation 0,0>1,0>0,0").becomes(
        after_movement(then, yellow="magic 2")
    )


@pytest.mark.parametrize(
    ("cells", "path"),
    [
        ("P0k D F P1ck", "0,0>1,0>2,0"),
        ("P0k M M0v P1ck", "0,0>1,0>2,0"),
        ("P0k D1v F P1ck", "0,0>1,0>2,0"),
        ("M0k1v D F P1ck", "0,0>1,0>2,0"),
        ("P0k D F P1ck", "0,0>1,0>0,0"),
    ],
    ids=["land", "own mountains", "a village in a field", "off a mountain", "there and back"],
)
def test_teleportation_that_no_step_uses_is_refused(cells: str, path: str) -> None:
    state = given_movement(cells)
    when(state, 0, f"cast celerity teleportation {path}").is_refused("BS-TEL-2", "no step")


@pytest.mark.refuses("BS-TEL-2")
@pytest.mark.parametrize(("cell", "clause"), [*BARRED[:7], ("M2k", "BY-MOV-6"), (".", "BY-MOV-1")])
def test_the_other_step_must_be_an_ordinary_one(cell: str, clause: str) -> None:
    path = "cast celerity teleportation 0,0>1,0>2,0"
    when(given_movement(f"P0k M1v {cell} P2ck"), 0, path).is_refused(clause, "2,0")
    when(given_movement(f"P0k {cell} M1v P2ck"), 0, path).is_refused(clause, "1,0")
