"""Writes the recorded games in this folder from their scripts.

    .venv/bin/python -m tests.games.make        writes the files that do not exist yet

Existing files are never written again: they stand for games of the past, which must replay for ever
even if the rules or these scripts change. To add a game, write its script in the module of its rule
system, add it to SCRIPTS there, run this, and add a row to tests/test_games.py.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.games import baron_scripts, barony_scripts, mail_scripts, sorcery_scripts
from tests.games.scripted_game import ScriptedGame

FOLDER: Final = Path(__file__).parent

GAMES: Final[Mapping[str, Callable[[str], ScriptedGame]]] = {
    script.__name__.replace("_", "-"): script
    for script in (
        *barony_scripts.SCRIPTS,
        *sorcery_scripts.SCRIPTS,
        *baron_scripts.SCRIPTS,
        *mail_scripts.SCRIPTS,
    )
}
"""The scripts by the names of their records."""

WITH_RECEIPTS: Final = {"round-limit", "baron-nothing-can-be-laid"}
"""The records that contain receipts."""


def main() -> None:
    """Write the records that do not exist yet."""
    for name, script in GAMES.items():
        path = FOLDER / f"{name}.jsonl"
        if not path.exists():
            path.write_bytes(script(name).record(with_receipts=name in WITH_RECEIPTS))


if __name__ == "__main__":
    main()
