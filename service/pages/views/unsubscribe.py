"""Unsubscribing from all mails about games with the link in a mail, without logging in (RFC 8058)."""

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.messages import message
from service.errors import NotFound
from service.http.context import service
from service.pages.templating import page

blueprint = Blueprint("unsubscribe", __name__)


@blueprint.get("/unsubscribe/<token>")
def show_unsubscription(token: str) -> Response:
    """Show the button with which mails are ended. Opening the page ends nothing."""
    return _unsubscription_page(_player_of(token), is_done=False)


@blueprint.post("/unsubscribe/<token>")
def unsubscribe(token: str) -> Response:
    """End all mails about games to a player.

    A mail program posts here on behalf of its user, without a session. The body of its request is ignored.
    """
    player = _player_of(token)
    preferences = service().preferences
    preferences.store(player, preferences.of(player).without("email"))
    return _unsubscription_page(player, is_done=True)


def _player_of(token: str) -> str:
    """Return the id of the player whose token this is. Raises NotFound."""
    player = service().mail.tokens.unsubscribing_player(token)
    if player is None or not service().players.with_account([player]):
        raise NotFound(message("this link belongs to no account"))
    return player


def _unsubscription_page(player: str, *, is_done: bool) -> Response:
    handles = service().players.handles([player])
    return page(
        "unsubscribe.html",
        headers={"Referrer-Policy": "no-referrer"},
        player_handle=handles.get(player, ""),
        is_done=is_done,
    )
