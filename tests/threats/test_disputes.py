"""Attacks on disputes and takebacks: rows of docs/threats.md."""

from io import BytesIO
from typing import Any

import pytest

from domain.event import Event
from ledger import commands
from ledger.pending import commitment
from ledger.statements import AnswerDispute
from replay.audit import Report
from replay.compare.comparison import compare
from replay.language.renderer import english
from tests.support.local_game import LocalGame
from tests.support.records import KEY, audit_record, first_finding, forge_record


def audit_trusting_the_server(data: bytes) -> Report:
    return audit_record(data, keys=[KEY.public])


def ended(game: LocalGame) -> bytes:
    """Let a player resign until one is left, and return the record."""
    while (state := game.game.state) is not None and len(seats := state.in_game()) > 1:
        game.resign(seats[-1])
    while game.game.rounds_ended:
        game.score()
    commands.finish(game.pending, game.secret)
    return game.record()


def assert_exposed(original: bytes, forged: bytes) -> None:
    """Check that a record is sound by itself, and that the original one exposes it."""
    assert audit_trusting_the_server(forged).is_sound
    (proof,) = compare(BytesIO(original), BytesIO(forged), trusted=[KEY.public]).proofs
    assert proof.public == KEY.public


@pytest.mark.threat("takeback-claimed")
def test_a_takeback_needs_the_answers_of_all_players_on_the_record() -> None:
    """One of two other players did not answer."""
    game = LocalGame(3, takebacks=True)
    game.act(3)
    request = game.request_takeback(2)
    game.answer_takeback(request, 0, agree=True)
    commands.resume(game.pending, 6, game.game.seq, game.secret, by=commands.TAKEBACK)
    findings = audit_record(game.record()).findings
    assert [finding.seq for finding in findings] == [game.game.seq]
    assert "without a ruling or an agreement" in english(findings[0].problem)


@pytest.mark.threat("agreement-made-up")
def test_an_agreement_that_the_operator_made_up_is_sound_and_contradicts_older_records() -> None:
    original, forged = (LocalGame(2, takebacks=True) for _ in range(2))
    for game in (original, forged):
        game.act(2)
    request = forged.request_takeback(1)
    forged.answer_takeback(request, 0, agree=True)
    assert_exposed(ended(original), ended(forged))


def asked_for_a_takeback() -> LocalGame:
    """A game of three with an arbiter in which seat 2 has asked for a takeback and signed it."""
    game = LocalGame(3, takebacks=True, arbiter="judge")
    game.act(3)
    game.sign("cid", "TakebackRequested", {})
    game.request_takeback(2)
    return game


@pytest.mark.threat("agreement-made-up")
def test_a_forged_agreement_lacks_a_signature() -> None:
    game = asked_for_a_takeback()
    request = game.game.seq
    answer = {"request": request, "agree": False}
    signature = game.sign("ada", "TakebackAnswered", answer)
    game.answer_takeback(request, 0, agree=False)
    assert audit_record(game.record()).findings == []
    seq = game.game.seq

    def agree(events: list[Event]) -> None:
        events[seq - 1]["data"]["agree"] = True

    findings = audit_record(forge_record(game.record(), agree)).findings
    assert [(finding.check, finding.seq) for finding in findings] == [("signatures", seq)]
    assert signature in [event.get("signature") for event in game.pending.events]

    def agree_without_signature(events: list[Event]) -> None:
        agree(events)
        del events[seq - 1]["signature"]

    notes = audit_record(forge_record(game.record(), agree_without_signature)).notes
    assert "seat 0 signed 0 of 1 statement on" in " ".join(english(note.text) for note in notes)


@pytest.mark.threat("arbiter-made-up")
def test_the_ruling_of_an_arbiter_who_signs_cannot_be_changed() -> None:
    game = asked_for_a_takeback()
    number = game.dispute(0)
    ruling = {"type": "dismiss"}
    game.sign("judge", "DisputeRuled", {"dispute": number, "ruling": ruling}, "So be it.")
    game.rule(number, ruling)
    assert audit_record(game.record()).findings == []
    seq = game.game.seq

    def change(events: list[Event]) -> None:
        events[seq - 1]["data"]["ruling"] = {"type": "result_stands"}

    findings = audit_record(forge_record(game.record(), change)).findings
    assert [(finding.check, finding.seq) for finding in findings] == [("signatures", seq)]


@pytest.mark.threat("signature-reused")
def test_a_signed_statement_cannot_be_used_again_in_the_game_or_in_another() -> None:
    def paused(game: LocalGame) -> str:
        """Let the player of seat 0 agree to a pause twice with one signature; return the problem."""
        signature = game.sign("ada", "PauseAgreed", {"agree": True})
        game.agree_to_pause(0)
        game.agree_to_pause(1)
        game.agree_to_pause(0, agree=False)
        game.pending.sign_next(signature)
        game.agree_to_pause(0)
        return english(first_finding(game.record(), "signatures").problem)

    assert "made another statement" in paused(LocalGame(2, per_turn=60))
    first, other = LocalGame(2, per_turn=60), LocalGame(2, per_turn=90)
    signature = first.sign("ada", "PauseAgreed", {"agree": True})
    other.sign("ada", "PauseAgreed", {"agree": True})
    other.pending.sign_next(signature)
    other.agree_to_pause(0)
    assert "another game" in english(first_finding(other.record(), "signatures").problem)


