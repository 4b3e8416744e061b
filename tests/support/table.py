"""A table to play at: games on a real service, with players that are only ids, and anyone's next move."""

import random
from collections.abc import Callable
from typing import Any

from domain.event import Clock
from domain.game import Game
from service.bootstrap import Service
from service.games.commands import AcceptedAction

PLAYERS = ("ada", "bea", "cid", "dan")


def started(
    service: Service,
    seats: int = 2,
    clock: Clock | None = None,
    rules: str = "barony",
    **options: Any,
) -> Game:
    """A game that has just begun; seats are in the order of PLAYERS."""
    options = {"seating": "joined", **options}
    game = service.commands.create(
        PLAYERS[0], rules=rules, seats=seats, options=options, clock=clock, nonce=b"0"
    )
    for player in PLAYERS[1:seats]:
        game = service.commands.join(game.id, player, player.encode())
    return game


def move(service: Service, game_id: str, chance: random.Random | None = None) -> AcceptedAction:
    """Whose turn it is takes the first legal action, or one that chance chooses."""
    game = service.queries.game(game_id)
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.queries.legal_actions(game_id, player)
    action = actions[0] if chance is None else chance.choice(actions)
    return service.commands.act(game_id, player, action, seq)


def play(service: Service, game_id: str, until: Callable[[Game], bool], seed: int = 0) -> Game:
    """Play on by chance until the game is so."""
    chance = random.Random(seed)
    while not until(game := service.queries.game(game_id)):
        move(service, game_id, chance)
    return game


def set_up(service: Service, game_id: str) -> Game:
    """Play until every city of the set-up is placed."""
    return play(
        service, game_id, lambda game: game.state is not None and game.state.phase != "setup"
    )


def played_out(service: Service, game_id: str) -> Game:
    """Play until there is nothing left but to score, or not even that where somebody scores already."""
    return play(service, game_id, lambda game: game.to_act is None)
