"""The check of the head: whether the signing key is trusted, and whether it was valid when it signed."""

from typing import Any

import pytest

from domain.json_types import JsonObject
from domain.messages import Instant
from replay.audit import Check, Report, TrustedKey, TrustedKeys
from replay.language.renderer import english
from tests.support.records import (
    KEY,
    SINCE,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
    signed_again,
    trusting_signer,
)

BEFORE_THE_END = "2026-11-20T09:15:01.000Z"
"""A time within the game: events are sealed at 09:15:00, 09:15:01 and so on."""
AFTER_THE_END = "2026-11-21T00:00:00.000Z"


@pytest.fixture
def data() -> bytes:
    return Table().start().play_out().record(receipts=True)


def head_of(report: Report) -> Check:
    return next(check for check in report.checks if check.name == "head")


def test_a_key_that_was_never_seen_cannot_be_known(data: bytes) -> None:
    report = audit_record(data, trusted=TrustedKeys())
    assert (report.verdict, head_of(report).verdict) == ("unknown", "unknown")
    (unknown,) = report.unknowns
    assert f"whether key {KEY.id}, which signed the record" in english(unknown.problem)
    assert f"cartulary trust {KEY.public}" in english(unknown.evidence)
    assert audit_record(data, trusted=TrustedKeys(), keys=[KEY.public]).is_sound
    assert audit_record(data).is_sound


def test_a_record_cut_off_and_signed_with_a_new_key_is_not_sound() -> None:
    """As somebody does who wants a finished game to have ended otherwise."""

    def cut(events: list[Any]) -> None:
        del events[-4:]

    data = Table().start().play_out().record()
    report = audit_record(forge_record(data, cut, key=STRANGER))
    assert report.verdict == "unknown"
    assert head_of(report).verdict == "unknown"
    finished = audit_record(forge_record(data, key=STRANGER))
    assert [unknown.check for unknown in finished.unknowns] == ["head"]


def test_a_key_with_the_id_of_a_trusted_one_is_not_trusted(data: bytes) -> None:
    forged = signed_again(data, STRANGER, keys=[{**STRANGER.public_entry(SINCE), "key": KEY.id}])
    assert audit_record(forged).verdict == "broken"


def test_a_changed_key_of_a_server_is_named(data: bytes) -> None:
    known = TrustedKeys((TrustedKey(KEY.public, "user", "games.example.org"),))
    honest = signed_again(data, origin="games.example.org")
    assert audit_record(honest, trusted=known).is_sound
    keys = [STRANGER.public_entry(SINCE)]
    stranger = Table().start().play_out().record(key=STRANGER)
    forged = signed_again(stranger, STRANGER, keys=keys, origin="games.example.org")
    (unknown,) = audit_record(forged, trusted=known).unknowns
    problem = english(unknown.problem)
    assert "is a key of the server games.example.org: the key of that server has changed" in problem
    assert f"it was {KEY.id}" in problem
    assert audit_record(forged, trusted=known).summary["origin"] == "games.example.org"


def test_a_server_that_uses_another_name_is_noted(data: bytes) -> None:
    known = TrustedKeys((TrustedKey(KEY.public, "user", "a.example"),))
    report = audit_record(signed_again(data, origin="b.example"), trusted=known)
    assert report.is_sound
    (note,) = head_of(report).notes
    assert "b.example" in english(note.text)
    assert "a.example" in english(note.text)


def test_an_origin_that_is_not_a_name_is_reported(data: bytes) -> None:
    for origin in ("", None, 1, ["a"]):
        assert first_finding(signed_again(data, origin=origin), "form").line == 1


@pytest.mark.parametrize("is_listed", [True, False], ids=["in-the-header", "by-the-reader"])
def test_a_head_signed_after_the_retirement_of_its_key_is_broken(
    data: bytes, *, is_listed: bool
) -> None:
    """The retirement is known from the header, or only from the keys that the server publishes elsewhere."""
    until = BEFORE_THE_END if is_listed else None
    forged = signed_again(data, keys=[KEY.public_entry(SINCE, until)])
    known = TrustedKeys((TrustedKey(KEY.public, "user", None, SINCE, BEFORE_THE_END),))
    first = first_finding(forged, "head", trusted=known)
    assert f"retired on {english(Instant(BEFORE_THE_END, is_exact=True))}" in english(first.problem)
    assert "outside of its key's period of validity" in english(first.meaning)


def test_a_header_that_lists_its_own_key_as_retired_is_broken(data: bytes) -> None:
    """It was signed after that, although the game had ended before."""
    first = first_finding(signed_again(data, keys=[KEY.public_entry(SINCE, AFTER_THE_END)]), "head")
    assert "lists key" in english(first.problem)


