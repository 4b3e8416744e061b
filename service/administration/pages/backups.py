"""The scheduled backups for administrators: which there are, whether they are good, and making one now."""

from collections.abc import Mapping
from typing import Final

from flask import Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed
from domain.messages import Message, message, message_in
from service.administration.backups import BackupStatus
from service.administration.pages.guard import WithReason, administrator, administrators_only, done
from service.errors import OperationNotPossible
from service.http.context import service
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_backups")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {
    "request": message("A backup begins within a minute, if none is being made now.")
}
_STATUSES: Final[Mapping[BackupStatus, Message]] = {
    "writing": message_in("backup", "is written"),
    "written": message_in("backup", "is verified now"),
    "verified": message_in("backup", "verified"),
    "broken": message_in("backup", "broken"),
    "failed": message_in("backup", "failed"),
}


def _backups_page(form: Form = EMPTY_FORM, status: int = 200) -> Response:
    settings = service().settings
    return page(
        "admin_backups.html",
        status,
        backups=service().backups.all(),
        folder=settings.backup_folder,
        hours=f"{settings.backup_hours:g}",
        kept=settings.backups_kept,
        is_under_way=service().backups.is_locked(),
        is_requested=service().backups.is_requested(),
        statuses=_STATUSES,
        form=form,
        notice=done(_DONE),
    )


@blueprint.get("/admin/backups")
def show_backups() -> Response:
    """Show the backups, the newest first."""
    return _backups_page()


@blueprint.post("/admin/backups")
@shows_refusals(_backups_page, *_REFUSALS)
def request_backup() -> BaseResponse:
    """Have a backup made before the next one is due."""
    reason = read_form(WithReason())["reason"]
    service().administration.request_backup(
        administrator(), reason, service().settings.backup_folder
    )
    return see_other("/admin/backups?done=request")
