"""BY-MAT: the components of the game, and the limits and values that follow from them."""

from collections import Counter

import pytest

from domain import barony
from domain.barony.components import BASE_TILES
from domain.chance import Chance
from domain.errors import Malformed
from tests.support.barony_positions import given
from tests.support.barony_results import final_scores
from tests.support.faults import raises
from tests.support.given_when import play_lines, when

VILLAGES_13 = " ".join(["P0v"] * 13)


@pytest.mark.allows("BY-MAT-1")
def test_before_the_set_up_all_pawns_are_in_the_reserve() -> None:
    options = barony.check_options(4, {})
    opening = barony.set_up(4, options, Chance(b"seed"))
    position = barony.position(barony.initial_state(4, options, opening.data, {}), None)
    assert position["pawns"] == []
    for player in position["players"]:
        whole = {"knights": 7, "villages": 14, "strongholds": 2, "cities": 5}
        assert (player["reserve"], player["removed_knights"]) == (whole, 0)


@pytest.mark.allows("BY-MAT-1")
@pytest.mark.parametrize(
    ("row", "action", "left"),
    [
        ("P0ckkkkkk L", "recruit 1 at 0,0", {"knights": 0}),
        (f"P0k {VILLAGES_13}", "build village 0,0", {"villages": 0}),
        ("P0k P0s", "build stronghold 0,0", {"strongholds": 0}),
        ("P0v P P0c P0c P0c P0c", "city 0,0", {"cities": 0}),
    ],
    ids=["the seventh knight", "the last village", "the second stronghold", "the fifth city"],
)
def test_all_pawns_of_the_box_may_be_used(row: str, action: str, left: dict[str, int]) -> None:
    state = given(f"play round 4 seat 0\n0: baron\n1: baron\nboard\n{row}")
    reserve = barony.position(when(state, 0, action).after, None)["players"][0]["reserve"]
    assert reserve | left == reserve


@pytest.mark.refuses("BY-MAT-1")
@pytest.mark.parametrize(
    ("row", "action", "clause"),
    [
        ("P0ckkkkkkk L", "recruit 1 at 0,0", "BY-REC-2"),
        (f"P0k {VILLAGES_13} P0v", "build village 0,0", "BY-BLD-4"),
        ("P0k P0s P0s", "build stronghold 0,0", "BY-BLD-4"),
        ("P0v P P0c P0c P0c P0c P0c", "city 0,0", "BY-CTY-5"),
    ],
    ids=["an eighth knight", "a fifteenth village", "a third stronghold", "a sixth city"],
)
def test_there_are_no_more_pawns_than_in_the_box(row: str, action: str, clause: str) -> None:
    state = given(f"play round 4 seat 0\n0: baron\n1: baron\nboard\n{row}")
    when(state, 0, action).is_refused(clause, "reserve")


@pytest.mark.allows("BY-MAT-2")
@pytest.mark.parametrize(
    ("cell", "token"), [("M", "mountain"), ("F", "forest"), ("P", "plain"), ("D", "field")]
)
def test_every_terrain_but_the_lake_has_a_token(cell: str, token: str) -> None:
    state = given(f"play round 4 seat 0\n0: baron\n1: baron\nboard\n{cell}0k P1ck")
    after = when(state, 0, "build village 0,0").produces(
        "BuildingsBuilt", built=[{"at": [0, 0], "building": "village", "token": token}]
    )
    assert barony.position(after, None)["players"][0]["resources"].get(token) == 1


@pytest.mark.refuses("BY-MAT-2")
@pytest.mark.parametrize("text", ["title 4 lake", "move 0,0>1,0 take lake"])
def test_there_are_no_lake_tokens(text: str) -> None:
    with raises(Malformed, match="must be one of mountain, forest, plain, field"):
        barony.parse_action_text(text)
    state = given("play round 4 seat 0\n0: baron\n1: baron\nboard\nP0k P1ck")
    assert list(barony.position(state, None)["bank"]) == ["mountain", "forest", "plain", "field"]


@pytest.mark.allows("BY-MAT-3")
@pytest.mark.parametrize(
    ("tokens", "paid"),
    [
        ("8M", "8 mountain"),
        ("6M 1F", "6 mountain 1 forest"),
        ("5F", "5 forest"),
        ("1F 3P", "1 forest 3 plain"),
        ("4P", "4 plain"),
        ("3D", "3 field"),
        ("1M 2P 1D", "1 mountain 2 plain 1 field"),
    ],
)
def test_tokens_worth_15_or_16_buy_a_title(tokens: str, paid: str) -> None:
    state = given(f"play round 4 seat 0\n0: baron, {tokens}\n1: baron\nboard\nP0k P1ck")
    when(state, 0, f"title {paid}").produces("TitleBought", rank="viscount", points=15)


