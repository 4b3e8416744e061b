"""Files that are no valid records: every command that reads records names the line and the fault.

The commands run on files of a gigabyte and on endless pipes in processes of their own, whose memory is
measured.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import orjson
import pytest
from click.testing import Result

from domain.errors import Refused
from domain.event import Event
from domain.messages import message
from ledger.canonical import canonical
from ledger.record import MAX_LINE_BYTES
from tests.support import token_game
from tests.support.records import KEY, forge_record, read

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "audit": (),
    "replay": (),
    "log": (),
    "inspect": ("3",),
    "diff": ("3", "4"),
    "sandbox": ("9", "--seed", "00"),
    "timeline": (),
}
"""The commands that read a record, with the arguments that follow the file."""

MAX_MEGABYTES: Final = 160
"""The memory of a command that reads a large file: about 60 MB are Python and the libraries."""


def replace_line(data: bytes, number: int, line: bytes) -> bytes:
    lines = data.splitlines()
    lines[number - 1] = line
    return b"\n".join(lines) + b"\n"


def with_value(data: bytes, number: int, value: bytes) -> bytes:
    """Return the record with a field `x` in the data of the event in this line, which is not sealed again."""
    line = data.splitlines()[number - 1]
    return replace_line(data, number, line.replace(b'"data":{', b'"data":{"!":' + value + b",", 1))


UNREADABLE: Final[Mapping[str, tuple[Callable[[bytes], bytes], int, str]]] = {
    "nothing": (lambda _data: b"", 1, "the record is empty"),
    "zeros": (lambda _data: bytes(1000), 1, "not JSON"),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), 1, "encoded in UTF-16"),
    "byte order mark": (lambda data: b"\xef\xbb\xbf" + data, 1, "byte order mark"),
    "CRLF": (lambda data: data.replace(b"\n", b"\r\n"), 1, "carriage return"),
    "invalid UTF-8": (lambda data: with_value(data, 5, b'"\xff"'), 5, "is not valid UTF-8"),
    "deep nesting": (lambda data: with_value(data, 5, b"[" * 99_999), 5, "nested more than"),
    "duplicate key": (lambda data: with_value(data, 5, b'1,"!":1'), 5, 'the key "!" occurs twice'),
    "large number": (lambda data: with_value(data, 5, b"9" * 5000), 5, "is too large"),
    "fraction": (lambda data: with_value(data, 5, b"0.5"), 5, "is not an integer"),
    "long line": (
        lambda data: with_value(data, 5, b'"%b"' % (b"x" * MAX_LINE_BYTES)),
        5,
        "the line has more than",
    ),
    "a line cut short": (lambda data: data[: data.index(b"}\n", 3000)], 7, "not JSON"),
    "empty line": (lambda data: replace_line(data, 5, b""), 5, "the line is empty"),
}
"""By name: what is done to a record, and the line and the fault that are reported."""


@pytest.mark.parametrize("name", UNREADABLE)
def test_every_command_names_the_line_that_cannot_be_read(
    name: str, path: Path, run: Callable[..., Result]
) -> None:
    damage, line, fault = UNREADABLE[name]
    intact = path.with_name("intact.jsonl")
    intact.write_bytes(path.read_bytes())
    path.write_bytes(damage(path.read_bytes()))
    compared = run("compare", path, intact)
    assert compared.exit_code in {0, 1, 3}  # 0 where only the header cannot be read
    assert f"line {line}: " in compared.output
    assert fault in " ".join(compared.output.split())
    for command, arguments in COMMANDS.items():
        result = run(command, path, *arguments)
        assert result.exit_code == 1
        output = " ".join(result.output.split())
        assert f"line {line}" in output
        assert fault in output


def change_header(data: bytes, **fields: Any) -> bytes:
    """Return the record with other fields in its header, which is signed again."""
    header = orjson.loads(data.splitlines()[0]) | fields
    return replace_line(data, 1, canonical(KEY.sign_head(header)))


def other_game(data: bytes) -> bytes:
    """Return the record with one event of another game in it."""
    event = orjson.loads(data.splitlines()[5])
    return replace_line(data, 6, canonical({**event, "game": "game-2"}))


CONTRADICTORY: Final[Mapping[str, tuple[Callable[[bytes], bytes], int, str]]] = {
    "a header that lies about its head": (
        lambda data: change_header(data, head={"seq": 5, "hash": "0" * 64}),
        1,
        "the signed head is",
    ),
    "a header of another game": (lambda data: change_header(data, game="game-2"), 2, "game-1"),
    "events of two games": (other_game, 6, "game-2"),
    "a truncated record": (
        lambda data: b"".join(data.splitlines(keepends=True)[:9]),
        10,
        "the events end with 8, but the signed head is event",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_every_command_warns_of_lines_that_contradict_each_other(
    name: str, path: Path, run: Callable[..., Result]
) -> None:
    damage, line, fault = CONTRADICTORY[name]
    path.write_bytes(damage(path.read_bytes()))
    for command, arguments in COMMANDS.items():
        result = run(command, path, *arguments)
        output = " ".join(result.output.split())
        assert fault in output
        if command == "audit":
            assert result.exit_code == 1
        else:
            assert f"{path}: line {line}: " in result.stderr


def test_no_command_warns_of_a_sound_record(path: Path, run: Callable[..., Result]) -> None:
    for command, arguments in COMMANDS.items():
        assert run(command, path, *arguments).stderr == ""


def test_a_result_that_was_made_up_is_reported_by_every_command_that_draws_it(
    real: Path, run: Callable[..., Result]
) -> None:
    data = real.read_bytes()
    (seq,) = (event["seq"] for event in read(data).events if event["type"] == "GameFinished")

    def change(events: list[Event]) -> None:
        events[-1]["data"]["ranking"][0] = {}

    real.write_bytes(forge_record(data, change))
    for arguments in (["replay", real], ["sandbox", real, seq]):
        result = run(*arguments)
        assert result.exit_code == 1
        assert f"line {seq + 1}" in result.output


def test_a_bot_whose_action_is_refused_in_a_made_up_position_is_reported(
    path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> NoReturn:
        raise Refused("ST-TAKE", message("this position is made up"))

    monkeypatch.setattr(token_game, "decide", refuse)
    result = run("sandbox", path, 9, "--bots", "0,1,2,3", "--bot", "random", "--seed", "00")
    assert result.exit_code == 1
    assert "a bot: ST-TAKE: this position is made up" in result.output


MEASURED_COMMAND: Final = """
import atexit, pathlib
from cartulary.cli import main
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: print(next(l for l in status.read_text().splitlines() if "VmHWM" in l)))
main()
"""
"""Runs a command, and prints the most memory that it used. The `ru_maxrss` of a process is no less than that
of the process which started it.
"""


def measure(arguments: list[str], stdin: int) -> tuple[int, str, int]:
    """Run a command; return its exit status, its output, and the most memory that it used, in megabytes."""
    command = [sys.executable, "-c", MEASURED_COMMAND, *arguments]
    completed = subprocess.run(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    os.close(stdin)
    *lines, memory = completed.stdout.splitlines()
    _, kilobytes, _ = memory.split()
    return completed.returncode, "\n".join(lines), int(kilobytes) // 1024


def test_a_file_of_a_gigabyte_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # zeros that take no space on the disk
    status, output, megabytes = measure(["log", str(path)], os.open(os.devnull, os.O_RDONLY))
    assert status == 1
    assert f"line 1: the line has more than {MAX_LINE_BYTES} bytes" in output
    assert megabytes < MAX_MEGABYTES


def test_an_endless_line_from_a_pipe_is_read_in_bounded_memory(path: Path) -> None:
    reading, writing = os.pipe()
    header = path.read_bytes().splitlines(keepends=True)[0]
    script = """
import sys
sys.stdout.buffer.write(sys.stdin.buffer.read())
while sys.stdout.buffer.write(b"[" * 65536):
    pass
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.DEVNULL,
    ) as endless:
        os.close(writing)
        assert endless.stdin is not None
        endless.stdin.write(header)
        endless.stdin.close()
        status, output, megabytes = measure(["audit", "-"], reading)
    assert status == 1
    assert f"the line has more than {MAX_LINE_BYTES} bytes" in " ".join(output.split())
    assert "line 2" in output
    assert megabytes < MAX_MEGABYTES


def test_an_endless_receipt_is_refused(path: Path, run: Callable[..., Result]) -> None:
    result = run("audit", path, "--receipt", "/dev/zero")
    assert result.exit_code == 2
    assert "/dev/zero has more than" in result.output
