"""Registering, logging in and out, forgotten passwords, the visitor's account, the language of the pages."""

from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from domain.errors import Malformed
from domain.messages import message
from replay.language.catalogue import languages, primary_subtag
from service.accounts.account_reader import Player
from service.accounts.keys import MAX_NAME_LENGTH
from service.accounts.schemas import (
    AddKey,
    ChangePassword,
    ErasePlayer,
    LogIn,
    RequestPasswordReset,
    ResetPassword,
)
from service.accounts.tokens import session_id
from service.errors import (
    Forbidden,
    HandleTaken,
    NotAGuest,
    NotFound,
    OperationNotPossible,
    TooManyRequests,
    Unauthorised,
)
from service.http import problems
from service.http.context import (
    client_name,
    client_network,
    player_locale,
    request_confirmation,
    service,
)
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.validation import Choice, StrictSchema, String
from service.pages import session
from service.pages.forms import Form, entered_form, read_field, read_form, see_other, shows_refusals
from service.pages.return_addresses import ACCOUNT, FORGOTTEN_PASSWORD, naming_address, next_address
from service.pages.templating import page
from service.pages.view_models.game_forms import require_sure

blueprint = Blueprint("accounts", __name__, template_folder="../templates")


class NewAccount(StrictSchema):
    """What a visitor chooses for a new account, or a guest for the account that they have."""

    handle = String(required=True)
    password = String(required=True)
    email = String(load_default=None)


class NewPassword(ChangePassword):
    """A new password, and whether personal tokens are revoked too."""

    tokens = Choice(choices=("yes",), load_default=None)


class OtherSessions(StrictSchema):
    """Whether personal tokens are revoked together with the other sessions."""

    tokens = Choice(choices=("yes",), load_default=None)


class ChosenLanguage(StrictSchema):
    """A language of the pages; none stands for that of the browser."""

    language = String(load_default=None)


@blueprint.get("/login")
def show_login() -> Response:
    """Show the form with which a player logs in; a player who has logged in goes on."""
    account = _current_account()
    if account is not None and not account.is_guest:
        return see_other(next_address())
    return _login_page(Form(), is_interrupted="interrupted" in request.args)


@blueprint.post("/login")
@limit_account_attempts
def log_in() -> Response:
    """Log in, and continue where the visitor wanted to go."""
    form = entered_form()
    try:
        token = service().accounts.players.login(
            **read_form(LogIn()), client=client_name(), source=session.login_source()
        )
    except (Malformed, Unauthorised, TooManyRequests) as error:
        response = _login_page(form.refused(error), problems.status_of(error))
        if isinstance(error, TooManyRequests):
            response.headers["Retry-After"] = str(error.retry_after)
        return response
    session.log_in(token)
    return see_other(next_address())


@blueprint.get("/register")
def show_registration() -> Response:
    """Show the form with which a visitor registers; a guest has an account already, which they can name."""
    account = _current_account()
    if account is not None:
        return see_other(naming_address() if account.is_guest else next_address())
    return page("register.html", form=Form(), next=next_address())


@blueprint.post("/register")
@limit_account_attempts
def register() -> Response:
    """Register, and continue where the visitor wanted to go. The language they have chosen is stored."""
    form = entered_form()
    try:
        player, token = service().accounts.players.register(
            **read_form(NewAccount()),
            locale=player_locale(),
            client=client_name(),
            source=session.login_source(),
        )
    except (Malformed, HandleTaken) as error:
        refused = form.refused(error, "handle")
        return page("register.html", problems.status_of(error), form=refused, next=next_address())
    request_confirmation(player.id)
    session.log_in(token)
    return see_other(next_address())


@blueprint.post("/logout")
def log_out() -> Response:
    """Log out; a guest, who cannot log in again, is asked first."""
    account = _current_account()
    if account is not None and account.is_guest and request.form.get("sure") != "yes":
        games = service().games.listings.count_current_games(account.id)
        return page("guest_logout.html", account=account, games=games, keep=naming_address())
    session.log_out()
    return see_other("/")


@blueprint.post("/language")
def choose_language() -> Response:
    """Store the language of the pages: for a player in the account, for a visitor in the session."""
    language = read_form(ChosenLanguage())["language"]
    if language is not None and language not in languages():
        raise Malformed({"language": message("is not a language of these pages")})
    token = session.session_token()
    if (player_id := session.current_player()) is not None and token is not None:
        service().accounts.players.change_settings(player_id, token, {"locale": language})
    session.set_language(language)
    return see_other(next_address())


@blueprint.post(f"{ACCOUNT}/profile")
def choose_profile() -> Response:
    """Store what others see on the visitor's profile."""
    player_id = session.require_player()
    token = session.session_token() or ""
    settings = {"profile": read_field("profile")}
    service().accounts.players.change_settings(player_id, token, settings)
    return see_other(ACCOUNT)


