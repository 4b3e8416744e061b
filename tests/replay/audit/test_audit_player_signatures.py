"""The audit of actions that players signed: genuine signatures hold, and no other signature does."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from domain.contract import DomainEvent
from domain.event import ActionSignature, Event
from domain.json_types import JsonObject
from ledger.keys import SigningKey
from replay.language.renderer import english
from tests.support.records import (
    PLAYER_KEY,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
)

TAKE: JsonObject = {"type": "take", "stones": 1}
SIGNED_SEQ = 6
"""The event of the fixture `signed` that has a signature."""


def table_with_key() -> Table:
    """Return a game in which it is the turn of player 0, who has the key PLAYER_KEY."""
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    return table


def signature_problem(table: Table) -> str:
    """Return the problem of the first finding, which must be one of a signature."""
    return english(first_finding(table.record(), "signatures").problem)


def test_signed_actions_hold_and_are_counted_by_seat(signed: Table) -> None:
    report = audit_record(signed.record())
    (check,) = [check for check in report.checks if check.name == "signatures"]
    assert (check.verdict, check.count) == ("holds", 1)
    assert report.verdict != "broken"
    assert [english(note.text) for note in check.notes] == [
        "seat 0 signed 1 of 1 actions.",
        "seat 1 did not sign the only action: it rests on the server's word.",
        f"By the log, key {PLAYER_KEY.id} is that of seat 0: only this player can confirm it.",
    ]


def test_a_game_without_signatures_says_what_its_actions_rest_on(eventful: Table) -> None:
    report = audit_record(eventful.record())
    (check,) = [check for check in report.checks if check.name == "signatures"]
    assert check.verdict == "holds"
    assert [english(note.text) for note in check.notes] == [
        "No player signed an action: all actions rest on the server's word."
    ]


def test_an_action_may_be_signed_for_any_event_since_which_the_position_has_not_changed() -> None:
    table = table_with_key()
    head = table.sealed[-2].event["hash"]  # before the event that registered the key
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY, head))
    assert audit_record(table.record()).verdict != "broken"


def change_signature(**fields: str) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        events[SIGNED_SEQ - 1]["signature"].update(fields)  # type: ignore[typeddict-item] # any field

    return change


def change_action(events: list[Event]) -> None:
    event: Any = events[SIGNED_SEQ - 1]
    event["action"]["stones"] = 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (change_signature(key=STRANGER.id), "has not registered"),
        (change_signature(signature="0" * 128), "is not valid"),
        (change_signature(signature="f" * 128), "is malleable"),
        (change_signature(head="0" * 64), "is not valid"),
        (change_action, "is not valid"),
    ],
)
def test_a_forged_signature_is_found(
    signed: Table, change: Callable[[list[Event]], None], problem: str
) -> None:
    report = audit_record(forge_record(signed.record(), change))
    assert report.verdict == "broken"
    findings = [finding for finding in report.findings if finding.check == "signatures"]
    assert problem in english(findings[0].problem)
    assert findings[0].seq == SIGNED_SEQ


def test_a_signature_without_an_action_is_found(signed: Table) -> None:
    def change(events: list[Event]) -> None:
        events[0]["signature"] = deepcopy(events[SIGNED_SEQ - 1]["signature"])

    first = first_finding(forge_record(signed.record(), change), "signatures")
    assert "no action or statement" in english(first.problem)


def test_a_signature_by_the_key_of_another_player_is_found() -> None:
    table = table_with_key()
    table.add_key("player-1", STRANGER)
    table.act_signed(TAKE, table.sign(TAKE, STRANGER))
    assert "seat 0 has not registered" in signature_problem(table)


def test_a_signature_by_a_revoked_key_is_found() -> None:
    table = table_with_key()
    table.revoke_key("player-0", PLAYER_KEY)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    assert "has revoked" in signature_problem(table)


def test_a_signature_by_a_key_that_is_added_later_is_found() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    table.add_key("player-0", PLAYER_KEY)
    assert "has not registered" in signature_problem(table)


def test_a_signature_for_another_game_is_found() -> None:
    table = table_with_key()
    other: ActionSignature = {
        **table.sign(TAKE, PLAYER_KEY),
        "signature": PLAYER_KEY.signature(b'{"game":"another"}'),
    }
    table.act_signed(TAKE, other)
    assert "is not valid" in signature_problem(table)


def test_a_signature_for_another_history_of_the_game_is_found() -> None:
    table = table_with_key()
    fork = table.until(table.game.seq)
    fork.act({"type": "resign"}, seat=1)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY, fork.game.hash))
    assert "another history" in signature_problem(table)


def test_a_signature_that_is_used_again_is_found() -> None:
    table = table_with_key()
    signature = table.sign(TAKE, PLAYER_KEY)
    table.act_signed(TAKE, signature)
    table.take(1)
    table.act_signed(TAKE, signature)
    assert "used again" in signature_problem(table)


@pytest.mark.parametrize(
    ("public", "problem"),
    [
        (STRANGER.public, "another key"),
        ("01" + 31 * "00", "small order"),
        ("ff" * 32, "not encoded canonically"),
    ],
)
def test_an_added_key_that_is_not_valid_is_found(public: str, problem: str) -> None:
    table = Table().start()
    data: Any = {"player": "player-0", "key": PLAYER_KEY.id, "public": public}
    seat = table.game.seat_of("player-0")
    assert seat is not None
    table.add(DomainEvent("PlayerKeyAdded", data), {"seat": seat})
    assert problem in signature_problem(table)


def add_twice(table: Table) -> None:
    table.add(DomainEvent("PlayerKeyAdded", _added(PLAYER_KEY)), {"seat": 0})


def add_for_another(table: Table) -> None:
    table.add(DomainEvent("PlayerKeyAdded", _added(STRANGER)), {"seat": 1})


def add_by_the_system(table: Table) -> None:
    table.add(DomainEvent("PlayerKeyAdded", _added(STRANGER)), {"system": "arbiter"})


def revoke_unknown(table: Table) -> None:
    data: Any = {"player": "player-0", "key": STRANGER.id}
    table.add(DomainEvent("PlayerKeyRevoked", data), {"seat": 0})


def add_revoked_again(table: Table) -> None:
    table.revoke_key("player-0", PLAYER_KEY)
    add_twice(table)


def _added(key: SigningKey) -> Any:
    return {"player": "player-0", "key": key.id, "public": key.public}


@pytest.mark.parametrize(
    "forge", [add_twice, add_for_another, add_by_the_system, revoke_unknown, add_revoked_again]
)
def test_events_about_keys_that_the_service_never_writes_are_found(
    forge: Callable[[Table], None],
) -> None:
    table = table_with_key()
    forge(table)
    first_finding(table.record(), "decisions")
