"""BY-SET-1, 2: the check of recorded boards, compared with tests/support/possible_set_ups.py."""

import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from domain import barony
from domain.chance import Chance
from domain.hexes import neighbours
from domain.json_types import JsonObject
from replay.language.renderer import english
from tests.support.events import data_of
from tests.support.possible_set_ups import is_possible_board

TERRAINS = ("mountain", "forest", "plain", "field", "lake")


@cache
def cached_start(seats: int, seed: int) -> JsonObject:
    """The data of `GameStarted` for a seed, which must not be changed."""
    opening = barony.set_up(seats, barony.check_options(seats, {}), Chance(bytes([seed])))
    return {"players": [], **data_of(opening)}


def start(seats: int, seed: int) -> JsonObject:
    """A copy of the data of `GameStarted` for a seed, which may be changed."""
    return deepcopy(cached_start(seats, seed))


def faults(seats: int, data: JsonObject) -> list[str]:
    return [english(fault) for fault in barony.set_up_faults(seats, {}, data, {})]


@pytest.mark.allows("BY-SET-1", "BY-SET-2", "BY-MAT-5")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_boards_for_any_seed_are_possible(seats: int) -> None:
    for seed in range(6):
        assert faults(seats, start(seats, seed)) == []


@pytest.mark.parametrize("seats", [0, 1, 5, 100])
def test_no_set_up_is_possible_for_another_number_of_seats(seats: int) -> None:
    assert faults(seats, start(2, 1)) == [
        f"the game is not played with {seats} player{'' if seats == 1 else 's'}"
    ]


def cells(data: JsonObject) -> list[JsonObject]:
    board: list[JsonObject] = data["board"]
    return board


def remove_the_middle(data: JsonObject) -> None:
    data["board"] = [cell for cell in cells(data) if cell["at"] != [0, 0]]
    data["board"].append({"at": [5, 0], "terrain": "plain"})
    data["board"].sort(key=lambda cell: cell["at"])


def move_an_inner_hex(data: JsonObject) -> None:
    """Move a hex from the interior to the edge of the board."""
    laid = {tuple(cell["at"]) for cell in cells(data)}
    first = {(0, 0), (0, 1), (1, 0)}
    inner = next(at for at in sorted(laid - first) if laid.issuperset(neighbours((at[0], at[1]))))
    outside = next(
        near for at in sorted(laid) for near in neighbours((at[0], at[1])) if near not in laid
    )
    cell = next(cell for cell in cells(data) if tuple(cell["at"]) == inner)
    cell["at"] = list(outside)
    data["board"].sort(key=lambda cell: cell["at"])


def cut_off_a_hex(data: JsonObject) -> None:
    """Move a hex on the edge away from the board, within its radius."""
    laid = {tuple(cell["at"]) for cell in cells(data)}
    hexes = [(q, r) for q in range(-5, 6) for r in range(-5, 6) if -5 <= q + r <= 5]
    apart = next(at for at in hexes if at not in laid and not laid.intersection(neighbours(at)))
    cells(data)[0]["at"] = list(apart)
    data["board"].sort(key=lambda cell: cell["at"])


@pytest.mark.refuses("BY-SET-1", "BY-SET-2")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda data: data.update(board=None), "the board is not a list of hexes"),
        (lambda data: data.update(board="plain"), "the board is not a list of hexes"),
        (lambda data: data["board"].append(5), "an entry that is not a hex"),
        (lambda data: data["board"][3].update(terrain="sea"), "an entry that is not a hex"),
        (lambda data: data["board"][3].update(at=[True, 0]), "an entry that is not a hex"),
        (lambda data: data["board"][3].update(at=[0, 0, 0]), "an entry that is not a hex"),
        (lambda data: data["board"][3].update(at=[2**60, 0]), "an entry that is not a hex"),
        (lambda data: data["board"][3].update(castle=1), "an entry that is not a hex"),
        (lambda data: data["board"][3].pop("terrain"), "an entry that is not a hex"),
        (lambda data: data["board"].reverse(), "not sorted"),
        (lambda data: data["board"].insert(0, data["board"][0]), "not sorted"),
        (lambda data: data["board"].pop(), "the board has 53 hexes; for 2 players it must have 54"),
        (lambda data: data["board"][-1].update(at=[95, 0]), "95,0 is more than 5 hexes from 0,0"),
        (remove_the_middle, "the first tile is not in the middle"),
        (move_an_inner_hex, "the board has a gap"),
        (cut_off_a_hex, "the board is not connected"),
        (
            lambda data: data["board"][3].update(terrain="mysterious_place"),
            "no tiles of the box cover the board",
        ),
        (lambda data: data.update(spells=["charm"]), "a game without Sorcery"),
        (lambda data: data.pop("spells"), "a game without Sorcery"),
        (lambda data: data.update(weather="fair"), "it has no field weather"),
    ],
)
def test_an_impossible_set_up_is_refused(
    change: Callable[[JsonObject], object], fault: str
) -> None:
    data = start(2, 1)
    change(data)
    assert any(fault in text for text in faults(2, data)), faults(2, data)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_changed_terrains_are_possible_only_with_other_tiles_of_the_box(seats: int) -> None:
    """BY-MAT-5: the check agrees with another implementation about changed boards."""
    rng = random.Random(seats)
    possible = 0
    for seed in range(2):
        for _ in range(15):
            data = start(seats, seed)
            for _ in range(rng.choice([1, 1, 2])):
                rng.choice(cells(data))["terrain"] = rng.choice(TERRAINS)
            expected = is_possible_board(data, seats, sorcery=False)
            assert (faults(seats, data) == []) == expected
            possible += expected
    assert 0 < possible < 30


def test_two_terrains_exchanged_between_tiles_are_mostly_impossible() -> None:
    """With four seats every tile of the box is used, so that few exchanges are possible."""
    rng = random.Random(4)
    impossible = 0
    for _ in range(20):
        data = start(4, 1)
        one, other = rng.sample(cells(data), 2)
        one["terrain"], other["terrain"] = other["terrain"], one["terrain"]
        expected = is_possible_board(data, 4, sorcery=False)
        assert (faults(4, data) == []) == expected
        impossible += not expected
    assert impossible >= 10
