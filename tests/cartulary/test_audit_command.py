"""The command audit: output, messages and exit status."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from client.receipts import ReceiptFolder
from tests.support.records import KEY, STRANGER, Table

Run = Callable[..., Result]


def test_audit_prints_every_check(run: Run, path: Path) -> None:
    result = run("audit", path)
    assert (result.exit_code, result.stderr) == (0, "")
    for name in ("form", "head", "chain", "state", "secrets", "chance", "decisions", "receipts"):
        assert f"  ✓ {name} " in result.stdout
    assert "sound" in result.stdout.splitlines()[-1]
    report = orjson.loads(run("audit", path, "--json").stdout)
    assert report["sound"] is True
    assert [check["passed"] for check in report["records"][0]["checks"]] == [True] * 10


def test_audit_prints_the_first_fault_its_line_and_its_meaning(run: Run, path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"values":[', b'"values":[9,', 1))
    result = run("audit", path)
    assert result.exit_code == 1
    assert "  ✗ chain " in result.stdout
    assert "line 10, event 9: its hash does not match its content" in result.stdout
    assert "The event was changed after it was sealed." in result.stdout
    report = orjson.loads(run("audit", path, "--json").stdout)
    assert (report["sound"], report["records"][0]["sound"]) == (False, False)
    first = report["records"][0]["first"]
    assert (first["check"], first["line"], first["seq"]) == ("chain", 10, 9)


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\x00\xff" * 50, b"{}\n{}\n", b"[[[[["])
def test_audit_reports_a_file_that_is_not_a_record(run: Run, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    result = run("audit", path)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "line 1" in result.stdout
    assert "✗ form" in result.stdout
    assert run("audit", path, "--json").exit_code == 1


def test_audit_of_several_records_continues_after_a_bad_one(
    run: Run, path: Path, real: Path
) -> None:
    bad = path.with_name("bad.jsonl")
    bad.write_bytes(path.read_bytes()[:-300])
    result = run("audit", path, bad, real)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] == "2 of 3 sound, 1 broken"
    assert f"✓ {path}  " in result.stdout
    assert f"✓ {real}  " in result.stdout
    assert "✗ form" in result.stdout
    report = orjson.loads(run("audit", path, bad, real, "--json").stdout)
    assert [record["sound"] for record in report["records"]] == [True, False, True]
    assert run("audit", path, real).exit_code == 0


def test_audit_checks_every_record_of_a_folder(run: Run, tmp_path: Path, path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    assert run("audit", folder).exit_code == 2
    for name in ("b.jsonl", "a.jsonl"):
        (folder / name).write_bytes(path.read_bytes())
    (folder / "notes.txt").write_text("no record")
    result = run("audit", folder)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split()[1] for line in lines[:2]] == [
        str(folder / "a.jsonl"),
        str(folder / "b.jsonl"),
    ]
    assert lines[2:] == ["2 of 2 sound"]


def test_audit_continues_past_a_missing_file(run: Run, path: Path) -> None:
    result = run("audit", "missing.jsonl", path)
    assert result.exit_code == 2
    assert "missing.jsonl: there is no file missing.jsonl" in result.stderr
    assert result.stdout.splitlines()[-1] == "1 of 2 sound, 1 missing"
    report = orjson.loads(run("audit", "missing.jsonl", path, "--json").stdout)
    assert report["sound"] is False
    assert [entry["sound"] for entry in report["records"]] == [False, True]
    assert "there is no file" in report["records"][0]["error"]
    bad = path.with_name("bad.jsonl")
    bad.write_bytes(path.read_bytes()[:-300])
    assert run("audit", "missing.jsonl", bad).exit_code == 1


def test_audit_of_a_running_game_says_what_cannot_be_known(
    run: Run, path: Path, eventful: Table
) -> None:
    running = path.with_name("running.jsonl")
    running.write_bytes(eventful.until(9).record(opened=False))
    result = run("audit", running)
    assert (result.exit_code, result.stderr) == (3, "")
    last = result.stdout.splitlines()[-1]
    assert last == "cannot be known: 4 questions are open, listed above"
    assert "whether the game's secret is the one committed to" in result.stdout
    assert "  ? chance " in result.stdout
    assert "The record after the game has ended decides it." in result.stdout
    report = orjson.loads(run("audit", running, "--json").stdout)
    assert (report["verdict"], report["sound"]) == ("unknown", False)
    (entry,) = report["records"]
    assert entry["verdict"] == "unknown"
    verdicts = {check["name"]: check["verdict"] for check in entry["checks"]}
    assert (verdicts["chain"], verdicts["chance"]) == ("holds", "unknown")
    assert {unknown["check"] for unknown in entry["unknowns"]} >= {"secrets", "chance"}
    assert all(unknown["evidence"] for unknown in entry["unknowns"])


def test_the_worst_of_several_verdicts_decides_the_exit_status(
    run: Run, path: Path, eventful: Table
) -> None:
    running, bad = path.with_name("running.jsonl"), path.with_name("bad.jsonl")
    running.write_bytes(eventful.until(9).record(opened=False))
    bad.write_bytes(path.read_bytes()[:-300])
    assert run("audit", path, running).exit_code == 3
    assert run("audit", path, running, "missing.jsonl").exit_code == 2
    result = run("audit", path, running, bad, "missing.jsonl")
    assert result.exit_code == 1
    last = "1 of 4 sound, 1 cannot be known, 1 broken, 1 missing"
    assert result.stdout.splitlines()[-1] == last


def test_a_quick_audit_says_that_it_checked_less(run: Run, path: Path) -> None:
    result = run("audit", "--quick", path)
    assert result.exit_code == 0
    last = "sound: form, head and chain hold, and nothing else was checked"
    assert result.stdout.splitlines()[-1] == last
    path.write_bytes(path.read_bytes().replace(b'"values":[', b'"values":[9,', 1))
    assert run("audit", "--quick", path).exit_code == 1
    receipt = path.with_name("receipt.json")
    receipt.write_bytes(b"{}")
    assert run("audit", "--quick", path, "--receipt", receipt).exit_code == 2


def test_records_that_several_processes_audit_are_reported_in_order(
    run: Run, real: Path, path: Path
) -> None:
    """The other processes do not know the token game of the record at `path`."""
    folder = real.with_name("games")
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.jsonl").write_bytes(real.read_bytes())
    (folder / "1.jsonl").write_bytes(real.read_bytes()[:-300])
    sources = (folder, "missing.jsonl", "-", "--quick")
    alone = run("audit", *sources, "--jobs", "1", stdin=path.read_bytes())
    shared = run("audit", *sources, "--jobs", "2", stdin=path.read_bytes())
    assert shared.stdout == alone.stdout
    assert shared.stdout.splitlines()[-1] == "3 of 5 sound, 1 broken, 1 missing"
    assert (shared.exit_code, shared.stderr) == (1, alone.stderr)


def test_audit_with_a_key_accepts_no_other_signer(run: Run, path: Path) -> None:
    assert run("audit", path, "--key", KEY.public).exit_code == 0
    assert run("audit", path, "--key", STRANGER.public, "--key", KEY.public.upper()).exit_code == 0
    result = run("audit", path, "--key", STRANGER.public)
    assert result.exit_code == 1
    assert "none of those expected" in result.stdout
    for key in ("", "zz", "00", KEY.id):
        assert run("audit", path, "--key", key).exit_code == 2


def test_audit_checks_a_receipt_from_a_file(run: Run, path: Path, eventful: Table) -> None:
    receipt_file = path.with_name("receipt.json")
    receipt = KEY.receipt(eventful.sealed[8].event)
    for content in (receipt, {"events": [], "receipt": receipt}):
        receipt_file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        assert run("audit", path, "--receipt", receipt_file).exit_code == 0
    receipt_file.write_bytes(orjson.dumps({**receipt, "seq": 10}))
    assert run("audit", path, "--receipt", receipt_file).exit_code == 1
    for nonsense in (b"", b"[]", b'{"a": 1}', b"\xff"):
        receipt_file.write_bytes(nonsense)
        assert run("audit", path, "--receipt", receipt_file).exit_code == 2


def test_audit_checks_a_folder_of_receipts(
    run: Run, path: Path, eventful: Table, tmp_path: Path
) -> None:
    folder = tmp_path / "receipts"
    event = eventful.sealed[8].event
    ReceiptFolder(folder).add([KEY.receipt(event), KEY.receipt({**event, "game": "game-2"})])
    result = run("audit", path, "--receipts", folder)
    assert result.exit_code == 0
    assert "1 of the receipts that were kept is for another game" in result.stdout
    ReceiptFolder(folder).add([KEY.receipt({**event, "hash": "0" * 64})])
    assert run("audit", path, "--receipts", folder).exit_code == 1
    whole = tmp_path / "browser.receipts"
    whole.write_bytes(b"".join(file.read_bytes() for file in sorted(folder.iterdir())))
    assert run("audit", path, "--receipts", whole).exit_code == 1
    (folder / "damaged.receipts").write_bytes(b"{")
    assert run("audit", path, "--receipts", folder).exit_code == 2
    assert run("audit", path, "--receipts", tmp_path / "missing").exit_code == 2


def test_audit_compares_with_an_older_record(run: Run, path: Path, eventful: Table) -> None:
    older = path.with_name("older.jsonl")
    older.write_bytes(eventful.until(9).record())
    result = run("audit", path, "--against", older)
    assert result.exit_code == 0
    assert "✓ against" in result.stdout
    swapped = run("audit", older, "--against", path)
    assert swapped.exit_code == 1
    assert "of the older record are missing in this record" in swapped.stdout
    assert run("audit", path, older, "--against", older).exit_code == 2
    assert run("audit", path, "--against", "missing.jsonl").exit_code == 2
