"""Invitations of players by the creator of a game that has not started: inviting, declining and revoking.

An invitation reserves no place: the players who join first take the places. An invited player accepts by
joining.
"""

from typing import Final

from domain.contract import DomainEvent
from domain.errors import NotNow, not_now
from domain.event import InvitationDeclined, InvitationRevoked, PlayerInvited
from domain.game import STATUS_MESSAGES, Game
from domain.messages import Message, message

MAX_INVITATIONS: Final = 1000
"""The most invitations to one game that a log may contain, revoked and declined ones included."""
ALREADY_JOINED: Final = message("this player has a place in the game already")


def invite(game: Game, player: str) -> DomainEvent:
    """`PlayerInvited`, by the creator. Raises NotNow if the game has started or the creator has left it, and
    for a player who has a place, is the arbiter, is invited already, or has declined before.
    """
    _require_open(game)
    if not game.has_joined(game.creator):
        raise not_now("the creator of a game invites players, and has left this one")
    if game.has_joined(player):
        raise NotNow(None, ALREADY_JOINED)
    if player == game.arbiter:
        raise not_now("the arbiter of a game cannot play in it")
    if player in game.invited:
        raise not_now("this player is invited already")
    if player in game.declined:
        raise not_now("this player has declined")
    if game.invitations >= MAX_INVITATIONS:
        raise not_now("the game has had too many invitations")
    data: PlayerInvited = {"player": player}
    return DomainEvent("PlayerInvited", data)


def decline(game: Game, player: str) -> DomainEvent:
    """`InvitationDeclined`, by the player. Raises NotNow after the start, with a place, or uninvited."""
    _require_open(game)
    if game.has_joined(player):
        raise NotNow(None, ALREADY_JOINED)
    _require_invited(game, player)
    data: InvitationDeclined = {"player": player}
    return DomainEvent("InvitationDeclined", data)


def revoke(game: Game, player: str) -> DomainEvent:
    """`InvitationRevoked`, by the creator. Raises NotNow like `decline`."""
    _require_open(game)
    if game.has_joined(player):
        raise NotNow(None, ALREADY_JOINED)
    _require_invited(game, player)
    data: InvitationRevoked = {"player": player}
    return DomainEvent("InvitationRevoked", data)


def no_more_players(game: Game) -> Message:
    """Why a game that has started or ended takes no more players."""
    return message("the game takes no more players: {status}", status=STATUS_MESSAGES[game.status])


def _require_open(game: Game) -> None:
    if game.status != "open":
        raise NotNow(None, no_more_players(game))


def _require_invited(game: Game, player: str) -> None:
    if player not in game.invited:
        raise not_now("this player is not, or no longer, invited")
