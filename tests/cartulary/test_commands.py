"""The commands that read records from files, standard input or live games: output, errors, exit status."""

import json
import os
import pty
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result

from cartulary.commands import RECORD_COMMANDS
from domain.errors import CartularyError
from domain.event import Event
from domain.messages import message
from tests.support import fork_server
from tests.support.records import Table, forge_record, read

Run = Callable[..., Result]


# replay


def test_replay_shows_the_position_as_text_json_and_svg(run: Run, real: Path) -> None:
    record = read(real.read_bytes())
    text = run("replay", real).stdout
    assert text.startswith("Barony, ")
    assert "\nscore " in text
    position = run("replay", real, "--format", "json").stdout
    assert sha256(position.rstrip("\n").encode()).hexdigest() == record.events[-1]["state"]
    svg = run("replay", real, "--format", "svg").stdout
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>\n")


def test_replay_goes_to_an_event_a_turn_or_a_round(run: Run, real: Path) -> None:
    record = read(real.read_bytes())

    def state(*options: object) -> str:
        position = run("replay", real, "--format", "json", *options).stdout
        return sha256(position.rstrip("\n").encode()).hexdigest()

    for seq in (4, 9, 20):
        assert state("--seq", seq) == record.events[seq - 1]["state"]
    assert state("--turn", 3) == record.events[6]["state"]
    ends = [e["data"]["round"] for e in record.events if e["type"] == "RoundScored"]
    assert ends == [1, 2, 3]
    position = orjson.loads(run("replay", real, "--format", "json", "--round", 2).stdout)
    assert (position["round"], position["to_act"]) == (3, 0)


@pytest.mark.parametrize(
    ("round", "heading"), [(0, "end of the set-up"), (1, "end of round 1"), (2, "end of round 2")]
)
def test_the_heading_of_a_round_names_the_round_that_is_over(
    run: Run, real: Path, round: int, heading: str
) -> None:
    assert run("replay", real, "--round", round).stdout.splitlines()[0] == f"Barony, {heading}"


VIEWERS: list[list[Any]] = [[], ["--as", 0], ["--as", 3]]


def test_replay_as_a_seat_shows_what_that_seat_may_see(run: Run, path: Path) -> None:
    table = Table(seats=4).start()
    table.take(1)
    path.write_bytes(table.record())
    for viewer in VIEWERS:
        output = run("replay", path, "--format", "json", *viewer).stdout
        assert has_lucky_number(output) == [viewer[1:] == [seat] for seat in range(4)]
    inspection = orjson.loads(run("inspect", path, table.game.seq, "--json").stdout)
    for name in ("before", "after"):
        assert {player["lucky"] for player in inspection[name]["players"]} == {None}


@pytest.mark.parametrize("is_abandoned", [False, True])
def test_the_secrets_of_a_game_that_has_ended_are_shown_at_every_event(
    run: Run, path: Path, *, is_abandoned: bool
) -> None:
    table = Table(seats=4).start()
    start = table.game.seq
    table.take(1)
    path.write_bytes((table.abandon() if is_abandoned else table.play_out()).record())
    for seq in (start, start + 1, table.game.seq):
        for viewer in VIEWERS:
            output = run("replay", path, "--seq", seq, "--format", "json", *viewer).stdout
            assert has_lucky_number(output) == [True] * 4
    inspection = orjson.loads(run("inspect", path, start + 1, "--json").stdout)
    assert all(player["lucky"] is not None for player in inspection["before"]["players"])
    assert not any(change["path"].endswith(".lucky") for change in inspection["changes"])
    diff = orjson.loads(run("diff", path, start - 1, start, "--json").stdout)
    assert all(p["lucky"] is not None for p in diff["changes"][0]["after"]["players"])
    # The hashes are those of the positions that a spectator saw then.
    assert run("audit", path).exit_code == 0


def has_lucky_number(position: str) -> list[bool]:
    """Whether a position contains the lucky number of each seat."""
    return [player["lucky"] is not None for player in orjson.loads(position)["players"]]


