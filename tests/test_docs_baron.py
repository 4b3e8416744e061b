"""What docs/formats.md shows of Baron is true: actions are of the form, positions and events come about.

Fences: ```json baron action, ```json baron position and ```json baron event, these two on boards given here.
"""

import json
import re

import pytest

from domain import baron
from domain.baron.action_json import FORMS
from domain.baron.actions import DiscardTile
from domain.baron.apply import EVENT_APPLIERS
from domain.baron.components import TILES
from domain.baron.state import State
from domain.contract import DomainEvent, Json
from domain.errors import Malformed
from tests.support.baron_positions import given, random_game, set_up
from tests.support.events import data_of, secrets_of
from tests.support.pages import FORMATS, all_fences, fences, short_forms


@pytest.mark.parametrize("body", all_fences("json baron action"))
def test_actions_are_of_the_form(body: str) -> None:
    raw = json.loads(body)
    action = baron.parse_action(raw)
    assert baron.action_to_json(action) == raw


def test_every_action_is_shown() -> None:
    own = {json.loads(body)["type"] for body in fences(FORMATS, "json baron action")}
    assert own | {"resign"} == {*FORMS}
    every_games = json.loads(fences(FORMATS, "json action")[0])
    assert (
        baron.action_to_json(baron.parse_action(every_games)) == every_games == {"type": "resign"}
    )


def test_an_action_of_the_other_game_is_not_of_the_form() -> None:
    others = [json.loads(body) for body in fences(FORMATS, "json action")[1:]]
    assert len(others) > 5
    for raw in others:
        with pytest.raises(Malformed):
            baron.parse_action(raw)


def test_the_words_are_those_that_there_are() -> None:
    page = re.sub(r"\s+", " ", FORMATS.read_text())
    assert f"tiles `{' '.join(TILES)}`" in page
    for tile in TILES:
        assert baron.parse_action_text(f"discard {tile}") == DiscardTile(tile)


def test_short_forms_are_read_and_stand_for_their_type() -> None:
    seen = set()
    for types, form in short_forms(1):
        action = baron.parse_action_text(form)
        assert f"`{action.type}`" in types
        assert baron.action_text(action) == form
        seen.add(action.type)
    assert seen == {*FORMS}


def test_the_position_is_what_seat_0_sees() -> None:
    (shown,) = fences(FORMATS, "json baron position")
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
    assert baron.position(state, 0) == json.loads(shown)


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
"""Where the events that are shown may have come about."""


def decided(state: State, shown: Json) -> DomainEvent:
    """What the rules say today."""
    if shown["action"] is None:
        return baron.finish(state)
    return baron.decide(state, shown["data"]["seat"], baron.parse_action(shown["action"]))


@pytest.mark.parametrize(
    ("body", "board"), list(zip(fences(FORMATS, "json baron event"), BOARDS, strict=True))
)
def test_events_come_about_as_they_are_shown(body: str, board: str) -> None:
    shown = json.loads(body)
    fact = decided(given(board), shown)
    assert (fact.type, fact.data) == (shown["type"], shown["data"])


def test_every_event_of_an_action_is_shown_and_every_other_one_told() -> None:
    shown = {json.loads(body)["type"] for body in fences(FORMATS, "json baron event")}
    assert {*EVENT_APPLIERS} - shown == {"TurnForfeited", "PlayerRemoved"}
    assert names_in(table("type", "What Baron's events say")) >= {*EVENT_APPLIERS}


def section(heading: str) -> str:
    """A section of the page, with what is below it."""
    found = re.search(
        rf"^(#+) {heading}\n(.*?)(?=^\1 |\Z)", FORMATS.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[2]


def table(first: str, heading: str, place: int = 0) -> str:
    """The table of a section whose first column has this name: of several, the one at this place."""
    tables: list[str] = re.findall(
        rf"^\| {re.escape(first)} \|.*?\n\n", section(heading), re.MULTILINE | re.DOTALL
    )
    return tables[place]


def names_in(table: str) -> set[str]:
    """What stands in the first column."""
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {name for cell in cells for name in re.findall("`(.*?)`", cell)}


def test_the_tables_have_every_field_there_is_and_no_other() -> None:
    """In games of random actions for two to five every field comes up, and none that the page lacks."""
    told = {
        "position": names_in(table("field", "Positions of Baron")),
        "player": names_in(table("of a player", "Positions of Baron")),
        "then": names_in(table("in `then`", "What Baron's events say")),
        "set off": names_in(table("field", "What Baron's events say")),
        "barony": names_in(table("field", "What Baron's events say", 1)),
    }
    seen: dict[str, set[str]] = {name: set() for name in told}
    for seats in (2, 3, 4, 5):
        for seed in range(3):
            for state, fact in random_game(seats, seed):
                look(seen, baron.position(state, None), fact)
    departed = baron.decide(state := given(BOARDS[3]), 1, baron.parse_action({"type": "resign"}))
    look(seen, baron.position(state, None), departed)
    look(seen, json.loads(fences(FORMATS, "json baron position")[0]), departed)
    ended = given(BOARDS[-1])
    baron.apply(ended, "GameFinished", (last := baron.finish(ended)).data)
    look(seen, baron.position(ended, None), last)
    assert seen == told


def look(seen: dict[str, set[str]], position: Json, fact: DomainEvent) -> None:
    """Note the fields of a position and of a fact."""
    row = next(
        line for line in table("type", "What Baron's events say").splitlines() if fact.type in line
    )
    own = {"seat", "then", *re.findall("`([a-z]+)`", row)}
    baronies = data_of(fact).get("baronies", [])
    seen["position"] |= position.keys()
    seen["player"] |= {name for player in position["players"] for name in player}
    seen["then"] |= data_of(fact)["then"].keys()
    seen["set off"] |= fact.data.keys() - (own - {"out"})
    seen["barony"] |= {name for entry in baronies for name in entry}
    for entry in baronies:
        for part in ("battle", "fight"):
            seen["barony"] |= entry.get(part, {}).keys() & {"unhalved"}


def test_standings_and_ranking_have_the_fields_that_the_page_names() -> None:
    state = given(BOARDS[-1])
    assert baron.standings(state) == [
        {"seat": 0, "score": 21, "baronies": []},
        {"seat": 1, "score": 19, "baronies": [1]},
    ]
    assert "it has `seat`, `score` (the honour) and `baronies`" in FORMATS.read_text()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_secrets_are_those_of_the_table(seats: int) -> None:
    names = names_in(table("name", "Secrets"))
    assert names == {"pile", "reserve/0", "reserve/1"}
    secrets = secrets_of(set_up(seats, 1))
    assert secrets.keys() == {"pile", *(f"reserve/{seat}" for seat in range(seats))}
    for seat in range(seats):
        reserve = secrets[f"reserve/{seat}"]
        assert (len(reserve), reserve) == (2, sorted(reserve))
