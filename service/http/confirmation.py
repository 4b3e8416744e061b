"""The confirmation mail that follows a registration, on behalf of the client of the current request."""

from contextlib import suppress

from flask import request

from service.errors import TooManyRequests
from service.http.context import service
from service.visitors import network_of


def client_network() -> str:
    """Return the network that the current request comes from."""
    return network_of(request.remote_addr or "")


def request_confirmation(player_id: str) -> None:
    """Have a confirmation mail sent to a player who has just registered, if there is an address.

    If there were too many of these mails, none is sent, and the player can request one later.
    """
    with suppress(TooManyRequests):
        service().mail.confirmations.request(player_id, client_network())
