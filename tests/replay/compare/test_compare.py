"""Comparisons of two records: how they are related, where they diverge, and what the signatures prove."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import orjson
import pytest

from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import sign_action
from replay.compare.comparison import Comparison, compare
from replay.compare.conclusions import conclusions, summary
from replay.compare.report import comparison_page
from replay.language.catalogue import languages
from replay.language.renderer import english, renderer
from replay.render.styles import Styler
from tests.support.records import KEY, SINCE, STRANGER, Table, forge_record, read

NEXT_KEY = SigningKey.from_seed(b"n" * 32)
PLAYER_KEY = SigningKey.from_seed(b"p" * 32)


def compared(a: bytes, b: bytes, *trusted: SigningKey) -> Comparison:
    """Compare two records, with these keys trusted."""
    comparison = compare(BytesIO(a), BytesIO(b), trusted=[key.public for key in trusted])
    for language in languages():
        page = comparison_page(comparison, ("a", "b"), Styler(is_on=False), 100, renderer(language))
        assert page.endswith("\n")
        canonical(comparison.as_json(renderer(language)))
    return comparison


def summary_of(comparison: Comparison) -> str:
    """Return the relation of two records in English."""
    return english(summary(comparison))


def played(*stones: int) -> Table:
    """A game of three after these actions; the third event after the start is event 7."""
    table = Table(seats=3).start()
    for count in stones:
        table.take(count)
    return table


def resigned_header(data: bytes, key: SigningKey, keys: list[JsonObject]) -> bytes:
    """Return the record with this list of keys in its header, signed by `key`."""
    header, _, rest = data.partition(b"\n")
    fields = orjson.loads(header)
    head = {name: fields["head"][name] for name in ("seq", "hash")}
    return canonical(key.sign_head({**fields, "keys": keys, "head": head})) + b"\n" + rest


@pytest.fixture
def record() -> bytes:
    return played(1, 2, 1, 2).record(receipts=True)


@pytest.fixture
def other_history() -> bytes:
    """The same game, but after event 6 the next seat has acted later, and otherwise."""
    table = played(1)
    table.wait(30)
    table.take(1)
    return table.record(receipts=True)


def test_equal_records_and_continuations_do_not_diverge(record: bytes) -> None:
    early = played(1, 2).record()
    assert compared(record, record).relation == "equal"
    for a, b, relation in ((early, record, "b_continues_a"), (record, early, "a_continues_b")):
        comparison = compared(a, b)
        assert (comparison.relation, comparison.verdict) == (relation, "continuation")
        assert comparison.common == 7
        assert comparison.proofs == []
        assert conclusions(comparison) == []


def test_records_of_two_games_say_nothing_about_each_other(record: bytes) -> None:
    def rename(events: list[Event]) -> None:
        for event in events:
            event["game"] = "game-2"

    comparison = compared(record, forge_record(record, rename), KEY)
    assert (comparison.relation, comparison.verdict) == ("other_game", "divergence")
    assert comparison.proofs == []


def test_two_histories_signed_by_one_key_are_a_proof_against_its_holder(
    record: bytes, other_history: bytes
) -> None:
    comparison = compared(record, other_history, KEY)
    assert comparison.verdict == "divergence"
    assert comparison.divergence is not None
    assert (comparison.divergence.kind, comparison.common) == ("other_history", 6)
    assert summary_of(comparison) == "after event 6, these are two different histories of one game"
    (proof,) = comparison.proofs
    assert (proof.public, proof.is_trusted, proof.player) == (KEY.public, True, None)
    assert "Proof against the server that has the key" in english(conclusions(comparison)[0])
    (unknown,) = compared(record, other_history).proofs
    assert not unknown.is_trusted
    assert "whom this machine does not know" in english(
        conclusions(compared(record, other_history))[0]
    )


def test_one_signed_receipt_is_enough_for_a_proof(record: bytes) -> None:
    """A player has no record of the first history, only the receipt for an action that is now denied."""
    table = played(1)
    event = table.take(1)
    denied = {"receipt": KEY.receipt(event)}
    holder = b"".join([played(1).record(key=STRANGER), canonical(denied) + b"\n"])
    holder = resigned_header(holder, STRANGER, [KEY.public_entry(SINCE)])
    comparison = compared(holder, record, KEY)
    assert (comparison.relation, comparison.verdict) == ("b_continues_a", "divergence")
    (proof,) = comparison.proofs
    assert proof.public == KEY.public
    assert {proof.first.kind, proof.second.kind} == {"head", "receipt"}


def test_a_receipt_by_an_unknown_key_is_not_a_denial(record: bytes) -> None:
    """Otherwise anybody could make two records of one history look different."""
    event = played(1).take(1)
    keys = [KEY.public_entry(SINCE), STRANGER.public_entry(SINCE)]
    forged = resigned_header(record, KEY, keys)
    forged += canonical({"receipt": STRANGER.receipt(event)}) + b"\n"
    assert compared(forged, record, KEY).verdict == "continuation"
    assert compared(forged, record, KEY, STRANGER).verdict == "divergence"


def test_only_one_signed_history_leaves_the_author_of_the_other_open(
    record: bytes, other_history: bytes
) -> None:
    unsigned = resigned_header(other_history, STRANGER, [STRANGER.public_entry(SINCE)])
    unsigned = b"".join(line + b"\n" for line in unsigned.splitlines() if b'"receipt":' not in line)
    comparison = compared(record, unsigned, KEY)
    assert comparison.proofs == []
    (conclusion,) = conclusions(comparison)
    assert english(conclusion) == (
        "A server whose key you know signed the events of A, and not those of B. It answers for A. Nothing"
        " shows who made B: anybody could have."
    )
    (conclusion,) = conclusions(compared(record, unsigned))
    assert english(conclusion).startswith(
        "Nothing is proven: what was signed was signed by keys that this"
    )
    (conclusion,) = conclusions(compared(record, unsigned, KEY, STRANGER))
    assert english(conclusion).startswith("Different keys that you know signed the two histories")


def test_a_key_answers_for_the_keys_that_its_header_lists(
    record: bytes, other_history: bytes
) -> None:
    """A server cannot deny a history by changing its key."""
    own = [KEY.public_entry(SINCE), NEXT_KEY.public_entry(SINCE)]
    later = resigned_header(other_history, NEXT_KEY, own)
    (proof, *_) = compared(record, later, NEXT_KEY).proofs
    assert (proof.public, proof.is_trusted) == (NEXT_KEY.public, True)
    later = b"".join(line + b"\n" for line in later.splitlines() if b'"receipt":' not in line)
    (proof,) = compared(record, later, KEY).proofs
    assert proof.public == NEXT_KEY.public
    assert not proof.is_trusted


def test_a_key_does_not_answer_for_a_stranger_who_lists_it(
    record: bytes, other_history: bytes
) -> None:
    claim = [KEY.public_entry(SINCE), STRANGER.public_entry(SINCE)]
    framed = resigned_header(other_history, STRANGER, claim)
    framed = b"".join(line + b"\n" for line in framed.splitlines() if b'"receipt":' not in line)
    assert {proof.public for proof in compared(record, framed, KEY).proofs} == {STRANGER.public}


def test_signatures_that_are_not_valid_prove_nothing(record: bytes, other_history: bytes) -> None:
    tampered = other_history.replace(b'"engine":"', b'"engine":"x', 1)
    tampered = b"".join(line + b"\n" for line in tampered.splitlines() if b'"receipt":' not in line)
    comparison = compared(record, tampered, KEY)
    assert comparison.proofs == []
    assert [
        english(attestation.fault or "")
        for attestation in comparison.attestations
        if attestation.side == "b"
    ] == [f"key {KEY.id}: the signature does not match the content"]
    retired = [KEY.public_entry(SINCE, "2026-06-01T00:00:00.000Z")]
    comparison = compared(record, resigned_header(other_history, KEY, retired), KEY)
    assert comparison.proofs == []
    assert all(
        "retired" in english(attestation.fault or "") for attestation in comparison.attestations
    )


def test_an_edited_event_is_distinguished_from_a_second_history(record: bytes) -> None:
    edited = record.replace(b'"values":[', b'"values":[9,', 1)
    comparison = compared(record, edited, KEY)
    assert comparison.divergence is not None
    assert (comparison.divergence.kind, comparison.divergence.side) == ("edited", "b")
    assert comparison.proofs == []
    assert summary_of(comparison) == "event 6 of B was changed after it was sealed"
    assert english(conclusions(comparison)[0]).startswith(
        "A server whose key you know signed the events of A"
    )


@pytest.mark.parametrize(
    ("change", "kind", "expected"),
    [
        (lambda events: events.pop(5), "missing", "event 6 of A is missing in B"),
        (
            lambda events: (events.pop(5), events.pop(5)),
            "missing",
            "events 6 to 7 of A are missing in B",
        ),
        (
            lambda events: events.insert(5, events.pop(6)),
            "moved",
            "from event 6 on, the same events come in another order",
        ),
        (
            lambda events: events[5].update(action={"type": "take", "stones": 9}),
            "rewritten",
            "event 6 was rewritten",
        ),
    ],
)
def test_sealed_again_changes_are_recognised(
    record: bytes, change: Callable[[list[Event]], Any], kind: str, expected: str
) -> None:
    comparison = compared(record, forge_record(record, change, key=STRANGER))
    assert comparison.divergence is not None
    assert (comparison.divergence.kind, comparison.divergence.after) == (kind, 5)
    assert summary_of(comparison) == expected
    mirrored = compared(forge_record(record, change, key=STRANGER), record).divergence
    assert mirrored is not None
    assert mirrored.kind == kind
    assert (mirrored.side == "a") == (kind == "missing")


def test_events_that_were_cut_out_without_sealing_are_missing(record: bytes) -> None:
    lines = record.splitlines(keepends=True)
    comparison = compared(record, b"".join([*lines[:6], *lines[8:]]))
    assert summary_of(comparison) == "events 6 to 7 of A are missing in B"


def test_what_cannot_be_read_cannot_be_known(record: bytes) -> None:
    lines = record.splitlines(keepends=True)
    damaged = b"".join(lines[:7]) + b"{broken\n"
    comparison = compared(record, damaged)
    assert comparison.verdict == "unknown"
    assert "line 8 of B cannot be read" in summary_of(comparison)
    assert compared(played().record(), damaged).verdict == "continuation"
    assert compared(b"", record).verdict == "unknown"
    assert summary_of(compared(b"", record)) == "no event of A can be read"


def test_a_tail_that_is_not_a_chain_continues_nothing(record: bytes) -> None:
    lines = record.splitlines(keepends=True)
    unchained = b"".join([*lines[:7], *lines[8:]])
    comparison = compared(b"".join(lines[:7]), unchained)
    assert comparison.verdict == "unknown"


def test_a_players_signatures_on_two_histories_are_a_proof_against_the_player() -> None:
    def signed(first: int) -> bytes:
        """A game in which the player of the third seat signs an action after event 8."""
        data = played(1, first, 1, 1).record()

        def change(events: list[Event]) -> None:
            key = {"player": "ada", "key": PLAYER_KEY.id, "public": PLAYER_KEY.public}
            events[4] |= {"type": "PlayerKeyAdded", "data": key}

        chained = read(forge_record(data, change))

        def sign(events: list[Event]) -> None:
            change(events)
            head = chained.events[7]["hash"]
            action = events[8]["action"]
            assert action is not None
            events[8]["signature"] = sign_action(PLAYER_KEY, "game-1", head, action)

        return forge_record(data, sign, key=STRANGER)

    one, other = signed(1), signed(2)
    comparison = compared(one, other)
    by_player = [proof for proof in comparison.proofs if proof.player is not None]
    assert [(proof.public, proof.player) for proof in by_player] == [(PLAYER_KEY.public, "ada")]
    assert any("Proof against ada" in english(text) for text in conclusions(comparison))
    assert compared(one, one).proofs == []
    unsigned = other.replace(PLAYER_KEY.public.encode(), STRANGER.public.encode())
    by_player = [proof for proof in compared(one, unsigned).proofs if proof.player is not None]
    assert by_player == []
