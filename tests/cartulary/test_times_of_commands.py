"""The times that commands show people: in words, in the time zone of the machine. JSON has them in UTC."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from replay.language.catalogue import languages
from tests.support.raw_times import raw_times

GAMES = Path(__file__).parents[1] / "games"
DISPUTES, CLOCKS = str(GAMES / "disputes.jsonl"), str(GAMES / "duke-of-three.jsonl")
COMMANDS = [
    ["log", DISPUTES],
    ["log", CLOCKS],
    *(["inspect", DISPUTES, str(seq)] for seq in (1, 8, 20)),
    ["audit", DISPUTES],
    ["audit", CLOCKS],
    ["compare", DISPUTES, CLOCKS],
    ["timeline", DISPUTES, "--format", "text"],
    ["diff", DISPUTES, "4", "8"],
    ["replay", DISPUTES],
    ["trust"],
]
JSON_COMMANDS = [
    ["log", DISPUTES, "--json"],
    ["inspect", DISPUTES, "8", "--json"],
    ["audit", DISPUTES, "--json"],
    ["compare", DISPUTES, CLOCKS, "--json"],
    ["timeline", DISPUTES, "--format", "json"],
]
LORD_HOWE = "Australia/Lord_Howe"
"""Its clocks differ from those of UTC by ten and a half or eleven hours."""


def run(*arguments: str, zone: str) -> str:
    """Return what a command writes on a machine in a time zone."""
    return CliRunner().invoke(cartulary, list(arguments), env={"TZ": zone}).output


@pytest.mark.parametrize("language", sorted(languages()))
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words)[:7])
def test_no_command_shows_people_a_time_as_programs_write_it(
    command: list[str], language: str
) -> None:
    assert raw_times(run("--lang", language, *command, zone="UTC")) == []


@pytest.mark.parametrize("command", JSON_COMMANDS, ids=lambda words: words[0])
def test_json_is_the_same_in_every_time_zone(command: list[str]) -> None:
    assert run(*command, zone=LORD_HOWE) == run(*command, zone="UTC")


def test_times_are_those_of_the_machine_with_the_name_of_their_zone() -> None:
    created = json.loads(Path(DISPUTES).read_text().splitlines()[1])["at"]
    assert created.startswith("2026-11-")
    in_utc = run("inspect", DISPUTES, "1", zone="UTC")
    elsewhere = run("inspect", DISPUTES, "1", zone=LORD_HOWE)
    assert "(UTC)" in in_utc
    assert f"({LORD_HOWE})" in elsewhere
    assert "UTC" in run("log", DISPUTES, zone="UTC").splitlines()[0]
    assert "+11" in run("log", DISPUTES, zone=LORD_HOWE).splitlines()[0]
    assert "(UTC)" in run("inspect", DISPUTES, "1", zone="Mars/Olympus")