@blueprint.post(f"{ACCOUNT}/presence")
def choose_presence() -> Response:
    """Store whether the other players of a game see when the visitor is there."""
    player_id = session.require_player()
    token = session.session_token() or ""
    settings = {"presence": read_field("presence")}
    service().accounts.players.change_settings(player_id, token, settings)
    return see_other(ACCOUNT)


def account_page(
    status: int = 200,
    *,
    form: Form | None = None,
    email_form: Form | None = None,
    password_form: Form | None = None,
    erase_form: Form | None = None,
) -> Response:
    """Return the page of the visitor's account, with the forms that were refused."""
    player_id = session.require_player()
    (account,) = service().accounts.players.get([player_id])
    if account is None:
        raise Unauthorised.with_message("the account of this token has been deleted")
    return page(
        "account.html",
        status,
        account=account,
        is_administrator=service().administration.is_administrator(player_id),
        account_language=None if account.locale is None else primary_subtag(account.locale),
        sessions=service().accounts.players.tokens.sessions(player_id),
        personal_tokens=len(service().accounts.players.tokens.personal.of(player_id)),
        muted=service().accounts.mutes.of(player_id),
        current_session=session_id(session.session_token() or ""),
        next=next_address(ACCOUNT),
        form=form or Form(),
        email_form=email_form or Form({"email": account.email or ""}),
        email_refusal=service().notifications.mail.addresses.refusal(player_id),
        is_mail_configured=service().notifications.mail.confirmations.is_mail_configured,
        password_form=password_form or Form(),
        erase_form=erase_form or Form(),
    )


_PASSWORD_ERRORS: Final = (Malformed, Forbidden, TooManyRequests)
"""Errors about the password with which a visitor confirms something."""


@blueprint.get(ACCOUNT)
def show_account() -> Response:
    """Show the visitor's own account."""
    return account_page()


@blueprint.post(f"{ACCOUNT}/name")
@limit_account_attempts
@shows_refusals(account_page, HandleTaken, field="handle")
@shows_refusals(account_page, Malformed, NotAGuest)
def name_guest() -> Response:
    """Give the account of a guest a handle and a password, and continue where the guest wanted to go."""
    player_id = session.require_player()
    service().accounts.players.name_guest(
        player_id, **read_form(NewAccount()), source=session.login_source()
    )
    request_confirmation(player_id)
    return see_other(next_address(ACCOUNT))


@blueprint.post(f"{ACCOUNT}/password")
@limit_account_attempts
@shows_refusals(
    account_page, *_PASSWORD_ERRORS, form="password_form", field="password", keeps_entries=False
)
def change_password() -> Response:
    """Change the password, and end all other sessions; with `tokens`, revoke personal tokens too."""
    player_id = session.require_player()
    token = session.session_token() or ""
    values = read_form(NewPassword())
    revokes_tokens = values.pop("tokens") is not None
    service().accounts.players.change_password(player_id, token, **values)
    if revokes_tokens:
        service().accounts.players.tokens.revoke_all_personal(player_id)
    service().notifications.mail.account_notices.report("password_changed", player_id)
    return see_other(ACCOUNT)


@blueprint.post(f"{ACCOUNT}/sessions")
def end_session() -> Response:
    """End one of the visitor's sessions."""
    player_id = session.require_player()
    service().accounts.players.tokens.end(player_id, read_field("session"))
    return see_other(ACCOUNT)


@blueprint.post(f"{ACCOUNT}/sessions/others")
def end_other_sessions() -> Response:
    """End all sessions of the visitor but this one; with `tokens`, revoke personal tokens too."""
    player_id = session.require_player()
    revokes_tokens = read_form(OtherSessions())["tokens"] is not None
    tokens = service().accounts.players.tokens
    tokens.end_all(player_id, except_token=session.session_token())
    if revokes_tokens:
        tokens.revoke_all_personal(player_id)
    return see_other(ACCOUNT)


@blueprint.post(f"{ACCOUNT}/erase")
@limit_account_attempts
@shows_refusals(
    account_page, *_PASSWORD_ERRORS, form="erase_form", field="password", keeps_entries=False
)
def erase() -> Response:
    """Erase the visitor's account, as `DELETE /me` of the API does."""
    player_id = session.require_player()
    account = _current_account()
    password = None
    if account is not None and account.is_guest:
        require_sure()
    else:
        password = read_form(ErasePlayer())["password"]
    service().accounts.erasure.erase(player_id, password)
    session.log_out()
    return see_other("/")


KEYS: Final = f"{ACCOUNT}/keys"


