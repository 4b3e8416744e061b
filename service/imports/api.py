"""Imported records: uploading, reading and deleting records of games that were played elsewhere."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from flask import Response, request

from domain.json_types import Count, GameId, JsonObject, PositiveCount, Timestamp
from service.errors import Forbidden
from service.http.blueprint import Blueprint, json_response, response_with_lines
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import body_of
from service.http.validation import Choice, QueryInteger, StrictSchema, read_file
from service.imports.imports import FIELD, too_large
from service.imports.store import ImportedRecord, Verdict


class UploadQuery(StrictSchema):
    """Who can find the record."""

    public = Choice(
        choices=("true", "false"),
        load_default="false",
        description="Whether the record is listed. Otherwise only who knows its `id` can see it.",
    )


class ImportsQuery(StrictSchema):
    """Which page of the list to show."""

    after = QueryInteger(load_default=0, maximum=10**6, description="`next` of the previous page.")
    limit = QueryInteger(minimum=1, maximum=100, load_default=50, description="Records per page.")


class ImportedRecordJson(TypedDict):
    """A record of a game that is over, which a player has uploaded, and what its audit has said.

    `game`, `rules`, `seats`, `players`, `key` and `server` are what the record says. None of it refers to a
    game or a player of this server.
    """

    id: Annotated[str, "Belongs to no game."]
    uploader: Annotated[str | None, "The handle of the player who has uploaded it."]
    uploaded: Timestamp
    public: bool
    game: GameId
    rules: str
    seats: PositiveCount
    players: Annotated[list[str], "The names that the header gives, by seat."]
    events: PositiveCount
    intact: Annotated[Count, "How many events come before the first fault."]
    bytes: PositiveCount
    key: Annotated[str, "The id of the key that has signed it, as the header says."]
    own_key: Annotated[bool, "Whether a key of this server has signed the record."]
    server: str | None
    verdict: Annotated[Verdict, "What the audit has said when the record was uploaded."]
    differs_at: Annotated[int | None, "The first event with a fault, if there is one at an event."]


class ImportedRecordList(TypedDict):
    """A page of imported records, the newest first. `next` is the `after` of the next page, or null."""

    imports: list[ImportedRecordJson]
    next: PositiveCount | None


blueprint = Blueprint("imports", "Records that players have uploaded.", auth="optional_auth")
own = Blueprint("own imports", "The records that a player has uploaded.", auth="login_required")


@blueprint.post(
    "/imports",
    "The record as it is stored, with the verdict of the audit.",
    ImportedRecordJson,
    query=UploadQuery(),
    file_field=FIELD,
    errors=(409,),
    auth="login_required",
    limit=limit_new_places,
)
def upload_record(player: str, query: JsonObject) -> Response:
    """Upload the record of a game that is over, from any server.

    It is audited, and kept as it is, whatever the audit says. It takes no part in lists, statistics and
    ratings of this server.
    """
    bounds = service().settings.bounds
    data = read_file(request, FIELD, bounds.max_import_bytes, too_large(bounds))
    imported = service().imports.upload(player, data, is_public=query["public"] == "true")
    (shown,) = shown_imports([imported])
    return json_response(shown, 201, {"Location": f"/api/v1/imports/{imported.id}"})


@blueprint.get("/imports", "A page of the list.", ImportedRecordList, query=ImportsQuery())
def list_imports(player: str | None, query: JsonObject) -> JsonObject:
    """List the imported records that are public, the newest first."""
    records, next = service().imports.public(query["after"], query["limit"])
    return {"imports": shown_imports(records), "next": next}


@blueprint.get("/imports/<imported>", "The record.", ImportedRecordJson)
def get_import(imported: str, player: str | None) -> JsonObject:
    """Get what is known about an imported record."""
    (shown,) = shown_imports([service().imports.get(imported)])
    return shown


@blueprint.get(
    "/imports/<imported>/record", responses=response_with_lines("The record as it was uploaded.")
)
def get_imported_record(imported: str, player: str | None) -> Response:
    """Get an imported record, byte for byte as it was uploaded."""
    return record_file(service().imports.get(imported))


@blueprint.delete(
    "/imports/<imported>", "The record is deleted.", errors=(403,), auth="login_required"
)
def delete_import(imported: str, player: str) -> None:
    """Delete a record that the player has uploaded."""
    delete_own(service().imports.get(imported), player)


@own.get("/me/imports", "All of them.", ImportedRecordList)
def list_own_imports(player: str) -> JsonObject:
    """List the records that the player has uploaded, the newest first."""
    return {"imports": shown_imports(service().imports.of_player(player)), "next": None}


def record_file(imported: ImportedRecord) -> Response:
    """Return the response with the file of a record, which browsers save and do not show."""
    return Response(
        service().imports.data(imported),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{imported.id}.jsonl"'},
    )


def delete_own(imported: ImportedRecord, player: str) -> None:
    """Delete a record for a player. Raises Forbidden unless they have uploaded it."""
    if imported.uploader != player:
        raise Forbidden.with_message("only the player who has uploaded a record can delete it")
    service().imports.delete(imported)


def shown_imports(records: Sequence[ImportedRecord]) -> list[JsonObject]:
    """Return imported records as JSON."""
    handles = service().accounts.players.handles([record.uploader for record in records])
    return [
        body_of(
            ImportedRecordJson,
            record,
            uploader=handles.get(record.uploader),
            public=record.is_public,
            own_key=record.is_own_key,
        )
        for record in records
    ]
