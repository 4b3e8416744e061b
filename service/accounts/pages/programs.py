"""What concerns programs of the visitor: personal tokens, and accounts for which a program plays."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, request
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response

from domain.errors import Malformed, NotNow
from domain.messages import Message, message
from service.accounts.personal_tokens import MAX_NAME_LENGTH, SCOPES, PersonalToken, Scope
from service.errors import TooManyPersonalTokens
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.pages import session
from service.pages.forms import Form, read_field, see_other, shows_refusals
from service.pages.return_addresses import ACCOUNT
from service.pages.templating import page
from service.pages.view_models.game_forms import require_sure

blueprint = Blueprint("programs", __name__, template_folder="../templates")

TOKENS: Final = f"{ACCOUNT}/tokens"
DAYS: Final = (7, 30, 90, 365)
"""For how many days a token is valid, as the page offers it."""


_SCOPE_NAMES: Final[Mapping[Scope, Message]] = {
    "read": message("Read: see the games that you see"),
    "play": message("Play: create games, join them and act in them"),
    "chat": message("Chat: read and write messages in your games"),
    "webhooks": message("Webhooks: register addresses to which your notifications are posted"),
}


def _tokens_page(
    status: int = 200,
    *,
    form: Form | None = None,
    bot_form: Form | None = None,
    created: tuple[PersonalToken, str] | None = None,
) -> Response:
    player_id = session.require_player()
    (account,) = service().accounts.players.get([player_id])
    return page(
        "tokens.html",
        status,
        tokens=service().accounts.players.tokens.personal.of(player_id),
        created=created,
        form=form or Form({"read": "yes", "play": "yes", "days": "90"}),
        scopes=_SCOPE_NAMES,
        days=DAYS,
        account=account,
        bot_form=bot_form or Form(),
        max_name_length=MAX_NAME_LENGTH,
    )


@blueprint.get(TOKENS)
def show_tokens() -> Response:
    """Show the visitor's personal tokens, without the tokens themselves."""
    return _tokens_page()


@blueprint.post(TOKENS)
@limit_new_places
@shows_refusals(_tokens_page, Malformed, TooManyPersonalTokens)
def create_token() -> Response:
    """Create a personal token, and show it, once."""
    player_id = session.require_player()
    fields = request.form
    days = fields.get("days", "")
    created = service().accounts.players.tokens.create_personal(
        player_id,
        session.session_token() or "",
        fields.get("name", ""),
        [scope for scope in SCOPES if fields.get(scope)],
        int(days) if days in map(str, DAYS) else 0,
    )
    service().notifications.mail.account_notices.report(
        "token_created", player_id, {"name": created[0].name}
    )
    return _tokens_page(201, created=created)


@blueprint.post(f"{TOKENS}/revoke")
def revoke_token() -> Response:
    """Revoke one of the visitor's personal tokens."""
    player_id = session.require_player()
    service().accounts.players.tokens.revoke_personal(player_id, read_field("token"))
    return see_other(TOKENS)


@blueprint.get(f"{ACCOUNT}/games.jsonl")
def export_games() -> Response:
    """Send the records of all games of the visitor as a file."""
    player_id = session.require_player()
    return FlaskResponse(
        service().games.exports.export(player_id, request.args.get("after")),
        content_type="application/jsonl",
        headers={
            "Content-Disposition": 'attachment; filename="games.jsonl"',
            "Cache-Control": "private, no-store",
        },
    )


@blueprint.post(f"{ACCOUNT}/bot")
@limit_new_places
@shows_refusals(_tokens_page, Malformed, NotNow, form="bot_form", keeps_entries=False)
def mark_as_bot() -> Response:
    """Mark the visitor's account as one for which a program plays."""
    player_id = session.require_player()
    require_sure()
    service().games.listings.require_no_current_games(player_id)
    service().accounts.players.mark_as_bot(player_id)
    return see_other(TOKENS)
