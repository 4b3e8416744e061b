"""The audit of `EventsLost`, with which the server says that its store has lost events."""

import pytest

from domain import lifecycle
from domain.event import By
from ledger.commands import ARBITER, STORE
from replay.language.renderer import english
from tests.support.records import Table, audit_record, first_finding


def test_a_loss_between_two_turns_is_sound_and_changes_nothing() -> None:
    table = Table().start()
    table.act_first()
    before = table.game
    event = table.add(lifecycle.lose_events(table.game, 9, "ab" * 32), STORE)
    assert (event["state"], event["action"]) == (before.state_hash, None)
    table.act_first()
    assert audit_record(table.record(opened=False)).findings == []


@pytest.mark.parametrize("by", [ARBITER, {"seat": 0}])
def test_only_the_store_says_what_it_has_lost(by: By) -> None:
    table = Table().start()
    table.add(lifecycle.lose_events(table.game, 9, "ab" * 32), by)
    finding = first_finding(table.record(opened=False), "decisions")
    assert "cannot bring about EventsLost" in english(finding.problem)


def test_an_event_that_is_in_the_log_was_not_lost() -> None:
    table = Table().start()
    event = table.act_first()
    table.act_first()
    table.add(lifecycle.lose_events(table.game, event["seq"], event["hash"]), STORE)
    finding = first_finding(table.record(opened=False), "decisions")
    assert "the event that was lost is in the log" in english(finding.problem)


@pytest.mark.parametrize(("last", "hash"), [(0, "ab" * 32), (9, "ab"), (9, 7)])
def test_a_loss_names_an_event(last: int, hash: str) -> None:
    table = Table().start()
    table.add(lifecycle.lose_events(table.game, last, hash), STORE)
    assert audit_record(table.record(opened=False)).findings
