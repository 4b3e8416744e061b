"""Requests and responses about imported records."""

from typing import Annotated, TypedDict

from domain.json_types import Count, GameId, PositiveCount, Timestamp
from service.http.validation import Choice, QueryInteger, StrictSchema
from service.imports.store import Verdict


class UploadQuery(StrictSchema):
    """Who can find the record."""

    public = Choice(
        choices=("true", "false"),
        load_default="false",
        metadata={
            "description": "Whether the record is listed. Otherwise only who knows its `id` can see it."
        },
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
