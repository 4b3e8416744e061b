"""BN-SET: what is dealt, taken out, laid open and piled up, and in which order it is drawn."""

from collections import Counter
from typing import cast

import pytest

from domain import baron, lifecycle
from domain.baron.components import COUNTS, OF_VALUE_ONE, TILES, VALUES
from domain.baron.formats import Tile
from domain.baron.set_up import draw_start_tile
from domain.chance import Chance
from domain.contract import ALL_SECRETS
from domain.errors import Malformed
from domain.game import Game, Place
from tests.support.baron_positions import set_up, started, started_without_secrets
from tests.support.events import data_of, secrets_of
from tests.support.faults import faults_of
from tests.support.given_when import when

SEATS = [2, 3, 4, 5]


def dealt(seats: int, seed: int) -> list[Tile]:
    """The kind of value 1 in each reserve."""
    secrets = secrets_of(set_up(seats, seed))
    kinds = [secrets[f"reserve/{seat}"] for seat in range(seats)]
    assert all(reserve[0] == "meadow" and len(reserve) == 2 for reserve in kinds)
    return [reserve[1] for reserve in kinds]


@pytest.mark.allows("BN-SET-1")
@pytest.mark.parametrize("seats", SEATS)
def test_every_seat_begins_with_a_meadow_and_a_tile_of_value_1(seats: int) -> None:
    assert all(VALUES[kind] == 1 for kind in dealt(seats, 3))
    for entry in baron.position(started(seats, 3), None)["players"]:
        assert (entry["honour"], entry["reserve_size"], entry["status"]) == (0, 2, "active")


@pytest.mark.allows("BN-SET-1")
def test_a_seat_sees_its_own_reserve() -> None:
    state, kinds = started(3, 5), dealt(3, 5)
    for seat in range(3):
        reserves = [entry["reserve"] for entry in baron.position(state, seat)["players"]]
        assert reserves == [
            ["meadow", kinds[seat]] if seat == other else None for other in range(3)
        ]
    everyone = [entry["reserve"] for entry in baron.position(state, ALL_SECRETS)["players"]]
    assert everyone == [["meadow", kind] for kind in kinds]


@pytest.mark.refuses("BN-SET-1")
def test_others_see_neither_the_reserve_nor_the_pile() -> None:
    state, event = started(3, 5), set_up(3, 5)
    assert event.secrets.keys() == {"pile", "reserve/0", "reserve/1", "reserve/2"}
    assert event.data.keys() == {"market", "start", "removed"}
    position = baron.position(state, None)
    assert [entry["reserve"] for entry in position["players"]] == [None] * 3
    assert position["pile"] == len(secrets_of(event)["pile"])


@pytest.mark.refuses("BN-SET-1")
@pytest.mark.parametrize("seats", SEATS)
def test_a_state_without_secrets_shows_as_much_as_a_spectator_sees(seats: int) -> None:
    blind = started_without_secrets(seats, 2)
    assert baron.position(blind, None) == baron.position(started(seats, 2), None)
    for viewer in [*range(seats), ALL_SECRETS]:
        assert baron.position(blind, viewer) == baron.position(blind, None)


@pytest.mark.allows("BN-SET-2")
@pytest.mark.parametrize(
    ("seats", "counts"), [(2, [1, 1]), (3, [1, 1, 1]), (4, [2, 1, 1]), (5, [2, 2, 1])]
)
def test_the_dealt_kinds_vary_as_much_as_possible(seats: int, counts: list[int]) -> None:
    for seed in range(30):
        assert sorted(Counter(dealt(seats, seed)).values(), reverse=True) == counts


@pytest.mark.allows("BN-SET-2")
@pytest.mark.parametrize("seats", SEATS)
def test_the_dealt_kinds_and_their_seats_are_random(seats: int) -> None:
    hands = {tuple(dealt(seats, seed)) for seed in range(60)}
    assert {hand[0] for hand in hands} == {hand[-1] for hand in hands} == set(OF_VALUE_ONE)


@pytest.mark.refuses("BN-SET-2")
@pytest.mark.parametrize("seats", [2, 3])
def test_no_kind_is_dealt_twice_before_every_other_is_dealt(seats: int) -> None:
    assert all(len(set(dealt(seats, seed))) == seats for seed in range(30))


@pytest.mark.allows("BN-SET-3")
def test_with_five_seats_a_meadow_and_a_tile_of_value_1_are_taken_out() -> None:
    kinds = set()
    for seed in range(40):
        meadow, other = data_of(set_up(5, seed))["removed"]
        assert meadow == "meadow"
        kinds.add(other)
        assert baron.position(started(5, seed), None)["removed"] == [meadow, other]
    assert kinds == set(OF_VALUE_ONE)


@pytest.mark.refuses("BN-SET-3")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_with_fewer_seats_nothing_is_taken_out(seats: int) -> None:
    assert data_of(set_up(seats, 1))["removed"] == []


