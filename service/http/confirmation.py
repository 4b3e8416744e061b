"""The client of the current request: where it is, and the confirmation mail that follows a registration."""

from contextlib import suppress

from flask import request

from service.accounts.password_guesses import LoginSource
from service.errors import TooManyRequests
from service.http.context import service
from service.visitors import network_of


def client_network() -> str:
    """Return the network that the current request comes from."""
    return network_of(request.remote_addr or "")


def client_source() -> LoginSource:
    """Return where the sender of the current request, which has no cookies, logs in."""
    return LoginSource(client_network())


def request_confirmation(player_id: str) -> None:
    """Have a confirmation mail sent to a player who has just registered, if there is an address.

    If there were too many of these mails, none is sent, and the player can request one later.
    """
    with suppress(TooManyRequests):
        service().mail.confirmations.request(player_id, client_network())


def change_email(player_id: str, address: str, password: str | None) -> None:
    """Set the address of a player, and have a mail sent there with which it is confirmed.

    Another address than that of the account needs the password, because its owner can choose a new password.
    Raises Malformed, Forbidden, TooManyRequests; after too many mails, the address is stored all the same.
    """
    mail = service().mail
    if mail.addresses.is_other(player_id, address):
        service().players.require_password_of_owner(player_id, password)
    mail.addresses.set(player_id, address)
    mail.confirmations.request(player_id, client_network())
