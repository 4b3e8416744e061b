"""The JSON and the short form of actions, and positions as text diagrams and as JSON."""

import pytest

from domain import baron
from domain.baron.actions import DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.state import from_position
from domain.contract import ALL_SECRETS, Resign
from domain.errors import FORMAT, Malformed
from tests.support.baron_diagrams import diagram
from tests.support.baron_positions import given, random_game

ACTIONS = [
    (Draw(2), {"type": "draw", "slot": 2}, "draw 2"),
    (
        PlaceTile("cursed_place", (1, -2)),
        {"type": "place_tile", "tile": "cursed_place", "at": [1, -2]},
        "lay cursed_place 1,-2",
    ),
    (DiscardTile("forest"), {"type": "discard_tile", "tile": "forest"}, "discard forest"),
    (PlaceKeep((0, 0)), {"type": "place_keep", "at": [0, 0]}, "keep 0,0"),
    (EndTurn(), {"type": "end_turn"}, "end"),
    (Resign(), {"type": "resign"}, "resign"),
]


@pytest.mark.parametrize(("action", "raw", "text"), ACTIONS)
def test_actions_are_converted_to_json_and_text_and_back(
    action: object, raw: dict[str, object], text: str
) -> None:
    assert baron.parse_action(raw) == baron.parse_action_text(text) == action
    assert baron.action_to_json(baron.parse_action(raw)) == raw
    assert baron.action_text(baron.parse_action(raw)) == text


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        (None, [""]),
        ([], [""]),
        ({}, ["type"]),
        ({"type": ["draw"]}, ["type"]),
        ({"type": "pass"}, ["type"]),
        ({"type": "recruit", "at": [0, 0], "knights": 1}, ["type"]),
        ({"type": "agree_to_end", "agree": True}, ["type"]),
        ({"type": "draw"}, ["slot"]),
        ({"type": "draw", "slot": 0}, ["slot"]),
        ({"type": "draw", "slot": 4}, ["slot"]),
        ({"type": "draw", "slot": True}, ["slot"]),
        ({"type": "draw", "slot": "1"}, ["slot"]),
        ({"type": "draw", "slot": 1.0}, ["slot"]),
        ({"type": "draw", "slot": 4, "tile": "pond"}, ["slot", "tile"]),
        ({"type": "place_tile"}, ["at", "tile"]),
        ({"type": "place_tile", "tile": "lake", "at": [0]}, ["at", "tile"]),
        ({"type": "place_tile", "tile": "pond", "at": [0, 0, 0]}, ["at"]),
        ({"type": "place_tile", "tile": "pond", "at": {"q": 0, "r": 0}}, ["at"]),
        ({"type": "place_tile", "tile": "pond", "at": [0, 2**53]}, ["at"]),
        ({"type": "place_tile", "tile": "pond", "at": [0, False]}, ["at"]),
        ({"type": "discard_tile", "tile": 3}, ["tile"]),
        ({"type": "discard_tile", "tile": "plain", "at": [0, 0]}, ["at", "tile"]),
        ({"type": "place_keep", "at": None, "side": "knight"}, ["at", "side"]),
        ({"type": "end_turn", "at": [0, 0]}, ["at"]),
        ({"type": "resign", "seat": 0}, ["seat"]),
    ],
)
def test_every_wrong_field_of_an_action_is_named(raw: object, wrong: list[str]) -> None:
    with pytest.raises(Malformed) as refused:
        baron.parse_action(raw)
    assert refused.value.clause == FORMAT
    assert sorted(refused.value.fields) == wrong


@pytest.mark.parametrize(
    "text",
    [
        *("", "draw", "draw one", "draw 4", "draw 1_0", "lay pond"),
        *("lay lake 0,0", "discard", "discard a pond", "keep 0", "keep 0,0,0"),
        *("end turn", "resign now", "pass now"),
    ],
)
def test_invalid_short_forms_are_refused(text: str) -> None:
    with pytest.raises(Malformed):
        baron.parse_action_text(text)


EVERY_LINE = """
    keep round 3 turn 9 seat 1
    0: 4, MP, keeps 3, resting 1, turns 2
    1: -2, ??, keeps 2, turns 1
    2: -7, keeps 0, turns 0, out 1
    market MFP
    pile 12
    removed MY
    board -1,0
    M0k   F     .     W
       M     V     M1b-2 .
    """


def test_a_text_diagram_is_parsed_and_written() -> None:
    state = given(EVERY_LINE)
    assert diagram(state) == "\n".join(line[4:] for line in EVERY_LINE.splitlines()[1:-1]) + "\n"
    assert baron.position(state, 0) == {
        "rules": "baron",
        "phase": "keep",
        "round": 3,
        "to_act": 1,
        "tiles": [
            {"at": [-1, 0], "tile": "meadow"},
            {"at": [-1, 1], "tile": "meadow"},
            {"at": [0, 0], "tile": "field"},
            {"at": [0, 1], "tile": "village"},
            {"at": [1, 1], "tile": "meadow"},
            {"at": [2, 0], "tile": "forest"},
        ],
        "keeps": [
            {"at": [-1, 0], "seat": 0, "side": "knight", "value": None},
            {"at": [1, 1], "seat": 1, "side": "baron", "value": -2},
        ],
        "market": ["meadow", "field", "pond"],
        "pile": 12,
        "removed": ["meadow", "vineyard"],
        "players": [
            {
                "seat": 0,
                "status": "active",
                "out": None,
                "honour": 4,
                "keeps": 3,
                "keeps_resting": 1,
                "turns_left": 2,
                "reserve": ["meadow", "pond"],
                "reserve_size": 2,
            },
            {
                "seat": 1,
                "status": "active",
                "out": None,
                "honour": -2,
                "keeps": 2,
                "keeps_resting": 0,
                "turns_left": 1,
                "reserve": None,
                "reserve_size": 2,
            },
            {
                "seat": 2,
                "status": "out",
                "out": 1,
                "honour": -7,
                "keeps": 0,
                "keeps_resting": 0,
                "turns_left": 0,
                "reserve": None,
                "reserve_size": 0,
            },
        ],
    }


def test_the_value_of_a_baron_and_the_remaining_keeps_have_defaults() -> None:
    state = given("draw round 1 seat 0\n0: 0\n1: 0, resting 1\nboard\nM1b F\nV")
    assert state.values == {(0, 0): 5}
    assert [player.keeps for player in state.players] == [5, 3]


@pytest.mark.parametrize(
    "text",
    [
        "draw round 1 seat 0\n0: 0\n1: 0",
        "draw round 1 seat 0\n0: 0\n1: 0\nboard\nX",
        "draw round 1 seat 0\n0: 0\n1: 0\nboard\nM1",
        "draw round 1 seat 0\n0: 0, MX\n1: 0\nboard\nM",
        "draw round 1 seat 0\n0: 0\n1: 0\nbank 3\nboard\nM",
        "draw round 1 seat 0\n0: 0\n1: 0\nmarket 3\nboard\nM",
    ],
)
def test_invalid_text_diagrams_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"diagram|cell|tiles"):
        given(text)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_positions_of_whole_games_are_written_and_parsed(seats: int) -> None:
    for state, _ in random_game(seats, seed=9):
        text = diagram(state)
        assert diagram(given(text)) == text
        position = baron.position(state, ALL_SECRETS)
        assert baron.position(given(text), ALL_SECRETS) == position
        assert baron.position(from_position(position), ALL_SECRETS) == position
        for viewer in [None, *range(seats)]:
            seen = baron.position(state, viewer)
            assert baron.position(from_position(seen), viewer) == seen
