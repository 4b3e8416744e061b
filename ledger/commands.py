"""The commands on a game: its life cycle, and those of deadlines, disputes, pauses and administrators.

Each command lets the domain decide on the game as it stands after the pending events, and adds the
resulting events with their actor (`by`); the events of a decision follow it in the same append. A signature
of the actor is that of the event that a command adds first (`PendingEvents.sign_next`). If a command
raises, its pending events are to be discarded. Actions of players are taken by `PendingEvents.act`. The
service, the playout and the tests all run games through these functions.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, assert_never

from domain import administration, hints, invitations, lifecycle
from domain.administration import ADMINISTRATOR
from domain.bot_tasks import common_action
from domain.chance import SEED_VERSION, SeedVersion
from domain.clock import deadlines, decisions, substitutes
from domain.clock.deadlines import is_deserted
from domain.errors import Malformed, NotNow
from domain.event import By, NonceSource
from domain.game import Game
from domain.json_types import Timestamp
from domain.lifecycle import NewGame
from domain.messages import message
from ledger.clock.turn_clock import has_passed, waits_for_ruling
from ledger.pending import PendingEvents

START: Final[By] = {"system": "start"}
SCORER: Final[By] = {"system": "scorer"}
CLOCK: Final[By] = {"system": "clock"}
ARBITER: Final[By] = {"system": "arbiter"}
TAKEBACK: Final[By] = {"system": "takeback"}
STORE: Final[By] = {"system": "store"}

NO_KEYS: Final[Mapping[str, str]] = MappingProxyType({})

SecretSource: TypeAlias = Callable[[], bytes]
"""Returns the game's secret; called only by the events that use or publish it."""


def create(
    pending: PendingEvents,
    player: str,
    new: NewGame,
    *,
    secret: bytes,
    nonce: bytes = b"",
    nonce_from: NonceSource = "player",
    keys: Mapping[str, str] = NO_KEYS,
    seed_version: SeedVersion = SEED_VERSION,
) -> None:
    """Create the game; its creator, who has these keys, takes the first place. Raises Malformed."""
    if new.arbiter == player:
        raise Malformed({"arbiter": lifecycle.ARBITER_PLAYS})
    pending.add(lifecycle.create(new, secret, seed_version), {"player": player})
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
    """Give the player a place. Taking the last free place starts the game. Raises NotNow, Malformed.

    `bot` is the name of the bot that the player is, if the creator adds one. `invited_by` is the player whose
    invitation link lets the player join a private game.

    `keys` are the public keys of the player (hex), by id. They are registered after the start, because the
    start must immediately follow the last `SeatTaken`. `nonce` is empty unless the program of a person sent
    it. With seed version 1, `nonce_from` records who supplied the nonce.
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


def score_next_round(pending: PendingEvents, game_at: Callable[[int], Game]) -> None:
    """Score the first round that has ended and is not scored yet. Raises NotNow if there is none.

    `game_at` returns the game after the event with a given seq: standings are those at the end of the round,
    even if play has continued since.
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
    """Forfeit the turn of a seat that has missed its deadline; abandon the game if it is deserted.

    Raises NotNow if no seat is to act.
    """
    pending.add(lifecycle.forfeit(pending.game), CLOCK)
    abandon_if_deserted(pending, secret)


def remove(pending: PendingEvents, seat: int, secret: SecretSource) -> None:
    """Remove a seat by an arbiter's decision; abandon the game if it is deserted without that seat.

    Raises NotNow, or Refused if the seat is out already.
    """
    pending.add(lifecycle.remove(pending.game, seat), ARBITER)
    abandon_if_deserted(pending, secret)


def abandon(pending: PendingEvents, secret: SecretSource, *, by: By = ARBITER) -> None:
    """End the game without a ranking and publish the secret. Raises NotNow if it is over."""
    pending.add(lifecycle.abandon(pending.game, secret()), by)


def resume(
    pending: PendingEvents, origin: int, because: int, secret: SecretSource, *, by: By
) -> None:
    """Resume play after event `origin`, because of the event `because`: a ruling or an agreement.

    `by` is ARBITER or TAKEBACK. Raises NotNow, and LookupError if there is no event `origin`.
    """
    event = lifecycle.resume(pending.game, pending.game_at(origin), because, secret())
    pending.add(event, by)


def abandon_if_deserted(pending: PendingEvents, secret: SecretSource) -> None:
    """Let the clock abandon the game if it is deserted."""
    if is_deserted(pending.game):
        pending.add(lifecycle.abandon_deserted(pending.game, secret()), CLOCK)


def remove_seat(
    pending: PendingEvents, administrator: str, seat: int, secret: SecretSource
) -> None:
    """Remove a seat; abandon the game if it is deserted without that seat. Raises NotNow."""
    pending.add(administration.remove_seat(pending.game, administrator, seat), ADMINISTRATOR)
    remove(pending, seat, secret)


