"""The exit statuses of commands for every kind of bad input: those of the tables in docs/running.md.

0: success; 1: something wrong was found; 2: bad usage; 3: nothing is broken, but something cannot be known.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from service import wall_clock
from service.imports.store import ID_BYTES, PREFIX
from service.settings import Settings
from tests.support.pages import DOCS
from tests.support.stored_games import GAMES

Run = Callable[..., Result]
STUDY: Final = str(GAMES / "baron-nothing-can-be-laid.study.json")
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "replay": ("{}",),
    "log": ("{}",),
    "inspect": ("{}", "3"),
    "diff": ("{}", "3", "4"),
    "sandbox": ("{}", "9", "--seed", "00"),
    "timeline": ("{}",),
    "analyse": ("{}", "--budget", "4"),
    "study": ("{}", "--notes", STUDY),
    "audit": ("{}",),
    "compare": ("{}", "{}"),
    "trust": ("{}", "--yes"),
}
"""The commands that read a record, with their arguments; {} is the file."""
SHOWING: Final = ARGUMENTS.keys() - {"analyse", "audit", "compare", "study", "trust"}


INPUTS: Final[Mapping[str, Callable[[Path, bytes], object]]] = {
    "neither a file nor a live game of this name": lambda _path, _data: None,
    "a directory": lambda path, _: path.mkdir(),
    "an empty file": lambda path, _: path.touch(),
    "something else than a record": lambda path, _: path.write_bytes(b"\x89PNG\r\n\x1a\n" * 99),
    "JSON that is no record": lambda path, _: path.write_bytes(b'{"openapi": "3.0"}\n'),
    "a file that may not be read": lambda path, _: path.symlink_to("/proc/self/mem"),
    "a record that is cut short": lambda path, data: path.write_bytes(cut_short(data)),
}
"""By the words of the table, how an input is made of the data of a record."""


def cut_short(data: bytes) -> bytes:
    """Return a record that ends in the middle of the line of an event."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:12]) + lines[12][:40]


def table() -> dict[str, dict[str, int]]:
    """Return the table of the page: by input, the exit status by command."""
    page = (DOCS / "running.md").read_text()
    (section,) = re.findall(r"^(\| input \|.*?)\n\n", page, re.MULTILINE | re.DOTALL)
    header, _, *rows = section.splitlines()
    columns = [cell.strip() for cell in header.strip("|").split("|")][1:]
    statuses: dict[str, dict[str, int]] = {}
    for row in rows:
        name, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        statuses[name] = {
            command: int(cell)
            for column, cell in zip(columns, cells, strict=True)
            for command in re.findall(r"`(\w+)`", column)
        }
    return statuses


def test_the_table_has_every_command_that_reads_a_record_and_every_input() -> None:
    readers = {
        name
        for name, command in cartulary.commands.items()
        if any(
            isinstance(parameter, click.Argument) and parameter.name in {"source", "sources", "a"}
            for parameter in command.params
        )
    }
    # The source of `ratings` is a folder of records.
    assert readers - {"ratings"} == ARGUMENTS.keys()
    assert table().keys() == INPUTS.keys()
    assert all(statuses.keys() == ARGUMENTS.keys() for statuses in table().values())


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_bad_input_leads_to_the_status_of_the_table(
    run: Run, path: Path, tmp_path: Path, command: str, kind: str
) -> None:
    file = tmp_path / "bad.jsonl"
    INPUTS[kind](file, path.read_bytes())
    result = run(command, *(word.format(file) for word in ARGUMENTS[command]))
    assert (kind, result.exit_code) == (kind, table()[kind][command])
    assert result.stderr or result.exit_code != 2


def shown_event(text: str) -> list[str]:
    """Return the first words that `inspect` prints of an event."""
    return text[text.index("event 3 of") :].split()[:20]


@pytest.mark.parametrize("command", sorted(SHOWING))
def test_a_record_that_is_cut_short_is_shown_up_to_the_fault(
    run: Run, path: Path, tmp_path: Path, command: str
) -> None:
    intact, cut = path.read_bytes(), tmp_path / "cut.jsonl"
    cut.write_bytes(cut_short(intact))
    result = run(command, *(word.format(cut) for word in ARGUMENTS[command]))
    assert "line 13" in result.stderr
    assert "the game up to there, event 11" in result.stderr
    if command in ("log", "inspect", "diff"):
        whole = run(command, *(word.format(path) for word in ARGUMENTS[command])).stdout
        if command == "inspect":
            # What the record proves of the event stands first, and a record that is cut proves nothing.
            assert "not as the server signed it" in result.stdout
            assert shown_event(result.stdout) == shown_event(whole)
        else:
            assert result.stdout.split()[:20] == whole.split()[:20]
    assert result.stdout
    assert run(command, "--help").exit_code == 0


