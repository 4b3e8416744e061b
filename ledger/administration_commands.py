"""The commands of administrators on a game, like those of a game's life cycle in ledger/commands.py.

Each records who decided; what follows from the decision follows it in the same append.
"""

from collections.abc import Mapping

from domain import administration, substitutes
from domain.administration import ADMINISTRATOR
from ledger.commands import NO_KEYS, SecretSource, abandon, add_key, remove
from ledger.pending import PendingEvents


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
