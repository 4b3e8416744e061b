"""Adds Seven Hexes to the registry of rule systems: in this process, or in others."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

from domain import registry
from domain.contract import AnyRuleSystem, RuleSystem
from tests.support import seven_hexes
from tests.support.seven_hexes import GAME, Action, State

SEVEN_HEXES: Final[RuleSystem[State, Action, Any]] = GAME


@contextmanager
def registered() -> Iterator[None]:
    """Add the game to the registry of this process while this lasts."""
    rules = cast("dict[str, AnyRuleSystem]", registry.RULES)
    with patch.dict(rules, {GAME.NAME: SEVEN_HEXES}):
        yield


def install(folder: Path) -> dict[str, str]:
    """Write the metadata of a distribution with this game into a folder, as pip does.

    Returns the environment variables with which processes find it there.
    """
    metadata = folder / "seven_hexes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: seven-hexes\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{registry.ENTRY_POINTS}]\n{GAME.NAME} = {seven_hexes.__name__}:GAME\n"
    )
    root = Path(__file__).parents[3]
    path = [str(folder), str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path)}
