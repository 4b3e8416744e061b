"""Imported records: uploading one, the list of them, and the pages of one."""

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from domain.json_types import JsonObject
from replay.audit.findings import CHECK_TITLES
from service.errors import BodyTooLarge, Unavailable
from service.http.context import service
from service.http.language import request_language
from service.http.ratelimits import limit_audits, limit_new_places
from service.http.validation import read_file
from service.imports.api import delete_own, record_file
from service.imports.imports import FIELD, too_large
from service.imports.replayed_record import ReplayedRecord
from service.imports.store import ImportedRecord, TooManyImports
from service.pages import session
from service.pages.forms import Form, number_parameter, see_other, shows_refusals
from service.pages.replayed_pages import (
    comparison_page,
    event_page,
    log_page,
    scores_page,
    table_page,
)
from service.pages.session import current_player
from service.pages.templating import page
from service.pages.view_models.proof_view import MAX_SHOWN_FINDINGS
from service.pages.view_models.replayed_game import ReplayedGame, replayed_record, use_names_of

IMPORTS = "/imports"
SHOWN_RECORDS = 20
"""Records of others on a page of the list."""

blueprint = Blueprint("imports", __name__, template_folder="templates")


def _list_page(status: int = 200, form: Form | None = None) -> Response:
    player_id = current_player()
    after = number_parameter("after") or 0
    public, next_after = service().imports.public(min(after, 10**6), SHOWN_RECORDS)
    return page(
        "imports.html",
        status,
        form=form or Form(),
        own=[] if player_id is None else service().imports.of_player(player_id),
        public=public,
        after=after,
        next_after=next_after,
        max_bytes=service().settings.bounds.max_import_bytes,
        player_id=player_id,
    )


@blueprint.get(IMPORTS)
def show_imports() -> Response:
    """Show the form for an upload, the visitor's records, and those that are public."""
    return _list_page()


@blueprint.post(IMPORTS)
@limit_new_places
@shows_refusals(_list_page, Malformed)
@shows_refusals(_list_page, BodyTooLarge, TooManyImports, Unavailable, field=FIELD)
def upload_record() -> BaseResponse:
    """Upload a record, and show it."""
    player_id = session.require_player()
    bounds = service().settings.bounds
    data = read_file(request, FIELD, bounds.max_import_bytes, too_large(bounds))
    imported = service().imports.upload(
        player_id, data, is_public=request.form.get("public") == "yes"
    )
    return see_other(f"{IMPORTS}/{imported.id}")


@blueprint.get(f"{IMPORTS}/<import_id>")
def show_import(import_id: str) -> Response:
    """Show where a record comes from, and what its audit says."""
    return _import_page(service().imports.get(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/replay")
def show_event(import_id: str) -> Response:
    """Show an event of a record."""
    return event_page(_replayed(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/table")
def show_table(import_id: str) -> Response:
    """Show a position of a record as a table of its hexes."""
    return table_page(_replayed(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/log")
def list_events(import_id: str) -> Response:
    """List the intact events of a record, those that pass the filter of the form."""
    return log_page(_replayed(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/compare")
def compare_events(import_id: str) -> Response:
    """Show the positions after two events of a record beside each other."""
    return comparison_page(_replayed(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/scores")
def show_scores(import_id: str) -> Response:
    """Show the scores through a record."""
    return scores_page(_replayed(import_id))


@blueprint.get(f"{IMPORTS}/<import_id>/record")
def download_record(import_id: str) -> Response:
    """Return a record as it was uploaded."""
    return record_file(service().imports.get(import_id))


@blueprint.post(f"{IMPORTS}/<import_id>/audit")
@limit_audits
def audit_record(import_id: str) -> Response:
    """Audit a record again, and show the report."""
    imported = service().imports.get(import_id)
    return _import_page(imported, service().imports.report(imported, request_language()))


@blueprint.post(f"{IMPORTS}/<import_id>/delete")
def delete_record(import_id: str) -> BaseResponse:
    """Delete a record that the visitor has uploaded."""
    delete_own(service().imports.get(import_id), session.require_player())
    return see_other(IMPORTS)


def _replayed(import_id: str) -> ReplayedGame:
    return replayed_record(service().imports.replayed(service().imports.get(import_id)))


def _import_page(imported: ImportedRecord, report: JsonObject | None = None) -> Response:
    record: ReplayedRecord = service().imports.replayed(imported)
    use_names_of(record)
    return page(
        "import.html",
        game=record.head,
        imported=imported,
        faulty=record.first_faulty_event,
        report=report,
        audit_titles=CHECK_TITLES,
        max_shown=MAX_SHOWN_FINDINGS,
        is_own=current_player() == imported.uploader,
    )
