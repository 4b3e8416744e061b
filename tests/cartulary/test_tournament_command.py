"""The command tournament: what it says of a record, and its exit statuses."""

import json
from pathlib import Path

import pytest

from service.bootstrap import Service
from tests.support.processes import cartulary
from tests.support.tournaments import FinishedTournament


@pytest.fixture
def folder(service: Service, tmp_path: Path) -> Path:
    """A folder with the record of a tournament that is over, cup.jsonl, and those of its games."""
    finished = FinishedTournament(service)
    (tmp_path / "cup.jsonl").write_bytes(finished.data)
    for game, data in finished.games.items():
        (tmp_path / f"{game}.jsonl").write_bytes(data)
    return tmp_path


def test_the_verdict_and_the_exit_status_are_those_of_the_audit(folder: Path) -> None:
    record = folder / "cup.jsonl"
    result = cartulary("tournament", "audit", str(record))
    assert (result.returncode, result.stdout) == (
        0,
        "The tournament holds: the tournament went as its rules and games say.\n",
    )
    result = cartulary("tournament", "audit", str(record), "--key", "0" * 64)
    assert result.returncode == 1
    assert "the record does not list this key" in result.stderr
    empty = folder / "empty"
    empty.mkdir()
    result = cartulary("tournament", "audit", str(record), "--games", str(empty), "--json")
    assert (result.returncode, json.loads(result.stdout)["verdict"]) == (3, "unknown")
    record.write_bytes(record.read_bytes().replace(b'"name":"Cup"', b'"name":"Mug"'))
    result = cartulary("tournament", "audit", str(record), "--json")
    verdict = json.loads(result.stdout)
    assert (result.returncode, verdict["verdict"], verdict["event"]) == (1, "broken", 1)
    assert cartulary("tournament", "audit", str(folder / "none.jsonl")).returncode == 2