def move_seat(
    pending: PendingEvents,
    administrator: str,
    seat: int,
    player: str,
    keys: Mapping[str, str] = NO_KEYS,
) -> None:
    """Give the seat of a person to another player, who has these keys. Raises NotNow."""
    decision = administration.move_seat(pending.game, administrator, seat, player)
    pending.add(decision, ADMINISTRATOR)
    pending.add(substitutes.seat_by_decision(pending.game, seat, player), ADMINISTRATOR)
    for key, public in keys.items():
        add_key(pending, player, key, public)


def abandon_game(pending: PendingEvents, administrator: str, secret: SecretSource) -> None:
    """End the game without a ranking and publish the secret. Raises NotNow if it is over."""
    pending.add(administration.abandon(pending.game, administrator), ADMINISTRATOR)
    abandon(pending, secret)


def extend_deadline(pending: PendingEvents, administrator: str, seconds: int) -> None:
    """Give the seat whose turn it is more time, in seconds. Raises NotNow, Malformed."""
    event = administration.extend_deadline(pending.game, administrator, seconds)
    pending.add(event, ADMINISTRATOR)


def lose_events(pending: PendingEvents, last: int, hash: str) -> None:
    """Record that the store has lost events, up to the one with this seq and hash. Raises NotNow."""
    pending.add(lifecycle.lose_events(pending.game, last, hash), STORE)


def announce_holiday(
    pending: PendingEvents, player: str, since: Timestamp, until: Timestamp
) -> None:
    """Announce a holiday of a player in the log. Raises NotNow."""
    event = decisions.announce_holiday(pending.game, player, since, until, pending.next_at)
    pending.add(event, by_player(pending.game, player))


def cancel_holiday(pending: PendingEvents, player: str, since: Timestamp) -> None:
    """Cancel the holiday of a player that begins, or began, with `since`. Raises NotNow."""
    event = decisions.cancel_holiday(pending.game, player, since, pending.next_at)
    pending.add(event, by_player(pending.game, player))


def invite(pending: PendingEvents, player: str) -> None:
    """Have the creator of the game invite a player. Raises NotNow."""
    event = invitations.invite(pending.game, player)
    pending.add(event, {"player": pending.game.creator})


def give_hint(pending: PendingEvents, seat: int) -> None:
    """Record that a seat gets a hint for the current position. Raises NotNow."""
    pending.add(hints.give_hint(pending.game, seat), {"seat": seat})


def decline(pending: PendingEvents, player: str) -> None:
    """Have an invited player decline. Raises NotNow."""
    pending.add(invitations.decline(pending.game, player), {"player": player})


def revoke(pending: PendingEvents, player: str) -> None:
    """Have the creator of the game revoke the invitation of a player. Raises NotNow."""
    event = invitations.revoke(pending.game, player)
    pending.add(event, {"player": pending.game.creator})


MAX_ACTIONS: Final = 100
"""The most actions that are played for an absent player in one turn: more than any turn has."""

ChooseAction: TypeAlias = Callable[[Game], Any]
"""Returns an action that the rules allow the seat whose turn it is; None if there is none."""


def is_due(game: Game, at: str) -> bool:
    """Return whether the clock may end the current turn at a timestamp: at its deadline, or without delay if
    the seat is vacant and the players are not deciding about a takeback.
    """
    return game.is_vacant_turn or has_passed(game, at)


def end_turn(pending: PendingEvents, choose_action: ChooseAction, secret: SecretSource) -> None:
    """Apply the game's options for a deadline that has passed; abandon the game if it is deserted.

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
    """Leave a seat vacant; abandon the game if no people are left in it. Raises NotNow."""
    pending.add(substitutes.vacate(pending.game, seat), by)
    abandon_if_deserted(pending, secret)


def seat_substitute(
    pending: PendingEvents, seat: int, player: str, keys: Mapping[str, str] = NO_KEYS
) -> None:
    """Give a vacant seat to a player, who has these keys. Raises NotNow."""
    pending.add(substitutes.seat_substitute(pending.game, seat, player), {"player": player})
    for key, public in keys.items():
        if key not in pending.game.keys.get(player, {}):
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
    """Let a vacant seat whose turn it is agree to an action that all people have taken, as bots do."""
    game = pending.game
    if game.to_act in game.vacant_seats:
        action = common_action(game, game.to_act)
        if action is not None:
            _act(pending, action)


def _act(pending: PendingEvents, action: Any) -> None:
    game = pending.game
    outcome = deadlines.act_for_absent_seat(game, action)
    pending.add(outcome, CLOCK, game.rules.action_to_json(action))
