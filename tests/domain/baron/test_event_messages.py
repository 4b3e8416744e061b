"""The text of events without fights; those with fights are in test_explain_fights.py."""

import pytest

from domain import baron
from domain.baron.event_messages import EVENT_MESSAGES
from domain.baron.explain import EXPLANATIONS
from domain.baron.state import EVENT_APPLIERS
from domain.json_types import JsonObject
from tests.support.baron_positions import given, text_of
from tests.support.events import event_of

KNIGHT = {"at": [2, -1], "seat": 1, "gain": 0, "beaten": []}


@pytest.mark.parametrize(
    ("type", "data", "text"),
    [
        (
            "GameStarted",
            {
                "market": ["meadow", "cursed_place", "pond"],
                "start": "field",
                "removed": ["meadow", "quarry"],
                "players": ["ann", "bob"],
            },
            (
                "the game starts from a field, with a meadow, a cursed place and a pond to draw, without a "
                "meadow and a quarry: ann is seat 0 and bob is seat 1"
            ),
        ),
        (
            "TileDrawn",
            {"tile": "cursed_place", "cost": 0, "refill": "pond"},
            "draws a cursed place; a pond comes up",
        ),
        ("TileDrawn", {"tile": "pond", "cost": 3, "refill": None}, "draws a pond for 3 honour"),
        (
            "TilePlaced",
            {"tile": "pond", "at": [1, -1], "bonus": 3},
            "lays a pond on 1,-1, earning 3 honour",
        ),
        ("TileDiscarded", {"tile": "pond"}, "can lay nothing, and gives up a pond"),
        ("TurnEnded", {"then": {"phase": "draw"}}, "places no keep"),
        ("TurnEnded", {"then": {"phase": "scoring"}}, "places no keep; play is over"),
        (
            "RoundScored",
            {"round": 2, "standings": [{"seat": 0, "score": -3}, {"seat": 1, "score": 4}]},
            "round 2 is scored: seat 0 -3 and seat 1 4",
        ),
        (
            "PlayerResigned",
            {"seat": 1, "out": {"seats": [1], "moment": 1}, "then": {"phase": "scoring"}},
            "resigns; play is over",
        ),
        (
            "TilePlaced",
            {
                "tile": "pond",
                "at": [1, -1],
                "baronies": [{**KNIGHT, "result": "returned", "why": "weaker_rival"}],
                "out": {"seats": [0, 2], "moment": 1},
            },
            (
                "lays a pond on 1,-1; seat 1's knight on 2,-1 makes way for a stronger one of the same owner "
                "and leaves the board; seat 0 and seat 2 are out of the game"
            ),
        ),
        (
            "KeepPlaced",
            {
                "at": [2, -1],
                "baronies": [{**KNIGHT, "result": "established", "value": -1, "gain": -1}],
            },
            "puts a keep on 2,-1; seat 1's knight on 2,-1 is established with -1 (-1 honour)",
        ),
        (
            "GameFinished",
            {
                "ranking": [
                    {"seat": 2, "place": 1, "score": 9},
                    {"seat": 0, "place": 1, "score": 9},
                    {"seat": 1, "place": 3, "score": -5},
                ]
            },
            "the game is over: seat 0 and seat 2 share the first place with 9 honour, before seat 1 with -5",
        ),
        ("SpellPlayed", {}, "SpellPlayed"),
    ],
)
def test_an_event_has_this_text(type: str, data: JsonObject, text: str) -> None:
    assert text_of(event_of(type, data)) == text


def test_every_event_type_that_changes_a_position_has_a_text_and_an_explanation() -> None:
    assert set(EVENT_APPLIERS) <= set(EVENT_MESSAGES)
    assert set(EVENT_APPLIERS) <= set(EXPLANATIONS)


@pytest.mark.parametrize("type", ["GameCreated", "SeatTaken", "GameAbandoned", "SpellPlayed"])
def test_events_that_follow_from_no_rule_are_not_explained(type: str) -> None:
    state = given("draw round 1 seat 0\n0: 0\n1: 0\nmarket M\nboard 0,0\nV")
    assert baron.explain(state, None, event_of(type, {"seats": 2})) == []
