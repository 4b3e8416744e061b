"""The audit of what a server states beside the actions: bots, invitations, vacant seats, removals.

Each forgery is a change that no rule of play contradicts, by a server that repairs every hash and signature.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from domain import lifecycle
from domain.contract import DomainEvent
from domain.event import By, Clock, Event
from ledger import commands
from replay.language.renderer import english
from tests.support.local_game import LocalGame
from tests.support.records import Table, audit_record, forge_record

LATER = datetime(2026, 11, 25, 9, tzinfo=UTC)
"""After the first version that records what every removal follows from."""
Change = Callable[[list[Event]], None]


def problems_of(data: bytes) -> list[str]:
    """Return the findings of the check of decisions; the head and the chain of every record are intact."""
    findings = audit_record(data).findings
    assert {finding.check for finding in findings} <= {"decisions"}
    return [english(finding.problem) for finding in findings]


def private_table() -> Table:
    """A private game: `invited` joins by an invitation, `guest` by a link of `player-0`; a bot joins."""
    table = Table("barony", 4, {"private": True, "seating": "joined"})
    pending = table._pending
    commands.invite(pending, "invited")
    table.join("invited")
    commands.join(pending, "guest", b"g", lambda: b"", invited_by="player-0")
    commands.join(pending, "robot", b"r", lambda: bytes(range(32)), bot="random")
    table.act_first()
    return table


def place_of(events: list[Event], player: str) -> Any:
    return next(
        event
        for event in events
        if event["type"] == "SeatTaken" and event["data"]["player"] == player
    )


def invited_by(player: str, inviter: str | None) -> Change:
    """Return a change of the player by whose link another one has joined."""

    def change(events: list[Event]) -> None:
        data = place_of(events, player)["data"]
        if inviter is None:
            del data["invited_by"]
        else:
            data["invited_by"] = inviter

    return change


def test_a_private_game_with_invitations_and_a_bot_is_not_broken() -> None:
    assert problems_of(private_table().record(opened=False)) == []


@pytest.mark.parametrize(
    ("player", "inviter", "problem"),
    [
        ("robot", "stranger", "a bot joins without an invitation"),
        ("robot", "player-0", "a bot joins without an invitation"),
        ("guest", "stranger", "not by a player of the game"),
        ("guest", None, "is not invited"),
        ("invited", "player-0", "the invitation is not needed"),
        ("player-0", "player-0", "the invitation is not needed"),
    ],
)
def test_an_invitation_that_was_made_up_is_found(
    player: str, inviter: str | None, problem: str
) -> None:
    change = invited_by(player, inviter)
    problems = problems_of(forge_record(private_table().record(opened=False), change))
    assert any(problem in text for text in problems), problems


def test_nobody_needs_an_invitation_to_a_public_game() -> None:
    table = Table("barony", 2, {"seating": "joined"}).start()
    problems = problems_of(
        forge_record(table.record(opened=False), invited_by("player-1", "player-0"))
    )
    assert any("the invitation is not needed" in text for text in problems)


@pytest.mark.parametrize("mark", ["made a bot", "made a person"])
def test_a_bot_or_a_person_that_was_made_up_is_found(mark: str) -> None:
    def change(events: list[Event]) -> None:
        if mark == "made a bot":
            place_of(events, "guest")["data"]["bot"] = "random"
        else:
            del place_of(events, "robot")["data"]["bot"]

    assert problems_of(forge_record(private_table().record(opened=False), change))


def game_with_bot(**options: Any) -> LocalGame:
    game = LocalGame(2, bots=1, takebacks=True, **options)
    game.act(3)
    return game


@pytest.mark.parametrize("kind", ["dispute", "takeback", "key"])
def test_a_bot_disputes_nothing_asks_for_nothing_and_has_no_key(kind: str) -> None:
    game = game_with_bot()
    match kind:
        case "dispute":
            game.dispute(1)
        case "takeback":
            assert game.game.last_play is not None
            assert game.game.last_play.actions[-1].seat == 1
            game.request_takeback(1)
        case _:
            table = Table("barony", 2, {"seating": "joined"})
            commands.join(table._pending, "robot", b"", lambda: bytes(range(32)), bot="random")
            assert problems_of(table.record(opened=False)) == []
            key = "0" * 16
            event = lifecycle.add_key(table.game, "robot", key, "00" * 32)
            table.add(event, {"seat": 1})
            findings = audit_record(table.record(opened=False)).findings
            assert any("a bot, and only people" in english(finding.problem) for finding in findings)
            return
    assert any("a bot, and only people" in text for text in problems_of(game.record()))


def test_a_bot_does_not_leave_before_the_start() -> None:
    table = Table("barony", 3, {"seating": "joined"})
    commands.join(table._pending, "robot", b"", lambda: b"", bot="random")
    table.leave("robot")
    assert any("a bot, and only people" in text for text in problems_of(table.record()))


@pytest.mark.parametrize("kind", ["act", "resign", "dispute"])
def test_nobody_acts_for_a_vacant_seat_but_the_clock(kind: str) -> None:
    game = LocalGame(3, substitutes=True, arbiter="zoe")
    while game.game.round == 0 or game.game.to_act != 1:
        game.act()
    game.leave_seat(1)
    assert problems_of(game.record()) == []
    match kind:
        case "act":
            game.act()
        case "resign":
            game.resign(1)
        case _:
            game.dispute(1)
    assert any("whose seat is vacant" in text for text in problems_of(game.record()))


def test_a_substitute_in_a_private_game_was_invited() -> None:
    for player, is_right in (("invited", True), ("stranger", False)):
        table = Table("barony", 2, {"private": True, "seating": "joined", "substitutes": True})
        for other in ("player-1", "invited"):
            commands.invite(table._pending, other)
        table.join("player-1")
        table.add(DomainEvent("SeatVacated", _data(seat=1, player="player-1")), {"seat": 1})
        substitute = _data(seat=1, player=player, replaces="player-1")
        table.add(DomainEvent("SubstituteSeated", substitute), {"player": player})
        assert (problems_of(table.record(opened=False)) == []) == is_right


def _data(**fields: Any) -> Any:
    return fields


SIMPLE: Clock = {"per_turn": 60}
REMOVES: Clock = {"per_turn": 60, "on_deadline": {"placement": "remove"}}


@pytest.mark.parametrize(
    ("clock", "substitutes", "is_right"),
    [(SIMPLE, False, True), (SIMPLE, True, False), (REMOVES, False, True), (REMOVES, True, False)],
)
def test_a_missed_placement_removes_nobody_if_the_game_says_otherwise(
    clock: Clock, *, substitutes: bool, is_right: bool
) -> None:
    """Without substitutes, a clock that says nothing may be that of a server before bots placed."""
    game = LocalGame(3, clock=clock, substitutes=substitutes, start=LATER)
    game.wait(seconds=60)
    game.pending.add(lifecycle.remove(game.game, 0), commands.CLOCK)
    assert (problems_of(game.record()) == []) == is_right


@pytest.mark.parametrize("kind", ["removal", "end"])
def test_an_arbiter_decides_nothing_without_a_ruling(kind: str) -> None:
    for start, is_right in ((datetime(2026, 11, 20, tzinfo=UTC), True), (LATER, False)):
        game = LocalGame(3, arbiter="zoe", start=start)
        game.act(2)
        if kind == "removal":
            commands.remove(game.pending, 1, game.secret)
        else:
            commands.abandon(game.pending, game.secret)
        report = audit_record(game.record())
        problems = [english(finding.problem) for finding in report.findings]
        assert any("follows neither from a ruling" in text for text in problems) != is_right
        notes = [english(note.text) for note in report.notes]
        assert any("no dispute was ruled before it" in text for text in notes) == is_right


def test_a_removal_that_an_administrator_decided_or_an_arbiter_ruled_is_right() -> None:
    game = LocalGame(4, arbiter="zoe", start=LATER)
    game.act(2)
    game.rule(game.dispute(0), {"type": "remove_seat", "seat": 1})
    commands.remove_seat(game.pending, "operator", 2, game.secret)
    commands.abandon_game(game.pending, "operator", game.secret)
    assert problems_of(game.record()) == []


def test_an_administrator_without_an_id_is_found() -> None:
    game = LocalGame(2, start=LATER)
    commands.abandon_game(game.pending, "operator", game.secret)

    def change(events: list[Event]) -> None:
        events[-2]["data"]["administrator"] = 7

    assert any(
        "must be a text" in text for text in problems_of(forge_record(game.record(), change))
    )


def test_players_rule_only_with_the_proposal_that_makes_them_agree() -> None:
    """Seat 2, which proposed something else, leaves; so the others agree, but none has proposed anew."""
    game = LocalGame(3, substitutes=True, start=LATER)
    number = game.dispute(0)
    for seat, ruling in enumerate(("dismiss", "dismiss", "abandon")):
        game.propose(number, seat, {"type": ruling})
    game.leave_seat(2)
    by: By = {"system": "arbiter"}
    ruled = _data(dispute=number, ruling={"type": "dismiss"}, arbiter=None, agreed_by=[0, 1])
    game.pending.add(DomainEvent("DisputeRuled", ruled), by)
    assert any("no player has just proposed" in text for text in problems_of(game.record()))
