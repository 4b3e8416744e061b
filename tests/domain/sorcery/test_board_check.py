"""BS-SET-1, 2, 4: the check of recorded set-ups, compared with tests/support/possible_set_ups.py."""

import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from domain.barony import sorcery
from domain.chance import Chance
from domain.json_types import JsonObject
from replay.language.renderer import english
from tests.support.events import data_of
from tests.support.possible_set_ups import TERRAINS, is_possible_board


@cache
def cached_start(seats: int, seed: int) -> JsonObject:
    """The data of `GameStarted` for a seed, which must not be changed."""
    options = sorcery.check_options(seats, {"sorcery": True})
    opening = sorcery.set_up(seats, options, Chance(bytes([seed])))
    return {"players": [], **data_of(opening)}


def start(seats: int, seed: int) -> JsonObject:
    """A copy of the data of `GameStarted` for a seed, which may be changed."""
    return deepcopy(cached_start(seats, seed))


def faults(seats: int, data: JsonObject) -> list[str]:
    return [english(fault) for fault in sorcery.set_up_faults(seats, {}, data, {})]


@pytest.mark.allows("BS-SET-1", "BS-SET-2", "BS-SET-4")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_set_ups_for_any_seed_are_possible(seats: int) -> None:
    for seed in range(4):
        assert faults(seats, start(seats, seed)) == []


@pytest.mark.parametrize("seats", [0, 1, 6, 100])
def test_no_set_up_is_possible_for_another_number_of_seats(seats: int) -> None:
    assert faults(seats, start(2, 1)) == [
        f"the game is not played with {seats} player{'' if seats == 1 else 's'}"
    ]


def move_places_together(data: JsonObject) -> None:
    """Move a mysterious place next to another."""
    places = [cell for cell in data["board"] if cell["terrain"] == "mysterious_place"]
    q, r = places[0]["at"]
    beside = [cell for cell in data["board"] if cell["at"] in ([q + 1, r], [q - 1, r], [q, r + 1])]
    beside[0]["terrain"], places[1]["terrain"] = "mysterious_place", beside[0]["terrain"]


@pytest.mark.refuses("BS-SET-1", "BS-SET-2", "BS-SET-4")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda data: data["spells"].pop(), "5 of the 9 spells must be open"),
        (lambda data: data.update(spells=None), "5 of the 9 spells must be open"),
        (lambda data: data["spells"].reverse(), "in alphabetical order"),
        (lambda data: data.update(spells=["charm"] * 5), "in alphabetical order"),
        (lambda data: data["spells"].__setitem__(4, "zeal"), "in alphabetical order"),
        (lambda data: data["spells"].__setitem__(4, ["charm"]), "in alphabetical order"),
        (lambda data: data.update(board=[]), "there must be 3 mysterious places"),
        (lambda data: data.update(board=5), "the board is not a list"),
        (move_places_together, "too close to each other"),
        (lambda data: data.update(weather="fair"), "it has no field weather"),
    ],
)
def test_an_impossible_set_up_is_refused(
    change: Callable[[JsonObject], object], fault: str
) -> None:
    data = start(2, 1)
    change(data)
    assert any(fault in text for text in faults(2, data)), faults(2, data)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_changed_boards_are_possible_only_with_other_tiles_of_the_box(seats: int) -> None:
    rng = random.Random(seats)
    for seed in range(2):
        for _ in range(10):
            data = start(seats, seed)
            one, other = rng.sample(data["board"], 2)
            if rng.random() < 0.5:
                one["terrain"] = rng.choice(sorted(TERRAINS))
            else:
                one["terrain"], other["terrain"] = other["terrain"], one["terrain"]
            expected = is_possible_board(data, seats, sorcery=True)
            assert (faults(seats, data) == []) == expected