@pytest.mark.allows("BN-SET-4")
@pytest.mark.parametrize(("seats", "pile"), [(2, 65), (3, 63), (4, 61), (5, 57)])
def test_three_tiles_are_in_the_market_and_one_is_on_the_board(seats: int, pile: int) -> None:
    state, event = started(seats, 11), set_up(seats, 11)
    position = baron.position(state, None)
    assert position["market"] == data_of(event)["market"]
    assert len(position["market"]) == 3
    assert position["tiles"] == [{"at": [0, 0], "tile": data_of(event)["start"]}]
    assert position["pile"] == pile
    assert (position["phase"], position["round"], position["to_act"]) == ("draw", 1, 0)


@pytest.mark.allows("BN-SET-4")
def test_the_market_is_refilled_from_the_top_of_the_pile() -> None:
    state, pile = started(2, 11), secrets_of(set_up(2, 11))["pile"]
    after = when(state, 0, "draw 1").produces("TileDrawn", refill=pile[0])
    assert after.market[2] == pile[0]


@pytest.mark.allows("BN-SET-4")
@pytest.mark.parametrize(
    ("pile", "start", "left"),
    [
        ("village pond", "village", "pond"),
        ("marsh pond", "pond", "marsh"),
        ("marsh pond field", "pond", "marsh field"),
        ("marsh pond field quarry", "pond", "field marsh quarry"),
        ("marsh pond field quarry forest", "pond", "field marsh quarry forest"),
        (
            "cursed_place marsh pond field quarry forest",
            "pond",
            "field cursed_place marsh quarry forest",
        ),
    ],
)
def test_a_start_tile_of_negative_value_goes_back_into_the_middle(
    pile: str, start: str, left: str
) -> None:
    tiles = cast("list[Tile]", pile.split())
    assert draw_start_tile(tiles) == start
    assert tiles == left.split()


@pytest.mark.refuses("BN-SET-4")
def test_no_start_tile_is_negative_but_market_tiles_may_be() -> None:
    openings = [data_of(set_up(2, seed)) for seed in range(150)]
    assert all(VALUES[data["start"]] >= 0 for data in openings)
    assert any(VALUES[data["market"][0]] < 0 for data in openings)


def full_game(seating: str) -> Game:
    """A game of Baron that ann, bob and eve have joined, in this order."""
    return Game(
        id="g",
        rules=baron,
        seats=3,
        options=lifecycle.check_options("baron", 3, {"seating": seating}),
        clock=None,
        creator="ann",
        commitment="",
        invited=(),
        created_at="",
        places=tuple(Place(player, "") for player in ("ann", "bob", "eve")),
    )


def first_player(game: Game, secret: bytes) -> str:
    """The player of seat 0, whose turn it is when the game has started."""
    start = lifecycle.start(game, secret)
    state = baron.initial_state(3, game.options, start.data, start.secrets)
    assert baron.position(state, None)["to_act"] == 0
    players: list[str] = data_of(start)["players"]
    return players[0]


@pytest.mark.allows("BN-SET-5")
def test_with_seating_joined_the_first_to_join_takes_the_first_turn() -> None:
    assert {first_player(full_game("joined"), bytes([seed])) for seed in range(12)} == {"ann"}


@pytest.mark.allows("BN-SET-5")
def test_with_seating_drawn_the_seed_decides_who_takes_the_first_turn() -> None:
    first = [first_player(full_game("drawn"), bytes([seed])) for seed in range(30)]
    assert {*first} == {"ann", "bob", "eve"}


@pytest.mark.refuses("BN-SET-5")
def test_age_and_blood_do_not_decide_who_takes_the_first_turn() -> None:
    with pytest.raises(Malformed) as refused:
        lifecycle.check_options("baron", 3, {"seating": "oldest"})
    assert faults_of(refused.value) == {"options.seating": "must be one of drawn, joined"}


@pytest.mark.parametrize("seats", SEATS)
def test_chance_is_drawn_in_the_published_order(seats: int) -> None:
    """The order of docs/formats.md, written down a second time with nothing of the program but `Chance`."""
    for seed in range(20):
        chance = Chance(seed.to_bytes(4, "big"))
        kinds = chance.shuffle(["vineyard", "quarry", "pond"])
        hands = chance.shuffle((kinds + kinds)[:seats])
        ones = [kind for kind in OF_VALUE_ONE for _ in range(6 - hands.count(kind))]
        removed = ["meadow", ones[chance.below(len(ones))]] if seats == 5 else []
        away = [*hands, *removed, *["meadow"] * seats]
        box = [kind for kind in TILES for _ in range(COUNTS[kind] - away.count(kind))]
        pile = chance.shuffle(box)
        event = set_up(seats, seed)
        assert data_of(event)["market"] == pile[:3]
        assert data_of(event)["removed"] == removed
        assert [secrets_of(event)[f"reserve/{seat}"][1] for seat in range(seats)] == hands
        if VALUES[pile[3]] >= 0:
            assert [data_of(event)["start"], *secrets_of(event)["pile"]] == pile[3:]
