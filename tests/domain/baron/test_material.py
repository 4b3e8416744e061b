"""BN-MAT: the contents of the box."""

import pytest

from domain import baron
from domain.baron.components import COUNTS, TILES, VALUES
from domain.errors import Malformed
from replay.language.renderer import english
from tests.support.baron_positions import given, set_up, started
from tests.support.events import data_of, secrets_of
from tests.support.given_when import when


@pytest.mark.allows("BN-MAT-1")
def test_there_are_73_tiles() -> None:
    assert sum(COUNTS.values()) == 73
    assert {kind: (COUNTS[kind], VALUES[kind]) for kind in TILES} == {
        "meadow": (28, 0),
        "village": (6, 3),
        "field": (6, 2),
        "forest": (6, 2),
        "vineyard": (6, 1),
        "quarry": (6, 1),
        "pond": (6, 1),
        "marsh": (6, -1),
        "cursed_place": (3, -2),
    }


@pytest.mark.allows("BN-MAT-1")
@pytest.mark.parametrize(
    ("letter", "tile", "value"),
    [
        ("M", "meadow", 0),
        ("V", "village", 3),
        ("F", "field", 2),
        ("W", "forest", 2),
        ("Y", "vineyard", 1),
        ("Q", "quarry", 1),
        ("P", "pond", 1),
        ("S", "marsh", -1),
        ("C", "cursed_place", -2),
    ],
)
def test_every_kind_of_tile_has_its_value_in_a_barony(letter: str, tile: str, value: int) -> None:
    state = given(f"""
        lay round 3 seat 0
        0: 0, {letter}
        1: 0
        board -1,-1
        .  M   M
        M  M0k .
        M  M
        """)
    after = when(state, 0, f"lay {tile} 1,0").after
    assert after.values == {(0, 0): value}
    assert after.players[0].honour == value


@pytest.mark.refuses("BN-MAT-1")
@pytest.mark.parametrize("tile", ["plain", "Meadow", "lake", "cursed place", ""])
def test_other_kinds_of_tiles_are_malformed(tile: str) -> None:
    with pytest.raises(Malformed) as refused:
        baron.parse_action({"type": "discard_tile", "tile": tile})
    assert list(refused.value.fields) == ["tile"]


@pytest.mark.allows("BN-MAT-2")
@pytest.mark.parametrize(("seats", "keeps"), [(2, 5), (3, 4), (4, 3), (5, 2)])
def test_the_more_players_the_fewer_keeps(seats: int, keeps: int) -> None:
    players = baron.position(started(seats, 1), None)["players"]
    assert [entry["keeps"] for entry in players] == [keeps] * seats


@pytest.mark.allows("BN-MAT-2")
def test_a_keep_is_put_down_knight_side_up_and_a_baron_has_a_value() -> None:
    state = given("keep round 2 seat 0\n0: 0\n1: 0\nboard -1,-1\n. M1b6 M\nM M V\nM M")
    keeps = baron.position(when(state, 0, "keep -1,0").after, None)["keeps"]
    assert keeps == [
        {"at": [-1, 0], "seat": 0, "side": "knight", "value": None},
        {"at": [0, -1], "seat": 1, "side": "baron", "value": 6},
    ]


@pytest.mark.refuses("BN-MAT-2")
def test_a_seat_that_has_put_down_all_keeps_has_no_more() -> None:
    board = "board -2,0\nM0k M0k M0k M0k M0k M"
    state = given(f"keep round 9 seat 0\n0: 0\n1: 0\n{board}")
    when(state, 0, "keep 3,0").is_refused("BN-KEP-1", "no keep")


@pytest.mark.refuses("BN-MAT-2")
@pytest.mark.parametrize("seats", [-1, 0, 1, 6])
def test_two_to_five_may_play(seats: int) -> None:
    with pytest.raises(Malformed) as refused:
        baron.check_options(seats, {})
    fields = {field: english(fault) for field, fault in refused.value.fields.items()}
    assert fields == {"seats": "must be 2 to 5"}


def test_there_are_no_options() -> None:
    assert baron.check_options(4, {}) == {}
    with pytest.raises(Malformed) as refused:
        baron.check_options(6, {"round_limit": 9, "sorcery": False})
    assert sorted(refused.value.fields) == ["options.round_limit", "options.sorcery", "seats"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_tile_of_the_box_is_in_the_set_up(seats: int) -> None:
    event = set_up(seats, 7)
    dealt = [tile for seat in range(seats) for tile in secrets_of(event)[f"reserve/{seat}"]]
    data = data_of(event)
    somewhere = [
        *data["market"],
        data["start"],
        *data["removed"],
        *secrets_of(event)["pile"],
        *dealt,
    ]
    assert {kind: somewhere.count(kind) for kind in TILES} == COUNTS
