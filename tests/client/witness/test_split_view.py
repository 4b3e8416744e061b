"""A proof of two logs holds by itself, and nothing else passes for one; two parties find it by comparing."""

from dataclasses import replace
from pathlib import Path

import pytest

from client.witness.comparison import NotComparable, compare, read_view
from client.witness.folder import WitnessFolder
from client.witness.follow import Follower
from client.witness.split_view import NoSplitView, SplitView, find_split, unproven
from domain.errors import Unreadable
from ledger.canonical import canonical, decode
from ledger.keys import SigningKey
from ledger.transparency.signed_note import COSIGNATURE, NoteKey, SignedNote, note_key
from tests.support.log_server import LogServer

SERVER = LogServer("a", "b", "c", "d", "e")
KEY: NoteKey = note_key(SERVER.origin, SERVER.key)


def note_of(*names: str) -> SignedNote:
    return LogServer(*names).note()


def split_of(*names: str) -> SplitView:
    split = find_split(KEY, note_of(*names), SERVER.note(), SERVER.tree)
    assert split is not None
    return split


def copy_of(server: LogServer, path: Path, *sizes: int) -> Path:
    """Make the copy of a witness that saw the log of this server when it had these sizes."""
    names = "abcdefghij"
    with WitnessFolder.locked(path) as folder, server.client() as client:
        follower = Follower(client, folder, now=lambda: 1.0, format_time=lambda _: "now")
        for size in sizes:
            server.show(*names[:size])
            follower.observe()
    return path


@pytest.mark.parametrize("names", ["x", "ax", "abx", "xbcd", "xbcde", "abcdx"])
def test_a_proof_is_checked_from_its_file_alone(names: str) -> None:
    split = SplitView.parse(split_of(*names).encode())
    assert split == split_of(*names)
    assert split.check()


def test_checkpoints_of_one_log_have_no_proof() -> None:
    for size in range(6):
        assert find_split(KEY, note_of(*"abcde"[:size]), SERVER.note(), SERVER.tree) is None


def test_changed_proofs_are_refused() -> None:
    split = split_of("a", "x", "c")
    assert split.prefix_root is not None
    larger = note_of("a", "b", "c", "x", "y", "z")
    stranger = note_key(SERVER.origin, SigningKey.from_seed(b"s" * 32))
    for changed in (
        replace(split, first=note_of("a", "b", "c")),
        replace(split, second=larger),
        replace(split, first=split.second, second=split.first),
        replace(split, prefix_root=b"\1" * 32),
        replace(split, prefix_root=b""),
        replace(split, path=split.path[:-1]),
        replace(split, path=(*split.path, b"\1" * 32)),
        replace(split, path=(b"\1" * 32, *split.path[1:])),
        replace(split, key=stranger),
        replace(split, key=note_key(SERVER.origin, SERVER.key, COSIGNATURE)),
        replace(split, key=note_key("another", SERVER.key)),
        replace(split, first=SignedNote(split.first.text, split.second.signatures)),
    ):
        with pytest.raises(NoSplitView):
            SplitView.parse(changed.encode()).check()


def test_two_checkpoints_without_a_contradiction_prove_nothing() -> None:
    file = unproven(KEY, [SERVER.note(), note_of("a", "b")])
    assert SplitView.parse(file.encode()) == file
    assert not file.check()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "cartulary/1"},
        {"key": 1},
        {"key": "no key"},
        {"first": "no note"},
        {"path": None},
        {"path": ["zz"]},
        {"prefix_root": 1},
        {"more": 1},
    ],
)
def test_files_of_another_form_are_refused(change: dict[str, object]) -> None:
    document = decode(split_of("x").encode()[:-1])
    with pytest.raises(Unreadable):
        SplitView.parse(canonical(document | change))


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"x" * (1 << 21)])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        SplitView.parse(data)


def test_parties_that_saw_one_log_agree(tmp_path: Path) -> None:
    views = [
        read_view(copy_of(LogServer(), tmp_path / "a", 1, 4, 7)),
        read_view(copy_of(LogServer(), tmp_path / "b", 0, 2, 9)),
    ]
    for first, second in (views, views[::-1]):
        result = compare(first, second)
        assert (result.compared, result.undecided, result.split) == (5, 0, None)


@pytest.mark.parametrize("other", ["xbcdefghij", "abcdefghix", "abcdxfg", "x", "abx"])
def test_parties_that_saw_two_logs_have_the_proof(tmp_path: Path, other: str) -> None:
    first = read_view(copy_of(LogServer(), tmp_path / "a", 1, 5, 10))
    server = LogServer(*other)
    with WitnessFolder.locked(tmp_path / "b") as folder, server.client() as client:
        Follower(client, folder, now=lambda: 1.0, format_time=str).observe()
    second = read_view(tmp_path / "b")
    for pair in ((first, second), (second, first)):
        split = compare(*pair).split
        assert split is not None
        assert SplitView.parse(split.encode()).check()


def test_a_single_checkpoint_is_compared_with_a_copy(tmp_path: Path) -> None:
    copy = read_view(copy_of(LogServer(), tmp_path / "a", 0, 1, 5))
    path = tmp_path / "note"
    path.write_text(str(note_of("a", "b")))
    for result in (compare(copy, read_view(path)), compare(read_view(path), copy)):
        assert (result.compared, result.undecided, result.split) == (1, 0, None)
    path.write_text(str(note_of("a", "x")))
    assert compare(read_view(path), copy).split is not None


def test_checkpoints_without_a_copy_cannot_be_compared(tmp_path: Path) -> None:
    # Two records, whose headers list the key, are all that these parties have.
    views = []
    for names in ("ab", "axy"):
        note = note_of(*names)
        header = {
            "format": "cartulary/1",
            "game": "g",
            "rules": "r",
            "engine": "0",
            "keys": [SERVER.key.public_entry("2026-01-01T00:00:00.000Z")],
            "head": {"seq": 1, "hash": "00" * 32, "key": SERVER.key.id, "signature": "00"},
            "inclusion": {"checkpoint": str(note)},
        }
        path = tmp_path / f"{names}.jsonl"
        path.write_bytes(canonical(header) + b"\n")
        views.append(read_view(path))
    result = compare(*views)
    assert (result.compared, result.undecided, result.split) == (0, 1, None)


def test_parties_of_different_servers_are_not_comparable(tmp_path: Path) -> None:
    first = read_view(copy_of(LogServer(), tmp_path / "a", 1))
    other = LogServer(key=SigningKey.from_seed(b"s" * 32))
    second = read_view(copy_of(other, tmp_path / "b", 1))
    with pytest.raises(NotComparable):
        compare(first, second)


def test_an_invalid_view_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("text")
    (tmp_path / "json").write_text("{}")
    for name in ("empty", "text", "json", "missing"):
        with pytest.raises(Unreadable):
            read_view(tmp_path / name)
