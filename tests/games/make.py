"""Makes the recorded games beside it: what is played in each of them, from seeds and scripted choices.

    .venv/bin/python -m tests.games.make        writes the files that are not there yet

Files that are there are never written again: they stand for games of the past, which must replay for ever,
whatever becomes of the rules and of this script. To add one, write a function, name it in `GAMES`, run this,
and give it a row in `tests/test_games.py`. Those of Baron are written in `tests/games/baron.py`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from domain.barony.components import DUKE
from tests.games import sorcery
from tests.games.baron import GAMES_OF_BARON
from tests.games.scripted_game import ScriptedGame, in_round, never

HERE: Final = Path(__file__).parent


def duke_of_two(name: str) -> ScriptedGame:
    """The last seat becomes duke, so the round is over with that."""
    game = ScriptedGame(name, 2, seating="joined")
    game.join("bea")
    game.play_bots(never)
    game.finish()
    return game


def duke_of_three(name: str) -> ScriptedGame:
    """The seats are drawn, and the last one becomes duke."""
    game = ScriptedGame(name, 3, seed=2)
    game.join("bea", "cid")
    game.play_bots(never)
    game.finish()
    return game


def duke_of_four(name: str) -> ScriptedGame:
    """Two dukes in one round, who tie; the scorer is slow."""
    game = ScriptedGame(name, 4, scorer_delay=5)
    game.join("bea", "cid", "dan")
    game.play_bots(never)
    game.finish()
    return game


def duke_sits_first(name: str) -> ScriptedGame:
    """Seat 0 becomes duke, the round is played on, and seat 2 catches up and has the tie."""
    game = ScriptedGame(name, 3, seed=10, scorer_delay=1, seating="joined")
    game.join("bea", "cid")
    game.play_bots(never)
    game.finish()
    return game


def dukes_tie(name: str) -> ScriptedGame:
    """The duke has as many points as the one who sits further from the first player."""
    game = ScriptedGame(name, 2, seed=92, seating="joined")
    game.join("bea")
    game.play_bots(never)
    game.finish()
    return game


def duke_resigns(name: str) -> ScriptedGame:
    """Seat 0 becomes duke and leaves; the round is played to its end all the same (BY-END-2)."""
    game = ScriptedGame(name, 3, seed=4, seating="joined")
    game.join("bea", "cid")
    game.play_bots(lambda game: bool(game.state and game.state.rank[0] == DUKE))
    game.play("0 resign")
    game.play_bots(never)
    game.finish()
    return game


def round_limit(name: str) -> ScriptedGame:
    """Players by chance; the scorer is slow."""
    game = ScriptedGame(name, 4, scorer_delay=7, round_limit=12)
    game.join("bea", "cid", "dan")
    game.play_bots(never, sensible=False)
    game.finish()
    return game


def agreement(name: str) -> ScriptedGame:
    """Asked for, on turn and off, taken back, asked by all: the round is played to its end."""
    game = ScriptedGame(name, 3, end_by_agreement=True, private=True, invited=("bea", "cid"))
    game.join("bea", "cid")
    game.play_bots(in_round(3))
    game.play("2 agree\n0 agree\n2 disagree\n1 agree")
    game.play_bots(in_round(5))
    game.play("2 agree")
    game.play_bots(never)
    game.finish()
    return game


def agreement_by_departure(name: str) -> ScriptedGame:
    """Two of three ask, the third leaves: all that are left have asked."""
    game = ScriptedGame(name, 3, end_by_agreement=True, seating="joined")
    game.join("bea", "cid")
    game.play_bots(in_round(4))
    game.play("2 agree\n0 agree")
    game.play_bots(lambda game: game.to_act == 1)
    game.play("1 resign")
    game.play_bots(never)
    game.finish()
    return game


def blocked_round(name: str) -> ScriptedGame:
    """Each has all knights left in a city with one way out, a mountain on which the other has a village."""
    game = ScriptedGame(name, 2, seed=356, seating="joined", scorer_delay=1)
    game.join("bea")
    game.play(
        """
        0 place 0,-4
        1 place 2,-4
        1 place -2,-1
        1 place 3,-1
        0 place 0,-2
        0 place 0,0

        0 move 0,-2>1,-3 0,0>1,-1
        1 move -2,-1>-2,-2 3,-1>2,-1
        0 build village 1,-3 village 1,-1
        1 move -2,-2>-1,-3
        0 expedition 2,1
        1 build village -1,-3 village 2,-1
        0 build village 2,1
        1 recruit 3 at 2,-4
        0 recruit 3 at 0,-4
        1 recruit 3 at 2,-4
        0 recruit 2 at 0,-4
        1 pass

        0 pass
        1 pass
        """
    )
    game.finish()
    return game


def blocked_by_departure(name: str) -> ScriptedGame:
    """Two of three pass, and the third, who could act, leaves: every seat still in the game passed."""
    game = ScriptedGame(name, 3, seed=170, seating="joined")
    game.join("bea", "cid")
    game.play(
        """
        0 place 1,-5
        1 place 3,-6
        2 place 0,-3
        2 place -2,2
        2 place 1,1
        1 place 2,-1
        1 place -1,-1
        0 place 3,-4
        0 place 4,1

        0 move 3,-4>3,-5 4,1>4,0
        1 move 2,-1>3,-1 -1,-1>-2,-1
        2 move 0,-3>0,-4 1,1>0,1
        0 build village 3,-5 stronghold 4,0
        1 build stronghold 3,-1 village -2,-1
        2 build stronghold 0,-4 village 0,1
        0 recruit 3 at 1,-5
        1 recruit 3 at 3,-6
        2 recruit 2 at 0,-3
        0 recruit 3 at 1,-5
        1 recruit 3 at 3,-6
        2 move -2,2>-1,2

        0 pass
        1 pass
        2 resign
        """
    )
    game.finish()
    return game


def one_left(name: str) -> ScriptedGame:
    """Three resign in play, on turn and off; the round in which the last of them does is cut short."""
    game = ScriptedGame(name, 4)
    game.join("bea", "cid", "dan")
    game.play_bots(in_round(2))
    game.play("0 resign\n2 resign")
    game.play_bots(in_round(5), sensible=False)
    game.play("3 resign")
    game.finish()
    return game


def one_left_in_set_up(name: str) -> ScriptedGame:
    """No round was begun, so none is scored."""
    game = ScriptedGame(name, 3)
    game.join("bea", "cid")
    game.play_bots(lambda game: game.turn == 4)
    game.play("0 resign\n2 resign")
    game.finish()
    return game


def clock_runs_out(name: str) -> ScriptedGame:
    """It removes a player in set-up, and forfeits turns in play: a whole round of them is no block."""
    game = ScriptedGame(name, 4, seating="joined", per_turn=3600, scorer_delay=2, round_limit=7)
    game.join("bea", "cid", "dan")
    game.play_bots(lambda game: game.turn == 3)
    game.play("clock")
    game.play_bots(in_round(3), sensible=False)
    game.play("clock\nclock\nclock")
    game.play_bots(lambda game: game.to_act == 3)
    game.play("clock")
    game.play_bots(in_round(7), sensible=False)
    game.play("clock")
    game.play_bots(never, sensible=False)
    game.finish()
    return game


def clock_leaves_one(name: str) -> ScriptedGame:
    """Who lets the clock run out in a set-up of two leaves the other alone."""
    game = ScriptedGame(name, 2, per_turn=600)
    game.join("bea")
    game.play("clock")
    game.finish()
    return game


def removed_by_arbiter(name: str) -> ScriptedGame:
    """One seat off its turn in set-up, one on its turn in play; the two others play to the round limit."""
    game = ScriptedGame(name, 4, round_limit=6)
    game.join("bea", "cid", "dan")
    game.play_bots(lambda game: game.turn == 5)
    game.play("arbiter 0")
    game.play_bots(lambda game: in_round(3)(game) and game.to_act == 2)
    game.play("arbiter 2")
    game.play_bots(never)
    game.finish()
    return game


def everybody_left(name: str) -> ScriptedGame:
    """Places are taken and given back, one of them twice; with the last player the game goes."""
    game = ScriptedGame(name, 3)
    game.join("bea")
    game.leave("ada")
    game.join("cid")
    game.leave("bea")
    game.join("bea")
    game.leave("cid")
    game.leave("bea")
    return game


def abandoned_in_play(name: str) -> ScriptedGame:
    """An arbiter ends the game as it stands, without a ranking."""
    game = ScriptedGame(name, 2)
    game.join("bea")
    game.play_bots(lambda game: in_round(4)(game) and game.to_act == 1)
    game.abandon()
    return game


GAMES: Final[Mapping[str, Callable[[str], ScriptedGame]]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        duke_of_two,
        duke_of_three,
        duke_of_four,
        duke_sits_first,
        dukes_tie,
        duke_resigns,
        round_limit,
        agreement,
        agreement_by_departure,
        blocked_round,
        blocked_by_departure,
        one_left,
        one_left_in_set_up,
        clock_runs_out,
        clock_leaves_one,
        removed_by_arbiter,
        everybody_left,
        abandoned_in_play,
        *sorcery.GAMES,
        *GAMES_OF_BARON,
    )
}


WITH_RECEIPTS: Final = {"round-limit", "baron-nothing-can-be-laid"}


def main() -> None:
    """Write what is not there yet."""
    for name, play in GAMES.items():
        path = HERE / f"{name}.jsonl"
        if not path.exists():
            path.write_bytes(play(name).record(with_receipts=name in WITH_RECEIPTS))


if __name__ == "__main__":
    main()
