"""The commands of invitations, like those of a game's life cycle in ledger/commands.py."""

from domain import invitations
from ledger.pending import PendingEvents


def invite(pending: PendingEvents, player: str) -> None:
    """Have the creator of the game invite a player. Raises NotNow."""
    event = invitations.invite(pending.game, player)
    pending.add(event, {"player": pending.game.creator})


def decline(pending: PendingEvents, player: str) -> None:
    """Have an invited player decline. Raises NotNow."""
    pending.add(invitations.decline(pending.game, player), {"player": player})


def revoke(pending: PendingEvents, player: str) -> None:
    """Have the creator of the game revoke the invitation of a player. Raises NotNow."""
    event = invitations.revoke(pending.game, player)
    pending.add(event, {"player": pending.game.creator})
