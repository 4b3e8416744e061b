"""Differences between positions: which there are, their paths, and their text."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import barony
from domain.contract import AnyRuleSystem
from domain.json_types import JsonObject
from ledger.canonical import canonical
from replay.history.diff import change_lines, changes
from replay.language.renderer import Renderer
from tests.support.languages import ENGLISH
from tests.support.records import Table
from tests.support.sorcery_games import game_with_casts

HEXES = st.lists(st.integers(-2, 2), min_size=2, max_size=2)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "plain", "a"])
ENTRIES = st.fixed_dictionaries(
    {}, optional={"at": HEXES | LEAVES, "seat": st.integers(0, 2) | LEAVES, "knights": LEAVES}
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES | st.lists(ENTRIES, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
        | st.lists(ENTRIES, max_size=3)
    ),
    max_leaves=8,
)
POSITIONS = st.dictionaries(st.sampled_from(["board", "pawns", "players", "round"]), VALUES)


def lines_of(
    changed: list[JsonObject], rules: AnyRuleSystem = barony, renderer: Renderer = ENGLISH
) -> list[str]:
    return change_lines(changed, rules, renderer)


@given(POSITIONS, POSITIONS)
def test_there_are_changes_if_and_only_if_positions_differ(
    before: JsonObject, after: JsonObject
) -> None:
    assert bool(changes(before, after)) == (canonical(before) != canonical(after))
    assert changes(before, deepcopy(before)) == []
    assert bool(lines_of(changes(before, after))) == bool(changes(before, after))


@given(st.data())
def test_changes_are_in_the_field_that_was_changed(data: st.DataObject) -> None:
    before = data.draw(POSITIONS)
    after = deepcopy(before)
    name = data.draw(st.sampled_from(["board", "pawns", "players", "round"]))
    after[name] = data.draw(VALUES)
    changed = changes(before, after)
    assert bool(changed) == (canonical(before) != canonical(after))
    assert all(change["path"].split(".")[0] == name for change in changed)


def test_true_differs_from_1_and_order_matters() -> None:
    assert changes({"a": True}, {"a": 1})
    assert changes({"a": [1, 2]}, {"a": [2, 1]})
    assert changes({"a": [True]}, {"a": [1]})
    one, other = {"seat": 0, "score": 1}, {"seat": 1, "score": 1}
    assert changes({"a": [one, other]}, {"a": [other, one]})
    assert changes({"a": [one]}, {"a": [one, one]})
    assert changes({"a": None}, {})


def test_entries_are_matched_by_place_and_seat() -> None:
    def pawns(*entries: tuple[list[int], int, int]) -> JsonObject:
        return {"pawns": [{"at": at, "seat": seat, "knights": n} for at, seat, n in entries]}

    before = pawns(([0, 0], 0, 1), ([0, 1], 0, 1), ([0, 1], 1, 2))
    after = pawns(([-1, 0], 1, 1), ([0, 0], 0, 3), ([0, 1], 1, 2))
    assert changes(before, after) == [
        {"path": "pawns.-1,0/1", "before": None, "after": {"at": [-1, 0], "seat": 1, "knights": 1}},
        {"path": "pawns.0,0/0.knights", "before": 1, "after": 3},
        {"path": "pawns.0,1/0", "before": {"at": [0, 1], "seat": 0, "knights": 1}, "after": None},
    ]


def test_the_start_is_one_change() -> None:
    position = {"round": 1}
    assert changes(None, None) == []
    assert changes(None, position) == [{"path": "", "before": None, "after": position}]
    assert lines_of(changes(None, position)) == ["game", "  position  there is one now"]


def test_the_text_of_changes() -> None:
    before: JsonObject = {
        "round": 2,
        "phase": "play",
        "to_act": 1,
        "passed": [],
        "board": [{"at": [0, 0], "terrain": "plain"}],
        "pawns": [
            {"at": [0, 0], "seat": 0, "knights": 1, "building": None},
            {"at": [-3, 11], "seat": 1, "knights": 2, "building": "city"},
        ],
        "players": [
            {
                "seat": 0,
                "rank": "baron",
                "reserve": {"knights": 4},
                "imprints": [[0, 1]],
                "score": 0,
            }
        ],
        "bank": {"plain": 20},
    }
    after: JsonObject = {
        "round": 3,
        "phase": "play",
        "to_act": None,
        "passed": [0, 1],
        "board": [{"at": [0, 0], "terrain": "plain"}],
        "pawns": [
            {"at": [-3, 11], "seat": 1, "knights": 1, "building": "city"},
            {"at": [1, 0], "seat": 0, "knights": 0, "building": "village"},
        ],
        "players": [
            {
                "seat": 0,
                "rank": "viscount",
                "reserve": {"knights": 6},
                "imprints": [[-2, 3], [0, 1]],
                "score": 15,
            }
        ],
        "bank": {"plain": 18},
    }
    assert lines_of(changes(before, after)) == [
        "game",
        "  round   2 → 3",
        "  to act  seat 1 → nobody",
        "  passed  none → seat 0; seat 1",
        "board",
        "  0,0    seat 0  gone: knights 1",
        "  -3,11  seat 1  knights 2 → 1 (-1)",
        "  1,0    seat 0  new: building village",
        "seat 0",
        "  rank              baron → viscount",
        "  reserve, knights  4 → 6 (+2)",
        "  imprints          0,1 → -2,3; 0,1",
        "  score             0 → 15 (+15)",
        "bank",
        "  plain  20 → 18 (-2)",
    ]


def test_the_text_of_changes_has_no_control_characters() -> None:
    lines = lines_of(changes({"a\x1b[31m": "x"}, {"a\x1b[31m": "\x1b]0;owned\x07\n"}))
    assert not any(ord(char) < 32 for line in lines for char in line)


@pytest.mark.parametrize("rules", ["stones", "barony", "sorcery"])
def test_positions_change_if_and_only_if_the_state_hash_does(rules: str) -> None:
    if rules == "sorcery":
        table = game_with_casts("moves", "recruits")
    else:
        table = Table(rules, seats=2, options={"round_limit": 3}).start().play_out()
    for earlier, later in zip(table.sealed, table.sealed[1:], strict=False):
        changed = changes(earlier.game.position_while_on(), later.game.position_while_on())
        assert bool(changed) == (earlier.event["state"] != later.event["state"])
