"""The commands that show events and scores: log, inspect, diff and timeline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result

from tests.support.records import Table, read

Run = Callable[..., Result]


def test_log_lists_every_event(run: Run, path: Path) -> None:
    record = read(path.read_bytes())
    assert len(run("log", path).stdout.splitlines()) == len(record.events)
    lines = run("log", path, "--json").stdout.splitlines()
    assert [line.encode() for line in lines] == record.lines


def test_log_lists_only_the_events_that_meet_all_conditions(run: Run, path: Path) -> None:
    record = read(path.read_bytes())
    taken = [
        e["seq"] for e in record.events if e["type"] == "StonesTaken" and e["by"] == {"seat": 1}
    ]
    lines = run("log", path, "--filter", "seat=1", "--filter", "type=StonesTaken").stdout
    assert [int(line.split()[0]) for line in lines.splitlines()] == taken != []
    assert run("log", path, "--filter", "seat=1 type=StonesTaken").stdout == lines
    as_json = run("log", path, "--json", "--filter", "clause=st-take from=10 to=10").stdout
    assert [as_json.rstrip("\n").encode()] == record.lines[9:10]


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        ("seat=x", "seat: must be a seat such as 0"),
        ("who=ada", "who: is not a condition: they are seat, type, clause, from, to, hex"),
        ("seat", "seat: is not a condition such as seat=1"),
        ("type=Nothing", "type: names no type of event of this game"),
    ],
)
def test_an_invalid_condition_is_bad_usage(
    run: Run, path: Path, condition: str, fault: str
) -> None:
    result = run("log", path, "--filter", condition)
    assert (result.exit_code, result.stdout) == (2, "")
    assert fault in " ".join(result.stderr.split())


def test_inspect_draws_the_board_and_lists_all_actions_if_asked_to(run: Run, real: Path) -> None:
    whole = run("inspect", real, 5).stdout
    assert "\nwhat seat 0 saw, after event 4\n" in whole
    assert "what seat 0 saw" not in run("inspect", real, 5, "--no-board").stdout
    options = orjson.loads(run("inspect", real, 5, "--json").stdout)["legal_actions"]
    assert (options["actions"], options["count"] > 24) == (None, True)
    listed = orjson.loads(run("inspect", real, 5, "--json", "--all-actions").stdout)[
        "legal_actions"
    ]
    assert len(listed["actions"]) == options["count"]


def test_inspect_explains_one_event(run: Run, path: Path) -> None:
    text = run("inspect", path, 10).stdout
    assert "\nevent 10 of game-1: StonesTaken\n" in text
    inspection = orjson.loads(run("inspect", path, 10, "--json").stdout)
    assert inspection["event"]["seq"] == 10
    (clause,) = inspection["clauses"]
    assert (clause["id"], clause["text"]) == ("ST-TAKE", "2 of the 11 stones there were")
    assert inspection["changes"]
    assert inspection["deliveries"] is None
    for seq in (0, 1000, "x"):
        assert run("inspect", path, seq).exit_code == 2


def test_diff_shows_the_fields_that_differ(run: Run, path: Path) -> None:
    assert "stones  11 → 9" in run("diff", path, 9, 10).stdout
    diff = orjson.loads(run("diff", path, 10, 9, "--json").stdout)
    assert (diff["before"], diff["after"]) == (10, 9)
    assert {"path": "stones", "before": 9, "after": 11} in diff["changes"]
    same = run("diff", path, 10, 10)
    assert (same.exit_code, "are the same" in same.stdout) == (0, True)
    assert orjson.loads(run("diff", path, 1, 2, "--json").stdout)["changes"] == []
    assert run("diff", path, 1, 1000).exit_code == 2


def test_timeline_shows_the_scores_as_svg_text_or_json(run: Run, real: Path) -> None:
    svg = run("timeline", real).stdout
    assert svg.startswith("<svg ")
    assert run("timeline", real, "--out", "scores.svg").stdout == ""
    assert Path("scores.svg").read_text() == svg
    table = run("timeline", real, "--format", "text").stdout
    assert table.startswith("Barony, game game-1: score at the end of each round\n")
    assert [end["round"] for end in chart_of(run, real)["rounds"]] == [1, 2, 3]


def chart_of(run: Run, source: Path) -> dict[str, Any]:
    chart: dict[str, Any] = orjson.loads(run("timeline", source, "--format", "json").stdout)
    return chart


def test_a_timeline_that_cannot_be_shown_or_written_is_an_error(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    path.write_bytes(Table("barony").record())
    result = run("timeline", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the game has not started: there are no scores" in result.stderr
    path.write_bytes(Table("barony").start().record())
    result = run("timeline", path, "--out", "no/such/folder.svg")
    assert (result.exit_code, "no/such/folder.svg: " in result.stderr) == (1, True)
