"""The texts of events without an action; test_explain.py and test_explain_turn_order.py have the others."""

import pytest

from domain import barony
from domain.barony.event_messages import EVENT_MESSAGES
from domain.barony.state import EVENT_APPLIERS
from replay.language.renderer import english
from tests.support.barony_positions import given
from tests.support.events import event_of


@pytest.mark.parametrize(
    ("type", "data", "text"),
    [
        (
            "GameCreated",
            {"rules": "barony", "seats": 3, "clock": {"per_turn": 86400}},
            "creates a game of Barony for 3 players, with 1 day a turn",
        ),
        (
            "GameCreated",
            {"rules": "barony", "seats": 2, "clock": None},
            "creates a game of Barony for 2 players",
        ),
        ("SeatTaken", {"player": "ann", "nonce": "00"}, "takes a place"),
        ("SeatLeft", {"player": "ann"}, "gives up the place"),
        ("GameAbandoned", {"secret": "00"}, "the game is abandoned"),
        ("TilePlaced", {}, "TilePlaced"),
    ],
)
def test_events_of_the_life_cycle_and_unknown_types(
    type: str, data: dict[str, object], text: str
) -> None:
    event = event_of(type, data)
    assert english(barony.event_message(type, event.data)) == text
    assert (
        barony.explain(given("play seat 0\nboard 0,0\nP0ck  P"), None, event_of(type, data)) == []
    )


def test_every_type_that_changes_a_position_has_a_text_of_its_own() -> None:
    assert set(EVENT_APPLIERS) <= set(EVENT_MESSAGES)
