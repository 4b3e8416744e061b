"""A forgotten password: the form to have a link sent, and the page behind the link."""

from flask import Blueprint, request
from werkzeug.wrappers import Response

from domain.errors import Malformed
from service.errors import OperationNotPossible, TooManyRequests
from service.http import problems
from service.http.confirmation import client_network
from service.http.context import service
from service.http.ratelimits import limit_account_attempts
from service.http.schemas.account_requests import RequestPasswordReset, ResetPassword
from service.pages import session
from service.pages.forms import Form, entered_form, read_form
from service.pages.return_addresses import FORGOTTEN_PASSWORD, next_address
from service.pages.templating import page

blueprint = Blueprint("password", __name__)


@blueprint.get(FORGOTTEN_PASSWORD)
def show_request() -> Response:
    """Show the form with which a link is sent, and what to do without an address."""
    return _request_page(Form())


@blueprint.post(FORGOTTEN_PASSWORD)
@limit_account_attempts
def request_reset() -> Response:
    """Have a link sent. The page does not reveal whether there is such an account."""
    form = entered_form()
    try:
        handle = read_form(RequestPasswordReset())["handle"]
        service().mail.password_resets.request(handle, client_network())
    except (Malformed, OperationNotPossible, TooManyRequests) as error:
        return _request_page(form.refused(error), problems.status_of(error))
    return _request_page(form, is_sent=True)


@blueprint.get("/password/new/<token>")
def show_new_password(token: str) -> Response:
    """Show the form with which a new password is chosen. Opening it changes nothing."""
    return _new_password_page(token, Form())


@blueprint.post("/password/new")
@limit_account_attempts
def choose_new_password() -> Response:
    """Replace the password, and end all sessions."""
    try:
        values = read_form(ResetPassword())
        player = service().mail.password_resets.reset(**values, source=session.login_source())
    except Malformed as error:
        token = request.form.get("token", "")
        return _new_password_page(token, Form().refused(error), problems.status_of(error))
    session.log_out()
    return page("new_password.html", player_handle=player.handle, is_done=True)


def _request_page(form: Form, status: int = 200, *, is_sent: bool = False) -> Response:
    return page(
        "forgotten_password.html",
        status,
        form=form,
        next=next_address(),
        is_sent=is_sent,
        is_mail_configured=service().mail.password_resets.is_mail_configured,
    )


def _new_password_page(token: str, form: Form, status: int = 200) -> Response:
    player = service().mail.password_resets.find(token)
    return page(
        "new_password.html",
        status,
        form=form,
        token=token,
        player_handle=player.handle,
        is_done=False,
    )
