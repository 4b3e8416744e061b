"""The administration log on a page: the newest entries first, and whether its chain is unbroken."""

import orjson
from flask import Response, request

from service.administration.pages.guard import MAX_SHOWN, administrator, administrators_only
from service.http.context import service
from service.pages.forms import number_parameter
from service.pages.templating import page

blueprint = administrators_only("admin_log")


@blueprint.get("/admin/log")
def show_log() -> Response:
    """Show entries of the log, and with `check` whether one was changed or removed."""
    administration = service().administration
    is_checked = "check" in request.args
    fault = administration.first_log_fault() if is_checked else None
    before = number_parameter("before")
    entries = administration.log_page_before(administrator(), before, MAX_SHOWN)
    service().accounts.players.handles({entry["administrator"] for entry in entries})
    return page(
        "admin_log.html",
        entries=[
            {**entry, "text": orjson.dumps(entry["details"], option=orjson.OPT_SORT_KEYS).decode()}
            for entry in entries
        ],
        before=entries[-1]["seq"] if entries and entries[-1]["seq"] > 1 else None,
        is_checked=is_checked,
        fault=fault,
    )
