"""What views need for the current request: the parts of the service, and where the request comes from."""

from contextlib import suppress
from typing import Final, cast

from flask import current_app, request

from service.accounts.password_guesses import LoginSource
from service.accounts.tokens import MAX_CLIENT_LENGTH
from service.bootstrap import Service
from service.errors import TooManyRequests
from service.http.access_log import AccessLog
from service.http.metrics import Metrics
from service.visitors import network_of

SERVICE: Final = "cartulary"
METRICS: Final = "cartulary-metrics"
ACCESS_LOG: Final = "cartulary-access-log"
"""The names under which `create_app` stores these objects in `app.extensions`."""


def service() -> Service:
    """Return the service behind the application that handles the current request."""
    return cast("Service", current_app.extensions[SERVICE])


def metrics() -> Metrics:
    """Return the metrics of the application that handles the current request."""
    return cast("Metrics", current_app.extensions[METRICS])


def access_log() -> AccessLog:
    """Return the access log of the application that handles the current request."""
    return cast("AccessLog", current_app.extensions[ACCESS_LOG])


def client_network() -> str:
    """Return the network that the current request comes from."""
    return network_of(request.remote_addr or "")


def client_source() -> LoginSource:
    """Return where the sender of the current request, which has no cookies, logs in."""
    return LoginSource(client_network())


def client_name() -> str | None:
    """Return the name of the program that sends the request, as far as it is printable."""
    name: str = request.headers.get("User-Agent", "")
    return "".join(filter(str.isprintable, name[:MAX_CLIENT_LENGTH])) or None


def request_confirmation(player_id: str) -> None:
    """Have a confirmation mail sent to a player who has just registered, if there is an address.

    If there were too many of these mails, none is sent, and the player can request one later.
    """
    with suppress(TooManyRequests):
        service().notifications.mail.confirmations.request(player_id, client_network())


def change_email(player_id: str, address: str, password: str | None) -> None:
    """Set the address of a player, and have a mail sent there with which it is confirmed.

    Another address than that of the account needs the password, because its owner can choose a new password.
    Raises Malformed, Forbidden, TooManyRequests; after too many mails, the address is stored all the same.
    """
    mail = service().notifications.mail
    if mail.addresses.is_other(player_id, address):
        service().accounts.players.require_password_of_owner(player_id, password)
    mail.addresses.set(player_id, address)
    mail.confirmations.request(player_id, client_network())
