"""The examples of Baron in docs/formats.md are correct, and its tables are complete.

Blocks fenced as ```json baron action have a valid form. Blocks fenced as ```json baron position and
```json baron event are produced on boards given here.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from domain import baron
from domain.baron.actions import ACTION_PARSERS as FORMS
from domain.baron.actions import DiscardTile
from domain.baron.components import TILES
from domain.baron.state import EVENT_APPLIERS, State
from domain.contract import STATEMENT, DomainEvent
from domain.errors import Malformed
from domain.json_types import JsonObject
from tests.support.baron_positions import given, random_game, set_up
from tests.support.events import data_of, secrets_of
from tests.support.pages import FORMATS, all_fences, fences, short_forms


@pytest.mark.parametrize("body", all_fences("json baron action"))
def test_actions_have_a_valid_form(body: str) -> None:
    raw = json.loads(body)
    action = baron.parse_action(raw)
    assert baron.action_to_json(action) == raw


def test_the_page_has_an_example_of_every_action() -> None:
    types_on_page = {json.loads(body)["type"] for body in fences(FORMATS, "json baron action")}
    assert types_on_page | {"resign"} == {*FORMS}
    resign = json.loads(fences(FORMATS, "json action")[0])
    assert baron.action_to_json(baron.parse_action(resign)) == resign == {"type": "resign"}


def test_actions_of_barony_have_no_valid_form_in_baron() -> None:
    actions = [json.loads(body) for body in fences(FORMATS, "json action")[1:]]
    assert len(actions) > 5
    for raw in actions:
        with pytest.raises(Malformed):
            baron.parse_action(raw)


def test_the_page_lists_all_kinds_of_tiles() -> None:
    page = re.sub(r"\s+", " ", FORMATS.read_text())
    assert f"tiles `{' '.join(TILES)}`" in page
    for tile in TILES:
        assert baron.parse_action_text(f"discard {tile}") == DiscardTile(tile)


def test_short_forms_can_be_parsed_and_have_the_type_of_their_row() -> None:
    types_on_page = set()
    for types, form in short_forms(1):
        action = baron.parse_action_text(form)
        assert f"`{action.type}`" in types
        assert baron.action_text(action) == form
        types_on_page.add(action.type)
    assert types_on_page == {*FORMS}


def test_the_position_is_what_seat_0_sees() -> None:
    (example,) = fences(FORMATS, "json baron position")
    state = given(
        """
        keep round 3 seat 0
        0: -1, MY
        1: 0, MQ
        market FMP
        pile 60
        board
        M1k M
        P
        """
    )
    assert baron.position(state, 0) == json.loads(example)


BOARDS = [
    """
    draw round 3 turn 5 seat 0
    0: 4, MP
    1: 0, ??
    market MFP
    pile WWQ
    board
    M F
    """,
    """
    lay round 2 turn 4 seat 1
    0: 0, M
    1: 0, PP, keeps 0
    market MFP
    pile 40
    board
    P
    """,
    """
    keep round 35 turn 69 seat 0
    0: 9, Q, turns 2
    1: 8, W, turns 2
    board
    M F
    """,
    """
    draw round 3 turn 7 seat 0
    0: 4, MP
    1: 1, ??
    2: 0, ??
    market MFP
    pile 40
    board
    M F
    """,
    """
    lay round 9 turn 17 seat 0
    0: 7, MP
    1: 2, ??
    market MFP
    pile 40
    board -1,0
    . V   Q M   W
    M M0k F M0b M
    M .   M Y
    """,
    """
    lay round 9 turn 25 seat 0
    0: 7, MSP
    1: -3, ??
    2: 2, ??
    market MFP
    pile 40
    board -1,0
    . V   Q M   M
    M M0k F M1b M
    M .   M Y
    """,
    """
    keep round 9 turn 18 seat 1
    0: 7, MP
    1: 2, MQ
    market MFP
    pile 40
    board -1,0
    . V   Q M P
    M M0b F M M
    M M   M Y
    """,
    """
    lay round 9 turn 17 seat 0
    0: 7, MF
    1: 2, ??
    market MFP
    pile 40
    board -1,-1
    . .   .   M   M
    . V   M   M1k P
    M M0k .   M   .
    M M   M0k W   .
    . M   M   .   .
    """,
    """
    scoring round 36 turn 72
    0: 21, turns 0
    1: 19, turns 0
    board -1,0
    . V   Y M   .
    . M0k P M1b M
    M M   M M   .
    """,
]
"""A board for each event on the page, in the same order."""


def decide_example(state: State, example: JsonObject) -> DomainEvent:
    """Return the event that the rules produce for the action of an example, or for the end of the game."""
    if example["action"] is None:
        return baron.finish(state)
    return baron.decide(state, example["data"]["seat"], baron.parse_action(example["action"]))


@pytest.mark.parametrize(
    ("body", "board"), list(zip(fences(FORMATS, "json baron event"), BOARDS, strict=True))
)
def test_the_rules_produce_the_events_on_the_page(body: str, board: str) -> None:
    example = json.loads(body)
    event = decide_example(given(board), example)
    assert (event.type, event.data) == (example["type"], example["data"])


def test_the_page_describes_every_event_and_has_an_example_for_every_action() -> None:
    types_on_page = {json.loads(body)["type"] for body in fences(FORMATS, "json baron event")}
    assert {*EVENT_APPLIERS} - types_on_page == {"TurnForfeited", "PlayerRemoved"}
    assert names_in(table("type", "Events of Baron")) >= {*EVENT_APPLIERS}


def section(heading: str) -> str:
    """Return a section of docs/formats.md with its subsections."""
    match = re.search(
        rf"^(#+) {heading}\n(.*?)(?=^\1 |\Z)", FORMATS.read_text(), re.MULTILINE | re.DOTALL
    )
    assert match is not None
    return match[2]


def table(first_column: str, heading: str, index: int = 0) -> str:
    """Return the table of a section whose first column has this name; `index` selects one of several."""
    tables: list[str] = re.findall(
        rf"^\| {re.escape(first_column)} \|.*?\n\n", section(heading), re.MULTILINE | re.DOTALL
    )
    return tables[index]


def names_in(table: str) -> set[str]:
    """Return the names in the first column of a table."""
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {name for cell in cells for name in re.findall("`(.*?)`", cell)}


def test_the_tables_list_exactly_the_fields_that_occur() -> None:
    """Every field occurs in some game of random actions for two to five players."""
    legal_texts = {
        "position": names_in(table("field", "Positions of Baron")),
        "player": names_in(table("player field", "Positions of Baron")),
        "then": names_in(table("field of `then`", "Events of Baron")),
        "effects": names_in(table("field", "Events of Baron")),
        "barony": names_in(table("field", "Events of Baron", 1)),
    }
    occurring: dict[str, set[str]] = {name: set() for name in legal_texts}
    for seats in (2, 3, 4, 5):
        for seed in range(3):
            for state, event in random_game(seats, seed):
                add_fields(occurring, baron.position(state, None), event)
    departure = baron.decide(state := given(BOARDS[3]), 1, baron.parse_action({"type": "resign"}))
    add_fields(occurring, baron.position(state, None), departure)
    add_fields(occurring, json.loads(fences(FORMATS, "json baron position")[0]), departure)
    finished = given(BOARDS[-1])
    baron.apply(finished, "GameFinished", (ending := baron.finish(finished)).data)
    add_fields(occurring, baron.position(finished, None), ending)
    assert occurring == legal_texts


def add_fields(
    occurring: dict[str, set[str]], position: Mapping[str, Any], event: DomainEvent
) -> None:
    """Add the fields of a position and of an event to those that occur."""
    row = next(line for line in table("type", "Events of Baron").splitlines() if event.type in line)
    own_fields = {"seat", "then", *re.findall("`([a-z]+)`", row)}
    baronies = data_of(event).get("baronies", [])
    occurring["position"] |= position.keys()
    occurring["player"] |= {name for player in position["players"] for name in player}
    occurring["then"] |= data_of(event)["then"].keys()
    occurring["effects"] |= event.data.keys() - (own_fields - {"out"})
    occurring["barony"] |= {name for entry in baronies for name in entry}
    for entry in baronies:
        for part in ("battle", "fight"):
            occurring["barony"] |= entry.get(part, {}).keys() & {"unhalved"}


def test_standings_have_the_fields_that_the_page_names() -> None:
    state = given(BOARDS[-1])
    assert baron.standings(state) == [
        {"seat": 0, "score": 21, "baronies": []},
        {"seat": 1, "score": 19, "baronies": [1]},
    ]
    assert "in Baron has `seat`, `score` (the honour) and `baronies`" in FORMATS.read_text()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_secrets_are_those_in_the_table(seats: int) -> None:
    names = names_in(table("name", "Secrets"))
    # Texts of disputes are secrets of the game too, but not of its set-up.
    assert names == {"pile", "reserve/0", "reserve/1", STATEMENT}
    secrets = secrets_of(set_up(seats, 1))
    assert secrets.keys() == {"pile", *(f"reserve/{seat}" for seat in range(seats))}
    for seat in range(seats):
        reserve = secrets[f"reserve/{seat}"]
        assert (len(reserve), reserve) == (2, sorted(reserve))
