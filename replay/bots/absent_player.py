"""Chooses actions for a player who is absent when the deadline of a turn passes, as a bot would."""

import logging
from typing import Any, Final

from domain.chance import Chance
from domain.errors import Refused
from domain.game import Game
from domain.search import MayContinue
from replay.bots.playout import bot_named

log = logging.getLogger(__name__)

BOT: Final = "sensible"
"""The bot that plays for absent players."""
MAX_ACTIONS: Final = 2000
"""Legal actions that a bot considers; of more, a random sample. A bot scores one in about 20 µs at most."""


def bot_action(
    game: Game, seat: int, name: str, chance: Chance, may_continue: MayContinue | None = None
) -> Any:
    """Return the action that a bot chooses from what a player at the seat, whose turn it is, would see.

    `may_continue` limits the search of a bot that searches.
    """
    rules = game.rules
    actions = rules.legal_actions(game.state, seat)
    if len(actions) > MAX_ACTIONS:
        actions = chance.shuffle(actions)[:MAX_ACTIONS]
    bot = bot_named(rules, name, may_continue)
    return bot(rules.position(game.state, seat), actions, seat, chance)


def action_for_absent_player(game: Game, chance: Chance) -> Any:
    """Return an action, which the rules allow, for the seat whose turn it is; None if there is none.

    If the bot fails, any legal action is taken: a fault of a bot must not stop a game.
    """
    seat = game.to_act
    assert seat is not None, "a seat is to act"
    legal = game.rules.legal_actions(game.state, seat)
    if not legal:
        return None
    try:
        action = bot_action(game, seat, BOT, chance)
        game.rules.decide(game.state, seat, action)
    except Exception:
        log.exception(
            "the bot failed for seat %s after event %s of game %s", seat, game.seq, game.id
        )
    else:
        return action
    for action in chance.shuffle(legal):
        try:
            game.rules.decide(game.state, seat, action)
        except Refused:
            continue
        return action
    return None
