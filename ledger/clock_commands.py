"""The commands that concern only a game's clock, like those of a game's life cycle in ledger/commands.py."""

from domain import holidays, pauses
from domain.json_types import Timestamp
from ledger.commands import by_player
from ledger.pending import PendingEvents
from ledger.turn_clock import is_pause_over


def announce_holiday(
    pending: PendingEvents, player: str, since: Timestamp, until: Timestamp
) -> None:
    """Announce a holiday of a player in the log. Raises NotNow."""
    event = holidays.announce(pending.game, player, since, until, pending.next_at)
    pending.add(event, by_player(pending.game, player))


def cancel_holiday(pending: PendingEvents, player: str, since: Timestamp) -> None:
    """Cancel the holiday of a player that begins, or began, with `since`. Raises NotNow."""
    event = holidays.cancel(pending.game, player, since, pending.next_at)
    pending.add(event, by_player(pending.game, player))


def agree_to_pause(pending: PendingEvents, seat: int, *, agree: bool) -> None:
    """Let a seat agree to a pause, or withdraw its agreement. Raises NotNow."""
    game = pending.game
    is_over = is_pause_over(game, pending.next_at)
    pending.add(pauses.agree(game, seat, agree=agree, is_over=is_over), {"seat": seat})
