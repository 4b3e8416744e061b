"""Everything that may happen in a game of Sorcery happens in one of the recorded games.

tests/test_games.py checks that all records can be folded and decided again, and that they pass an audit.
"""

from itertools import combinations
from typing import cast

import pytest

from domain.barony.components import FAMILY
from domain.json_types import JsonObject
from tests.games.records import FOLDER, course_of, record_of

GAMES = [path.stem for path in sorted(FOLDER.glob("sorcery-*.jsonl"))]


def casts_of(name: str) -> list[JsonObject]:
    """Return the data of all casts of a game."""
    return [event["data"] for event in record_of(name).events if event["type"] == "SpellsCast"]


@pytest.mark.parametrize(
    ("family", "games"),
    [
        ("movement", ["sorcery-movement", "sorcery-sweeps"]),
        ("recruitment", ["sorcery-recruitment"]),
        ("construction", ["sorcery-construction"]),
    ],
)
def test_each_of_the_seven_combinations_of_a_family_is_cast(family: str, games: list[str]) -> None:
    own = [spell for spell in FAMILY if FAMILY[spell] == family]
    cast = {tuple(data["spells"]) for name in games for data in casts_of(name)}
    seven = {together for count in (1, 2, 3) for together in combinations(own, count)}
    assert len(seven) == 7
    assert {spells for spells in cast if FAMILY[spells[0]] == family} == seven


def test_all_families_are_cast_and_pawns_swept_in_one_game() -> None:
    casts = casts_of("sorcery-sweeps")
    assert {FAMILY[data["spells"][0]] for data in casts} == {*FAMILY.values()}
    steps = [step for data in casts for step in data.get("moves", ())]
    assert {field for step in steps for field in step} >= {"left", "swept", "magic"}


def test_knights_and_villages_are_swept_in_some_game() -> None:
    steps = [step for name in GAMES for data in casts_of(name) for step in data.get("moves", ())]
    swept = [pawn for step in steps for at in ("left", "swept") for pawn in step.get(at, ())]
    assert {pawn["pawn"] for pawn in swept} == {"knight", "village"}
    assert {pawn.get("token") for pawn in swept} > {None}


def test_knights_come_back_by_portal_and_tokens_by_abundance_in_some_game() -> None:
    casts = [data for name in GAMES for data in casts_of(name)]
    assert any(data.get("returned") for data in casts)
    assert any(data.get("token") for data in casts)
    assert {data["replaced"] for data in casts if "replaced" in data} == {"knight", "village"}


def test_places_are_explored_by_moves_and_expeditions_in_one_game() -> None:
    explored = {
        event["type"]
        for event in record_of("sorcery-round-limit").events
        if "magic" in event["data"] or any("magic" in m for m in event["data"].get("moves", ()))
    }
    assert explored >= {"KnightsMoved", "ExpeditionSent"}


def test_imprints_decide_which_seat_wins() -> None:
    """BS-MYS-5: without imprints seat 1 would have won; with them there is a tie (BY-END-4)."""
    end = course_of("sorcery-imprints-decide")[-1]
    entries = cast("list[JsonObject]", end.rules.standings(end.state))
    points = [(entry["final_score"], entry["imprint_points"]) for entry in entries]
    assert points == [(76, 9), (89, 6), (89, 12)]
    assert (end.ranking or [])[0]["seat"] == 2


def test_imprints_of_a_player_who_resigned_stay_and_count() -> None:
    """BY-END-6, BS-MYS-5."""
    end = course_of("sorcery-resignation")[-1]
    assert end.state is not None
    assert end.state.is_out[1]
    entry = cast("JsonObject", end.rules.standings(end.state)[1])
    assert entry["imprint_points"] == 9
    assert (end.ranking or [])[-1] == {"seat": 1, "score": 26, "place": 3}
