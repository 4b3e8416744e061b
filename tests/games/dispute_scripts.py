"""The scripts of the recorded games with disputes and takebacks; tests/games/make_disputes.py plays them.

Each function gets a function that starts a game with its name, and plays that game to its end.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from tests.games.played_game import ARBITER, PlayedGame

Start: TypeAlias = Callable[..., PlayedGame]


def disputes(start: Start) -> PlayedGame:
    """Barony: see `_every_ruling`. Two players sign their actions, and one of them revokes the key."""
    game = start(rules="barony")
    for player in ("ada", "bea"):
        game.add_key(player)
    game.play_until(lambda game: game.round == 1)
    game.revoke_key("bea")
    return _every_ruling(game)


def sorcery_disputes(start: Start) -> PlayedGame:
    """Sorcery: see `_every_ruling`."""
    return _every_ruling(start(rules="barony", sorcery=True))


def baron_disputes(start: Start) -> PlayedGame:
    """Baron: see `_every_ruling`."""
    return _every_ruling(start(rules="baron"))


def baron_rulings_by_agreement(start: Start) -> PlayedGame:
    """Two players without an arbiter: one dispute is withdrawn, one leads to a rewind by agreement, a
    takeback is declined, and finally both agree to abandon the game.
    """
    game = start(rules="baron", seats=2, has_arbiter=False)
    first_turn = game.seq
    game.play_until(lambda game: game.round == 3)
    number = game.dispute("bea", game.seq, "I think that the tile came from another slot.")
    game.answer("ada", number, "Look at event 7, please.")
    game.withdraw("bea", number)
    number = game.dispute(
        "ada", first_turn, "We both forgot that keeps rest. Shall we begin again?"
    )
    rewind = {"type": "resume", "from": first_turn}
    game.rule("bea", number, {"type": "dismiss"})
    game.rule("ada", number, rewind, "From the first turn on.")
    game.rule("bea", number, rewind)
    game.play_until(lambda game: game.round == 2)
    player, _ = game.act()
    other = "ada" if player == "bea" else "bea"
    game.answer_takeback(other, game.request_takeback(player), agree=False)
    game.act()
    number = game.dispute("bea", game.seq, "I have to leave for some months.")
    for player in ("bea", "ada"):
        game.rule(player, number, {"type": "abandon"})
    return game


def baron_new_draws(start: Start) -> PlayedGame:
    """Nonces are sent with everything: with two takebacks, and with a dispute and the ruling to go back."""
    game = start(rules="baron", sends_nonces=True)
    game.play_until(lambda game: game.round == 2)
    game.act()
    origin = game.seq
    for _ in range(2):
        player, _ = game.act()
        number = game.request_takeback(player)
        for other in game.players:
            if other != player:
                game.answer_takeback(other, number, agree=True)
    game.play_until(lambda game: game.round == 3)
    number = game.dispute("cid", game.seq, "The tile that I took was not the one that I chose.")
    game.answer("bea", number, "I saw it too.")
    game.rule(ARBITER, number, {"type": "resume", "from": origin}, "Round 2 begins again.")
    game.play_until(lambda game: game.round == 3)
    game.resign("bea")
    game.resign("cid")
    game.score()
    return game


def _every_ruling(game: PlayedGame) -> PlayedGame:
    """Three players and an arbiter: a dispute is dismissed, an action is taken back, play resumes before the
    end of a round that was scored, a seat is removed, a result stands, and a player resigns.
    """
    game.play_until(lambda game: game.round == 2)
    number = game.dispute("bea", game.seq, "This is not the action that I sent.")
    game.answer("ada", number, "It is in your receipt.")
    game.rule(ARBITER, number, {"type": "dismiss"}, "The receipt has the hash of this event.")
    player, action = game.act()
    number = game.request_takeback(player)
    for other in game.players:
        if other != player:
            game.answer_takeback(other, number, agree=True)
    game.act(avoid=action)
    origin = game.seq
    game.play_until(lambda game: game.round == 3)
    game.act()
    number = game.dispute(
        "cid", origin, "My turn was over before I had seen the board. \u2694\ufe0f"
    )
    game.rule(ARBITER, number, {"type": "resume", "from": origin}, "Go on from there.")
    game.play_until(lambda game: game.round == 3)
    number = game.dispute("ada", game.seq, "Cid asks us to go on without him.")
    game.rule(ARBITER, number, {"type": "remove_seat", "seat": 2}, "He has confirmed it.")
    game.act()
    game.resign("bea")
    number = game.dispute("ada", game.seq, "Does this count as a game?")
    game.rule(ARBITER, number, {"type": "result_stands"}, "It does: a resignation is a result.")
    game.score()
    return game


SCRIPTS: Final = (
    disputes,
    sorcery_disputes,
    baron_disputes,
    baron_rulings_by_agreement,
    baron_new_draws,
)
