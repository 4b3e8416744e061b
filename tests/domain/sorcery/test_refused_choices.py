"""What a player tries against the rules of Sorcery is refused with the clause for it."""

from typing import Any

import pytest

from domain.barony import sorcery
from tests.domain.sorcery.test_choices import BOARD
from tests.support.barony_positions import given
from tests.support.choices import path_of, refusal_of


@pytest.mark.parametrize(
    ("values", "clause", "reason"),
    [
        (["cast", "abundance"], "BS-SPL-1", "Abundance is not available in this game"),
        (["cast", "celerity+charm"], "BS-SPL-1", "spells cast together must be of one family"),
        (["cast", "celerity", "1,0"], "BY-MOV-1", "seat 0 has no knight on 1,0"),
        (["cast", "celerity", "0,0", "4,0"], "BY-MOV-1", "4,0 is not adjacent to 1,0"),
        (["cast", "celerity", "0,0", "0,1"], "BY-MOV-6", "0,1 is a mountain with an opponent's"),
        (["cast", "teleportation", "0,0", "1,0"], "BS-TEL-1", "no step leads onto a mountain"),
        (["cast", "teleportation", "2,1"], "BS-TEL-1", "no step leads onto a mountain"),
        (["cast", "tornado", "2,1", "3,0"], "BY-MOV-4", "an opponent's city or stronghold"),
        (["cast", "tornado", "2,1", "2,3"], "BY-MOV-1", "2,3 is not adjacent to 2,1"),
        (["cast", "tornado", "2,1", "3,1", "plain-2"], "BY-CON-3", "seat 2 has no plain token"),
        (["cast", "charm", "0,0"], "BS-CHA-1", "seat 0 has no city on 0,0"),
        (["cast", "charm", "0,2", "2,2"], "BS-CHA-1", "seat 0 has no city on 2,2"),
        (["cast", "portal", "0,0"], "BS-POR-3", "seat 0 has no city on 0,0"),
        (["cast", "portal", "0,2", "3"], "BY-REC-1", "0,2 takes at most 2 knights, not 3"),
        (["build", "2,0"], "BS-MYS-1", "2,0 is a mysterious place, where nothing can be built"),
        (["expedition", "1,1"], "BY-EXP-2", "1,1 is not on the edge of the board"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_refused_with_its_clause(values: list[str], clause: str, reason: str) -> None:
    refused_by, why = refusal_of(given(BOARD), *values)
    assert refused_by == clause
    assert why.startswith(reason)


@pytest.mark.parametrize(
    ("spells", "player", "cells", "values", "clause"),
    [
        ("celerity charm portal", "magic 0", "P0ck P P1c", ["cast"], "BS-SPL-2"),
        ("portal tornado", "magic 1", "P0ck P P1c", ["cast"], "BS-SPL-2"),
        ("celerity charm", "magic 1", "P0ck P P1c", ["cast", "celerity+charm"], "BS-SPL-1"),
        ("charm portal", "magic 2", "P0ck P P1c", ["cast", "charm+portal"], "BS-SPL-2"),
        ("sanctuary", "magic 2", "P0c P P1c", ["cast"], "BS-SAN-1"),
        ("sanctuary", "magic 2", "P0k P P0k P1c", ["cast", "sanctuary", "1,0"], "BS-SAN-1"),
        ("sanctuary", "magic 2", "P0k P P0k P1c", ["cast", "sanctuary", "2,0"], "BY-CTY-3"),
        ("abundance", "magic 2", "P0v F0v P0v P P1c", ["cast", "abundance", "1,0"], "BY-CTY-2"),
        ("petrification", "magic 1", "P0v P P1c", ["cast"], "BS-PET-1"),
        ("illusion", "magic 1", "P0ck P P1c", ["cast"], "BS-ILL-1"),
        ("teleportation", "magic 1", "P0ck P P1c", ["cast"], "BS-TEL-1"),
    ],
)
def test_other_mistakes_are_refused_with_their_clauses(
    spells: str, player: str, cells: str, values: list[str], clause: str
) -> None:
    state = given(
        f"play round 2 seat 0\nspells: {spells}\n0: baron, {player}\n1: baron\nboard\n{cells}"
    )
    assert refusal_of(state, *values)[0] == clause


@pytest.mark.parametrize(
    "values",
    [
        ["cast", "celerity+celerity"],
        ["cast", "speed"],
        ["cast", ""],
        ["cast", "charm", "0"],
        ["cast", "charm", "0,2", "0,2"],
        ["cast", "portal", "0,2", "0"],
        ["cast", "tornado", "0,0", "1,0", "1,1"],
    ],
    ids=" ".join,
)
def test_values_without_an_action_return_none(values: list[str]) -> None:
    state: Any = given(BOARD)
    assert sorcery.action_for_choice(state, 0, path_of(state, *values[:-1]), values[-1]) is None
