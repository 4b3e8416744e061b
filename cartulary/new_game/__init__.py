"""Writes the distribution of a new game: a small complete game, whose parts its author replaces one by one.

The files whose names end in `.txt` are templates (string.Template).
"""

import keyword
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Final

from domain.errors import CartularyError
from domain.messages import Message, message
from domain.registry import RULES, with_game
from replay.bots.playout import plan, play

_TEMPLATES: Final = files("cartulary.new_game")
_NAME: Final = re.compile(r"[a-z]{2}[a-z0-9]*(?:_[a-z][a-z0-9]*)*")
"""Words of which the prefix of the clauses can be made, which consists of letters."""
_SEED: Final = bytes(32)
"""The seed of the recorded game."""


def fault_of(name: str) -> Message | None:
    """Return why a new game cannot have this name; None if it can."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        return message("must be a word in lower case such as {example}", example="seven_hexes")
    if name in RULES:
        return message("there is a game of this name")
    if find_spec(name) is not None:
        return message("there is a Python module of this name")
    return None


def write_new_game(name: str, folder: Path) -> list[Path]:
    """Write the distribution of a new game into a folder that does not exist or is empty.

    Returns the files. They contain the package with its drawings and its chapter of rules, tests, and a game
    that was played by bots. Raises CartularyError for a folder with files, and OSError.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CartularyError.with_message("{folder} is not empty", folder=str(folder))
    values = {
        "name": name,
        "dashed": name.replace("_", "-"),
        "title": name.replace("_", " ").title(),
        "class_name": name.title().replace("_", ""),
        "prefix": _prefix(name),
    }
    templates = {
        "pyproject.toml": "pyproject.toml.txt",
        f"{name}/__init__.py": "game.py.txt",
        f"{name}/rules.md": "rules.md.txt",
        f"{name}/rules-introduction.md": "rules-introduction.md.txt",
        f"{name}/drawings/stone.svg": "drawings/stone.svg",
        f"tests/test_{name}.py": "test_game.py.txt",
    }
    for path, template in templates.items():
        text = (_TEMPLATES / template).read_text(encoding="utf-8")
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(text).substitute(values), encoding="utf-8")
    record = folder / "tests" / f"{name}.jsonl"
    with _importable(folder):
        game = import_module(name).GAME
        with with_game(game):
            record.write_bytes(play(plan(name, game.SEATS[0], _SEED, {})).record)
    return [folder / path for path in templates] + [record]


def _prefix(name: str) -> str:
    """Return the prefix of the clauses: the initials of the words, or the first letters of a single one."""
    words = name.upper().split("_")
    return "".join(word[0] for word in words) if len(words) > 1 else words[0][:2]


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let this process import what is in a folder, without writing to it, until the end of the block."""
    former = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = former
