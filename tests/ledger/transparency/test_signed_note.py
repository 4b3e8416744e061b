"""Signed notes, checkpoints and cosignatures: the published examples and vectors, and strict parsing.

The notes of PeterNeumann and EnochRoot are those of golang.org/x/mod/sumdb/note (note_test.go), the others
are the examples of C2SP: signed-note.md, tlog-checkpoint.md and tlog-cosignature.md.
"""

from base64 import b64decode

import pytest

from domain.errors import Unreadable
from ledger.keys import BadSignature, SigningKey
from ledger.transparency.checkpoint import Checkpoint, check_origin
from ledger.transparency.merkle import EMPTY_ROOT
from ledger.transparency.signed_note import (
    COSIGNATURE,
    MAX_NOTE_BYTES,
    NoteKey,
    NoteSignature,
    SignedNote,
    UntrustedNote,
    cosign_text,
    cosigned_message,
    note_key,
    sign_text,
)
from tests.support.faults import raises

TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
PETER = NoteKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
PETER_SEED = b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
PETER_LINE = (
    "— PeterNeumann"
    " x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCH = NoteKey.parse("EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop")
ENOCH_LINE = (
    "— EnochRoot"
    " rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
CHECKPOINT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
COSIGNED_CHECKPOINT = (
    f"{CHECKPOINT}\n— example.com/behind-the-sofa"
    " Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— witness.example.com/w1"
    " jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWX"
    "EhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)
NON_BREAKING = "Bad\N{NO-BREAK SPACE}Name"
KEY = SigningKey.from_seed(bytes(range(32)))


def test_a_published_note_is_verified() -> None:
    key = NoteKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
    note = SignedNote.parse(
        "This is an example message.\n\n— example.com/foo"
        " Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
    )
    note.check_signed_by(key)


def test_a_note_is_signed_as_published() -> None:
    key = SigningKey.from_seed(PETER_SEED)
    assert note_key("PeterNeumann", key) == PETER
    note = SignedNote(TEXT, (sign_text(TEXT, "PeterNeumann", key),))
    assert str(note) == f"{TEXT}\n{PETER_LINE}"
    assert SignedNote.parse(str(note).encode()) == note


@pytest.mark.parametrize(
    ("lines", "keys", "verified"),
    [
        (PETER_LINE + ENOCH_LINE, [PETER], [PETER]),
        (PETER_LINE + ENOCH_LINE, [PETER, ENOCH], [PETER, ENOCH]),
        (PETER_LINE + ENOCH_LINE, [], []),
        (PETER_LINE + PETER_LINE + ENOCH_LINE, [PETER], [PETER]),
        (PETER_LINE + ENOCH_LINE[:60] + "ABCD" + ENOCH_LINE[60:], [PETER], [PETER]),
    ],
)
def test_signatures_of_unknown_keys_are_ignored(
    lines: str, keys: list[NoteKey], verified: list[NoteKey]
) -> None:
    assert list(SignedNote.parse(f"{TEXT}\n{lines}").verified_keys(keys)) == verified


def test_an_invalid_signature_of_a_known_key_is_an_error() -> None:
    note = SignedNote.parse(f"{TEXT}\n{PETER_LINE[:60]}ABCD{PETER_LINE[60:]}")
    with raises(BadSignature, match="PeterNeumann"):
        note.verified_keys([PETER])
    changed = SignedNote.parse(f"{TEXT.replace('know', 'knew')}\n{PETER_LINE}")
    with raises(BadSignature, match="PeterNeumann"):
        changed.verified_keys([PETER])
    with raises(UntrustedNote, match="EnochRoot"):
        SignedNote.parse(f"{TEXT}\n{PETER_LINE}").check_signed_by(ENOCH)


@pytest.mark.parametrize(
    "note",
    [
        "",
        TEXT,
        TEXT + "\n",
        f"{TEXT}\n{PETER_LINE[:-1]}",
        f"\x01{TEXT}\n{PETER_LINE}",
        f"{TEXT}\n{PETER_LINE}".replace("\n", "\r\n"),
        f"{TEXT}\n{PETER_LINE}Unexpected line.\n",
        f"{TEXT}\n{PETER_LINE.replace('PeterNeumann', 'Bad Name')}",
        f"{TEXT}\n{PETER_LINE.replace('PeterNeumann', 'Bad+Name')}",
        f"{TEXT}\n{PETER_LINE.replace('PeterNeumann', NON_BREAKING)}",
        f"{TEXT}\n{PETER_LINE.replace('—', '-')}",
        f"{TEXT}\n{PETER_LINE.replace('nAM=', 'nAN=')}",
        f"{TEXT}\n— PeterNeumann x08gow==\n",
        f"{TEXT}\n— PeterNeumann ====\n",
        f"{TEXT}\n" + PETER_LINE * 101,
        f"{'a' * MAX_NOTE_BYTES}\n\n{PETER_LINE}",
        "\udcff\n\n" + PETER_LINE,
    ],
)
def test_malformed_notes_are_refused(note: str) -> None:
    with pytest.raises(Unreadable):
        SignedNote.parse(note)


def test_a_note_that_is_not_utf_8_is_refused() -> None:
    with raises(Unreadable, match="UTF-8"):
        SignedNote.parse(b"\xff" + f"{TEXT}\n{PETER_LINE}".encode())


def test_every_part_and_every_change_of_a_note_key_is_refused() -> None:
    text = str(PETER)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if (start, end) != (0, len(text)):
                with pytest.raises(Unreadable):
                    NoteKey.parse(text[start:end])
    for place, char in enumerate(text):
        with pytest.raises(Unreadable):
            NoteKey.parse(text[:place] + chr(ord(char) + 1) + text[place + 1 :])


@pytest.mark.parametrize(
    "key",
    [
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        str(PETER).replace("c74f20a3", "C74F20A3"),
    ],
)
def test_note_keys_of_another_length_or_type_are_refused(key: str) -> None:
    with pytest.raises(Unreadable):
        NoteKey.parse(key)


def test_a_published_checkpoint_is_read() -> None:
    note = SignedNote.parse(COSIGNED_CHECKPOINT)
    checkpoint = Checkpoint.of_note(note)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.text == CHECKPOINT
    assert str(note) == COSIGNED_CHECKPOINT


def test_a_published_cosignature_has_its_time_and_message() -> None:
    note = SignedNote.parse(COSIGNED_CHECKPOINT)
    assert note.signatures[1].timestamp == 1679315147
    assert cosigned_message(note.text, 1679315147) == (
        b"cosignature/v1\ntime 1679315147\n" + CHECKPOINT.encode()
    )


def test_a_cosignature_is_verified_with_its_time() -> None:
    key = note_key("witness.example.com/w1", KEY, COSIGNATURE)
    assert NoteKey.parse(str(key)) == key
    line = cosign_text(CHECKPOINT, key.name, KEY, 1679315147)
    SignedNote(CHECKPOINT, (line,)).check_signed_by(key)
    later = NoteSignature(line.name, line.key_id, b"\0" * 7 + b"\1" + line.signature[8:])
    with pytest.raises(BadSignature):
        SignedNote(CHECKPOINT, (later,)).check_signed_by(key)
    without_time = NoteSignature(line.name, line.key_id, b"\xff" * 72)
    with raises(BadSignature, match="timestamp"):
        SignedNote(CHECKPOINT, (without_time,)).check_signed_by(key)


def test_a_signature_is_not_a_cosignature() -> None:
    plain = sign_text(CHECKPOINT, "w", KEY)
    cosignature = note_key("w", KEY, COSIGNATURE)
    assert not SignedNote(CHECKPOINT, (plain,)).verified_keys([cosignature])


def test_a_later_cosignature_of_a_key_replaces_the_earlier_one() -> None:
    lines = [cosign_text(CHECKPOINT, "w", KEY, time) for time in (1, 2)]
    note = SignedNote(CHECKPOINT, (sign_text(CHECKPOINT, "o", KEY),))
    merged = note.with_signatures(lines)
    assert [line.name for line in merged.signatures] == ["o", "w"]
    assert merged.signatures[1].timestamp == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "o\n1\n",
        CHECKPOINT[:-1],
        CHECKPOINT.replace("20852163", "020852163"),
        CHECKPOINT.replace("20852163", "0x13e2f03"),
        CHECKPOINT.replace("20852163", "-1"),
        CHECKPOINT.replace("20852163", "²"),
        CHECKPOINT.replace("20852163", str(2**53)),
        CHECKPOINT.replace("20852163", "9" * 5000),
        CHECKPOINT.replace("CsUY", "CsU"),
        CHECKPOINT.replace("q2I=", "q2J="),
        CHECKPOINT.replace("20852163", "0"),
        CHECKPOINT.replace("example.com", "example com"),
        CHECKPOINT.replace("example.com/behind-the-sofa", ""),
        CHECKPOINT + "\n",
        CHECKPOINT + "more\n\n",
        CHECKPOINT + "more\n" * 17,
    ],
)
def test_malformed_checkpoints_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        Checkpoint.parse(text)


def test_the_checkpoint_of_an_empty_log_is_read() -> None:
    empty = Checkpoint("o", 0, EMPTY_ROOT, ("extension",))
    assert Checkpoint.parse(empty.text) == empty


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "a\x7f", "é", "{a", "a" * 201])
def test_what_cannot_be_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(Unreadable):
        check_origin(origin)
