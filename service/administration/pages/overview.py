"""The first page of administrators: everything is in order, or what is wrong and how to mend it."""

from flask import Response

from service.administration.pages.guard import administrator, administrators_only
from service.http.context import service
from service.pages.templating import page

blueprint = administrators_only("admin_overview")


@blueprint.get("/admin")
def show_overview() -> Response:
    """Show what the checks of the service find, the faults first."""
    findings = service().administration.overview(administrator())
    return page(
        "admin_overview.html",
        faults=[each for each in findings if each[1].status == "fault"],
        warnings=[each for each in findings if each[1].status == "warning"],
        sound=[each for each in findings if each[1].status == "ok"],
    )
