"""The commands of administrators on a game, like those of a game's life cycle in ledger/commands.py.

Each records who decided; what follows from the decision follows it in the same append.
"""

from typing import Final

from domain import administration
from domain.event import By
from ledger.commands import SecretSource, abandon, remove
from ledger.pending import PendingEvents

ADMINISTRATOR: Final[By] = {"system": "administrator"}


def remove_seat(
    pending: PendingEvents, administrator: str, seat: int, secret: SecretSource
) -> None:
    """Remove a seat; abandon the game if it is deserted without that seat. Raises NotNow."""
    pending.add(administration.remove_seat(pending.game, administrator, seat), ADMINISTRATOR)
    remove(pending, seat, secret)


def abandon_game(pending: PendingEvents, administrator: str, secret: SecretSource) -> None:
    """End the game without a ranking and publish the secret. Raises NotNow if it is over."""
    pending.add(administration.abandon(pending.game, administrator), ADMINISTRATOR)
    abandon(pending, secret)


def extend_deadline(pending: PendingEvents, administrator: str, seconds: int) -> None:
    """Give the seat whose turn it is more time, in seconds. Raises NotNow, Malformed."""
    event = administration.extend_deadline(pending.game, administrator, seconds)
    pending.add(event, ADMINISTRATOR)
