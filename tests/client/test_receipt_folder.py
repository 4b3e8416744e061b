"""The folder of receipts: nothing in it is ever overwritten."""

from pathlib import Path

import orjson
import pytest

from client.receipts import ReceiptFileError, ReceiptFolder, read_receipts, receipt_files
from ledger.canonical import canonical
from tests.client.test_receipt_pages import receipt
from tests.support.faults import raises
from tests.support.records import STRANGER


def test_receipts_are_kept_by_game_and_only_once(tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path / "receipts")
    first = folder.add([receipt(1), receipt(2), receipt(1, game="game-2")])
    assert (first.new, first.existing, first.conflicts) == (3, 0, [])
    again = folder.add([receipt(2), receipt(3)])
    assert (again.new, again.existing) == (1, 1)
    files = receipt_files(folder.path)
    assert [path.name for path in files] == ["game-1.receipts", "game-2.receipts"]
    assert read_receipts(files[0]) == [receipt(1), receipt(2), receipt(3)]
    assert {path.name for path in folder.path.iterdir()} == {path.name for path in files}


def test_a_differing_receipt_is_kept_beside_the_first_and_named(tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path)
    folder.add([receipt(1), receipt(2)])
    before = (tmp_path / "game-1.receipts").read_bytes()
    other = receipt(2, hash="f" * 64)
    for _ in range(2):
        (conflict,) = folder.add([other, receipt(1)]).conflicts
        assert (conflict.game, conflict.seq) == ("game-1", 2)
        assert read_receipts(conflict.path) == [other]
    assert (tmp_path / "game-1.receipts").read_bytes() == before
    assert [path.name for path in receipt_files(tmp_path)] == [
        "game-1.conflicts.receipts",
        "game-1.receipts",
    ]


def test_the_same_event_signed_by_another_key_is_not_a_conflict(tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path)
    folder.add([receipt(1)])
    fields = {name: receipt(1)[name] for name in ("game", "seq", "hash", "at")}
    addition = folder.add([STRANGER.sign(fields)])
    assert (addition.new, addition.existing, addition.conflicts) == (0, 1, [])
    assert read_receipts(tmp_path / "game-1.receipts") == [receipt(1)]


def test_a_damaged_file_is_named_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "game-1.receipts"
    damaged = canonical({"receipt": receipt(1)}) + b"\n{broken"
    path.write_bytes(damaged)
    with raises(ReceiptFileError, match=r"game-1\.receipts, line 2, contains no receipt"):
        ReceiptFolder(tmp_path).add([receipt(2)])
    assert path.read_bytes() == damaged


def test_a_file_may_have_one_receipt_as_json_or_the_response_to_an_action(tmp_path: Path) -> None:
    path = tmp_path / "one.receipts"
    for content in (receipt(1), {"receipt": receipt(1)}, {"events": [], "receipt": receipt(1)}):
        path.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        assert read_receipts(path) == [receipt(1)]
    for nonsense in (b"", b"[]", b"null", b'{"a": 1}', b"\xff", b"[" * 100_000):
        path.write_bytes(nonsense)
        with pytest.raises(ReceiptFileError):
            read_receipts(path)
    assert read_receipts(tmp_path / "missing.receipts") == []


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReceiptFileError):
        ReceiptFolder(tmp_path / "file" / "folder").add([receipt(1)])
