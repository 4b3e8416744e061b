"""Accounts for administrators: the search, and the page of one with what can be done about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed
from domain.messages import Message, message
from service.administration.pages.guard import (
    MAX_SHOWN,
    ConfirmedReason,
    WithReason,
    administrator,
    administrators_only,
    done,
)
from service.administration.schemas import GrantRole
from service.errors import OperationNotPossible
from service.http.context import service
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_players")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {
    "sessions": message("All sessions of the player have ended."),
    "suspension": message("The account is suspended, and all sessions have ended."),
    "unsuspension": message("The player can log in again."),
    "role": message("The role was changed."),
    "erasure": message("The player is erased."),
}


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a player uses of something that is bounded; `setting` is the bound."""

    label: Message
    used: int
    most: int
    setting: str


@blueprint.get("/admin/players")
def search_players() -> Response:
    """Show the accounts whose handles begin with what was entered."""
    handle = request.args.get("handle", "").strip()
    accounts, following = service().administration.search_players(
        administrator(), handle, request.args.get("after"), MAX_SHOWN
    )
    return page(
        "admin_players.html",
        form=Form({"handle": handle}),
        accounts=accounts,
        next=following,
        notice=done(_DONE),
    )


@blueprint.get("/admin/players/<player_id>")
def show_player(player_id: str) -> Response:
    """Show an account, what it uses of its quotas, and the operations on it."""
    return _player_page(player_id)


def _player_page(
    player_id: str, form: Form = EMPTY_FORM, status: int = 200, password: str | None = None
) -> Response:
    account = service().administration.player(administrator(), player_id)
    return page(
        "admin_player.html",
        status,
        account=account,
        player=account.player,
        form=form,
        notice=done(_DONE),
        password=password,
        quotas=_quotas(player_id),
    )


def _quotas(player_id: str) -> list[Quota]:
    parts, bounds = service(), service().settings.bounds
    clubs = sum(club.relation == "member" for club in parts.clubs.of(player_id))
    return [
        Quota(
            message("games that are open or in progress"),
            parts.games.listings.count_current_games(player_id),
            bounds.max_games_per_player,
            "MAX_GAMES_PER_PLAYER",
        ),
        Quota(message("clubs"), clubs, bounds.max_clubs_per_player, "MAX_CLUBS_PER_PLAYER"),
        Quota(
            message("personal tokens"),
            len(parts.accounts.players.tokens.personal.of(player_id)),
            bounds.max_personal_tokens_per_player,
            "MAX_PERSONAL_TOKENS_PER_PLAYER",
        ),
        Quota(
            message("webhooks"),
            len(parts.notifications.webhooks.of(player_id)),
            bounds.max_webhooks_per_player,
            "MAX_WEBHOOKS_PER_PLAYER",
        ),
    ]


@blueprint.post("/admin/players/<player_id>/password")
@shows_refusals(_player_page, *_REFUSALS)
def reset_password(player_id: str) -> Response:
    """Give a player a new password, and show it, once."""
    reason = read_form(WithReason())["reason"]
    password = service().administration.reset_password(administrator(), player_id, reason)
    return _player_page(player_id, password=password)


@blueprint.post("/admin/players/<player_id>/sessions")
@shows_refusals(_player_page, *_REFUSALS)
def end_sessions(player_id: str) -> BaseResponse:
    """End all sessions of a player."""
    reason = read_form(WithReason())["reason"]
    service().administration.end_sessions(administrator(), player_id, reason)
    return _shown(player_id, "sessions")


@blueprint.post("/admin/players/<player_id>/suspension")
@shows_refusals(_player_page, *_REFUSALS)
def suspend(player_id: str) -> BaseResponse:
    """Suspend an account."""
    reason = read_form(WithReason())["reason"]
    service().administration.suspend(administrator(), player_id, reason)
    return _shown(player_id, "suspension")


@blueprint.post("/admin/players/<player_id>/unsuspension")
@shows_refusals(_player_page, *_REFUSALS)
def end_suspension(player_id: str) -> BaseResponse:
    """End a suspension."""
    reason = read_form(WithReason())["reason"]
    service().administration.end_suspension(administrator(), player_id, reason)
    return _shown(player_id, "unsuspension")


@blueprint.post("/admin/players/<player_id>/role")
@shows_refusals(_player_page, *_REFUSALS)
def grant_role(player_id: str) -> BaseResponse:
    """Give a player a role, instead of the one that they have."""
    service().administration.set_role(
        administrator(), player_id, **{"role": "admin", **read_form(GrantRole())}
    )
    return _shown(player_id, "role")


@blueprint.post("/admin/players/<player_id>/role/revocation")
@shows_refusals(_player_page, *_REFUSALS)
def revoke_role(player_id: str) -> BaseResponse:
    """Take the role of a player away. Who revokes their own sees no page of administrators any more."""
    reason = read_form(WithReason())["reason"]
    service().administration.set_role(administrator(), player_id, None, reason)
    return _shown(player_id, "role")


@blueprint.post("/admin/players/<player_id>/erasure")
@shows_refusals(_player_page, *_REFUSALS)
def erase(player_id: str) -> BaseResponse:
    """Erase a player for good."""
    reason = read_form(ConfirmedReason())["reason"]
    service().administration.delete_player(administrator(), player_id, reason)
    return see_other("/admin/players?done=erasure")


def _shown(player_id: str, operation: str) -> BaseResponse:
    if player_id == administrator() and operation == "role":
        return see_other("/account")
    return see_other(f"/admin/players/{player_id}?done={operation}")
