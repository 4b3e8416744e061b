"""Adds Seven Hexes to the registry of rule systems: in this process, or in others."""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from domain.contract import RuleSystem
from domain.registry import ENTRY_POINTS, with_game
from tests.support import seven_hexes
from tests.support.seven_hexes import GAME, Action, State

SEVEN_HEXES: Final[RuleSystem[State, Action, Any]] = GAME


def registered() -> AbstractContextManager[None]:
    """Add the game to the registry of this process while this lasts."""
    return with_game(GAME)


def install(folder: Path) -> dict[str, str]:
    """Install the game as `install_game` does."""
    return install_game(folder, GAME.NAME, f"{seven_hexes.__name__}:GAME")


def install_game(folder: Path, name: str, value: str) -> dict[str, str]:
    """Write the metadata of a distribution with an entry point for a game into a folder, as pip does.

    Returns the environment variables with which processes find it there, and what else is in the folder.
    """
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{name} = {value}\n")
    root = Path(__file__).parents[3]
    path = [str(folder), str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path)}
