"""Announcements for administrators: what every page shows, a new one, and withdrawing one."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from flask import Response
from marshmallow import Schema
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed
from domain.messages import Message, message
from replay.language.catalogue import ENGLISH, languages
from service import wall_clock
from service.administration.announcements import MAX_DAYS, MAX_TEXT
from service.administration.pages.guard import WithReason, administrator, administrators_only, done
from service.errors import NotFound, OperationNotPossible
from service.http.context import service
from service.http.validation import QueryInteger, String
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_announcements")

USUAL_HOURS: Final = 24
MAX_HOURS: Final = MAX_DAYS * 24
_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {
    "announced": message("Every page shows the announcement within five seconds."),
    "withdrawn": message("The announcement is withdrawn."),
}


def _new_announcement() -> Schema:
    """Return the schema of a new announcement: a text for each language, of which one may be missing."""
    texts = {
        f"text_{tag}": String(required=True) if tag == ENGLISH else String(load_default=None)
        for tag in languages()
    }
    hours = QueryInteger(minimum=1, maximum=MAX_HOURS, required=True)
    return WithReason.from_dict({**texts, "hours": hours})()


def _announcements_page(form: Form = EMPTY_FORM, status: int = 200, **_: str) -> Response:
    """Show the announcements. The names of what a form was about, which views get, are not needed."""
    current = service().announcements.current()
    return page(
        "admin_announcements.html",
        status,
        announcements=current,
        form=form,
        usual_hours=USUAL_HOURS,
        max_hours=MAX_HOURS,
        max_text=MAX_TEXT,
        notice=done(_DONE),
    )


@blueprint.get("/admin/announcements")
def show_announcements() -> Response:
    """Show the current announcements, and the form of a new one."""
    return _announcements_page()


@blueprint.post("/admin/announcements")
@shows_refusals(_announcements_page, *_REFUSALS)
def announce() -> BaseResponse:
    """Announce something to everybody."""
    values = read_form(_new_announcement())
    texts = {tag: text for tag in languages() if (text := values[f"text_{tag}"])}
    ends = wall_clock.format(wall_clock.now() + timedelta(hours=values["hours"]))
    service().administration.announce(administrator(), texts, ends, values["reason"])
    return see_other("/admin/announcements?done=announced")


@blueprint.post("/admin/announcements/<announcement_id>/withdrawal")
@shows_refusals(_announcements_page, Malformed, NotFound)
def withdraw(announcement_id: str) -> BaseResponse:
    """Withdraw an announcement before its end."""
    reason = read_form(WithReason())["reason"]
    service().administration.withdraw_announcement(administrator(), announcement_id, reason)
    return see_other("/admin/announcements?done=withdrawn")
