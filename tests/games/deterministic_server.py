"""Makes a web server deterministic, so that a script makes the same record whenever it is run.

Nothing here may import the service: its modules must find the clock and the random numbers replaced.
"""

import secrets
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from domain.chance import Chance


def make_deterministic(name: str, clock_file: str) -> None:
    """Have this process draw everything random from the stream of a game, and read the time from a file.

    The web server calls this before it imports the service.
    """
    from service import wall_clock

    stream = Chance(sha256(f"server of cartulary tests/games {name}".encode()).digest())

    def token_bytes(size: int) -> bytes:
        return bytes(stream.below(256) for _ in range(size))

    def token_hex(size: int) -> str:
        return token_bytes(size).hex()

    secrets.token_bytes = token_bytes  # type: ignore[assignment] # the size is always given
    secrets.token_hex = token_hex  # type: ignore[assignment] # as above
    wall_clock.now = lambda: datetime.fromisoformat(Path(clock_file).read_text())
