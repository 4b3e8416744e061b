"""The scripts of the recorded games with Sorcery; tests/games/make.py writes the records."""

from collections.abc import Callable
from typing import Final

from tests.games.scripted_game import ScriptedGame, in_round, never


def sorcery_duke_of_two(name: str) -> ScriptedGame:
    """Three places are on the board, and each player explores them all."""
    game = ScriptedGame(name, 2, sorcery=True, seating="joined")
    game.join("bea")
    game.play_bots(never)
    game.finish()
    return game


def sorcery_duke_of_five(name: str) -> ScriptedGame:
    """Five seats, with all components of both boxes."""
    game = ScriptedGame(name, 5, sorcery=True)
    game.join("bea", "cid", "dan", "eve")
    game.play_bots(never)
    game.finish()
    return game


def sorcery_imprints_decide(name: str) -> ScriptedGame:
    """Without imprints seat 1 would win by six points; with them seat 2 wins the tie."""
    game = ScriptedGame(name, 3, seed=1, sorcery=True, seating="joined", scorer_delay=3)
    game.join("bea", "cid")
    game.play_bots(never)
    game.finish()
    return game


def sorcery_movement(name: str) -> ScriptedGame:
    """Celerity, Teleportation and Tornado are open, and all but one of their combinations are cast."""
    game = ScriptedGame(name, 4, seed=148, sorcery=True, round_limit=14)
    game.join("bea", "cid", "dan")
    game.play_bots(never, eager=True)
    game.finish()
    return game


def sorcery_recruitment(name: str) -> ScriptedGame:
    """Charm, Illusion and Portal are open, and all of their combinations are cast."""
    game = ScriptedGame(name, 4, seed=79, sorcery=True, round_limit=13)
    game.join("bea", "cid", "dan")
    game.play_bots(never, eager=True)
    game.finish()
    return game


def sorcery_construction(name: str) -> ScriptedGame:
    """Abundance, Petrification and Sanctuary are open, and all of their combinations are cast."""
    game = ScriptedGame(name, 5, seed=101, sorcery=True, round_limit=16)
    game.join("bea", "cid", "dan", "eve")
    game.play_bots(never, eager=True)
    game.finish()
    return game


def sorcery_sweeps(name: str) -> ScriptedGame:
    """Tornado sweeps hexes where knights start and where they end; spells of all families are cast."""
    game = ScriptedGame(name, 5, seed=2, sorcery=True, round_limit=12)
    game.join("bea", "cid", "dan", "eve")
    game.play_bots(never, eager=True)
    game.finish()
    return game


def sorcery_round_limit(name: str) -> ScriptedGame:
    """All seats play at random; the scorer is slow."""
    game = ScriptedGame(name, 2, seed=60, scorer_delay=5, sorcery=True, round_limit=20)
    game.join("bea")
    game.play_bots(never, sensible=False)
    game.finish()
    return game


def sorcery_resignation(name: str) -> ScriptedGame:
    """A seat with imprints on the board resigns; its imprints stay and count, and the others play on."""
    game = ScriptedGame(name, 3, sorcery=True, seating="joined", round_limit=15)
    game.join("bea", "cid")
    game.play_bots(in_round(9))
    game.play("1 resign")
    game.play_bots(never)
    game.finish()
    return game


def sorcery_clock_abandons(name: str) -> ScriptedGame:
    """The arbiter removes the last seat that has not forfeited two turns in a row."""
    game = ScriptedGame(name, 3, seed=1, per_turn=86_400, sorcery=True)
    game.join("bea", "cid")
    game.play_bots(in_round(2))
    game.play("clock\n" * 5)
    game.play(f"arbiter {game.game.to_act}")
    return game


SCRIPTS: Final[tuple[Callable[[str], ScriptedGame], ...]] = (
    sorcery_duke_of_two,
    sorcery_duke_of_five,
    sorcery_imprints_decide,
    sorcery_movement,
    sorcery_recruitment,
    sorcery_construction,
    sorcery_sweeps,
    sorcery_round_limit,
    sorcery_resignation,
    sorcery_clock_abandons,
)
