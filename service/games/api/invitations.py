"""Invitations to games that have not started: of players by handle, by link, and their answers; rematches."""

from typing import Final

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint, json_response
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import game_summaries, game_summary
from service.http.schemas.lobby import Invitation
from service.http.schemas.requests import Invite, PageQuery, RequestRematch
from service.http.schemas.responses import GameList, GameSummary, InvitedGame

_INVITATIONS: Final = "/games/<game_id>/invitations"

blueprint = Blueprint("invitations", "Invitations, and rematches.", auth="participants_only")


@blueprint.post(
    _INVITATIONS,
    "The invitation.",
    Invitation,
    limit=limit_new_places,
    json_body=Invite(),
    is_body_required=False,
    is_idempotent=True,
    errors=(409,),
)
def create_invitation(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> JsonObject:
    """Invite a player by their handle, or make an invitation link, to a game that has not started.

    With a `handle`, the creator of the game invites this player, who can see the game from then on, also a
    private one, and join it. An invitation reserves no place. A player who has declined is not invited again.

    Without a `handle`, the response has the token of an invitation link. Players who have it can see the game
    and join it, also a private one, until the game starts, but not longer than 30 days. Every player of the
    game can have one such link: another one replaces it, also if the request has an `Idempotency-Key`.
    """
    if body["handle"] is None:
        return {"token": service().games.invitations.create(game_id, player)}
    service().games.queries.visible_game(game_id, player)
    invited = service().games.lobby.invite(game_id, player, body["handle"], idempotency_key)
    return {"invited": invited}


@blueprint.delete(f"{_INVITATIONS}/mine", "The player has no invitation link to this game.")
def revoke_invitation(game_id: str, player: str) -> None:
    """Revoke the player's invitation link to a game.

    The request can be repeated.
    """
    service().games.invitations.revoke(game_id, player)


@blueprint.delete(
    f"{_INVITATIONS}/me",
    "The player has declined.",
    auth="login_required",
    is_idempotent=True,
    errors=(409,),
)
def decline_invitation(game_id: str, player: str, idempotency_key: str | None) -> None:
    """Decline the invitation to a game.

    The creator of the game can see this. A player who declines cannot see a private game any more.
    """
    service().games.invitation_commands.decline(game_id, player, idempotency_key)


@blueprint.delete(
    f"{_INVITATIONS}/players/<handle>",
    "The player is not invited any more.",
    is_idempotent=True,
    errors=(409,),
)
def uninvite_player(game_id: str, handle: str, player: str, idempotency_key: str | None) -> None:
    """Revoke the invitation of a player, as the creator of the game."""
    service().games.queries.visible_game(game_id, player)
    invited = service().accounts.players.find_person(handle)
    service().games.invitation_commands.revoke(game_id, player, invited.id, idempotency_key)


@blueprint.get(
    "/invitations/<token>",
    "The game, and the id of the player who invites.",
    InvitedGame,
    auth="public",
)
def get_invitation(token: str) -> JsonObject:
    """Get the game to which an invitation link invites.

    Everybody who has the token can see it.
    """
    invitation = service().games.invitations.get(token)
    return {"game": game_summary(invitation.game), "invited_by": invitation.inviter}


@blueprint.get(
    "/me/invitations",
    "A page of the games that wait for the player's answer, newest first. A page may have fewer games"
    " than `limit`, even none, before the last one.",
    GameList,
    auth="login_required",
    query=PageQuery(),
)
def list_my_invitations(player: str, query: JsonObject) -> JsonObject:
    """List the games to which the player is invited and which wait for the answer.

    To accept, join the game; to decline, delete the invitation. Games of players whom the player has muted
    are left out.
    """
    summaries, cursor = service().games.received_invitations.page(player, **query)
    return {"games": game_summaries(summaries), "next": cursor}


@blueprint.post(
    "/games/<game_id>/rematch",
    "The summary of the rematch.",
    GameSummary,
    limit=limit_new_places,
    json_body=RequestRematch(),
    is_body_required=False,
    errors=(409,),
)
def request_rematch(game_id: str, player: str, body: JsonObject) -> Response:
    """Ask for a rematch of a game that has ended, as one of its players.

    The first player who asks creates a game with the same settings: the bots get places again, and the other
    players are invited. Other players who ask join the same game while it has a free place. The request can
    be repeated, and always leads to the same game, unless that was abandoned before it started.
    """
    game = service().games.rematches.request(
        service().games.queries.visible_game(game_id, player), player, body["nonce"]
    )
    headers = {"Location": f"/api/v1/games/{game.id}"}
    return json_response(game_summary(game), 201, headers)
