"""Puzzles: one action is clearly best in two checks, whatever interrupts them, and equal everywhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from replay.analysis.analysis import analyse
from replay.analysis.positions import FinishedGame, finished_game
from replay.analysis.puzzle import (
    COMPARED,
    LEAST_ACTIONS,
    NoPuzzle,
    PuzzlePosition,
    continued,
    is_decided,
    is_of,
    likely_puzzles,
    new_search,
    progress_of,
    puzzle,
    puzzle_position,
)
from replay.analysis.settings import settings_of
from tests.support.stored_games import recorded_game

PLAYED = "courtesy"
SEQ = 10
"""A decision of this game with a clearly best action, `BEST`."""
BEST = "place 1,-4"
OTHERWISE = 9
"""One without."""
SETTINGS = settings_of(40, bytes(32))
PATH = Path(__file__).parents[2] / "games" / f"{PLAYED}.jsonl"


@pytest.fixture(scope="module")
def game() -> FinishedGame:
    return finished_game(recorded_game(PLAYED))


@pytest.fixture(scope="module")
def position(game: FinishedGame) -> PuzzlePosition:
    return puzzle_position(game, SEQ, SETTINGS)


@pytest.fixture(scope="module")
def result(position: PuzzlePosition) -> dict[str, Any]:
    return dict(puzzle(position))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cartulary, ["analyse", str(PATH), *map(str, arguments)])


def test_one_action_is_clearly_best_in_both_checks(result: dict[str, Any]) -> None:
    assert result["is_puzzle"]
    assert [check["best"] for check in result["checks"]] == [BEST, BEST]
    for check in result["checks"]:
        assert check["playouts"] == SETTINGS.budget
        assert len(check["others"]) == COMPARED - 1
        for other in check["others"]:
            assert other["lead"] - 1.64 * other["error"] >= 0.10
            assert other["share"] < check["share"]
    first, second = result["checks"]
    assert first != second
    assert result["line"][0] == {"seat": result["seat"], "action": BEST}


def test_it_depends_on_seed_and_budget(game: FinishedGame, result: dict[str, Any]) -> None:
    other = puzzle(puzzle_position(game, SEQ, settings_of(40, b"\1" * 32)))
    assert other["checks"] != result["checks"]
    assert other["checks"][0]["best"] == BEST


def test_an_interruption_changes_nothing(position: PuzzlePosition, result: dict[str, Any]) -> None:
    state = new_search(position)
    made = []
    while not is_decided(state):
        # Each step is made from what has been stored, as by another process.
        state = next(continued(position, json.loads(json.dumps(state))))
        made.append(progress_of(position, state))
        assert is_of(position, state)
    assert state == result
    assert made == sorted(made)
    assert [done for done, _ in made] == list(range(1, made[-1][1] + 1))


def test_a_position_without_a_clearly_best_action_is_given_up(game: FinishedGame) -> None:
    position = puzzle_position(game, OTHERWISE, SETTINGS)
    found = puzzle(position)
    assert not found["is_puzzle"]
    assert "line" not in found
    assert len(found["checks"]) == 1
    assert found["checks"][0]["playouts"] < SETTINGS.budget


def test_a_state_of_another_position_is_not_gone_on_with(game: FinishedGame) -> None:
    position = puzzle_position(game, SEQ, SETTINGS)
    state = new_search(position)
    assert not is_of(puzzle_position(game, OTHERWISE, SETTINGS), state)
    assert not is_of(position, {**state, "version": 0})


def test_positions_that_are_none(game: FinishedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    for seq in (1, 10_000):
        with pytest.raises(NoPuzzle, match="no action that a player took"):
            puzzle_position(game, seq)
    monkeypatch.setattr("replay.analysis.puzzle.MOST_ACTIONS", LEAST_ACTIONS)
    with pytest.raises(NoPuzzle, match="a puzzle has from"):
        puzzle_position(game, SEQ)


def test_marked_decisions_are_likely_the_clearest_first(game: FinishedGame) -> None:
    state = analyse(game, settings_of(4, bytes(32)))
    decisions = [{"seq": 3, "mark": "!", "lead": 0.5, "error": 0.1}]
    decisions += [{"seq": 4, "mark": "??", "drop": 0.6, "error": 0.1, "line": []}]
    decisions += [{"seq": 5, "drop": 0.1, "error": 0.1}]
    state = {**state, "turns": [{"decisions": decisions}]}
    assert likely_puzzles(state) == [4, 3]


class TestCommand:
    def test_it_computes_the_same_and_compares(
        self, result: dict[str, Any], tmp_path: Path
    ) -> None:
        arguments = ("--puzzle", SEQ, "--budget", SETTINGS.budget // 10)
        found = run(*arguments, "--json")
        assert found.exit_code == 0
        assert json.loads(found.stdout) == result
        stored = tmp_path / "puzzle.json"
        stored.write_text(json.dumps(result))
        assert run(*arguments, "--compare", stored).exit_code == 0
        stored.write_text(json.dumps({**result, "seed": "11" * 32}))
        differs = run(*arguments, "--compare", stored)
        assert differs.exit_code == 1
        assert "seed is" in differs.stdout
        stored.write_text(json.dumps({"format": "cartulary-analysis", "turns": []}))
        assert run(*arguments, "--compare", stored).exit_code == 1

    @pytest.mark.parametrize("language", ["en", "es", "fr"])
    def test_people_read_the_checks(self, language: str) -> None:
        found = run("--puzzle", SEQ, "--budget", 4, "--lang", language)
        assert found.exit_code == 0
        assert found.stdout.count(BEST) == 2
        if language == "en":
            assert "one action is clearly best" in found.stdout

    def test_what_it_refuses(self) -> None:
        assert "event 1 is no action" in run("--puzzle", 1).output
        for option in ("--jobs=2", "--state=state.json"):
            refused = run("--puzzle", SEQ, option)
            assert refused.exit_code == 2
            assert "cannot be used with --puzzle" in refused.output
