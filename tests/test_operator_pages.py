"""The pages for operators are complete and correct: settings, bounds, commands."""

import re
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from cartulary.cli import cartulary
from service import settings
from service.bounds import Bounds
from tests.support.processes import environment, run_program
from workers.notifications.channel import DEFAULT_RETRY_PAUSES
from workers.notifications.operator import SECONDS_TO_RESPOND

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "running.md").read_text()
BOUNDS_PAGE = (DOCS / "bounds.md").read_text()
PAGES = PAGE + BOUNDS_PAGE + (DOCS / "recovery.md").read_text()
BOUNDS = {settings.PREFIX + name.upper(): value for name, value in asdict(Bounds()).items()}
SETTING = re.compile(r"(?<!_)CARTULARY_[A-Z_]+")


def test_the_pages_describe_every_setting_and_no_other() -> None:
    assert settings.__doc__ is not None
    documented = set(SETTING.findall(settings.__doc__))
    table = set(re.findall(r"^\| `(CARTULARY_[A-Z_]+)` \|", PAGE, re.MULTILINE))
    assert table == documented
    assert set(SETTING.findall(PAGES)) - BOUNDS.keys() == documented


def test_the_table_of_bounds_has_a_row_for_every_bound_with_its_default() -> None:
    cells = r"^\| `(CARTULARY_[A-Z_]+)` \| ([0-9.]+) \| [^|]+ \| [^|]+ \|$"
    rows = re.findall(cells, BOUNDS_PAGE, re.MULTILINE)
    assert sorted((name, float(default)) for name, default in rows) == sorted(BOUNDS.items())
    assert len(rows) == BOUNDS_PAGE.count("\n| `")


def test_the_table_of_commands_lists_every_command_once() -> None:
    table = re.search(r"^\| command .*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert table is not None
    rows = re.findall(r"^\| `cartulary ([a-z-]+)", table[0], re.MULTILINE)
    assert sorted(rows) == sorted(cartulary.commands)


def test_all_commands_and_options_on_the_pages_exist() -> None:
    examples = re.findall(r"\bcartulary ([a-z-]+)((?: --[a-z]+(?: [^\s`-][^\s`]*)?)*)", PAGES)
    commands = {command for command, _ in examples if command in cartulary.commands}
    assert commands == {*cartulary.commands}
    for command, options in examples:
        if command in cartulary.commands:
            assert set(re.findall(r"--[a-z]+", options)) <= options_of(command), command


def options_of(command: str) -> set[str]:
    """Return the options of a command."""
    return {option for parameter in cartulary.commands[command].params for option in parameter.opts}


def test_the_commands_that_the_page_names_have_the_color_option() -> None:
    (sentence,) = re.findall(r"The commands ([^.]*) have the option\.", PAGE)
    coloured = {command for command in cartulary.commands if "--color" in options_of(command)}
    assert set(re.findall(r"`([a-z]+)`", sentence)) == coloured


def test_the_retries_of_notifications_are_those_of_the_code() -> None:
    assert DEFAULT_RETRY_PAUSES == (2, 10, 60, 300, 1800)
    text = " ".join(PAGE.split())
    assert "after 2 s, 10 s, 1 min, 5 min and 30 min" in text
    assert SECONDS_TO_RESPOND == 5
    assert "not accepted within five seconds" in text


def completion_line(shell: str) -> str:
    """Return the line that the page tells users of a shell to add."""
    match = re.search(rf"^```{shell}\n(.*)\n```$", PAGE, re.MULTILINE)
    assert match is not None
    return match[1]


def run_bash(script: str) -> str:
    """Run a script in Bash, with `cartulary` on the PATH, and return what it prints."""
    programs = Path(sys.executable).parent
    return run_program(
        ["/usr/bin/env", "bash", "--noprofile", "--norc", "-c", f"PATH={programs}:$PATH\n{script}"],
        env=environment(),
        check=True,
    ).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_for_shell_completion_generate_a_script_for_the_shell(shell: str) -> None:
    line = completion_line(shell)
    command = re.search(r"_CARTULARY_COMPLETE=[a-z_]+ cartulary", line)
    assert command is not None
    script = run_bash(command[0])
    assert f"_CARTULARY_COMPLETE={shell}_complete" in script


def test_bash_completes_commands_after_the_line_on_the_page() -> None:
    script = f"""
        {completion_line("bash")}
        COMP_WORDS=(cartulary re) COMP_CWORD=1
        _cartulary_completion cartulary re cartulary
        echo "${{COMPREPLY[@]}}"
    """
    assert run_bash(script).split() == [
        "recall",
        "receipts",
        "reindex",
        "repair",
        "replay",
        "replies",
        "restore",
        "retire-key",
    ]
