"""Who sees the pages of administrators, and what their forms have in common."""

from collections.abc import Mapping

from flask import Blueprint, request

from domain.messages import Message
from service.errors import NotFound
from service.http.context import service
from service.http.validation import Choice, StrictSchema, String
from service.pages.session import current_player, require_player

MAX_SHOWN: int = 50
"""Rows of a page of a list."""


class WithReason(StrictSchema):
    """Why an administrator does this."""

    reason = String(required=True)


class ConfirmedReason(WithReason):
    """Why an administrator does something final, with the box ticked that confirms it."""

    sure = Choice(choices=("yes",), required=True)


def administrators_only(name: str) -> Blueprint:
    """Return a blueprint of pages that only administrators see."""
    blueprint = Blueprint(name, __name__, template_folder="../templates")
    blueprint.before_request(_require_administrator)
    return blueprint


def administrator() -> str:
    """Return the id of the administrator who views the page."""
    return require_player()


def done(notices: Mapping[str, Message]) -> Message | None:
    """Return what to say of the operation after which a page is shown; None if there was none."""
    return notices.get(request.args.get("done", ""))


def _require_administrator() -> None:
    """Raise NotFound, as for an address without a page, unless the visitor is an administrator."""
    player_id = current_player()
    if player_id is None or not service().administration.is_administrator(player_id):
        raise NotFound.with_message("There is no page at this address.")
