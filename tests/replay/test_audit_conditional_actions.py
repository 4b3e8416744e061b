"""The audit of the mark of conditional actions: genuine ones hold, and no other event can have it."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.event import Event
from domain.json_types import JsonObject
from domain.scene import caption
from replay.event_text import outcome_message
from replay.language.renderer import english
from tests.support.records import PLAYER_KEY, Table, audit_record, first_finding, forge_record

TAKE: JsonObject = {"type": "take", "stones": 1}


def prepared_table() -> Table:
    """Return a game whose last event is a conditional action."""
    table = Table(options={"seating": "joined"}).start()
    table.take(2)
    table.act_as_prepared(TAKE)
    return table


def test_a_conditional_action_is_marked_and_holds() -> None:
    table = prepared_table()
    event = table.sealed[-1].event
    assert event["conditional"] is True
    assert not audit_record(table.record()).is_broken
    rules = table.game.rules
    unmarked: Any = {name: value for name, value in event.items() if name != "conditional"}
    outcome = english(outcome_message(rules, unmarked))
    assert english(outcome_message(rules, event)) == f"{outcome} (as prepared)"
    assert english(caption(event, rules.event_message)) == f"seat 1 {outcome} (as prepared)"


def _mark(event: Any) -> None:
    event["conditional"] = True


def _mark_start(events: list[Event]) -> None:
    _mark(next(event for event in events if event["type"] == "GameStarted"))


def _give_to_other_seat(events: list[Event]) -> None:
    events[-1]["by"] = {"seat": 0}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_mark_start, "but is not an action of a player"),
        (_give_to_other_seat, "but it was another player's turn"),
    ],
)
def test_a_mark_on_an_event_that_cannot_have_it_is_found(
    change: Callable[[list[Event]], None], problem: str
) -> None:
    finding = first_finding(forge_record(prepared_table().record(), change), "decisions")
    assert problem in english(finding.problem)


def test_a_signed_action_cannot_be_marked() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    finding = first_finding(
        forge_record(table.record(), lambda events: _mark(events[-1])), "decisions"
    )
    assert "but was signed for a position already seen" in english(finding.problem)
