"""The command study: what it shows, prints and refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from replay.study import MAX_FILE_BYTES
from tests.support.stored_games import GAMES, recorded_game

RECORD = GAMES / "courtesy.jsonl"
STUDY: dict[str, Any] = {
    "format": "cartulary-study",
    "version": 1,
    "game": "courtesy",
    "title": {"en": "Cities by lakes"},
    "notes": [{"seq": 10, "text": {"en": "Far from\u001b[31m the lake."}}],
    "variations": [{"seq": 9, "steps": ["place 1,-4"]}],
}


def run(path: Path, *arguments: str, record: Path = RECORD) -> Result:
    words = ["study", str(record), "--notes", str(path), *arguments]
    return CliRunner().invoke(cartulary, words)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "study.json"
    path.write_text(json.dumps(STUDY))
    return path


def test_it_shows_notes_and_variations_without_what_would_change_the_terminal(path: Path) -> None:
    result = run(path)
    assert result.exit_code == 0, result.output
    assert "Cities by lakes" in result.stdout
    assert "the lake." in result.stdout
    assert "places a city and a knight on 1,-4" in result.stdout
    assert "\x1b" not in result.stdout


def test_json_is_a_study_with_the_head_that_is_read_again(path: Path, tmp_path: Path) -> None:
    written = tmp_path / "written.json"
    written.write_text(run(path, "--json").stdout)
    assert json.loads(written.read_text())["head"] == recorded_game("courtesy").events[-1]["hash"]
    assert run(written, "--json").stdout == written.read_text()


def test_faults_have_their_paths_and_nothing_is_shown(path: Path) -> None:
    path.write_text(json.dumps({**STUDY, "variations": [{"seq": 9, "steps": ["place 99,0"]}]}))
    result = run(path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "variations.0.steps.0: BY-SET-4" in result.stderr


def test_each_position_has_a_picture(path: Path, tmp_path: Path) -> None:
    path.write_text(
        json.dumps(
            {
                **STUDY,
                "notes": [{"seq": 1, "text": {"en": "Welcome."}}, *STUDY["notes"]],
                "variations": [{"seq": 9, "steps": ["place 1,-4"]}] * 2,
            }
        )
    )
    folder = tmp_path / "new" / "pictures"
    result = run(path, "--pictures", str(folder), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["game"] == "courtesy", "it is printed as well"
    # There is no board at the first event.
    pictures = {file.name: file.read_text() for file in folder.iterdir()}
    assert sorted(pictures) == ["0009-1.svg", "0009-2.svg", "0009.svg", "0010.svg"]
    assert all(picture.startswith("<svg") for picture in pictures.values())
    assert pictures["0009-1.svg"] == pictures["0009-2.svg"] != pictures["0009.svg"]
    assert run(path, "--pictures", str(path)).exit_code == 2, "a file is no folder"
    assert run(path, "--pictures", str(path / "folder")).exit_code == 1, "nor has it folders"


def test_games_that_are_not_finished_are_refused(path: Path) -> None:
    result = run(path, record=GAMES / "abandoned-in-play.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "only finished games can be studied" in result.stderr


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b" " * (MAX_FILE_BYTES + 1)])
def test_a_file_that_is_no_json_or_too_large_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert run(path).exit_code == 2
