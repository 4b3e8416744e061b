"""The scripts of the recorded games of Baron; tests/games/make.py writes the records."""

from functools import partial
from typing import Final

from domain.game import Game
from tests.games.scripted_game import ScriptedGame, in_round, never

Baron: Final = partial(ScriptedGame, rules="baron")


def baron_ties(name: str) -> ScriptedGame:
    """Four seats play to the last tile and two share the first place; the scorer is slow."""
    game = Baron(name, 4, seed=44, scorer_delay=5)
    game.join("bea", "cid", "dan")
    game.play_bots(never)
    game.finish()
    return game


def baron_battles(name: str) -> ScriptedGame:
    """Random play: one tile completes three knights, one of which wins; at the end one seat goes out."""
    game = Baron(name, 3, seed=64, seating="joined")
    game.join("bea", "cid")
    game.play_bots(never, sensible=False)
    game.finish()
    return game


def baron_five(name: str) -> ScriptedGame:
    """Five seats, of which one resigns and two fall into the oubliette; their keeps fight on."""
    game = Baron(name, 5, seed=26)
    game.join("bea", "cid", "dan", "eve")
    game.play_bots(in_round(5), sensible=(0, 2))
    game.play("3 resign")
    game.play_bots(never, sensible=(0, 2))
    game.finish()
    return game


def baron_one_left(name: str) -> ScriptedGame:
    """Two of three fall into the oubliette; with the second, whose baron is beaten, the game is over."""
    game = Baron(name, 3, seed=36)
    game.join("bea", "cid")
    game.play_bots(never, sensible=(0,))
    game.finish()
    return game


def baron_last_turns_run_out(name: str) -> ScriptedGame:
    """The clock forfeits a turn before drawing, one after it, and two last turns, before and after laying."""
    game = Baron(name, 2, seed=9, per_turn=3600, seating="joined", private=True, invited=("bea",))
    game.join("bea")
    game.play_bots(in_round(3))
    game.play("clock")
    game.play_bots(lambda game: in_round(5)(game) and phase_of(game) == "lay")
    game.play("clock")
    game.play_bots(lambda game: _are_last_turns(game) and game.to_act == 1)
    game.play("clock")
    game.play_bots(lambda game: last_turns_of(game)[:1] == [1] and phase_of(game) == "keep")
    game.play("clock")
    game.play_bots(never)
    game.finish()
    return game


def baron_nothing_can_be_laid(name: str) -> ScriptedGame:
    """One seat lays a quarry beyond a meadow, and then has no room for its other quarries."""
    game = Baron(name, 2, seed=3371, per_turn=3600, seating="joined")
    game.join("bea")
    game.play(
        """
        0 draw 2
        clock
        1 draw 1
        1 lay meadow 1,0
        1 end
        clock
        1 draw 1
        1 lay quarry 2,0
        1 end
        clock
        1 draw 1
        1 discard quarry
        1 keep 1,0
        0 resign
        """
    )
    game.finish()
    return game


def baron_abandoned(name: str) -> ScriptedGame:
    """The arbiter removes a seat out of turn, and later ends the game."""
    game = Baron(name, 3)
    game.join("bea", "cid")
    game.play_bots(lambda game: in_round(3)(game) and game.to_act == 1)
    game.play("arbiter 0")
    game.play_bots(in_round(5))
    game.abandon()
    return game


def phase_of(game: Game) -> str:
    """Return the part of the turn that comes next."""
    assert game.state is not None
    return str(game.state.phase)


def last_turns_of(game: Game) -> list[int]:
    """Return the number of turns left by seat; [] before they are counted."""
    assert game.state is not None
    return list(game.state.turns_left or ())


def _are_last_turns(game: Game) -> bool:
    return bool(last_turns_of(game))


def baron_clock_abandons(name: str) -> ScriptedGame:
    """A seat resigns after the others have forfeited, which is an action; then both forfeit two turns."""
    game = Baron(name, 3, seed=1, per_turn=600)
    game.join("bea", "cid")
    game.play_bots(in_round(2))
    game.play("clock\n" * 5)
    game.play(f"{game.game.to_act} resign")
    game.play("clock\n" * 4)
    return game


SCRIPTS: Final = (
    baron_ties,
    baron_battles,
    baron_five,
    baron_one_left,
    baron_last_turns_run_out,
    baron_nothing_can_be_laid,
    baron_abandoned,
    baron_clock_abandons,
)
