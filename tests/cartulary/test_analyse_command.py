"""The command analyse: equal results in every process, files that keep its state, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from replay.bots.playout import plan, play
from replay.language.catalogue import languages

BUDGET = ("--budget", "4")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished game of two rounds."""
    path = tmp_path_factory.mktemp("analyse") / "game.jsonl"
    path.write_bytes(play(plan("barony", 2, b"analyse", {}, round_limit=4)).record)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cartulary, ["analyse", *map(str, arguments)])


def analysed(record: Path, *arguments: object) -> dict[str, Any]:
    result = run(record, *BUDGET, "--json", *arguments)
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def analysis(record: Path) -> dict[str, Any]:
    return analysed(record)


@pytest.mark.nightly
def test_results_are_equal_in_other_processes_and_with_other_hashes(
    record: Path, analysis: dict[str, Any]
) -> None:
    command = [sys.executable, "-m", "cartulary", "analyse", str(record), *BUDGET, "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [*command, "--jobs", "2"], env=environment, capture_output=True, check=True
    )
    assert json.loads(found.stdout) == analysis


def test_the_header_says_what_the_results_depend_on(analysis: dict[str, Any]) -> None:
    assert analysis["format"] == "cartulary-analysis"
    assert (analysis["rules"], analysis["seats"], analysis["budget"]) == ("barony", 2, 4)
    assert analysis["seed"] == "00" * 32
    assert analysis["of"] == len(analysis["turns"])


@pytest.mark.parametrize("language", sorted(languages()))
def test_people_read_a_table_and_a_summary(record: Path, language: str) -> None:
    result = run(record, *BUDGET, "--lang", language)
    assert result.exit_code == 0
    assert result.stderr == ""
    rows = [line.split() for line in result.stdout.splitlines() if " ± " in line]
    assert [row[0] for row in rows[:14]] == [str(number) for number in range(1, 15)]
    if language == "en":
        words = " ".join(result.stdout.split())
        assert "shares of winning at the beginning of each turn" in words
        assert "There is no turning point" in words or "Turning point: turn" in words
        assert "accuracy" in words


def test_an_analysis_goes_on_from_its_file(
    record: Path, analysis: dict[str, Any], tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    partial = {**analysis, "turns": analysis["turns"][:-1]}
    del partial["summary"]
    state.write_text(json.dumps(partial))
    assert analysed(record, "--state", state) == analysis
    assert json.loads(state.read_bytes()) == analysis
    # The file is complete, and nothing is computed again: a changed share stays as it is.
    analysis = json.loads(state.read_bytes())
    analysis["turns"][0]["shares"] = [0.25, 0.75]
    state.write_text(json.dumps(analysis))
    assert analysed(record, "--state", state)["turns"][0]["shares"] == [0.25, 0.75]


def test_two_analyses_are_compared(record: Path, analysis: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(analysis))
    result = run(record, *BUDGET, "--compare", path)
    assert (result.exit_code, result.stdout) == (0, "The results are equal.\n")
    path.write_text(json.dumps({**analysis, "seed": "11" * 32}))
    result = run(record, *BUDGET, "--compare", path)
    assert result.exit_code == 1
    assert result.stdout == f"seed is {'00' * 32} here and {'11' * 32} there\n"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("everybody-left", "was abandoned"), ("abandoned-in-play", "was abandoned")],
)
def test_a_game_without_a_result_is_refused(name: str, reason: str) -> None:
    result = run(ROOT / "tests" / "games" / f"{name}.jsonl", *BUDGET)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert reason in result.stderr


def test_a_game_in_progress_is_refused(record: Path, tmp_path: Path) -> None:
    path = tmp_path / "running.jsonl"
    path.write_bytes(b"".join(record.read_bytes().splitlines(keepends=True)[:15]))
    result = run(path, *BUDGET)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "the game is not finished" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--budget", "3"], "--budget"),
        (["--budget", "many"], "--budget"),
        (["--seed", "xyz"], "not bytes in hex"),
        (["--seed", "00"], "must be 32 bytes in hex"),
        (["--jobs", "0"], "--jobs"),
        (["--compare", "missing.json"], "missing.json"),
        (["--compare", __file__], "is not JSON"),
        (["--state", __file__], "is not JSON"),
    ],
)
def test_what_makes_no_sense_is_refused(record: Path, arguments: list[str], fault: str) -> None:
    result = run(record, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert fault in " ".join(result.stderr.split())


def test_the_state_of_another_game_is_refused(
    record: Path, analysis: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({**analysis, "head": "00" * 32}))
    result = run(record, *BUDGET, "--state", path)
    assert result.exit_code == 2
    assert "head: belongs to another analysis" in " ".join(result.stderr.split())
    path.write_text("{}")
    assert "is not an analysis" in " ".join(run(record, "--state", path).stderr.split())
