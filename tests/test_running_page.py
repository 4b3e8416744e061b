"""docs/running.md names every setting and every command there is, and no other."""

import re
from configparser import ConfigParser
from pathlib import Path

from cartulary.cli import cartulary
from service import settings as config
from workers.jobs import RETRY_PAUSES
from workers.notifiers import SECONDS_TO_RESPOND

PAGE = (Path(__file__).parent.parent / "docs" / "running.md").read_text()


def test_every_setting_is_there() -> None:
    assert config.__doc__ is not None
    known = set(re.findall(r"CARTULARY_[A-Z_]+", config.__doc__))
    table = set(re.findall(r"^\| `(CARTULARY_[A-Z_]+)` \|", PAGE, re.MULTILINE))
    assert table == known
    assert set(re.findall(r"CARTULARY_[A-Z_]+", PAGE)) == known


def test_every_command_and_option_named_is_one() -> None:
    named = re.findall(r"\bcartulary (serve|[a-z-]+)((?: --[a-z]+(?: [^\s`-][^\s`]*)?)*)", PAGE)
    shown = {command: options for command, options in named if command in cartulary.commands}
    assert {"serve", "web", "worker", "scheduler", "reindex", "retire-key", "export"} <= set(shown)
    for command, options in named:
        if command not in cartulary.commands:
            continue
        known = {
            option for parameter in cartulary.commands[command].params for option in parameter.opts
        }
        assert set(re.findall(r"--[a-z]+", options)) <= known, command


def test_the_pauses_are_those_of_the_code() -> None:
    assert RETRY_PAUSES == (2, 10, 60, 300, 1800)
    assert "after 2 s, 10 s, 1 min, 5 min and 30 min" in PAGE
    assert SECONDS_TO_RESPOND == 5
    assert "not taken within five seconds" in " ".join(PAGE.split())


def test_the_systemd_unit_can_be_enabled_and_starts_the_service() -> None:
    (unit,) = re.findall(r"^```ini\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    sections = ConfigParser(interpolation=None)
    sections.read_string(unit)
    assert sections["Install"]["WantedBy"] == "multi-user.target"
    program, command = sections["Service"]["ExecStart"].split()[:2]
    assert Path(program).is_absolute()
    assert Path(program).name == "cartulary"
    assert command in cartulary.commands
