"""The tables of docs/page.md, and how turns are named in them."""

import json
from typing import Any

import pytest

from bench.page import AIMS, FIGURES, PAGE, Measurement, kind_of_turn, tables, with_tables

MEASURED = json.loads(FIGURES.read_text())


def event(type: str, **fields: Any) -> dict[str, Any]:
    return {"action": {"type": type, **fields}, "data": {}}


def test_the_page_has_the_tables_of_the_figures() -> None:
    assert with_tables(PAGE.read_text(), MEASURED) == PAGE.read_text()


def test_every_aim_was_measured() -> None:
    names = {f"{device}: {turn}" for turn, (device, _) in AIMS.items()}
    assert names <= MEASURED["after"]["values"].keys()


def test_a_summary_has_the_median_and_the_maximum() -> None:
    measurement = Measurement()
    for clicks in (2, 3, 7):
        measurement.add("clicks: Baron: any turn", clicks)
    assert measurement.summary() == {"clicks: Baron: any turn": {"n": 3, "median": 3, "max": 7}}


@pytest.mark.parametrize(
    ("clicks", "result"),
    [((2, 2), "2 clicks: ✓"), ((2, 2, 5), "2 clicks: the median ✓"), ((3, 3), "2 clicks: ✗")],
)
def test_a_table_states_whether_the_aim_is_met(clicks: tuple[int, ...], result: str) -> None:
    measurement = Measurement()
    for value in clicks:
        measurement.add("clicks: Barony: a placement", value)
    page = {"visible": {}, "bytes": {"Barony": {"page": 1, "scripts": 1}}}
    figures = {**page, "values": measurement.summary()}
    assert result in tables({"before": figures, "after": figures})


@pytest.mark.parametrize(
    ("system", "events", "kind"),
    [
        ("Barony", [event("place_city")], "a placement"),
        ("Barony", [event("move", moves=[1])], "one knight moved"),
        ("Sorcery", [event("move", moves=[1, 2])], "two knights moved"),
        ("Sorcery", [event("cast", spells=["portal"])], "a spell"),
        ("Barony", [event("new_city")], "a new city"),
        ("Barony", [event("expedition")], "an expedition"),
        ("Baron", [event("draw"), event("place_tile")], "a turn without a barony"),
    ],
)
def test_a_turn_is_named_after_its_actions(
    system: str, events: list[dict[str, Any]], kind: str
) -> None:
    assert kind_of_turn(system, events) == kind


def test_a_turn_of_baron_that_establishes_a_barony_has_another_name() -> None:
    turn = [event("draw"), {**event("place_tile"), "data": {"baronies": []}}]
    assert kind_of_turn("Baron", turn) == "a turn with a barony"
