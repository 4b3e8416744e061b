"""Guests: visitors who play without having registered."""

from service.http.auth import player_locale
from service.http.context import service
from service.http.routes.players import client_name
from service.pages.session import log_in, viewer


def require_player_or_guest() -> str:
    """Return the id of the player who views the page; a visitor becomes a guest, and is logged in.

    Views that call this need the rate limit of registrations, `limit_account_attempts`.
    """
    player_id = viewer()
    if player_id is None:
        guest, token = service().players.create_guest(player_locale(), client=client_name())
        log_in(token)
        player_id = guest.id
    return player_id