def test_a_record_of_an_old_game_may_be_signed_by_a_newer_key(data: bytes) -> None:
    """It was requested after the server had replaced its key."""
    keys = [KEY.public_entry(SINCE, AFTER_THE_END), STRANGER.public_entry(AFTER_THE_END)]
    report = audit_record(
        signed_again(data, STRANGER, keys=keys),
        trusted=TrustedKeys((TrustedKey(STRANGER.public, "user", None, AFTER_THE_END),)),
    )
    assert report.findings == []
    assert report.is_sound


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([KEY.public_entry(SINCE), KEY.public_entry(SINCE, AFTER_THE_END)], "listed twice"),
        ([KEY.public_entry(SINCE), KEY.public_entry(SINCE)], "listed twice"),
        (
            [KEY.public_entry(SINCE), STRANGER.public_entry(AFTER_THE_END, SINCE)],
            "before it became valid",
        ),
        (
            [KEY.public_entry(SINCE), {**STRANGER.public_entry(SINCE), "key": "0" * 16}],
            "is a different key",
        ),
    ],
)
def test_a_header_that_lists_keys_inconsistently_is_broken(
    data: bytes, entries: list[JsonObject], problem: str
) -> None:
    assert problem in english(first_finding(signed_again(data, keys=entries), "head").problem)


def test_a_receipt_for_another_event_of_this_seq_is_broken() -> None:
    table = Table().start().play_out()
    event = next(made.event for made in table.sealed if made.event["action"])
    receipt = KEY.receipt({**event, "hash": "0" * 64})
    first = first_finding(table.record(), "receipts", receipts=[receipt])
    assert first.seq == event["seq"]
    assert english(first.problem) == "the receipt is for another event: its hash differs"


def test_a_receipt_for_an_event_after_the_retirement_of_its_key_is_broken(data: bytes) -> None:
    table = Table().start().play_out()
    event = next(made.event for made in table.sealed if made.event["action"])
    receipt = STRANGER.receipt(event)
    record = table.record()
    entry = STRANGER.public_entry(SINCE, BEFORE_THE_END)
    listed = signed_again(record, keys=[KEY.public_entry(SINCE), entry])
    first = first_finding(listed, "receipts", receipts=[receipt])
    assert (first.seq, "retired" in english(first.problem)) == (event["seq"], True)
    # The reader knows of the retirement, and the record conceals it.
    concealed = signed_again(record, keys=[KEY.public_entry(SINCE), STRANGER.public_entry(SINCE)])
    known = TrustedKeys(
        (
            TrustedKey(KEY.public, "user"),
            TrustedKey(STRANGER.public, "user", None, SINCE, BEFORE_THE_END),
        )
    )
    assert audit_record(concealed, receipts=[receipt]).is_sound
    first = first_finding(concealed, "receipts", receipts=[receipt], trusted=known)
    assert first.seq == event["seq"]


def test_a_receipt_for_an_event_before_its_key_became_valid_is_broken() -> None:
    table = Table().start().play_out()
    event = next(made.event for made in table.sealed if made.event["action"])
    keys = [KEY.public_entry(SINCE), STRANGER.public_entry(AFTER_THE_END)]
    listed = signed_again(table.record(), keys=keys)
    first = first_finding(listed, "receipts", receipts=[STRANGER.receipt(event)])
    since = english(Instant(AFTER_THE_END, is_exact=True))
    assert first.seq == event["seq"]
    assert f"valid only from {since}" in english(first.problem)


def test_a_receipt_for_an_event_after_the_end_of_an_unfinished_record_decides_nothing() -> None:
    """The record may have been signed before the event happened."""
    table = Table().start().play_out()
    receipt = KEY.receipt(next(s.event for s in table.sealed[6:] if s.event["action"]))
    report = audit_record(table.until(5).record(), keys=[KEY.public], receipts=[receipt])
    assert report.verdict == "unknown"
    assert any(
        "whether the server omits event" in english(unknown.problem) for unknown in report.unknowns
    )


def test_a_receipt_by_a_trusted_key_that_the_record_omits_is_checked(data: bytes) -> None:
    table = Table().start().play_out()
    receipt = STRANGER.receipt(table.sealed[4].event)
    record = table.record()
    assert audit_record(record, receipts=[receipt]).verdict == "broken"
    known = TrustedKeys((TrustedKey(KEY.public, "user"), TrustedKey(STRANGER.public, "user")))
    assert audit_record(record, receipts=[receipt], trusted=known).is_sound


def test_a_key_of_playout_is_noted(data: bytes) -> None:
    known = TrustedKeys((TrustedKey(KEY.public, "playout"),))
    report = audit_record(data, trusted=known)
    assert report.is_sound
    assert "the seed is enough to sign with it" in english(head_of(report).notes[0].text)
    assert trusting_signer(data).find(KEY.public) is not None


def test_later_entries_complete_earlier_ones() -> None:
    keys = TrustedKeys.of(
        [
            TrustedKey(KEY.public, "user", "a.example", SINCE),
            TrustedKey(STRANGER.public, "user"),
            TrustedKey(KEY.public, "https://a.example", None, None, AFTER_THE_END),
        ]
    )
    assert [key.id for key in keys.keys] == [KEY.id, STRANGER.id]
    assert keys.find(KEY.public) == TrustedKey(
        KEY.public, "https://a.example", "a.example", SINCE, AFTER_THE_END
    )
    assert keys.of_origin("a.example") == keys.keys[:1]
    assert keys.of_origin(None) == ()
