"""The scripts of the recorded games of Barony; tests/games/make.py writes the records."""

from collections.abc import Callable
from typing import Final

from domain.barony.components import DUKE
from tests.games.scripted_game import ScriptedGame, in_round, never


def duke_of_two(name: str) -> ScriptedGame:
    """The last seat becomes duke, which ends the round."""
    game = ScriptedGame(name, 2, seating="joined")
    game.join("bea")
    game.play_bots(never)
    game.finish()
    return game


def duke_of_three(name: str) -> ScriptedGame:
    """The seats are drawn, and the last seat becomes duke."""
    game = ScriptedGame(name, 3, seed=2)
    game.join("bea", "cid")
    game.play_bots(never)
    game.finish()
    return game


def duke_of_four(name: str) -> ScriptedGame:
    """Two seats become duke in the same round, and tie; the scorer is slow."""
    game = ScriptedGame(name, 4, scorer_delay=5)
    game.join("bea", "cid", "dan")
    game.play_bots(never)
    game.finish()
    return game


def duke_sits_first(name: str) -> ScriptedGame:
    """Seat 0 becomes duke, the round is played to its end, and seat 2 catches up and wins the tie."""
    game = ScriptedGame(name, 3, seed=10, scorer_delay=1, seating="joined")
    game.join("bea", "cid")
    game.play_bots(never)
    game.finish()
    return game


def dukes_tie(name: str) -> ScriptedGame:
    """The duke ties with the seat that is further from the first player."""
    game = ScriptedGame(name, 2, seed=92, seating="joined")
    game.join("bea")
    game.play_bots(never)
    game.finish()
    return game


def duke_resigns(name: str) -> ScriptedGame:
    """Seat 0 becomes duke and resigns; the round is still played to its end (BY-END-2)."""
    game = ScriptedGame(name, 3, seed=4, seating="joined")
    game.join("bea", "cid")
    game.play_bots(lambda game: bool(game.state and game.state.rank[0] == DUKE))
    game.play("0 resign")
    game.play_bots(never)
    game.finish()
    return game


def round_limit(name: str) -> ScriptedGame:
    """All seats play at random; the scorer is slow."""
    game = ScriptedGame(name, 4, scorer_delay=7, round_limit=12)
    game.join("bea", "cid", "dan")
    game.play_bots(never, sensible=False)
    game.finish()
    return game


def agreement(name: str) -> ScriptedGame:
    """Seats agree to end in and out of turn, one takes it back, then all agree (BY-END-5)."""
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
    """Two of three seats agree to end and the third resigns, so that all remaining seats have agreed."""
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
    """Both seats pass: the only way out for their knights is a mountain with the other's village."""
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
    """Two of three seats pass and the third, which could act, resigns: all remaining seats have passed."""
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
    """Three seats resign in and out of turn; the third resignation cuts the round short."""
    game = ScriptedGame(name, 4)
    game.join("bea", "cid", "dan")
    game.play_bots(in_round(2))
    game.play("0 resign\n2 resign")
    game.play_bots(in_round(5), sensible=False)
    game.play("3 resign")
    game.finish()
    return game


def one_left_in_set_up(name: str) -> ScriptedGame:
    """Two seats resign in the set-up, so no round is scored."""
    game = ScriptedGame(name, 3)
    game.join("bea", "cid")
    game.play_bots(lambda game: game.turn == 4)
    game.play("0 resign\n2 resign")
    game.finish()
    return game


def clock_runs_out(name: str) -> ScriptedGame:
    """The clock removes a seat in the set-up and forfeits turns, once a whole round, which is not blocked."""
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
    """One of two seats misses a placement and is removed, which leaves one seat."""
    game = ScriptedGame(name, 2, per_turn=600)
    game.join("bea")
    game.play("clock")
    game.finish()
    return game


def removed_by_arbiter(name: str) -> ScriptedGame:
    """One seat is removed out of turn in the set-up, one in its turn; the others play to the round limit."""
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
    """Players join and leave, one of them twice; the last to leave abandons the game."""
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
    """An arbiter ends the game without a ranking."""
    game = ScriptedGame(name, 2)
    game.join("bea")
    game.play_bots(lambda game: in_round(4)(game) and game.to_act == 1)
    game.abandon()
    return game


def clock_abandons(name: str) -> ScriptedGame:
    """All seats forfeit two turns in a row, one of them after a forfeit that an action followed."""
    game = ScriptedGame(name, 3, seed=1, per_turn=86_400, scorer_delay=2)
    game.join("bea", "cid")
    game.play_bots(in_round(3))
    game.play("clock")
    game.play_bots(in_round(4))
    game.play("clock\n" * 6)
    return game


def people_desert_bots(name: str) -> ScriptedGame:
    """The only person forfeits two turns in a row, while two bots act in between."""
    game = ScriptedGame(name, 3, seed=2, per_turn=86_400, scorer_delay=1, seating="joined")
    game.add_bot("sensible-bot-1", "sensible")
    game.add_bot("random-bot-1", "random")
    game.play_bots(in_round(3), sensible=[0, 1])
    for _ in range(2):
        game.play_bots(lambda state: state.to_act == 0, sensible=[0, 1])
        game.play("clock")
    return game


def nonce_of_a_guest(name: str) -> ScriptedGame:
    """The last nonce is that of a guest who leaves again before bots, without nonces, fill the game."""
    game = ScriptedGame(name, 3, seed=6, round_limit=4)
    game.join("bea")
    game.leave("bea")
    game.add_bot("sensible-bot-1", "sensible", b"")
    game.add_bot("random-bot-1", "random", b"")
    game.play_bots(never)
    game.finish()
    return game


def hints(name: str) -> ScriptedGame:
    """The only person gets a hint in the set-up and one in each of two rounds (the option `hints`)."""
    game = ScriptedGame(name, 2, seating="joined", round_limit=3, hints=True)
    game.add_bot("sensible-bot-1", "sensible")
    game.give_hint(0)
    for number in (1, 2):
        game.play_bots(in_round(number))
        game.play_bots(lambda state: state.to_act == 0)
        game.give_hint(0)
    game.play_bots(never)
    game.finish()
    return game


def signed_actions(name: str) -> ScriptedGame:
    """Two players sign their actions, one from the start until the key is revoked, one from round 2 on."""
    game = ScriptedGame(name, 3, seed=3, seating="joined", round_limit=4)
    game.add_key("ada")
    game.join("bea", "cid")
    game.play_bots(in_round(2))
    game.add_key("bea")
    game.play_bots(in_round(3))
    game.revoke_key("ada")
    game.play_bots(never)
    game.finish()
    return game


SCRIPTS: Final[tuple[Callable[[str], ScriptedGame], ...]] = (
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
    clock_abandons,
    people_desert_bots,
    signed_actions,
    nonce_of_a_guest,
    hints,
)
