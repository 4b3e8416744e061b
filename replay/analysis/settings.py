"""What an analysis depends on beside the game. Quick to import, since the command line shows the bounds."""

from dataclasses import dataclass
from typing import Final

from domain.errors import Malformed
from domain.messages import message

LEAST_BUDGET: Final = 4
MOST_BUDGET: Final = 10_000
SEED_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Settings:
    """The number of playouts of a position, and the seed of all chance."""

    budget: int
    seed: bytes


DEFAULT: Final = Settings(50, bytes(SEED_BYTES))
"""The settings of the command without options and of servers, so that anybody computes what a server does."""


def settings_of(budget: int, seed: bytes) -> Settings:
    """Return valid settings. Raises Malformed, which names the wrong fields: `budget`, `seed`."""
    faults = {}
    if not LEAST_BUDGET <= budget <= MOST_BUDGET:
        faults["budget"] = message(
            "must be from {least} to {most}", least=LEAST_BUDGET, most=MOST_BUDGET
        )
    if len(seed) != SEED_BYTES:
        faults["seed"] = message("must be {count} bytes in hex", count=SEED_BYTES)
    if faults:
        raise Malformed(faults)
    return Settings(budget, seed)