def test_replay_before_the_start_shows_how_many_places_are_taken(run: Run, path: Path) -> None:
    assert "has not started: 1 of 4 places is taken" in run("replay", path, "--seq", 2).stdout
    assert run("replay", path, "--seq", 2, "--format", "json").stdout == "null\n"
    result = run("replay", path, "--seq", 2, "--format", "svg")
    assert (result.exit_code, result.stdout) == (1, "")


@pytest.mark.parametrize(
    "options",
    [
        ["--seq", "1000"],
        ["--seq", "0"],
        ["--turn", "0"],
        ["--turn", "99"],
        ["--round", "99"],
        ["--round", "-1"],
        ["--seq", "9", "--turn", "1"],
        ["--turn", "1", "--round", "1"],
        ["--as", "4"],
        ["--as", "-1"],
        ["--as", "x"],
        ["--format", "png"],
        ["--nothing"],
    ],
)
def test_replay_to_an_event_that_does_not_exist_is_bad_usage(
    run: Run, path: Path, options: list[str]
) -> None:
    result = run("replay", path, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


def test_a_board_too_wide_to_draw_is_refused(run: Run, real: Path) -> None:
    def change(events: list[Any]) -> None:
        events[3]["data"]["board"].append({"at": [10**12, 0], "terrain": "plain"})

    real.write_bytes(forge_record(real.read_bytes(), change))
    for format in ("text", "svg"):
        result = run("replay", real, "--seq", 4, "--format", format)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "too wide" in result.stderr


# SOURCE


def test_a_source_may_be_standard_input(run: Run, path: Path) -> None:
    data = path.read_bytes()
    assert run("log", "-", stdin=data).stdout == run("log", path).stdout
    assert "\n\nstandard input  game game-1, " in run("audit", "-", stdin=data).stdout
    assert run("audit", "-", stdin=data[:-300]).exit_code == 1


def test_a_source_may_be_a_live_game(run: Run, path: Path) -> None:
    requests: list[tuple[str, str | None]] = []

    def live(game: str, redis: str | None) -> bytes:
        requests.append((game, redis))
        return path.read_bytes()

    assert run("log", "game-1", live=live).stdout == run("log", path).stdout
    assert run("audit", "game-1", "--redis", "redis://there", live=live).exit_code == 0
    assert requests == [("game-1", None), ("game-1", "redis://there")]


def test_a_live_game_that_cannot_be_read_is_an_error_with_the_reason(run: Run) -> None:
    def live(game: str, redis: str | None) -> bytes:
        raise CartularyError(message("there is no such game"))

    for command in ("replay", "audit", "export"):
        result = run(command, "game-1", live=live)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "game-1" in result.stderr
        assert "there is no such game" in result.stderr


@pytest.mark.parametrize("command", ["replay", "log", "audit"])
def test_a_source_that_does_not_exist_is_bad_usage(run: Run, tmp_path: Path, command: str) -> None:
    for source in ("missing.jsonl", "no/such/file", "game-1"):
        result = run(command, source)
        assert result.exit_code == 2
        assert f"there is no file {source}" in result.stderr
    assert run(command, tmp_path).exit_code == 2  # an empty folder
    assert run(command).exit_code == 2


@pytest.mark.parametrize("command", [["replay"], ["log"], ["inspect", 9], ["diff", 1, 2]])
def test_a_record_that_cannot_be_read_is_an_error_that_names_the_line(
    run: Run, path: Path, command: list[Any]
) -> None:
    path.write_bytes(path.read_bytes()[:-300])
    name, *arguments = command
    result = run(name, path, *arguments)
    assert result.exit_code == 1
    assert f"{path}: line " in result.stderr


@pytest.mark.parametrize("command", [["replay"], ["log"], ["inspect", 9], ["diff", 8, 9]])
def test_a_record_that_cannot_be_applied_is_an_error_that_names_the_line(
    run: Run, path: Path, command: list[Any]
) -> None:
    path.write_bytes(forge_record(path.read_bytes(), lambda events: events[8]["data"].clear()))
    name, *arguments = command
    result = run(name, path, *arguments)
    assert result.exit_code == 1
    assert "line 10: event 9 cannot be applied" in result.stderr


@pytest.mark.parametrize("name", [command.name for command in RECORD_COMMANDS])
def test_every_command_has_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Usage: cartulary" in result.stdout


# A real terminal

SEPARATOR = "=== output of a command ==="
PROGRAM = f"""
import json, sys
import click
from cartulary.commands import RECORD_COMMANDS
group = click.Group("c", commands={{c.name: c for c in RECORD_COMMANDS}})
for arguments in json.loads(sys.argv[1]):
    print({SEPARATOR!r}, flush=True)
    group.main(arguments, standalone_mode=False)
"""
"""Runs several commands, since the interpreter takes longer to start than they do."""
COLOURED = (["replay"], ["log"], ["inspect", "9"], ["audit"])


def program(record: Path, *options: str) -> list[str]:
    """Return the arguments with which Python runs all coloured commands on a record, with these options."""
    arguments = [[name, str(record), *others, *options] for name, *others in COLOURED]
    return ["-c", PROGRAM, json.dumps(arguments)]


def are_coloured(output: str) -> set[bool]:
    """Return whether commands have coloured their output: one value if all agree."""
    outputs = output.split(SEPARATOR)[1:]
    assert len(outputs) == len(COLOURED)
    return {"\x1b[" in part for part in outputs}


def in_terminal(record: Path, *options: str, **environ: str) -> set[bool]:
    """Run the commands in a terminal and return whether their output is coloured."""
    reading_end, terminal = pty.openpty()
    environ = {**os.environ, "COLUMNS": "80", **environ}
    process = fork_server.start(program(record, *options), stdout=terminal, env=environ)
    os.close(terminal)
    output = b""
    while True:
        try:
            part = os.read(reading_end, 65536)
        except OSError:  # Linux reports the closed terminal like this.
            break
        if not part:
            break
        output += part
    os.close(reading_end)
    assert process.wait() == 0
    return are_coloured(output.decode())


def in_file(record: Path, *options: str, **environ: str) -> set[bool]:
    """Run the commands with their output in a file and return whether it is coloured."""
    process = fork_server.start(
        program(record, *options),
        env={**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", **environ},
        stdout=subprocess.PIPE,
        text=True,
    )
    output, _ = process.communicate()
    assert process.returncode == 0
    return are_coloured(output)


def test_output_to_a_terminal_is_coloured_unless_the_user_turns_it_off(real: Path) -> None:
    assert in_terminal(real, NO_COLOR="") == {True}
    assert in_terminal(real, NO_COLOR="1") == {False}
    assert in_terminal(real, "--color", "never") == {False}
    assert in_terminal(real, "--color", "always", NO_COLOR="1") == {True}


def test_output_to_a_file_is_coloured_only_if_the_user_forces_it(real: Path) -> None:
    assert in_file(real) == {False}
    assert in_file(real, FORCE_COLOR="1") == {True}
    assert in_file(real, "--color", "always") == {True}
    assert in_file(real, FORCE_COLOR="1", NO_COLOR="1") == {False}
    assert in_file(real, "--color", "never", FORCE_COLOR="1") == {False}


def test_a_source_that_cannot_be_opened_or_read_is_an_error_without_a_traceback(run: Run) -> None:
    assert run("log", "a" * 300).exit_code == 2
    assert "no file" in run("log", "a" * 300).stderr
    result = run("log", "/proc/self/mem")  # It can be opened, but not read.
    assert result.exit_code == 1
    assert "cannot be read" in result.stderr


def test_numbers_too_large_for_json_are_an_error_without_a_traceback(
    run: Run, tmp_path: Path
) -> None:
    def change(events: list[Event]) -> None:
        city = events[4]["data"]
        for event in events[10:12]:
            event["type"] = "CityFounded"
            event["data"] = {"seat": city["seat"], "at": city["at"], "points": 2**53 - 1}

    table = Table("barony", options={"round_limit": 1}).start().play_out()
    path = tmp_path / "large.jsonl"
    path.write_bytes(forge_record(table.record(), change))
    for command in (["inspect", path, 12], ["diff", path, 10, 12]):
        result = run(*command, "--json")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "cannot be applied to the game before it (ValueError)" in result.stderr
    assert run("audit", path).exit_code == 1