URL: Final = "http://127.0.0.1:1"
"""Nothing listens at this address."""
REDIS: Final = ("--redis", "redis://127.0.0.1:1")
BOUNCE: Final = """\
From: postmaster@example.org
To: games+0123456789abcdef0123456789abcdef@example.org
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.org

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.1.1

--b--
"""


def all_commands(
    group: click.Group = cartulary, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with its words."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


COMMANDS: Final = dict(all_commands())
PATHS: Final = ("file", "first", "second", "folder", "records", "source")
"""The arguments that name files and folders, which must exist."""
ADDRESSES: Final = ("url", "source", "sources")
"""The arguments that may be addresses of servers."""
CREATED: Final = {("backup", "folder"), ("key generate", "file")}
"""The arguments that name what a command creates."""
WITH_REDIS: Final = [
    name
    for name, command in COMMANDS.items()
    if any("--redis" in parameter.opts for parameter in command.params)
]


def required(name: str, **values: str) -> list[str]:
    """Return values for all that a command requires: these, or some that are valid."""
    words: list[str] = []
    for parameter in COMMANDS[name].params:
        if parameter.required or isinstance(parameter, click.Argument):
            value = values.get(parameter.name or "", "2")
            words += (
                [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
            )
    return words


def other_statuses() -> list[tuple[str, str, int]]:
    """Return the rows of the second table of the page: what is wrong, a command and its exit status."""
    page = (DOCS / "running.md").read_text()
    (section,) = re.findall(r"^(\| what is wrong \|.*?)\n\n", page, re.MULTILINE | re.DOTALL)
    rows = []
    for row in section.splitlines()[2:]:
        problem, commands, status = (cell.strip() for cell in row.strip("|").split("|"))
        names = re.findall(r"`([^`]*)`", commands)
        if commands == "every command":
            names = list(COMMANDS)
        elif commands.startswith("every command with `--redis`, except"):
            names = [name for name in WITH_REDIS if name not in names]
        rows += [(problem, name, int(status)) for name in names]
    return rows


@pytest.mark.parametrize(("problem", "name", "status"), other_statuses())
def test_what_else_is_wrong_leads_to_the_status_of_the_table(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    problem: str,
    name: str,
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = name.split()
    match problem:
        case "an option does not exist":
            words.append("--no-such-option")
        case "a file or a folder does not exist":
            missing = str(tmp_path / "missing")
            words += required(name, **dict.fromkeys(PATHS, missing), head="0" * 64, action="{}")
        case "the data folder that `--data` names does not exist":
            words += [*required(name), "--data", str(tmp_path / "missing")]
        case "no service runs on the data folder":
            words += [*required(name), "--data", str(tmp_path)]
        case "the Redis of the service does not respond":
            tomorrow = wall_clock.format(wall_clock.now() + timedelta(days=1))
            id = "0" * 16
            values = {"records": str(path), "ends": tomorrow, "club": id, "tournament": f"t{id}"}
            values["path"] = STUDY
            words += [*required(name, **values, imported=PREFIX + "00" * ID_BYTES), *REDIS]
        case "the server of a game does not respond":
            address = f"{URL}/games/1"
            words += required(
                name, source=address, sources=address, a=address, b=address, path=STUDY
            )
        case "the address is not that of a game":
            words += required(name, source=URL, sources=URL, a=URL, b=URL, path=STUDY)
        case "the address is not that of a tournament":
            words += required(name, source=f"{URL}/games/1")
        case "the address is not that of a server":
            words += required(name, **dict.fromkeys(ADDRESSES, "http://["))
        case _:
            address = f"{URL}/tournaments/1" if name == "tournament audit" else URL
            command = name.removesuffix(" --once")
            words += [*required(command, **dict.fromkeys(ADDRESSES, address))]
            words += ["--yes"] if name == "trust" else []
    environment = {"CARTULARY_DATA": str(tmp_path), "CARTULARY_TOKEN": "token"}
    environment["CARTULARY_BACKUP_FOLDER"] = str(tmp_path / "backups")
    result = CliRunner(env=environment).invoke(cartulary, words, input=BOUNCE)
    assert result.exit_code == status, result.output
    assert isinstance(result.exception, SystemExit)
    assert not (tmp_path / "missing").exists()
    if "does not exist" in problem and problem != "an option does not exist":
        assert str(tmp_path / "missing") in result.output
    if status == 1:
        words_of_message = ("does not respond", "no service is running", URL)
        assert any(words in result.output for words in words_of_message)


def test_the_second_table_has_every_command_that_needs_a_file_a_folder_or_a_server() -> None:
    rows: dict[str, set[str]] = {}
    for problem, name, _ in other_statuses():
        rows.setdefault(problem, set()).add(name.removesuffix(" --once"))
    arguments = {
        (name, parameter.name)
        for name, command in COMMANDS.items()
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    }
    with_path = {name for name, argument in arguments - CREATED if argument in PATHS}
    with_url = {name for name, argument in arguments if argument in ADDRESSES}
    with_data = {name for name, command in COMMANDS.items() if has_option(command, "--data")}
    # Those that read a record are in the first table.
    assert rows["a file or a folder does not exist"] == with_path - ARGUMENTS.keys()
    assert rows["the server at the URL does not respond"] == with_url - SHOWING - {
        "analyse",
        "audit",
        "study",
    }
    assert rows["the address is not that of a server"] == with_url - SHOWING - {
        "analyse",
        "audit",
        "study",
    }
    assert rows["the server of a game does not respond"] == ARGUMENTS.keys() - {"trust"}
    assert rows["the address is not that of a game"] == ARGUMENTS.keys() - {"trust"}
    # These create it.
    assert rows["the data folder that `--data` names does not exist"] == with_data - {
        "serve",
        "restore",
    }
    typed = {
        (name, parameter.name)
        for name, command in COMMANDS.items()
        for parameter in command.params
        if isinstance(parameter, click.Argument)
        and isinstance(parameter.type, click.Path | click.File)
    }
    assert {argument for _, argument in typed} <= set(PATHS)


def has_option(command: click.Command, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)


@pytest.mark.parametrize("command", ARGUMENTS)
@pytest.mark.parametrize("is_running", [False, True])
def test_a_missing_file_is_reported_with_and_without_a_service(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    *,
    is_running: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"CARTULARY_DATA": str(tmp_path)}
    if is_running:
        environment["CARTULARY_REDIS_URL"] = settings.redis_url
        environment["CARTULARY_QUEUE_URL"] = settings.queue_url
    words = [command, *(word.format("nofile") for word in ARGUMENTS[command])]
    result = CliRunner(env=environment).invoke(cartulary, words)
    assert result.exit_code == table()["neither a file nor a live game of this name"][command]
    assert "nofile" in result.stderr
    assert ("no service is running" in result.stderr) is not is_running
    # The id of a game is that of a live game, so the service is missing.
    words = [command, *(word.format("0123456789abcdef") for word in ARGUMENTS[command])]
    result = CliRunner(env=environment).invoke(cartulary, words)
    assert result.exit_code == (2 if is_running else 1)


def test_a_log_and_scores_fit_into_forty_columns(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    log = run("log", path).stdout
    assert max(map(len, log.splitlines())) <= 40
    words = [len(line.split()) for line in log.splitlines()]
    assert sum(words) / len(words) > 2
    scores = run("timeline", path, "--format", "text").stdout
    assert max(map(len, scores.splitlines())) <= 40
    assert re.search(r"^\d+  \S+ \S+", scores, re.MULTILINE)


def test_nobody_is_asked_for_a_name_where_there_is_no_server() -> None:
    result = CliRunner().invoke(cartulary, ["play", "http://127.0.0.1:1"], input="1\n")
    assert result.exit_code == 1
    assert "How do you want to play?" not in result.output


def test_no_epoch_is_declared_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    environment = {"CARTULARY_DATA": str(tmp_path / "missing")}
    result = CliRunner(env=environment).invoke(cartulary, ["new-epoch", "--yes"])
    assert result.exit_code == 1
    assert "there is no data folder" in result.stderr
    assert not (tmp_path / "missing").exists()
