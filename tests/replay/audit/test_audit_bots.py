"""The audit of bots: who adds them, and what their marks can be."""

from collections.abc import Callable

import pytest

from domain.event import Event
from replay.language.renderer import english
from tests.games.records import FOLDER
from tests.support.records import audit_record, first_finding, forge_record

RECORD = (FOLDER / "people-desert-bots.jsonl").read_bytes()


def _by_the_bot(events: list[Event]) -> None:
    events[2]["by"] = {"player": "sensible-bot-1"}


def _not_by_the_creator(events: list[Event]) -> None:
    events[2]["by"] = {"player": "bea"}


def _without_mark(events: list[Event]) -> None:
    del events[2]["data"]["bot"]


def _named(name: object) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        events[2]["data"]["bot"] = name

    return change


@pytest.mark.parametrize(
    "change",
    [
        _by_the_bot,
        _not_by_the_creator,
        _without_mark,
        *map(_named, [None, "", "no name", 5, [], {}, "x" * 33]),
    ],
)
def test_a_bot_that_the_creator_has_not_added_as_such_is_reported(
    change: Callable[[list[Event]], None],
) -> None:
    assert first_finding(forge_record(RECORD, change), "decisions").seq == 3


def test_a_person_who_is_marked_as_a_bot_later_is_reported() -> None:
    def change(events: list[Event]) -> None:
        # Then nobody but bots has deserted the game, which the clock cannot abandon.
        events[1]["data"]["bot"] = "sensible"

    assert first_finding(forge_record(RECORD, change), "decisions").seq is not None


def test_the_creator_supplies_the_last_nonce_if_a_bot_takes_the_last_place() -> None:
    (chance,) = [check for check in audit_record(RECORD).checks if check.name == "chance"]
    (note,) = chance.notes
    assert "ada supplied the last nonce (event 4)" in english(note.text)
