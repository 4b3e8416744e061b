"""Writes the recorded games with disputes and takebacks, which are played on a real web server over HTTP.

    .venv/bin/python -m tests.games.make_disputes            writes the files that do not exist yet
    .venv/bin/python -m tests.games.make_disputes FOLDER     writes all of them into another folder

Like those of tests/games/make.py, existing files are never written again.
"""

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from service.bootstrap import build
from service.bounds import Bounds
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from tests.games.dispute_scripts import SCRIPTS, Start
from tests.games.played_game import START, PlayedGame
from tests.games.scripted_game import KEY
from tests.support.server import WebServer

FOLDER = Path(__file__).parent
SETUP = "from tests.games.deterministic_server import make_deterministic\nmake_deterministic({!r}, {!r})\n"


def play(script: Start, name: str) -> bytes:
    """Play one game on a server of its own, and return its record."""
    with TemporaryDirectory() as folder, EmbeddedRedis(Path(folder) / "redis") as redis:
        data = Path(folder)
        clock_file, key_file = data / "now", data / "signing-key.pem"
        clock_file.write_text(START.isoformat())
        KEY.save(key_file)
        settings = Settings(
            data,
            redis.url,
            redis.url,
            key_file,
            rate_accounts="",
            rate_games="",
            rate_disputes="",
            # The clock of the server stands still between two requests.
            bounds=Bounds(max_clock_jump_seconds=1e12),
        )
        service = build(settings)
        with WebServer(
            settings, setup_code=SETUP.format(name, str(clock_file)), is_setup_before_imports=True
        ) as server:
            game = script(partial(PlayedGame, server, service, clock_file, name))
            return game.record()


def main() -> None:
    """Write the records."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    for script in SCRIPTS:
        name = script.__name__.replace("_", "-")
        path = folder / f"{name}.jsonl"
        if not path.exists():
            path.write_bytes(play(script, name))


if __name__ == "__main__":
    main()