@pytest.mark.threat("new-draws-chosen")
def test_a_server_that_waits_for_the_right_moment_chooses_what_is_drawn_anew() -> None:
    """With seed version 1, it tries one millisecond after another until it likes the new pile."""

    def resumed(milliseconds: int) -> LocalGame:
        game = LocalGame(2, rules="baron", arbiter="judge", seed_version=1)
        game.act(8)
        number = game.dispute(0)
        game.wait(milliseconds=milliseconds)
        game.rule(number, {"type": "resume", "from": 5})
        return game

    chosen = next(
        game
        for game in map(resumed, range(200))
        if game.game.state is not None and game.game.state.top_of_pile() == "village"
    )
    report = audit_trusting_the_server(ended(chosen))
    assert report.verdict == "unknown"
    assert [unknown.check for unknown in report.unknowns] == ["chance"]
    assert "chose what was drawn again" in english(report.unknowns[0].problem)


@pytest.mark.threat("new-draws-chosen")
def test_a_server_that_waits_changes_nothing_about_what_is_drawn_anew() -> None:
    """With seed version 2, it follows from the nonces; only if nobody sent one, that cannot be known."""

    def resumed(milliseconds: int, nonce: bytes | None) -> LocalGame:
        game = LocalGame(2, rules="baron", arbiter="judge")
        game.act(8)
        number = game.dispute(0)
        game.wait(milliseconds=milliseconds)
        game.rule(number, {"type": "resume", "from": 5}, nonce=nonce)
        return game

    def pile(game: LocalGame) -> tuple[str, ...]:
        assert game.game.state is not None
        tiles: tuple[str, ...] = game.game.state.tiles_in_pile()
        return tiles

    assert len({pile(resumed(moment, b"of the arbiter")) for moment in range(20)}) == 1
    assert pile(resumed(0, b"another")) != pile(resumed(0, b"of the arbiter"))
    assert audit_trusting_the_server(ended(resumed(0, b"of the arbiter"))).is_sound
    report = audit_trusting_the_server(ended(resumed(0, None)))
    assert [unknown.check for unknown in report.unknowns] == ["chance"]
    assert "nobody supplied a nonce" in english(report.unknowns[0].problem)


@pytest.mark.threat("ruling-made-up")
def test_a_ruling_by_somebody_who_is_not_the_arbiter_is_found() -> None:
    game = LocalGame(2, arbiter="judge")
    game.act(2)
    game.rule(game.dispute(0), {"type": "dismiss"})
    seq = game.game.seq

    def change(events: list[Event]) -> None:
        events[seq - 1]["data"]["arbiter"] = "bea"

    findings = audit_record(forge_record(game.record(), change)).findings
    assert [(finding.check, finding.seq) for finding in findings] == [("decisions", seq)]


@pytest.mark.threat("ruling-made-up")
def test_a_ruling_to_which_not_all_players_agreed_is_found() -> None:
    game = LocalGame(2)
    game.act(2)
    number = game.dispute(0)
    for seat in (0, 1):
        game.propose(number, seat, {"type": "dismiss"})

    def change(events: list[Event]) -> None:
        events[number]["data"]["ruling"] = {"type": "abandon"}

    assert audit_record(forge_record(game.record(), change)).verdict == "broken"


def disputed() -> tuple[bytes, int]:
    """A record with a dispute, and the seq of an answer in it."""
    game = LocalGame(2, arbiter="judge")
    game.act(2)
    number = game.dispute(0)
    AnswerDispute(number, "It was late.").add(game.pending, 1, game.secret)
    seq = game.game.seq
    game.rule(number, {"type": "dismiss"})
    return ended(game), seq


@pytest.mark.threat("statement-made-up")
def test_other_words_in_a_dispute_contradict_older_records() -> None:
    data, seq = disputed()
    changed = data.replace(b"It was late.", b"I gave up.")
    assert audit_trusting_the_server(changed).verdict == "broken"

    def change(events: list[Any]) -> None:
        salt = changed.partition(b'"seq":%d}' % seq)[0].rpartition(b'"salt":"')[2][:64].decode()
        opening = {"salt": salt, "value": "I gave up."}
        events[seq - 1]["secrets"]["statement"] = commitment(opening)

    assert_exposed(data, forge_record(changed, change))


@pytest.mark.threat("statement-made-up")
def test_the_words_of_an_author_who_signs_cannot_be_exchanged() -> None:
    game = asked_for_a_takeback()
    number = game.dispute(0)
    game.sign("bea", "DisputeAnswered", {"dispute": number}, "It was late.")
    AnswerDispute(number, "It was late.").add(game.pending, 1, game.secret)
    seq = game.game.seq
    opening = {**game.pending.openings[seq]["statement"], "value": "I gave up."}

    def change(events: list[Event]) -> None:
        events[seq - 1]["secrets"]["statement"] = commitment(opening)

    forged = forge_record(game.record().replace(b"It was late.", b"I gave up."), change)
    findings = audit_record(forged).findings
    assert [(finding.check, finding.seq) for finding in findings] == [("signatures", seq)]


@pytest.mark.threat("statement-withheld")
def test_words_that_are_left_out_are_noted() -> None:
    data, seq = disputed()
    lines = data.splitlines(keepends=True)
    withheld = b"".join(line for line in lines if b"It was late." not in line)
    report = audit_trusting_the_server(withheld)
    assert report.is_sound
    assert seq in {
        note.seq for note in report.notes if "what was written here" in english(note.text)
    }
