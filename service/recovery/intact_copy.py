"""Copies all intact writes of a damaged append-only file into a separate data folder."""

from pathlib import Path
from typing import Final

from service.connection import connect, unavailable_on_error
from service.operation.append_only_file.parts import SINGLE_FILE, find_parts
from service.operation.append_only_file.salvage import Contents, append_intact
from service.operation.append_only_file.snapshot import dump_of
from service.operation.append_only_file.takeover import record_engine
from service.operation.data_folder import make_private
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.engine import find_engine

_PAGE: Final = 500
"""The number of entries that are restored in one round trip."""


def write_intact_copy(contents: Contents, data: Path) -> None:
    """Write the intact writes of an append-only file into a new data folder.

    Raises AppendOnlyFileError if the disk is full, and the errors of EmbeddedRedis.
    """
    make_private(data)
    folder = data / "redis"
    if not contents.damaged_snapshots:
        append_intact(contents, folder / SINGLE_FILE)
        record_engine(folder, find_engine())
        return
    # A server that loads a file ends at the first value that it cannot restore.
    with EmbeddedRedis(data) as server:
        _restore_entries(contents, server)
    append_intact(contents, find_parts(folder)[-1].path)


def _restore_entries(contents: Contents, server: EmbeddedRedis) -> None:
    """Restore the entries of damaged snapshots in a server, except those that it refuses."""
    with connect(server.url) as client, unavailable_on_error():
        for part, writes in contents.damaged_snapshots:
            with part.path.open("rb") as file:
                snapshot = file.read(writes.start)
            entries = writes.entries or ()
            for start in range(0, len(entries), _PAGE):
                with client.pipeline(transaction=False) as pipeline:
                    for entry in entries[start : start + _PAGE]:
                        value, time = dump_of(snapshot, entry), entry.expires_at
                        pipeline.restore(entry.key, time, value, replace=True, absttl=True)
                    pipeline.execute(raise_on_error=False)
