"""What players have reported, with the event that it is about, and what can be done about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed, Unreadable
from domain.messages import Message, message
from service.administration.pages.guard import (
    MAX_SHOWN,
    WithReason,
    administrator,
    administrators_only,
    done,
)
from service.chat.reports import ChatMessageReport
from service.errors import NotFound, OperationNotPossible
from service.http.context import service
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_reports")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, NotFound, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {
    "closed": message("The report is closed."),
    "erased": message("The text is erased, and the report is closed."),
}


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A report, and the event that the message is about: its seq, or None if it is about none."""

    report: ChatMessageReport
    seq: int | None


def _reports_page(form: Form = EMPTY_FORM, status: int = 200, **_: str) -> Response:
    """Show a page of the reports. The names of what a form was about, which views get, are not needed."""
    reports, following = service().administration.chat_message_reports(
        administrator(), request.args.get("cursor"), MAX_SHOWN
    )
    rows = [ReportRow(report, _seq(report)) for report in reports]
    players = {id for each in reports for id in (each.author, each.reporter)}
    service().accounts.players.handles(players)
    return page(
        "admin_reports.html", status, rows=rows, next=following, form=form, notice=done(_DONE)
    )


def _seq(report: ChatMessageReport) -> int | None:
    conversation = service().chat if report.of == "message" else service().comments
    if report.of in ("post", "tournament_post"):
        return None
    try:
        return conversation.require(report.game, report.number).seq
    except (NotFound, Unreadable):
        return None


@blueprint.get("/admin/reports")
def show_reports() -> Response:
    """Show the open reports, the oldest first."""
    return _reports_page()


@blueprint.post("/admin/reports/<report_id>/closing")
@shows_refusals(_reports_page, *_REFUSALS)
def close_report(report_id: str) -> BaseResponse:
    """Close a report that was dealt with."""
    reason = read_form(WithReason())["reason"]
    service().administration.close_message_report(administrator(), report_id, reason)
    return see_other("/admin/reports?done=closed")


@blueprint.post("/admin/reports/<report_id>/comment")
@shows_refusals(_reports_page, *_REFUSALS)
def erase_comment(report_id: str) -> BaseResponse:
    """Erase the comment, or the post, that a report is about, and close the report."""
    reason = read_form(WithReason())["reason"]
    service().administration.erase_reported_comment(administrator(), report_id, reason)
    return see_other("/admin/reports?done=erased")
