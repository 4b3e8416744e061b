"""The command audit: output, messages and exit status."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from tests.support.records import KEY, STRANGER, Table

Run = Callable[..., Result]


def test_audit_prints_every_check(run: Run, path: Path) -> None:
    result = run("audit", path)
    assert (result.exit_code, result.stderr) == (0, "")
    for name in ("form", "head", "chain", "state", "secrets", "chance", "decisions", "receipts"):
        assert f"  ✓ {name} " in result.stdout
    assert "sound" in result.stdout.splitlines()[-1]
    told = orjson.loads(run("audit", path, "--json").stdout)
    assert told["sound"] is True
    assert [check["passed"] for check in told["records"][0]["checks"]] == [True] * 8


def test_audit_says_what_is_wrong_where_and_what_it_means(run: Run, path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"values":[', b'"values":[9,', 1))
    result = run("audit", path)
    assert result.exit_code == 1
    assert "  ✗ chain " in result.stdout
    assert "line 10, event 9: its hash is not that of what it says" in result.stdout
    assert "The event was changed after it was sealed." in result.stdout
    told = orjson.loads(run("audit", path, "--json").stdout)
    assert (told["sound"], told["records"][0]["sound"]) == (False, False)
    first = told["records"][0]["first"]
    assert (first["check"], first["line"], first["seq"]) == ("chain", 10, 9)


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\x00\xff" * 50, b"{}\n{}\n", b"[[[[["])
def test_audit_of_what_is_no_record_is_a_report_too(run: Run, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    result = run("audit", path)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "line 1" in result.stdout
    assert "✗ form" in result.stdout
    assert run("audit", path, "--json").exit_code == 1


def test_audit_of_several_goes_on_after_a_bad_one(run: Run, path: Path, real: Path) -> None:
    bad = path.with_name("bad.jsonl")
    bad.write_bytes(path.read_bytes()[:-300])
    result = run("audit", path, bad, real)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] == "2 of 3 sound"
    assert f"✓ {path}  " in result.stdout
    assert f"✓ {real}  " in result.stdout
    assert "✗ form" in result.stdout
    told = orjson.loads(run("audit", path, bad, real, "--json").stdout)
    assert [record["sound"] for record in told["records"]] == [True, False, True]
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
    assert result.stdout.splitlines()[-1] == "1 of 2 sound"
    report = orjson.loads(run("audit", "missing.jsonl", path, "--json").stdout)
    assert report["sound"] is False
    assert [entry["sound"] for entry in report["records"]] == [False, True]
    assert "there is no file" in report["records"][0]["error"]
    bad = path.with_name("bad.jsonl")
    bad.write_bytes(path.read_bytes()[:-300])
    assert run("audit", "missing.jsonl", bad).exit_code == 1


def test_audit_with_a_key_takes_no_other_signer(run: Run, path: Path) -> None:
    assert run("audit", path, "--key", KEY.public).exit_code == 0
    assert run("audit", path, "--key", STRANGER.public, "--key", KEY.public.upper()).exit_code == 0
    result = run("audit", path, "--key", STRANGER.public)
    assert result.exit_code == 1
    assert "none of those expected" in result.stdout
    for key in ("", "zz", "00", KEY.id):
        assert run("audit", path, "--key", key).exit_code == 2


def test_audit_with_receipts_at_hand(run: Run, path: Path, eventful: Table) -> None:
    receipt = path.with_name("receipt.json")
    good = KEY.receipt(eventful.sealed[8].event)
    for held in (good, {"events": [], "receipt": good}):
        receipt.write_bytes(orjson.dumps(held, option=orjson.OPT_INDENT_2))
        assert run("audit", path, "--receipt", receipt).exit_code == 0
    receipt.write_bytes(orjson.dumps({**good, "seq": 10}))
    assert run("audit", path, "--receipt", receipt).exit_code == 1
    for nonsense in (b"", b"[]", b'{"a": 1}', b"\xff"):
        receipt.write_bytes(nonsense)
        assert run("audit", path, "--receipt", receipt).exit_code == 2
