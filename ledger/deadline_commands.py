"""The commands of deadlines and of vacant seats, like those of a game's life cycle in ledger/commands.py."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, assert_never

from domain import deadlines, lifecycle, substitutes
from domain.bot_tasks import common_action, waits_for_takeback
from domain.event import By
from domain.game import Game
from ledger.commands import (
    CLOCK,
    NO_KEYS,
    SecretSource,
    abandon_if_deserted,
    add_key,
)
from ledger.pending import PendingEvents
from ledger.turn_clock import has_passed

MAX_ACTIONS: Final = 100
"""The most actions that the clock takes in one turn of an absent player: more than any turn has."""

ChooseAction: TypeAlias = Callable[[Game], Any]
"""Returns an action that the rules allow the seat whose turn it is; None if there is none."""


def is_due(game: Game, at: str) -> bool:
    """Return whether the clock may end the turn under way at a timestamp: at its deadline, or at once if the
    seat is vacant and the players do not decide about a takeback.
    """
    return is_vacant_turn(game) or has_passed(game, at)


def is_vacant_turn(game: Game) -> bool:
    """Return whether the clock ends the turn under way at once, because its seat is vacant."""
    return game.to_act in game.vacant_seats and not waits_for_takeback(game)


def end_turn(pending: PendingEvents, choose_action: ChooseAction, secret: SecretSource) -> None:
    """Do what the game's options say about a deadline that has passed; abandon the game if it is deserted.

    `choose_action` chooses for a bot that plays the rest of the turn. Raises NotNow if no seat is to act.
    """
    if deadlines.is_left_by_everybody(pending.game):
        abandon_if_deserted(pending, secret)
        return
    _settle_common_action(pending)
    game = pending.game
    outcome = deadlines.deadline_outcome(game)
    seat = game.to_act
    assert seat is not None, "a deadline is that of a seat"
    match outcome:
        case "excuse":
            pending.add(deadlines.excuse(game), CLOCK)
        case "vacate":
            pending.add(substitutes.vacate(game, seat), CLOCK)
        case "remove":
            pending.add(lifecycle.remove(game, seat), CLOCK)
        case "bot":
            _play_turn(pending, choose_action)
        case "forfeit":
            pending.add(lifecycle.forfeit(game), CLOCK)
        case _:
            assert_never(outcome)
    abandon_if_deserted(pending, secret)


def leave_seat(pending: PendingEvents, seat: int, by: By, secret: SecretSource) -> None:
    """Leave a seat vacant; abandon the game if it has no people any more. Raises NotNow."""
    pending.add(substitutes.vacate(pending.game, seat), by)
    abandon_if_deserted(pending, secret)


def seat_substitute(
    pending: PendingEvents, seat: int, player: str, keys: Mapping[str, str] = NO_KEYS
) -> None:
    """Give a vacant seat to a player, who has these keys. Raises NotNow."""
    pending.add(substitutes.seat_substitute(pending.game, seat, player), {"player": player})
    for key, public in keys.items():
        add_key(pending, player, key, public)


def _play_turn(pending: PendingEvents, choose_action: ChooseAction) -> None:
    """Play the rest of the turn under way; forfeit it if there is no action to choose."""
    turn = pending.game.turn
    for _ in range(MAX_ACTIONS):
        game = pending.game
        if game.to_act is None or game.turn != turn:
            return
        action = choose_action(game)
        if action is None:
            break
        _act(pending, action)
    pending.add(lifecycle.forfeit(pending.game), CLOCK)


def _settle_common_action(pending: PendingEvents) -> None:
    """Let a vacant seat whose turn it is join in an action that all people have taken, as bots do."""
    game = pending.game
    if game.to_act in game.vacant_seats:
        action = common_action(game, game.to_act)
        if action is not None:
            _act(pending, action)


def _act(pending: PendingEvents, action: Any) -> None:
    game = pending.game
    outcome = deadlines.act_for_absent_seat(game, action)
    pending.add(outcome, CLOCK, game.rules.action_to_json(action))
