"""The check of chance: who supplied the last nonce decides whether the server could choose the draws."""

from typing import Any

import pytest

from domain.event import Event, NonceSource
from ledger import commands
from ledger.canonical import canonical
from replay.audit import Check, Report
from replay.language.renderer import english
from tests.support.local_game import LocalGame
from tests.support.records import Table, audit_record, first_finding, forge_record


def played(*sources: NonceSource) -> bytes:
    """The record of a finished game with seed version 1, for as many players, with nonces from them."""
    table = Table(seats=len(sources), nonce_from=sources[0], seed_version=1)
    for place, source in enumerate(sources[1:], 1):
        table.join(f"player-{place}", nonce_from=source)
    return table.play_out().record()


def check_of_chance(report: Report) -> Check:
    return next(check for check in report.checks if check.name == "chance")


def test_a_nonce_from_the_last_player_keeps_the_server_from_choosing_the_draws() -> None:
    chance = check_of_chance(audit_record(played("server", "server", "player")))
    assert chance.verdict == "holds"
    (note,) = chance.notes
    assert "player-2 supplied the last nonce (event 4)" in english(note.text)
    assert "unless the two acted together" in english(note.text)


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        (("server", "server"), "no player supplied a nonce after the commitment"),
        # The creator's nonce comes before the commitment is published.
        (("player", "server"), "no player supplied a nonce after the commitment"),
        (("player", "player", "server"), "it supplied the last nonce itself (event 4)"),
    ],
)
def test_a_last_nonce_from_the_server_is_reported(
    sources: tuple[NonceSource, ...], reason: str
) -> None:
    report = audit_record(played(*sources))
    assert report.findings == []
    assert check_of_chance(report).verdict == "unknown"
    (unknown,) = check_of_chance(report).unknowns
    assert reason in english(unknown.problem)
    assert "Nothing can decide it now." in english(unknown.evidence)


def test_a_record_that_does_not_say_who_supplied_the_last_nonce_is_reported() -> None:
    def change(events: list[Event]) -> None:
        for event in events:
            event["data"].pop("nonce_from", None)

    report = audit_record(forge_record(played("player", "player"), change))
    assert report.findings == []
    (unknown,) = check_of_chance(report).unknowns
    assert "does not say who supplied the last nonce (event 3)" in english(unknown.problem)
    assert "player-1 can decide it" in english(unknown.evidence)


def test_a_player_who_left_and_joined_again_has_supplied_the_last_nonce() -> None:
    table = Table(seats=2, nonce_from="player", seed_version=1)
    table.join("guest", nonce_from="server")
    left = Table(seats=3, nonce_from="player", seed_version=1)
    left.join("guest", nonce_from="server")
    left.leave("player-0")
    left.join("another", nonce_from="server")
    left.join("player-0", nonce_from="player")
    assert check_of_chance(audit_record(left.play_out().record())).verdict == "holds"
    assert check_of_chance(audit_record(table.play_out().record())).verdict == "unknown"


def test_a_nonce_from_nowhere_is_reported() -> None:
    for source in ("arbiter", None, 1):

        def change(events: list[Event], source: object = source) -> None:
            events[2]["data"]["nonce_from"] = source

        data = forge_record(played("player", "player"), change)
        assert canonical(source) in data
        assert first_finding(data, "decisions").seq == 3


def second(*nonces: bytes, bots: int = 0) -> bytes:
    """The record of a finished game with seed version 2: for people with these nonces, and so many bots."""
    table = Table(seats=len(nonces) + bots, nonce=nonces[0])
    for place, nonce in enumerate(nonces[1:], 1):
        table.join(f"player-{place}", nonce)
    for number in range(bots):
        table.add_bot(f"bot-{number}")
    return table.play_out().record()


