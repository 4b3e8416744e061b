"""The command tournament: what it says of a record, and its exit statuses."""

import json
from pathlib import Path

import pytest

from cartulary.addresses import Address
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
    missing = cartulary("tournament", "audit", str(record), "--games", str(empty))
    assert (missing.returncode, "there is no folder" in missing.stderr) == (2, True)
    empty.mkdir()
    result = cartulary("tournament", "audit", str(record), "--games", str(empty), "--json")
    assert (result.returncode, json.loads(result.stdout)["verdict"]) == (3, "unknown")
    record.write_bytes(record.read_bytes().replace(b'"name":"Cup"', b'"name":"Mug"'))
    result = cartulary("tournament", "audit", str(record), "--json")
    verdict = json.loads(result.stdout)
    assert (result.returncode, verdict["verdict"], verdict["event"]) == (1, "broken", 1)
    assert cartulary("tournament", "audit", str(folder / "none.jsonl")).returncode == 2


@pytest.mark.parametrize("address", ["games/0123456789abcdef", "", "tournaments", "tournaments/"])
def test_an_address_that_is_not_that_of_a_tournament_is_named(address: str) -> None:
    url = f"http://127.0.0.1:1/{address}"
    result = cartulary("tournament", "audit", url)
    assert result.returncode == 2
    assert f"Invalid value for SOURCE: {url} is not the address of " in result.stderr


@pytest.mark.parametrize(
    "path",
    [
        "tournaments/t1",
        "tournaments/t1/rounds/2",
        "api/v1/tournaments/t1/record",
        "tournaments/t1/",
    ],
)
def test_each_address_of_a_tournament_leads_to_its_record(path: str) -> None:
    assert Address.parse(f"http://127.0.0.1:1/{path}") == Address(
        "http://127.0.0.1:1", tournament="t1"
    )
