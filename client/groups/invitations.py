"""Invitations, and rematches.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, new_key, read_nothing, reader, segment
from client.results import GamePage, GameSummary


class RequestRematch(TypedDict):
    """The body of a request: RequestRematch."""

    nonce: NotRequired[str | None]


def decline_invitation(game: str, /, *, idempotency_key: str | None = None) -> Call[None]:
    """Decline the invitation to a game.

    The creator of the game can see this. A player who declines cannot see a private game any more.
    """
    return call(
        "DELETE",
        f"/games/{segment(game)}/invitations/me",
        read_nothing,
        key=new_key(idempotency_key),
    )


def uninvite_player(game: str, handle: str, /, *, idempotency_key: str | None = None) -> Call[None]:
    """Revoke the invitation of a player, as the creator of the game."""
    return call(
        "DELETE",
        f"/games/{segment(game)}/invitations/players/{segment(handle)}",
        read_nothing,
        key=new_key(idempotency_key),
    )


def list_my_invitations(*, cursor: str | None = None, limit: int | None = None) -> Call[GamePage]:
    """List the games to which the player is invited and which wait for the answer.

    To accept, join the game; to decline, delete the invitation. Games of players whom the player
    has muted are left out.
    """
    return call(
        "GET", "/me/invitations", reader(GamePage), params={"cursor": cursor, "limit": limit}
    )


def request_rematch(game: str, /, **body: Unpack[RequestRematch]) -> Call[GameSummary]:
    """Ask for a rematch of a game that has ended, as one of its players.

    The first player who asks creates a game with the same settings: the bots get places again, and
    the other players are invited. Other players who ask join the same game while it has a free
    place. The request can be repeated, and always leads to the same game, unless that was abandoned
    before it started.
    """
    return call("POST", f"/games/{segment(game)}/rematch", reader(GameSummary), body=body)


class InvitationsCalls(Group[C_co]):
    """Invitations, and rematches."""

    decline = Method(decline_invitation)
    uninvite_player = Method(uninvite_player)
    list = Method(list_my_invitations)
    request_rematch = Method(request_rematch)