class TestSecondVersion:
    """Only nonces that people's programs sent go into the seed, in the order of the log."""

    def test_places_without_nonces_do_not_change_who_supplied_the_last_one(self) -> None:
        chance = check_of_chance(audit_record(second(b"", b"from bea", b"", bots=2)))
        assert chance.verdict == "holds"
        (note,) = chance.notes
        assert "player-1 supplied the last nonce (event 3)" in english(note.text)

    @pytest.mark.parametrize("nonces", [(b"", b""), (b"early", b"")])
    def test_without_a_nonce_after_the_commitment_nothing_can_be_known(
        self, nonces: tuple[bytes, ...]
    ) -> None:
        report = audit_record(second(*nonces, bots=1))
        assert report.findings == []
        (unknown,) = check_of_chance(report).unknowns
        assert "no player supplied a nonce after the commitment" in english(unknown.problem)
        assert "by its creator for a bot, would have" in english(unknown.evidence)

    def test_the_creator_supplies_the_nonce_of_a_bot(self) -> None:
        table = Table(seats=2, nonce=b"")
        table.add_bot("robot", b"from the creator")
        (note,) = check_of_chance(audit_record(table.play_out().record())).notes
        assert "player-0 supplied the last nonce (event 3)" in english(note.text)

    def test_a_player_who_left_again_has_supplied_the_last_nonce(self) -> None:
        table = Table(seats=3, nonce=b"")
        table.join("guest", b"and away")
        table.leave("guest")
        table.add_bot("robot")
        table.add_bot("another")
        (note,) = check_of_chance(audit_record(table.play_out().record())).notes
        assert "guest supplied the last nonce (event 3)" in english(note.text)

    @pytest.mark.parametrize(
        ("seq", "fields"),
        [
            (1, {"seed": 3}),
            (1, {"seed": True}),
            (1, {"seed": 1}),
            (2, {"nonce_from": "player"}),
            (2, {"nonce_from": "server"}),
            (3, {"nonce_from": "none"}),
            (3, {"nonce": ""}),
        ],
    )
    def test_what_no_server_records_is_found(self, seq: int, fields: dict[str, Any]) -> None:
        def change(events: list[Event]) -> None:
            events[seq - 1]["data"].update(fields)

        assert first_finding(forge_record(second(b"", b"from bea"), change), "decisions").seq == seq

    @pytest.mark.parametrize("seq", [1, 2, 3])
    def test_another_version_or_another_nonce_gives_other_draws(self, seq: int) -> None:
        table = Table("baron", 2, nonce=b"from ada")
        table.join("player-1", b"from bea")
        data = table.act_at_random(3).abandon().record()

        def change(events: list[Event]) -> None:
            if seq == 1:
                del events[0]["data"]["seed"]
            else:
                events[seq - 1]["data"]["nonce"] = "00"

        report = audit_record(forge_record(data, change))
        assert report.verdict == "broken"
        assert {finding.check for finding in report.findings} == {"chance"}


def resumed_by_takeback(*nonces: bytes | None, seed_version: Any = 2) -> LocalGame:
    """A game of Baron with a takeback: the nonces of the request and of the answers to it."""
    game = LocalGame(3, rules="baron", takebacks=True, seed_version=seed_version)
    game.act(7)
    last = game.game.last_play
    assert last is not None
    seat = last.actions[-1].seat
    number = game.request_takeback(seat, nonces[0])
    others = [other for other in range(3) if other != seat]
    for other, nonce in zip(others, nonces[1:], strict=True):
        game.answer_takeback(number, other, agree=True, nonce=nonce)
    assert game.types[-1] == "PlayResumed"
    return game


def ended(game: LocalGame) -> bytes:
    """The record of a game that is over."""
    for seat in range(game.game.seats - 1):
        game.resign(seat)
    while game.game.rounds_ended:
        game.score()
    commands.finish(game.pending, game.secret)
    return game.record()


