"""The command compare: output and exit status."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from client.receipts import ReceiptFolder
from tests.support.records import KEY, STRANGER, Table

Run = Callable[..., Result]


def test_compare_reports_a_continuation(run: Run, path: Path, eventful: Table) -> None:
    earlier = path.with_name("earlier.jsonl")
    earlier.write_bytes(eventful.until(9).record())
    result = run("compare", earlier, path)
    assert (result.exit_code, result.stderr) == (0, "")
    more = eventful.game.seq - 9
    assert result.stdout.splitlines()[-1] == (
        f"continuation: B continues A: it has the same 9 events, and {more} more"
    )
    assert orjson.loads(run("compare", path, earlier, "--json").stdout)["relation"] == (
        "a_continues_b"
    )


def test_compare_reports_a_divergence_and_its_proof(
    run: Run, path: Path, eventful: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = path.with_name("other.jsonl")
    table = eventful.until(9)
    table.wait(5)
    other.write_bytes(table.play_out().record())
    result = run("compare", path, other, "--key", KEY.public)
    assert result.exit_code == 1
    assert "events 1 to 9 are the same" in result.stdout
    assert f"Proof against the server that has the key {KEY.id}" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("divergence: after event 9")
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(path.with_name("none.jsonl")))
    report = orjson.loads(run("compare", path, other, "--key", STRANGER.public, "--json").stdout)
    assert (report["verdict"], report["common"]) == ("divergence", 9)
    assert [proof["trusted"] for proof in report["proofs"]] == [False]


def test_compare_does_not_judge_what_it_cannot_read(run: Run, path: Path) -> None:
    damaged = path.with_name("damaged.jsonl")
    damaged.write_bytes(path.read_bytes()[:4000])
    result = run("compare", path, damaged)
    assert result.exit_code == 3
    assert "cannot be known" in result.stdout
    damaged.write_bytes(b"\x00\xff nonsense")
    assert run("compare", damaged, path).exit_code == 1
    assert run("compare", path, "missing.jsonl").exit_code == 2
    assert run("compare", "-", "-").exit_code == 2
    assert run("compare", path, path, "--key", "zz").exit_code == 2


def test_compare_reads_one_record_from_standard_input(run: Run, path: Path) -> None:
    assert run("compare", "-", path, stdin=path.read_bytes()).exit_code == 0


def test_compare_takes_a_file_of_receipts_for_a_record(
    run: Run, path: Path, eventful: Table, tmp_path: Path
) -> None:
    events = [made.event for made in eventful.sealed if made.event["action"]]
    kept = tmp_path / "receipts" / "game-1.receipts"
    folder = ReceiptFolder(kept.parent)
    folder.add([KEY.receipt(events[0])])
    result = run("compare", path, kept)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == (
        "continuation: the only valid receipt is for an event of the record"
    )
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_bytes(eventful.until(events[0]["seq"]).record())
    folder.add([KEY.receipt(events[1])])
    result = run("compare", kept, earlier)
    assert result.exit_code == 3
    assert f"there is a receipt for event {events[1]['seq']}" in result.stdout
    folder.add([KEY.receipt({**events[2], "hash": "0" * 64})])
    result = run("compare", path, kept)
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    assert f"Proof against the server that has the key {KEY.id}" in text
    assert f"a receipt for event {events[2]['seq']} with the hash 000000000000" in text
    assert "line 3 of B" in text
    kept.write_bytes(b"{")
    assert run("compare", path, kept).exit_code == 1
    assert run("compare", kept, kept).exit_code == 1


def test_receipts_by_an_unknown_key_decide_nothing(run: Run, path: Path, eventful: Table) -> None:
    kept = path.with_name("game-1.receipts")
    event = {**eventful.sealed[8].event, "hash": "0" * 64}
    kept.write_bytes(orjson.dumps(STRANGER.receipt(event)))  # type: ignore[arg-type] # an event with another hash
    result = run("compare", path, kept)
    assert result.exit_code == 3
    assert "no receipt is valid" in result.stdout