@pytest.mark.refuses("BY-MAT-3")
@pytest.mark.parametrize(
    ("tokens", "paid", "gold"),
    [
        ("8M", "7 mountain", 14),
        ("4F 1M", "4 forest 1 mountain", 14),
        ("3P 1M", "3 plain 1 mountain", 14),
        ("2D 2M", "2 field 2 mountain", 14),
        ("1P 2D", "1 plain 2 field", 14),
    ],
)
def test_tokens_worth_14_buy_no_title(tokens: str, paid: str, gold: int) -> None:
    state = given(f"play round 4 seat 0\n0: baron, {tokens}\n1: baron\nboard\nP0k P1ck")
    when(state, 0, f"title {paid}").is_refused("BY-TTL-1", f"worth {gold}")


@pytest.mark.allows("BY-MAT-3")
def test_at_the_end_mountain_forest_plain_field_are_worth_0_1_2_3() -> None:
    state = given("""
        play round 4 seat 0
        0: baron, 7M
        1: baron, 7F
        2: baron, 7P
        3: baron, 7D
        board
        P0k P1k P2k P3k
        """)
    assert final_scores(state) == [0, 7, 14, 21]


@pytest.mark.allows("BY-MAT-4")
def test_the_bank_begins_with_20_of_each_kind() -> None:
    options = barony.check_options(2, {})
    opening = barony.set_up(2, options, Chance(b"seed"))
    bank = barony.position(barony.initial_state(2, options, opening.data, {}), None)["bank"]
    assert bank == {"mountain": 20, "forest": 20, "plain": 20, "field": 20}


@pytest.mark.allows("BY-MAT-4")
def test_the_last_token_of_a_kind_is_gained() -> None:
    state = given("play round 4 seat 0\n0: baron\n1: baron, 19F\nboard\nF0k P1ck")
    when(state, 0, "build village 0,0").becomes("""
        play round 4 seat 1
        0: baron, 1F
        1: baron, 19F
        bank: 20M 20P 20D
        board
        F0v P1ck
        """)


@pytest.mark.refuses("BY-MAT-4")
def test_a_kind_that_has_run_out_is_neither_gained_nor_replaced() -> None:
    state = given("play round 4 seat 0\n0: baron, 5F\n1: baron, 15F\nboard\nF0k P1ck")
    when(state, 0, "build village 0,0").becomes("""
        play round 4 seat 1
        0: baron, 5F
        1: baron, 15F
        bank: 20M 20P 20D
        board
        F0v P1ck
        """)


@pytest.mark.refuses("BY-MAT-4")
def test_two_buildings_on_the_terrain_of_the_last_token_gain_one() -> None:
    state = given("play round 4 seat 0\n0: baron\n1: baron, 19M\nboard\nM0k M0k D0k P1ck")
    build = "build village 0,0 stronghold 1,0 village 2,0"
    after = when(state, 0, build).becomes("""
        play round 4 seat 1
        0: baron, 1M 1D
        1: baron, 19M
        bank: 20F 20P 19D
        board
        M0v M0s D0v P1ck
        """)
    assert after.bank[0] == 0


@pytest.mark.allows("BY-MAT-4")
def test_tokens_paid_for_a_title_can_be_gained_again() -> None:
    state = given("play round 4 seat 0\n0: baron, 20P\n1: baron\nboard\nP0k P1k")
    state = play_lines(state, "0 title 4 plain", "1 build village 1,0")
    assert (state.bank[2], state.resources[1]) == (3, (0, 0, 1, 0))


@pytest.mark.allows("BY-MAT-5")
def test_the_36_tiles_have_108_hexes() -> None:
    assert len(BASE_TILES) == 36
    letters = Counter("".join(BASE_TILES))
    assert letters == {"M": 21, "F": 24, "P": 24, "D": 24, "L": 15}
    twice = sorted(tile for tile, count in Counter(BASE_TILES).items() if count == 2)
    assert twice == ["DDL", "DMP", "FLM", "FLP", "FMM", "FPP"]
    assert [tile for tile, count in Counter(BASE_TILES).items() if count > 2] == ["DLM"]


@pytest.mark.refuses("BY-MAT-5")
def test_every_tile_has_three_hexes_with_terrains_of_the_base_game() -> None:
    assert all(len(tile) == 3 and set(tile) <= set("MFPDL") for tile in BASE_TILES)
    assert not {"LLL", "MMM"} & set(BASE_TILES)
    assert not any(tile.count("L") > 1 for tile in BASE_TILES)