class TestResumption:
    """With seed version 2, what is drawn anew follows from the nonces of those who agreed or ruled."""

    def test_the_last_nonce_before_the_resumption_is_named(self) -> None:
        chance = check_of_chance(audit_record(ended(resumed_by_takeback(b"ask", b"", b"agree"))))
        assert chance.verdict == "holds"
        text = english(chance.notes[-1].text)
        assert "seat 1 supplied the last nonce (event 15) before play resumed" in text

    @pytest.mark.parametrize(
        ("nonces", "reason"),
        [
            ((None, None, None), "nobody supplied a nonce"),
            ((b"ask", None, b""), "the last nonce (event 15) is empty"),
        ],
    )
    def test_without_a_last_nonce_it_cannot_be_known_who_chose_the_pile(
        self, nonces: tuple[bytes | None, ...], reason: str
    ) -> None:
        report = audit_record(ended(resumed_by_takeback(*nonces)))
        assert report.findings == []
        (unknown,) = check_of_chance(report).unknowns
        assert reason in english(unknown.problem)

    def test_a_nonce_of_a_player_who_agreed_before_the_last_one_is_enough(self) -> None:
        report = audit_record(ended(resumed_by_takeback(None, b"agree", None)))
        assert check_of_chance(report).verdict == "holds"

    def test_the_arbiter_supplies_a_nonce_with_the_ruling(self) -> None:
        game = LocalGame(3, rules="baron", arbiter="judge", per_turn=3600)
        game.act(7)
        number = game.dispute(0, nonce=b"open")
        game.rule(number, {"type": "resume", "from": 8}, nonce=b"rule")
        chance = check_of_chance(audit_record(ended(game)))
        assert chance.verdict == "holds"
        assert "judge supplied the last nonce (event 14)" in english(chance.notes[-1].text)

    def test_players_supply_nonces_with_the_rulings_that_they_propose(self) -> None:
        game = LocalGame(2, rules="baron")
        game.act(7)
        number = game.dispute(0)
        game.propose(number, 0, {"type": "dismiss"}, nonce=b"first")
        for seat in (0, 1):
            game.propose(number, seat, {"type": "resume", "from": 8})
        chance = check_of_chance(audit_record(ended(game)))
        assert chance.verdict == "holds"
        assert "seat 0 supplied the last nonce (event 13)" in english(chance.notes[-1].text)

    def test_with_seed_version_1_nothing_can_decide_it(self) -> None:
        game = resumed_by_takeback(b"ask", b"one", b"two", seed_version=1)
        assert not any("nonce" in event["data"] for event in game.pending.events[7:])
        report = audit_record(ended(game))
        assert report.findings == []
        assert "the time or the salt of event" in english(report.unknowns[-1].problem)

    @pytest.mark.parametrize("change", ["other", "added", "removed", "too long", "no text"])
    def test_a_nonce_that_was_changed_is_found(self, change: str) -> None:
        data = ended(resumed_by_takeback(b"ask", None, b"agree"))

        def forge(events: list[Event]) -> None:
            answers = [event for event in events if event["type"] == "TakebackAnswered"]
            match change:
                case "other":
                    answers[1]["data"]["nonce"] = "00"
                case "added":
                    answers[0]["data"]["nonce"] = ""
                case "removed":
                    del answers[1]["data"]["nonce"]
                case "too long":
                    answers[1]["data"]["nonce"] = "00" * 65
                case _:
                    answers[1]["data"]["nonce"] = 5

        assert audit_record(forge_record(data, forge)).verdict == "broken"

    def test_a_bot_supplies_no_nonce(self) -> None:
        game = LocalGame(2, rules="baron", takebacks=True, bots=1)
        game.act(7)
        while game.game.to_act != 1:
            game.act()
        number = game.request_takeback(0, b"ask")
        game.answer_takeback(number, 1, agree=True, nonce=b"from the server")
        assert "nonce" not in game.pending.events[-2]["data"]

        def forge(events: list[Event]) -> None:
            events[-2]["data"]["nonce"] = "00"

        forged = forge_record(game.record(), forge)
        findings = audit_record(forged).findings
        assert ("decisions", len(game.types) - 1) in {(one.check, one.seq) for one in findings}
