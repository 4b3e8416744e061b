"""What is played in the recorded games of Baron beside it; `tests/games/make.py` writes them."""

from functools import partial
from typing import Final

from domain.game import Game
from tests.games.table import Table, in_round, never

Baron: Final = partial(Table, rules="baron")


def baron_ties(name: str) -> Table:
    """Four seats to the last tile: the first place is shared; the scorer is slow."""
    table = Baron(name, 4, seed=44, scorer_delay=5)
    table.joins("bea", "cid", "dan")
    table.bots(never)
    table.end()
    return table


def baron_battles(name: str) -> Table:
    """Players by chance: one tile completes three knights, one of whom wins; at the end one seat goes out."""
    table = Baron(name, 3, seed=64, seating="joined")
    table.joins("bea", "cid")
    table.bots(never, sensible=False)
    table.end()
    return table


def baron_five(name: str) -> Table:
    """Five seats, of which one resigns and two fall into the oubliette; their keeps fight on."""
    table = Baron(name, 5, seed=26)
    table.joins("bea", "cid", "dan", "eve")
    table.bots(in_round(5), sensible=(0, 2))
    table.play("3 resign")
    table.bots(never, sensible=(0, 2))
    table.end()
    return table


def baron_one_left(name: str) -> Table:
    """Two of three fall into the oubliette; with the second, whose baron is beaten, the game is over."""
    table = Baron(name, 3, seed=36)
    table.joins("bea", "cid")
    table.bots(never, sensible=(0,))
    table.end()
    return table


def baron_last_turns_run_out(name: str) -> Table:
    """Forfeited: a turn before drawing, one after it, and two of the last, before laying and after it."""
    table = Baron(name, 2, seed=9, per_turn=3600, seating="joined", private=True, invited=("bea",))
    table.joins("bea")
    table.bots(in_round(3))
    table.play("clock")
    table.bots(lambda game: in_round(5)(game) and game.state.phase == "lay")
    table.play("clock")
    table.bots(lambda game: _are_last_turns(game) and game.to_act == 1)
    table.play("clock")
    table.bots(lambda game: bool(game.state.turns_left[0] == 1 and game.state.phase == "keep"))
    table.play("clock")
    table.bots(never)
    table.end()
    return table


def baron_nothing_can_be_laid(name: str) -> Table:
    """One seat lays a quarry on the other side of a meadow: then there is no room for its quarries."""
    table = Baron(name, 2, seed=3371, per_turn=3600, seating="joined")
    table.joins("bea")
    table.play(
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
    table.end()
    return table


def baron_abandoned(name: str) -> Table:
    """The arbiter removes a seat off its turn, and later ends the game as it stands."""
    table = Baron(name, 3)
    table.joins("bea", "cid")
    table.bots(lambda game: in_round(3)(game) and game.to_act == 1)
    table.play("arbiter 0")
    table.bots(in_round(5))
    table.abandon()
    return table


def _are_last_turns(game: Game) -> bool:
    return game.state.turns_left is not None


GAMES_OF_BARON: Final = (
    baron_ties,
    baron_battles,
    baron_five,
    baron_one_left,
    baron_last_turns_run_out,
    baron_nothing_can_be_laid,
    baron_abandoned,
)
