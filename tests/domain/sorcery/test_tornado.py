"""BS-TOR: what Tornado destroys at the start and the end of a path, alone and with the other spells."""

import pytest

from tests.support.given_when import when
from tests.support.sorcery_positions import after_movement, given_movement


@pytest.mark.allows("BS-TOR-1")
def test_tornado_destroys_isolated_pawns_at_the_start_and_at_the_end() -> None:
    state = given_movement("P0k1v D2k P1ck P2ck", red="1M 1P")
    when(state, 0, "cast tornado 0,0>1,0 take plain").becomes(
        after_movement("P D0k P1ck P2ck", yellow="1P, magic 2", red="1M")
    )


@pytest.mark.allows("BS-TOR-1")
@pytest.mark.parametrize("words", ["1P", "1P, out"])
def test_isolated_pawns_of_several_opponents_are_all_destroyed(words: str) -> None:
    state = given_movement("P0k1k2v D1v2k P1ck", blue=words)
    when(state, 0, "cast tornado 0,0>1,0 take plain").becomes(
        after_movement("P D0k P1ck", yellow="1P, magic 2", blue=words.replace("1P", "0P"))
    )


@pytest.mark.allows("BS-TOR-1")
@pytest.mark.parametrize(
    ("start", "left"),
    [("P0kk1k", "P0k"), ("P0vk1k", "P0v"), ("M0k1v", "M"), ("S*00k1k2k", "S*0")],
    ids=["beside own knights", "beside an own village", "on a mountain", "on a mysterious place"],
)
def test_the_start_is_swept_whatever_own_pawns_are_on_it(start: str, left: str) -> None:
    state = given_movement(f"{start} D P1ck")
    when(state, 0, "cast tornado 0,0>1,0").becomes(
        after_movement(f"{left} D0k P1ck", yellow="magic 2")
    )


@pytest.mark.allows("BS-TOR-1")
def test_the_end_is_swept_without_other_own_pawns() -> None:
    state = given_movement("P0k S*11k2k P1ck")
    when(state, 0, "cast tornado 0,0>1,0").becomes(
        after_movement("P S*0*10k P1ck", yellow="magic 4")
    )


@pytest.mark.refuses("BS-TOR-1")
@pytest.mark.parametrize(
    "start",
    ["P0k1kk", "P0k1vk", "P0k1sk", "P0k1s", "P0k1ck", "P0k1c", "P0k1vkk"],
    ids=[
        "two knights",
        "knight and village",
        "knight in its stronghold",
        "a stronghold",
        "knight in its city",
        "a city",
        "a village and two knights",
    ],
)
def test_pawns_that_are_not_isolated_stay(start: str) -> None:
    state = given_movement(f"{start} D P1ck", red="1P")
    when(state, 0, "cast tornado 0,0>1,0").becomes(
        after_movement(f"P{start[3:]} D0k P1ck", yellow="magic 2", red="1P")
    )
    take = when(state, 0, "cast tornado 0,0>1,0 take plain")
    take.is_refused("BY-CON-3", "no destroyed village is left")


@pytest.mark.allows("BS-TOR-1")
def test_two_pawns_of_one_colour_do_not_protect_an_isolated_pawn_of_another() -> None:
    state = given_movement("P0k1k2s D P1ck")
    when(state, 0, "cast tornado 0,0>1,0").becomes(after_movement("P2s D0k P1ck", yellow="magic 2"))
    state = given_movement("P0k1kk2v D P1ck")
    when(state, 0, "cast tornado 0,0>1,0").becomes(
        after_movement("P1kk D0k P1ck", yellow="magic 2")
    )


@pytest.mark.refuses("BS-TOR-1")
def test_tornado_destroys_nothing_beside_the_path_and_no_own_pawn() -> None:
    state = given_movement("P0vk D P1k\n P1v P0v P2k")
    when(state, 0, "cast tornado 0,0>1,0").becomes(
        after_movement("P0v D0k P1k\n P1v P0v P2k", yellow="magic 2")
    )


@pytest.mark.refuses("BS-TOR-1", "BS-TOR-2")
def test_without_tornado_nothing_is_swept() -> None:
    state = given_movement("P0k1v D P1k P2ck")
    when(state, 0, "cast celerity 0,0>1,0>2,0").becomes(after_movement("P1v D P0k1k P2ck"))


