"""The check of chance: who supplied the last nonce decides whether the server could choose the draws."""

import pytest

from domain.event import Event, NonceSource
from ledger.canonical import canonical
from replay.audit import Check, Report
from replay.language.renderer import english
from tests.support.records import Table, audit_record, first_finding, forge_record


def played(*sources: NonceSource) -> bytes:
    """The record of a finished game for as many players, with their nonces from these sources."""
    table = Table(seats=len(sources), nonce_from=sources[0])
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
    assert "Nothing can decide it any more." in english(unknown.evidence)


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
    table = Table(seats=2, nonce_from="player")
    table.join("guest", nonce_from="server")
    left = Table(seats=3, nonce_from="player")
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
