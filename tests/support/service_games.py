"""Games on a real service for tests: start one and play on. Players are ids without accounts."""

import random
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from domain.event import Clock
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.games.event_queries import EventQueries
from service.games.repository import AcceptedAction
from tests.support.languages import ENGLISH

PLAYERS = ("ada", "bea", "cid", "dan")


def create_game(service: Service, player: str = "ada", **changes: Any) -> Game:
    """Create an open game of Barony for two, with these fields of `NewGame` and arguments of the command."""
    settings = {"rules": "barony", "seats": 2, "options": {}, **changes}
    new = {
        field.name: settings.pop(field.name) for field in fields(NewGame) if field.name in settings
    }
    return service.games.commands.create(player, NewGame(**new), **settings)


def start_game(
    service: Service,
    seats: int = 2,
    clock: Clock | None = None,
    rules: str = "barony",
    players: Sequence[str] = PLAYERS,
    **options: Any,
) -> Game:
    """Create a game and fill it, which starts it; the seats are in the order of `players`.

    The players are taken to have been notified of the invitations and the start.
    """
    options = {"seating": "joined", **options}
    game = service.games.commands.create(
        players[0],
        NewGame(
            rules=rules,
            seats=seats,
            options=options,
            clock=clock,
            invited=tuple(players) if options.get("private") else (),
        ),
        nonce=b"0",
    )
    for player in players[1:seats]:
        game = service.games.commands.join(game.id, player, player.encode())
    for entry, payload in service.store.outbox(game.id).items():
        if entry == "notify/started" or entry.startswith("notify/invited/"):
            service.store.ack(game.id, entry, payload)
    return game


def take_action(
    service: Service, game_id: str, chance: random.Random | None = None
) -> AcceptedAction:
    """Let the seat to act take its first legal action, or with `chance` a random one."""
    game = service.games.queries.game(game_id)
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.games.queries.legal_actions(game_id, player)
    action = actions[0] if chance is None else chance.choice(actions)
    return service.games.commands.act(game_id, player, action, seq)


def play_until(
    service: Service, game_id: str, condition: Callable[[Game], bool], seed: int = 0
) -> Game:
    """Take random actions until the condition holds, and return the game."""
    chance = random.Random(seed)
    while not condition(game := service.games.queries.game(game_id)):
        take_action(service, game_id, chance)
    return game


def play_set_up(service: Service, game_id: str) -> Game:
    """Play until every city of the set-up is placed."""
    return play_until(
        service, game_id, lambda game: game.state is not None and game.state.phase != "setup"
    )


def play_out(service: Service, game_id: str) -> Game:
    """Play until play is over. The game is then finished, or waits to be scored."""
    return play_until(service, game_id, lambda game: game.to_act is None)


def explain(events: EventQueries, head: Game, seq: int, player: str | None = None) -> JsonObject:
    """Return the explanation of event `seq` for a player, in English."""
    return events.explain(head, events.transition(head, seq), player, ENGLISH)
