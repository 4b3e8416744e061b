"""The README's commands, run as they are printed, against a service that `cartulary serve` started."""

import json
import re
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest

from ledger.record import read
from replay.audit import audit
from tests.support.processes import cartulary, run_program
from tests.support.records import trusting_signer
from tests.support.running_service import RunningService

ROOT = Path(__file__).parent.parent


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a service for this test only, which `cartulary serve` runs."""
    running = RunningService(tmp_path, processes=1)
    running.start()
    yield running.url
    running.stop()


def test_the_readme_plays_a_game_of_three_to_its_end_and_prints_why_a_request_was_refused(
    address: str, tmp_path: Path
) -> None:
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```sh readme\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert "http://127.0.0.1:8000" in blocks[0]
    blocks[0] = blocks[0].replace("http://127.0.0.1:8000", address)
    script = "".join(blocks) + "echo; echo GAME=$GAME\n"

    first, second = (run_script(script, tmp_path) for _ in range(2))
    refused = run_script(blocks[0].replace("quarter gallon", "short"), tmp_path)

    assert (first.returncode, first.stderr) == (0, "")
    assert second.returncode == 0
    assert second.stderr.count("players was refused: ") == 3
    assert second.stderr.count("the handle ana is taken") == 1
    assert "players was refused: " in refused.stderr
    assert "must have 8 to 1024 characters" in refused.stderr
    game = first.stdout.strip().rpartition("GAME=")[2]
    assert game != second.stdout.strip().rpartition("GAME=")[2]
    summary = httpx.get(f"{address}/api/v1/games/{game}").json()
    assert summary["status"] == "finished"
    with (tmp_path / "game.jsonl").open("rb") as file:
        record = read(file)
    types = [event["type"] for event in record.events]
    assert types.count("CityPlaced") == 9
    assert types.count("RoundScored") == 2
    assert types[-1] == "GameFinished"
    data = (tmp_path / "game.jsonl").read_bytes()
    assert audit(BytesIO(data), trusted=trusting_signer(data)).is_sound


def run_script(script: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run shell lines in a folder, as a reader would paste them."""
    return run_program(["/bin/bash", "-u", "-c", script], cwd=folder)


def test_the_readme_commands_that_read_a_record_work(tmp_path: Path) -> None:
    """Every `cartulary` line of the section Looking back works on a record that a playout wrote."""
    run(["playout", "--rules", "barony", "--seats", "3", "--seed", "07", "--out", str(tmp_path)])
    (record,) = tmp_path.glob("*.jsonl")
    text = (ROOT / "README.md").read_text()
    lines = re.findall(r"^\.venv/bin/cartulary (.+?)\s*(?:>\S+)?\s*(?:#.*)?$", text, re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        output = run(line.replace("game.jsonl", str(record)).split())
        assert output.strip(), line
    position = json.loads(run(["replay", str(record), "--round", "1", "--format", "json"]))
    assert position["round"] == 2


def run(arguments: list[str]) -> str:
    """Run a `cartulary` command, which must succeed, and return its output."""
    result = cartulary(*arguments)
    result.check_returncode()
    return result.stdout
