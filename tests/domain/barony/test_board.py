"""BY-SET-1, 2, 7: laying the board, and the first player."""

from collections import Counter

import pytest

from domain import barony, lifecycle
from domain.barony.components import BASE_TILES, LETTERS, PLAIN, TERRAINS
from domain.barony.set_up import (
    FIRST_PLACE,
    _draw_place,
    any_rotation,
    has_gap,
    leaves_gap,
    update_ratings,
)
from domain.barony.set_up import Place as BoardPlace
from domain.chance import Chance
from domain.errors import Malformed
from domain.game import Game, Place
from domain.hexes import Hex, distance, neighbours
from tests.support.barony_positions import connected_hexes
from tests.support.events import data_of
from tests.support.faults import faults_of

SEEDS = [bytes([number]) for number in range(12)]


def laid_board(seats: int, seed: bytes) -> dict[Hex, str]:
    """The terrain by hex, as a letter, of a board laid for so many players."""
    opening = barony.set_up(seats, barony.check_options(seats, {}), Chance(seed))
    return {(cell["at"][0], cell["at"][1]): cell["terrain"] for cell in data_of(opening)["board"]}


def letters(board: dict[Hex, str]) -> Counter[str]:
    """The number of hexes of each terrain, by its letter."""
    return Counter(LETTERS[TERRAINS.index(name)] for name in board.values())


@pytest.mark.allows("BY-SET-1")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("seats", "hexes"), [(2, 54), (3, 81), (4, 108)])
def test_nine_tiles_a_player_make_one_connected_board(seats: int, hexes: int, seed: bytes) -> None:
    board = laid_board(seats, seed)
    assert len(board) == hexes
    assert connected_hexes((0, 0), set(board)) == set(board)


@pytest.mark.allows("BY-SET-1")
def test_four_players_use_all_36_tiles() -> None:
    assert letters(laid_board(4, b"x")) == Counter("".join(BASE_TILES))


@pytest.mark.allows("BY-SET-1")
def test_tiles_and_their_places_depend_on_the_seed() -> None:
    boards = [laid_board(2, seed) for seed in SEEDS]
    assert len({tuple(sorted(board)) for board in boards}) == len(SEEDS)
    assert len({tuple(sorted(Counter(board.values()).items())) for board in boards}) > 6
    assert boards == [laid_board(2, seed) for seed in SEEDS]


@pytest.mark.refuses("BY-SET-1")
@pytest.mark.parametrize("seats", [0, 1, 5])
def test_there_are_no_tiles_for_other_numbers_of_players(seats: int) -> None:
    with pytest.raises(Malformed) as refused:
        barony.check_options(seats, {})
    assert faults_of(refused.value) == {"seats": "must be 2 to 4, or 5 with Sorcery"}


@pytest.mark.refuses("BY-SET-1")
def test_with_fewer_than_four_players_tiles_are_left_out() -> None:
    whole = Counter("".join(BASE_TILES))
    for seats in (2, 3):
        assert letters(laid_board(seats, b"x")) < whole


@pytest.mark.allows("BY-SET-2")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("seats", "radius"), [(2, 5), (3, 6), (4, 7)])
def test_the_board_is_compact_and_without_gaps(seats: int, radius: int, seed: bytes) -> None:
    board = set(laid_board(seats, seed))
    assert any(all(distance(at, other) <= radius for other in board) for at in board)
    window = {(q, r) for q in range(-12, 13) for r in range(-12, 13)} - board
    assert connected_hexes((12, 12), window) == window


RING = {(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)}


@pytest.mark.refuses("BY-SET-2")
def test_a_ring_of_six_hexes_has_a_gap_and_five_of_them_have_none() -> None:
    assert has_gap(RING)
    assert not has_gap(RING | {(0, 0)})
    assert not has_gap(RING - {(0, 1)})


@pytest.mark.refuses("BY-SET-2")
def test_a_gap_of_any_shape_and_place_is_found() -> None:
    shores = {near for at in [(4, 3), (5, 3), (6, 3)] for near in neighbours(at)}
    assert has_gap(shores - {(4, 3), (5, 3), (6, 3)})
    assert not has_gap(shores)


@pytest.mark.refuses("BY-SET-2")
def test_no_tile_is_laid_where_it_would_close_a_bay() -> None:
    bay = dict.fromkeys(RING - {(0, 1)}, PLAIN)
    ratings: dict[BoardPlace, int] = {}
    update_ratings(ratings, bay, bay, 5)
    assert any(leaves_gap(place, bay) for place in ratings)
    for number in range(60):
        place = _draw_place("PPP", bay, ratings, Chance(bytes([number])), any_rotation)
        assert not has_gap({*bay, *place})


@pytest.mark.refuses("BY-SET-2")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_place_leaves_a_gap_if_and_only_if_the_board_with_it_has_one(seed: bytes) -> None:
    terrain = dict.fromkeys(FIRST_PLACE, PLAIN)
    ratings: dict[BoardPlace, int] = {}
    update_ratings(ratings, terrain, terrain, 5)
    chance, gaps = Chance(seed), 0
    while ratings:
        for place in ratings:
            assert leaves_gap(place, terrain) == has_gap({*terrain, *place})
            gaps += leaves_gap(place, terrain)
        # Boards that are not compact have many bays.
        places = sorted(place for place in ratings if not leaves_gap(place, terrain))
        if not places:
            break
        place = places[chance.below(len(places))]
        terrain.update(dict.fromkeys(place, PLAIN))
        update_ratings(ratings, place, terrain, 5)
    assert gaps


def full_game(seating: str, *players: str) -> Game:
    """A game whose places are all taken, in this order of joining."""
    return Game(
        id="g",
        rules=barony,
        seats=len(players),
        options=lifecycle.check_options("barony", len(players), {"seating": seating}),
        clock=None,
        creator=players[0],
        commitment="",
        invited=(),
        created_at="",
        places=tuple(Place(player, "") for player in players),
    )


def seating_of(game: Game, secret: bytes) -> list[str]:
    """The players by seat after the start of the game."""
    players: list[str] = data_of(lifecycle.start(game, secret))["players"]
    return players


@pytest.mark.allows("BY-SET-7")
def test_with_seating_joined_the_first_to_join_is_first() -> None:
    for seed in SEEDS:
        assert seating_of(full_game("joined", "ann", "bob", "eve"), seed) == ["ann", "bob", "eve"]


@pytest.mark.allows("BY-SET-7")
def test_with_seating_drawn_the_seed_decides_who_is_first() -> None:
    game = full_game("drawn", "ann", "bob", "eve")
    seatings = [seating_of(game, bytes([number])) for number in range(30)]
    assert {players[0] for players in seatings} == {"ann", "bob", "eve"}
    assert all(sorted(players) == ["ann", "bob", "eve"] for players in seatings)
    assert seatings == [seating_of(game, bytes([number])) for number in range(30)]


@pytest.mark.refuses("BY-SET-7")
def test_no_other_way_of_seating_is_accepted() -> None:
    with pytest.raises(Malformed) as refused:
        lifecycle.check_options("barony", 3, {"seating": "youngest"})
    assert faults_of(refused.value) == {"options.seating": "must be one of drawn, joined"}