@pytest.mark.allows("BS-TOR-2")
def test_tokens_are_taken_for_the_start_then_arrivals_then_the_end() -> None:
    state = given_movement("P0k1v D0k1v F1v P2ck", red="1M 1F 2P")
    way = "cast celerity tornado 0,0>1,0>2,0"
    event = when(state, 0, f"{way} take mountain plain forest")
    event.becomes(after_movement("P D0k F0k P2ck", yellow="1M 1F 1P, magic 1", red="1P"))
    fallen = [
        {"seat": 1, "pawn": "village", "token": token} for token in ("mountain", "plain", "forest")
    ]
    first = {"from": [0, 0], "to": [1, 0], "left": [fallen[0]], "destroyed": [fallen[1]]}
    second = {"from": [1, 0], "to": [2, 0], "swept": [fallen[2]]}
    event.produces("SpellsCast", cost=3, moves=[first, second])


@pytest.mark.allows("BS-TOR-2")
def test_villages_of_two_owners_are_destroyed_in_order() -> None:
    state = given_movement("P0k1v D2v P1ck", red="1M", blue="1D")
    when(state, 0, "cast tornado 0,0>1,0 take mountain field").becomes(
        after_movement("P D0k P1ck", yellow="1M 1D, magic 2")
    )
    turned = when(state, 0, "cast tornado 0,0>1,0 take field mountain")
    turned.is_refused("BY-CON-3", "seat 1 has no field")


@pytest.mark.allows("BS-TOR-2")
def test_takes_skip_an_owner_without_tokens() -> None:
    state = given_movement("P0k1v D2v P1ck", blue="1D")
    when(state, 0, "cast tornado 0,0>1,0 take field").becomes(
        after_movement("P D0k P1ck", yellow="1D, magic 2")
    )
    state = given_movement("P0k1v D1v P1ck", red="1D")  # the start takes the only token of seat 1
    when(state, 0, "cast tornado 0,0>1,0 take field").produces(
        "SpellsCast",
        moves=[
            {
                "from": [0, 0],
                "to": [1, 0],
                "left": [{"seat": 1, "pawn": "village", "token": "field"}],
                "swept": [{"seat": 1, "pawn": "village", "token": None}],
            }
        ],
    )


@pytest.mark.refuses("BS-TOR-2")
@pytest.mark.parametrize(
    "takes",
    ["", "take mountain", "take mountain field field", "take mountain forest", "take field field"],
    ids=["none", "too few", "too many", "not the second's", "not the first's"],
)
def test_the_takes_must_match_the_swept_villages(takes: str) -> None:
    state = given_movement("P0k1v D2v P1ck", red="1M", blue="1D")
    when(state, 0, f"cast tornado 0,0>1,0 {takes}").is_refused("BY-CON-3")


@pytest.mark.allows("BS-TOR-2")
def test_pawns_destroyed_by_the_arrival_are_not_swept_again() -> None:
    state = given_movement("P0k D0k1v2k P1ck", red="2F")
    when(state, 0, "cast tornado 0,0>1,0 take forest").produces(
        "SpellsCast",
        moves=[
            {
                "from": [0, 0],
                "to": [1, 0],
                "destroyed": [
                    {"seat": 2, "pawn": "knight"},
                    {"seat": 1, "pawn": "village", "token": "forest"},
                ],
            }
        ],
    )


@pytest.mark.refuses("BS-TOR-2")
def test_the_hex_between_is_not_swept() -> None:
    state = given_movement("P0k D1v2k F1k P1ck", red="1P")
    when(state, 0, "cast celerity tornado 0,0>1,0>2,0").becomes(
        after_movement("P D1v2k F0k P1ck", yellow="magic 1", red="1P")
    )
    take = when(state, 0, "cast celerity tornado 0,0>1,0>2,0 take plain")
    take.is_refused("BY-CON-3", "no destroyed village")


@pytest.mark.allows("BS-TOR-2")
def test_an_arrival_on_the_hex_between_destroys_while_tornado_sweeps_both_ends() -> None:
    state = given_movement("P0k2k D0k1v F2v P1ck", red="1P", blue="1D")
    when(state, 0, "cast celerity tornado 0,0>1,0>2,0 take plain field").becomes(
        after_movement("P D0k F0k P1ck", yellow="1P 1D, magic 1")
    )


