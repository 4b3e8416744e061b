"""Records of games that were resumed: branches, positions on each of them, and the audit of the draws."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from domain.event import Event
from ledger.record import Record
from replay.audit.findings import Finding
from replay.history.branches import BranchNotFound, branch, branches
from replay.history.timeline import (
    PositionNotFound,
    after_round,
    after_turn,
    game_at,
    head,
    transition_at,
    transitions,
)
from replay.language.renderer import english
from tests.support.faults import raises
from tests.support.records import Table, audit_record, forge_record, read


def resumed_game() -> Table:
    """A game of Baron that goes back to event 12 after event 24, and to event 8 after event 30."""
    table = Table("baron", 2).start().act_at_random(20)
    table.resume(12)
    table.act_at_random(5, b"second")
    table.resume(8)
    return table.act_at_random(12, b"third")


@pytest.fixture(scope="module")
def table() -> Table:
    return resumed_game()


@pytest.fixture(scope="module")
def record(table: Table) -> Record:
    return read(table.record())


def test_a_game_has_one_more_branch_than_resumptions(record: Record) -> None:
    assert [(one.number, one.last) for one in branches(record)] == [(1, 24), (2, 30), (3, 43)]
    first, second, third = branches(record)
    assert all(first.has(seq) for seq in range(1, 25))
    assert [seq for seq in range(1, 44) if second.has(seq)] == [*range(1, 13), *range(25, 31)]
    assert [seq for seq in range(1, 44) if third.has(seq)] == [*range(1, 9), *range(31, 44)]
    assert branch(record) == third


def test_there_is_no_branch_beyond_the_last(record: Record) -> None:
    with raises(BranchNotFound, match="branches 1 to 3"):
        branch(record, 4)
    with raises(BranchNotFound, match="only branch 1"):
        branch(read(Table("baron", 2).start().record()), 2)


def test_turns_and_rounds_are_those_of_the_branch(table: Table, record: Record) -> None:
    for one in branches(record):
        last = head(record, one)
        assert last.position(None) == table.sealed[one.last - 1].game.position(None)
        on_branch = [made.game for made in table.sealed if one.has(made.game.seq)]
        for turn in range(1, last.turn):
            game = after_turn(record, turn, one)
            assert one.has(game.seq)
            begun = next(made for made in on_branch if made.state is not None and made.turn > turn)
            assert game.seq == begun.seq
        assert after_turn(record, last.turn, one).seq == one.last
        assert after_round(record, last.round, one).seq == one.last
    assert after_turn(record, 5).position(None) == after_turn(record, 5, branch(record)).position(
        None
    )


def test_an_event_of_another_branch_is_refused(record: Record) -> None:
    with raises(PositionNotFound, match="event 20 is not on branch 3"):
        game_at(record, 20, branch(record, 3))
    assert game_at(record, 20).seq == 20


def test_a_step_that_resumes_play_has_the_game_from_which_it_does(record: Record) -> None:
    by_seq = {transition.event["seq"]: transition for transition in transitions(record)}
    for seq, origin in ((25, 12), (31, 8)):
        for transition in (by_seq[seq], transition_at(record, seq)):
            assert transition.origin is not None
            assert transition.origin.seq == origin
    assert by_seq[26].origin is None


def test_the_command_shows_the_position_on_each_branch(
    table: Table, tmp_path: Path, run: Callable[..., Result]
) -> None:
    file = tmp_path / "resumed.jsonl"
    file.write_bytes(table.record())

    def shown(*arguments: str) -> Result:
        return run("replay", file, "--format", "json", *arguments)

    assert shown("--branch", "1").output == shown("--seq", "24").output
    assert shown("--branch", "2").output == shown("--seq", "30").output
    assert shown("--branch", "3").output == shown().output
    refusal = shown("--branch", "4")
    assert refusal.exit_code == 2
    assert "branches 1 to 3" in refusal.output


def findings_of(data: bytes, check: str) -> list[Finding]:
    return [finding for finding in audit_record(data).findings if finding.check == check]


def test_an_audit_repeats_the_draws_of_a_resumption() -> None:
    table = resumed_game()
    table.abandon()
    assert findings_of(table.record(), "chance") == []
    assert findings_of(table.record(), "state") == []
    report = audit_record(table.record())
    chance = next(check for check in report.checks if check.name == "chance")
    assert chance.count == len(["start", "pile", "reserve/0", "reserve/1"]) + 2 * len(
        ["resumed", "pile"]
    )


def test_a_pile_that_was_not_redrawn_from_the_seed_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("domain.chance.resumed_seed", lambda *_: b"another seed")
        table = resumed_game().abandon()
    found = findings_of(table.record(), "chance")
    assert [finding.seq for finding in found] == [25, 31]
    assert "the secret “pile” is not what the seed gives" in english(found[0].problem)


@pytest.mark.parametrize("change", [{"from": 24}, {"from": 3}, {"from": 15, "because": 30}])
def test_play_that_resumed_from_an_event_that_is_not_allowed_is_a_finding(
    change: dict[str, Any],
) -> None:
    def resume_elsewhere(events: list[Event]) -> None:
        events[30]["data"].update(change)

    found = findings_of(forge_record(resumed_game().record(), resume_elsewhere), "decisions")
    assert 31 in {finding.seq for finding in found}


def test_a_game_in_progress_can_be_decided_again_without_its_secrets() -> None:
    data = resumed_game().record(opened=False)
    differences = [
        finding
        for finding in findings_of(data, "decisions")
        if "resumed" not in english(finding.problem)
    ]
    assert differences == []


def test_a_tile_that_the_redrawn_pile_cannot_have_is_a_finding() -> None:
    """The first branch turned up tiles that are back in the pile; the second pile has no others."""

    def turn_up_many(events: list[Event]) -> None:
        for event in events[31:]:
            if event["type"] == "TileDrawn" and event["data"]["refill"] is not None:
                event["data"]["refill"] = "cursed_place"

    found = findings_of(
        forge_record(resumed_game().record(opened=False), turn_up_many), "decisions"
    )
    assert any(
        "no cursed place can have been left" in english(finding.problem) for finding in found
    )
