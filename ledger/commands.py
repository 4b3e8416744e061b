"""The commands of a game's life cycle, from its creation to its end.

Each command lets `domain.lifecycle` decide on the game as it stands after the pending events, and
adds the resulting events with their actor (`by`). If a command raises, its pending events are to be
discarded. The service, the playout and the tests all run games through these functions.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from domain import lifecycle
from domain.deadlines import is_deserted
from domain.errors import Malformed, NotNow
from domain.event import ActionSignature, By, Clock, NonceSource
from domain.game import Game
from domain.messages import message
from ledger.pending import PendingEvents
from ledger.turn_clock import waits_for_ruling

START: Final[By] = {"system": "start"}
SCORER: Final[By] = {"system": "scorer"}
CLOCK: Final[By] = {"system": "clock"}
ARBITER: Final[By] = {"system": "arbiter"}
TAKEBACK: Final[By] = {"system": "takeback"}

NO_KEYS: Final[Mapping[str, str]] = MappingProxyType({})

SecretSource: TypeAlias = Callable[[], bytes]
"""Returns the game's secret; called only by the events that use or publish it."""


def create(
    pending: PendingEvents,
    player: str,
    *,
    rules: str,
    seats: int,
    options: Mapping[str, Any],
    clock: Clock | None,
    secret: bytes,
    nonce: bytes,
    nonce_from: NonceSource = "player",
    invited: Sequence[str] = (),
    arbiter: str | None = None,
    keys: Mapping[str, str] = NO_KEYS,
) -> None:
    """Create the game; its creator, who has these keys, takes the first place. Raises Malformed."""
    if arbiter == player:
        raise Malformed({"arbiter": lifecycle.ARBITER_PLAYS})
    creation = lifecycle.create(rules, seats, options, clock, secret, invited, arbiter)
    pending.add(creation, {"player": player})
    join(pending, player, nonce, lambda: secret, keys, nonce_from=nonce_from)


def join(
    pending: PendingEvents,
    player: str,
    nonce: bytes,
    secret: SecretSource,
    keys: Mapping[str, str] = NO_KEYS,
    *,
    nonce_from: NonceSource = "player",
    bot: str | None = None,
    invited_by: str | None = None,
) -> None:
    """Give the player a place; the last free place starts the game. Raises NotNow, Malformed.

    `bot` is the name of the bot that the player is, if the creator adds one. `invited_by` is the player whose
    invitation link lets the player join a private game.

    `keys` are the public keys of the player (hex), by id. They are registered after the start, because the
    start must follow the last `SeatTaken` at once. `nonce_from` records who supplied the nonce, which decides
    whether the server could choose the draws.
    """
    by = player if bot is None else pending.game.creator
    event = lifecycle.join(pending.game, player, nonce, nonce_from, bot, invited_by)
    pending.add(event, {"player": by})
    if lifecycle.can_start(pending.game):
        pending.add(lifecycle.start(pending.game, secret()), START)
    for key, public in keys.items():
        add_key(pending, player, key, public)


def leave(pending: PendingEvents, player: str, secret: SecretSource) -> None:
    """Free the player's place before the start; a game without people is abandoned. Raises NotNow."""
    pending.add(lifecycle.leave(pending.game, player), {"player": player})
    if lifecycle.is_without_people(pending.game):
        abandon(pending, secret, by=START)


def add_key(pending: PendingEvents, player: str, key: str, public: str) -> None:
    """Register a key with which the player may sign actions. Raises NotNow."""
    pending.add(
        lifecycle.add_key(pending.game, player, key, public), by_player(pending.game, player)
    )


def revoke_key(pending: PendingEvents, player: str, key: str) -> None:
    """Revoke a key of the player. Raises NotNow."""
    pending.add(lifecycle.revoke_key(pending.game, player, key), by_player(pending.game, player))


def by_player(game: Game, player: str) -> By:
    """Return the `by` of an event that this player causes: the seat, or before the start the player."""
    seat = game.seat_of(player)
    return {"player": player} if seat is None else {"seat": seat}


def act(
    pending: PendingEvents,
    seat: int,
    action: Any,
    signature: ActionSignature | None = None,
    *,
    is_conditional: bool = False,
) -> None:
    """Let a seat take a parsed action, with the player's signature if there is one.

    The signature is not checked. `is_conditional` marks an action that the player had prepared. Raises
    Refused with the clause, NotNow.
    """
    game = pending.game
    outcome = lifecycle.act(game, seat, action)
    raw_action = game.rules.action_to_json(action)
    pending.add(outcome, {"seat": seat}, raw_action, signature, is_conditional=is_conditional)


def score_next_round(pending: PendingEvents, game_at: Callable[[int], Game]) -> None:
    """Score the first round that has ended and is not scored yet. Raises NotNow if there is none.

    `game_at` returns the game after the event with a given seq: standings are those at the end of
    the round, however far play has moved on.
    """
    game = pending.game
    if not game.rounds_ended:
        raise NotNow(None, message("no round waits to be scored"))
    round = min(game.rounds_ended)
    at_end = game_at(game.rounds_ended[round])
    pending.add(lifecycle.score(game, round, at_end), SCORER)


def finish(pending: PendingEvents, secret: SecretSource) -> None:
    """Rank the players and publish the secret, once play is over and every round is scored.

    Raises NotNow, also while an open dispute may still be ruled.
    """
    if waits_for_ruling(pending.game, pending.next_at):
        raise NotNow(None, message("a dispute is open: the end of the game waits for the ruling"))
    pending.add(lifecycle.finish(pending.game, secret()), SCORER)


def forfeit(pending: PendingEvents, secret: SecretSource) -> None:
    """Forfeit the turn of a seat that let its deadline pass; abandon the game if it is deserted.

    Raises NotNow if no seat is to act.
    """
    pending.add(lifecycle.forfeit(pending.game), CLOCK)
    abandon_if_deserted(pending, secret)


def remove(pending: PendingEvents, seat: int, secret: SecretSource) -> None:
    """Remove a seat by an arbiter's decision; abandon the game if it is deserted without that seat.

    Raises NotNow, Refused (the seat is out already).
    """
    pending.add(lifecycle.remove(pending.game, seat), ARBITER)
    abandon_if_deserted(pending, secret)


def abandon(pending: PendingEvents, secret: SecretSource, *, by: By = ARBITER) -> None:
    """End the game without a ranking and publish the secret. Raises NotNow if it is over."""
    pending.add(lifecycle.abandon(pending.game, secret()), by)


def resume(
    pending: PendingEvents, origin: int, because: int, secret: SecretSource, *, by: By
) -> None:
    """Resume play after event `origin`, because of the event `because`, which ruled or agreed so.

    `by` is ARBITER or TAKEBACK. Raises NotNow, and LookupError if there is no event `origin`.
    """
    event = lifecycle.resume(pending.game, pending.game_at(origin), because, secret())
    pending.add(event, by)


def abandon_if_deserted(pending: PendingEvents, secret: SecretSource) -> None:
    """Let the clock abandon the game if it is deserted."""
    if is_deserted(pending.game):
        pending.add(lifecycle.abandon_deserted(pending.game, secret()), CLOCK)
