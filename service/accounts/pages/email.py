"""The e-mail address of the visitor, and the pages behind the links in mails: confirming, unsubscribing."""

from flask import Blueprint, request
from werkzeug.wrappers import Response

from domain.errors import Malformed
from service.accounts.pages.accounts import account_page
from service.accounts.schemas import ChangeEmail
from service.errors import Forbidden, NotFound, TooManyRequests
from service.http.context import change_email, service
from service.http.ratelimits import limit_account_attempts
from service.pages import session
from service.pages.forms import read_form, see_other, shows_refusals
from service.pages.return_addresses import ACCOUNT
from service.pages.templating import page

blueprint = Blueprint("email", __name__, template_folder="../templates")


@blueprint.post(f"{ACCOUNT}/email")
@limit_account_attempts
@shows_refusals(account_page, Forbidden, form="email_form", field="password")
@shows_refusals(account_page, Malformed, TooManyRequests, form="email_form", field="email")
def set_email() -> Response:
    """Set the visitor's address, and have a mail sent there with which it is confirmed."""
    player_id = session.require_player()
    values = read_form(ChangeEmail())
    change_email(player_id, values["email"], values["password"])
    return see_other(f"{ACCOUNT}#email-heading")


@blueprint.post(f"{ACCOUNT}/email/remove")
@limit_account_attempts
@shows_refusals(
    account_page, Malformed, Forbidden, TooManyRequests, form="email_form", field="password"
)
def remove_email() -> Response:
    """Remove the visitor's address from the account."""
    player_id = session.require_player()
    # The button is one of the form that changes the address.
    password = request.form.get("password") or None
    service().accounts.players.require_password_of_owner(player_id, password)
    service().notifications.mail.addresses.remove(player_id)
    return see_other(f"{ACCOUNT}#email-heading")


@blueprint.get("/email/confirm/<token>")
def show_confirmation(token: str) -> Response:
    """Show what the link in a mail confirms.

    Opening it confirms nothing, since programs that check mails open links too.
    """
    return _confirmation_page(token, is_confirmed=False)


@blueprint.post("/email/confirm/<token>")
@limit_account_attempts
def confirm_email(token: str) -> Response:
    """Confirm an address. The visitor need not be logged in: the link proves who they are."""
    service().notifications.mail.confirmations.confirm(token)
    return _confirmation_page(token, is_confirmed=True)


def _confirmation_page(token: str, *, is_confirmed: bool) -> Response:
    confirmation = service().notifications.mail.confirmations.find(token)
    (account,) = service().accounts.players.get([confirmation.player])
    return page(
        "confirm_email.html",
        address=confirmation.address,
        player_handle="" if account is None else account.handle,
        is_confirmed=is_confirmed,
    )


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
    preferences = service().notifications.preferences
    preferences.store(player, preferences.of(player).without("email"))
    return _unsubscription_page(player, is_done=True)


def _player_of(token: str) -> str:
    """Return the id of the player whose token this is. Raises NotFound."""
    player = service().notifications.mail.tokens.unsubscribing_player(token)
    if player is None or not service().accounts.players.with_account([player]):
        raise NotFound.with_message("this link belongs to no account")
    return player


def _unsubscription_page(player: str, *, is_done: bool) -> Response:
    handles = service().accounts.players.handles([player])
    return page(
        "unsubscribe.html",
        headers={"Referrer-Policy": "no-referrer"},
        player_handle=handles.get(player, ""),
        is_done=is_done,
    )
