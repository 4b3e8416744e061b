"""What is played in the recorded games with Sorcery; `tests/games/make.py` writes them with the others."""

from collections.abc import Callable
from typing import Final

from tests.games.table import Table, in_round, never


def sorcery_duke_of_two(name: str) -> Table:
    """Three places are on the board, and each player explores them all."""
    table = Table(name, 2, sorcery=True, seating="joined")
    table.joins("bea")
    table.bots(never)
    table.end()
    return table


def sorcery_duke_of_five(name: str) -> Table:
    """All that is in the two boxes."""
    table = Table(name, 5, sorcery=True)
    table.joins("bea", "cid", "dan", "eve")
    table.bots(never)
    table.end()
    return table


def sorcery_imprints_decide(name: str) -> Table:
    """Without imprints seat 1 would win by six points; with them seat 2 has the tie."""
    table = Table(name, 3, seed=1, sorcery=True, seating="joined", scorer_delay=3)
    table.joins("bea", "cid")
    table.bots(never)
    table.end()
    return table


def sorcery_movement(name: str) -> Table:
    """Celerity, Teleportation and Tornado lie open, and all but one of their combinations are cast."""
    table = Table(name, 4, seed=148, sorcery=True, round_limit=14)
    table.joins("bea", "cid", "dan")
    table.bots(never, eager=True)
    table.end()
    return table


def sorcery_recruitment(name: str) -> Table:
    """Charm, Illusion and Portal lie open, and all of their combinations are cast."""
    table = Table(name, 4, seed=79, sorcery=True, round_limit=13)
    table.joins("bea", "cid", "dan")
    table.bots(never, eager=True)
    table.end()
    return table


def sorcery_construction(name: str) -> Table:
    """Abundance, Petrification and Sanctuary lie open, and all of their combinations are cast."""
    table = Table(name, 5, seed=101, sorcery=True, round_limit=16)
    table.joins("bea", "cid", "dan", "eve")
    table.bots(never, eager=True)
    table.end()
    return table


def sorcery_sweeps(name: str) -> Table:
    """Tornado sweeps where knights start and where they end; spells of all families are cast."""
    table = Table(name, 5, seed=2, sorcery=True, round_limit=12)
    table.joins("bea", "cid", "dan", "eve")
    table.bots(never, eager=True)
    table.end()
    return table


def sorcery_round_limit(name: str) -> Table:
    """Players by chance; the scorer is slow."""
    table = Table(name, 2, seed=60, scorer_delay=5, sorcery=True, round_limit=20)
    table.joins("bea")
    table.bots(never, sensible=False)
    table.end()
    return table


def sorcery_resignation(name: str) -> Table:
    """Who resigns has imprints on the board, which stay there and count; the others play on."""
    table = Table(name, 3, sorcery=True, seating="joined", round_limit=15)
    table.joins("bea", "cid")
    table.bots(in_round(9))
    table.play("1 resign")
    table.bots(never)
    table.end()
    return table


GAMES: Final[tuple[Callable[[str], Table], ...]] = (
    sorcery_duke_of_two,
    sorcery_duke_of_five,
    sorcery_imprints_decide,
    sorcery_movement,
    sorcery_recruitment,
    sorcery_construction,
    sorcery_sweeps,
    sorcery_round_limit,
    sorcery_resignation,
)
