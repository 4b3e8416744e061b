"""Deliveries of notifications that wait or have failed: send them again, or cancel them."""

from collections.abc import Mapping
from typing import Final

from flask import Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed
from domain.messages import Message, message
from service.administration.pages.guard import WithReason, administrator, administrators_only, done
from service.errors import NotFound, OperationNotPossible
from service.http.context import service
from service.http.language import request_renderer
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_deliveries")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, NotFound, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {
    "attempts": message("The notification is sent again now."),
    "cancellation": message("The delivery is cancelled."),
}


def _deliveries_page(form: Form = EMPTY_FORM, status: int = 200, **_: str) -> Response:
    """Show the deliveries. The names of what a form was about, which views get, are not needed."""
    work = service().administration.work(administrator(), request_renderer().sentence)
    waiting, failed = work["waiting_deliveries"], work["failed_deliveries"]
    players = {id for each in (*waiting, *failed) for id in each["players"]}
    service().accounts.players.handles(players)
    return page(
        "admin_deliveries.html",
        status,
        waiting=waiting,
        failed=failed,
        form=form,
        notice=done(_DONE),
    )


@blueprint.get("/admin/deliveries")
def show_deliveries() -> Response:
    """Show the deliveries that have failed, the latest first, and those that wait, the next first."""
    return _deliveries_page()


@blueprint.post("/admin/deliveries/<delivery_id>/attempts")
@shows_refusals(_deliveries_page, *_REFUSALS)
def resend_delivery(delivery_id: str) -> BaseResponse:
    """Send a notification again."""
    reason = read_form(WithReason())["reason"]
    service().administration.resend_delivery(administrator(), delivery_id, reason)
    return see_other("/admin/deliveries?done=attempts")


@blueprint.post("/admin/deliveries/<delivery_id>/cancellation")
@shows_refusals(_deliveries_page, *_REFUSALS)
def cancel_delivery(delivery_id: str) -> BaseResponse:
    """Cancel a delivery that has not ended."""
    reason = read_form(WithReason())["reason"]
    service().administration.cancel_delivery(administrator(), delivery_id, reason)
    return see_other("/admin/deliveries?done=cancellation")