class NamedKey(StrictSchema):
    """A key of the visitor, and its name; without one, the key loses its name."""

    key = String(required=True)
    name = String(load_default=None)


def _keys_page(status: int = 200, form: Form | None = None) -> Response:
    keys = service().accounts.keys.described(session.require_player())
    return page(
        "account_keys.html",
        status,
        keys=sorted(keys, key=lambda key: key["until"] is not None),
        form=form or Form(),
        max_keys=service().settings.bounds.max_keys_per_player,
        max_name_length=MAX_NAME_LENGTH,
    )


@blueprint.get(KEYS)
def show_keys() -> Response:
    """Show the keys with which the visitor's browsers and programs sign."""
    return _keys_page()


@blueprint.post(KEYS)
@limit_new_places
def add_key() -> Response:
    """Register the key of the visitor's browser, which the script of the page has made."""
    player_id = session.require_player()
    values = read_form(AddKey())
    public, proof = bytes.fromhex(values["public"]), bytes.fromhex(values["proof"])
    name = _device_name(request.user_agent.string)
    service().games.key_registry.add(player_id, public, proof, name)
    return Response(status=204)


@blueprint.post(f"{KEYS}/name")
@limit_new_places
@shows_refusals(_keys_page, Malformed)
def name_key() -> Response:
    """Give one of the visitor's keys another name."""
    player_id = session.require_player()
    values = read_form(NamedKey())
    service().accounts.keys.rename(player_id, values["key"], values["name"])
    return see_other(KEYS)


@blueprint.post(f"{KEYS}/revoke")
@limit_new_places
def revoke_key() -> Response:
    """Revoke one of the visitor's keys."""
    service().games.key_registry.revoke(session.require_player(), read_field("key"))
    return see_other(KEYS)


_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
"""What a User-Agent contains, and the name of the browser.

Most browsers also name others, so the order counts.
"""
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def _device_name(user_agent: str) -> str | None:
    """Return a name such as `Firefox, Linux` for a browser by its User-Agent; None if it is unknown."""
    names = [
        next((name for part, name in known if part in user_agent), None)
        for known in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, names)) or None


def _login_page(form: Form, status: int = 200, *, is_interrupted: bool = False) -> Response:
    account = _current_account()
    return page(
        "login.html",
        status,
        form=form,
        next=next_address(),
        is_interrupted=is_interrupted,
        guest=account if account is not None and account.is_guest else None,
        keep=naming_address(),
    )


def _current_account() -> Player | None:
    player_id = session.current_player()
    if player_id is None:
        return None
    (account,) = service().accounts.players.get([player_id])
    return account


def _request_page(
    form: Form, status: int = 200, *, is_sent: bool = False, has_link_ended: bool = False
) -> Response:
    return page(
        "forgotten_password.html",
        status,
        form=form,
        next=next_address(),
        is_sent=is_sent,
        has_link_ended=has_link_ended,
        is_mail_configured=service().notifications.mail.password_resets.is_mail_configured,
    )


@blueprint.get(FORGOTTEN_PASSWORD)
def show_request() -> Response:
    """Show the form with which a link is sent, and what to do without an address."""
    return _request_page(Form())


@blueprint.post(FORGOTTEN_PASSWORD)
@limit_account_attempts
@shows_refusals(_request_page, Malformed, OperationNotPossible, TooManyRequests)
def request_reset() -> Response:
    """Have a link sent. The page does not reveal whether there is such an account."""
    handle = read_form(RequestPasswordReset())["handle"]
    service().notifications.mail.password_resets.request(handle, client_network())
    return _request_page(entered_form(), is_sent=True)


@blueprint.get("/password/new/<token>")
def show_new_password(token: str) -> Response:
    """Show the form with which a new password is chosen. Opening it changes nothing.

    A link that has been used leads on to logging in, or to another link.
    """
    try:
        return _new_password_page(token, Form())
    except NotFound:
        return _request_page(Form(), has_link_ended=True)


@blueprint.post("/password/new")
@limit_account_attempts
def choose_new_password() -> Response:
    """Replace the password, and end all sessions. A link that has been used leads on."""
    try:
        values = read_form(ResetPassword())
        player = service().notifications.mail.password_resets.reset(
            **values, source=session.login_source()
        )
    except Malformed as error:
        token = request.form.get("token", "")
        return _new_password_page(token, Form().refused(error), problems.status_of(error))
    except NotFound:
        return _request_page(Form(), has_link_ended=True)
    session.log_out()
    return page("new_password.html", player_handle=player.handle, is_done=True)


def _new_password_page(token: str, form: Form, status: int = 200) -> Response:
    player = service().notifications.mail.password_resets.find(token)
    return page(
        "new_password.html",
        status,
        form=form,
        token=token,
        player_handle=player.handle,
        is_done=False,
    )
