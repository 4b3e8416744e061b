"""Records that players have uploaded.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, long_call, read_nothing, reader, segment


class ImportedRecord(TypedDict):
    """A record of a game that is over, which a player has uploaded, and what its audit has said.
    `game`, `rules`, `seats`, `players`, `key` and `server` are what the record says. None of it
    refers to a game or a player of this server.
    """

    id: str
    uploader: str | None
    uploaded: str
    public: bool
    game: str
    rules: str
    seats: int
    players: list[str]
    events: int
    intact: int
    bytes: int
    key: str
    own_key: bool
    server: str | None
    verdict: str
    differs_at: int | None


class ImportedRecordList(TypedDict):
    """A page of imported records, the newest first. `next` is the `after` of the next page, or
    null.
    """

    imports: list[ImportedRecord]
    next: int | None


def upload_record(file: bytes, /, *, public: bool | None = None) -> Call[ImportedRecord]:
    """Upload the record of a game that is over, from any server.

    It is audited, and kept as it is, whatever the audit says. It takes no part in lists, statistics
    and ratings of this server.
    """
    return call("POST", "/imports", reader(ImportedRecord), params={"public": public}, file=file)


def list_imports(*, after: int | None = None, limit: int | None = None) -> Call[ImportedRecordList]:
    """List the imported records that are public, the newest first."""
    return call(
        "GET", "/imports", reader(ImportedRecordList), params={"after": after, "limit": limit}
    )


def get_import(imported: str, /) -> Call[ImportedRecord]:
    """Get what is known about an imported record."""
    return call("GET", f"/imports/{segment(imported)}", reader(ImportedRecord))


def delete_import(imported: str, /) -> Call[None]:
    """Delete a record that the player has uploaded."""
    return call("DELETE", f"/imports/{segment(imported)}", read_nothing)


def get_imported_record(imported: str, /) -> Call[bytes]:
    """Get an imported record, byte for byte as it was uploaded."""
    return long_call(f"/imports/{segment(imported)}/record")


def list_own_imports() -> Call[ImportedRecordList]:
    """List the records that the player has uploaded, the newest first."""
    return call("GET", "/me/imports", reader(ImportedRecordList))


class ImportsCalls(Group[C_co]):
    """Records that players have uploaded."""

    upload = Method(upload_record)
    list = Method(list_imports)
    get = Method(get_import)
    delete = Method(delete_import)
    get_record = Method(get_imported_record)
    list_own = Method(list_own_imports)