@pytest.mark.allows("BS-TOR-2")
@pytest.mark.parametrize("start", ["P0k1v2k", "M0k1v", "M0k1v2k", "P0kk1v"])
def test_a_knight_may_come_back_to_the_start_that_it_has_swept(start: str) -> None:
    state = given_movement(f"{start} D P1ck", red="1P")
    own = start.split("1", maxsplit=1)[0]
    when(state, 0, "cast celerity tornado 0,0>1,0>0,0 take plain").becomes(
        after_movement(f"{own} D P1ck", yellow="1P, magic 1")
    )


@pytest.mark.refuses("BS-TOR-2")
def test_a_swept_start_is_no_goal_for_teleportation() -> None:
    way = "cast celerity teleportation tornado 0,0>1,0>0,0"
    when(given_movement("M0k1v D P1ck"), 0, way).is_refused("BS-TEL-2", "no step")
    when(given_movement("M0k1v M2v P1ck"), 0, way).becomes(
        after_movement("M0k M2v P1ck", yellow="magic 0")
    )


@pytest.mark.refuses("BS-TOR-2")
def test_a_start_with_two_pawns_of_one_opponent_stays_barred() -> None:
    state = given_movement("P0k1vk2k D P1ck")
    when(state, 0, "cast celerity tornado 0,0>1,0>0,0").is_refused("BY-MOV-5", "0,0")


@pytest.mark.allows("BS-TOR-1", "BS-SPL-3")
def test_teleportation_with_tornado_destroys_the_village_on_the_mountain() -> None:
    state = given_movement("P0k2k M1v2k P1ck", red="1M 1D")
    when(state, 0, "cast teleportation tornado 0,0>1,0 take field").becomes(
        after_movement("P M0k P1ck", yellow="1D, magic 1", red="1M")
    )
    when(state, 0, "cast teleportation tornado 0,0>1,0").is_refused("BY-CON-3", "1,0")


@pytest.mark.allows("BS-SPL-3", "BS-TOR-2")
def test_all_three_spells_with_the_teleportation_last() -> None:
    state = given_movement("P0k1k S*12k M1v P1ck", red="1M")
    when(state, 0, "cast celerity teleportation tornado 0,0>1,0>2,0 take mountain").becomes(
        after_movement("P S*0*12k M0k P1ck", yellow="1M, magic 2")
    )


@pytest.mark.allows("BS-SPL-3", "BS-TOR-2")
def test_all_three_spells_with_the_teleportation_first() -> None:
    state = given_movement("P0k2v M1v D2v P1ck", red="1M", blue="1P 1D")
    when(state, 0, "cast celerity teleportation tornado 0,0>1,0>2,0 take plain field").becomes(
        after_movement("P M1v D0k P1ck", yellow="1P 1D, magic 0", red="1M")
    )


@pytest.mark.allows("BS-TOR-3", "BS-SPL-7")
@pytest.mark.parametrize("cells", ["P0k D P1ck", "P0ck D0v P1ck", "P0k S*0 P1kk"])
def test_tornado_may_be_cast_where_it_destroys_nothing(cells: str) -> None:
    when(given_movement(cells), 0, "cast tornado 0,0>1,0").produces(
        "SpellsCast", cost=2, moves=[{"from": [0, 0], "to": [1, 0]}]
    )


@pytest.mark.refuses("BS-TOR-3")
@pytest.mark.parametrize(
    ("cell", "clause"),
    [
        ("L", "BY-MOV-3"),
        ("D1s", "BY-MOV-4"),
        ("D1kk", "BY-MOV-5"),
        ("M1v", "BY-MOV-6"),
        ("M1k", "BY-MOV-6"),
        (".", "BY-MOV-1"),
    ],
)
def test_tornado_does_not_open_hexes_that_are_barred(cell: str, clause: str) -> None:
    state = given_movement(f"P0k {cell} P1ck", red="1P")
    for takes in ("", " take plain"):
        when(state, 0, f"cast tornado 0,0>1,0{takes}").is_refused(clause)


@pytest.mark.refuses("BS-TOR-3")
def test_tornado_needs_a_knight_that_moves() -> None:
    state = given_movement("P0k D P1ck")
    when(state, 0, "cast tornado 0,0>0,0").is_refused("BY-MOV-1", "not adjacent")
    when(state, 0, "cast tornado 1,0>0,0").is_refused("BY-MOV-1", "no knight")
    when(state, 0, "cast tornado 0,0>1,0>0,0").is_refused("BS-CEL-2", "one step")
