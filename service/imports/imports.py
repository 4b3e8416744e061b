"""Imported records: uploads, audits and deletions.

A record may have been forged by somebody who knows this program. Therefore an upload is bounded, must have
the form of a record of a game that is over, and is audited in a separate process, with bounds on its time and
memory (service/audits). Pages replay only the events before the first fault: the rules have confirmed each of
them, so they cost no more than those of a game of this server.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from threading import Lock
from typing import Any, Final

from cachetools import LRUCache

from domain.errors import Malformed, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, Text, message
from ledger.record import Record, read
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.audits.audits import Audits, AuditTooLarge
from service.bounds import Bounds
from service.errors import BodyTooLarge, Unauthorised
from service.imports.replayed_record import ReplayedRecord, first_unopened, shortened
from service.imports.store import ImportedRecord, ImportStore, Verdict, new_id
from service.keyring import Keyring

FIELD: Final = "record"
"""The name of the part of a form that has the file."""
MAX_SHOWN_NAMES: Final = 8
MAX_LINE_VALUES: Final = 1 << 14
"""The most commas and opening brackets in a line of an upload: all other threads wait while one line is
decoded. The longest lines of real games have some hundreds.
"""
MAX_CACHED_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of records that a process keeps in memory."""
_VERDICTS: Final[Mapping[str, Verdict]] = {
    "sound": "holds",
    "broken": "differs",
    "unknown": "unknown",
}


@dataclass(eq=False, repr=False)
class Imports:
    """Imports records. Thread-safe. Every method raises Unavailable if a store does not respond."""

    _store: ImportStore
    _audits: Audits
    _players: AccountReader
    _keyring: Keyring
    _log_name: Callable[[], str | None]
    """Returns the name of the transparency log of this server."""
    _bounds: Bounds
    _cache: LRUCache[str, ReplayedRecord] = field(
        init=False,
        default_factory=lambda: LRUCache(
            MAX_CACHED_BYTES, getsizeof=lambda replayed: max(1, replayed.imported.bytes)
        ),
    )
    _lock: Lock = field(init=False, default_factory=Lock)

    def upload(self, player: str, data: bytes, *, is_public: bool) -> ImportedRecord:
        """Audit and store a record that a player has uploaded, and return its facts.

        Raises BodyTooLarge, Malformed (not a record of a game that is over), TooManyImports; Unavailable,
        also if too many audits are being made, or if the process of this one dies; Unauthorised if the player
        is erased in the meantime.
        """
        if len(data) > self._bounds.max_import_bytes:
            raise BodyTooLarge(too_large(self._bounds))
        record = self._read(data)
        self._store.require_room(player)
        report = self._audit(data, "en")
        imported = _facts(new_id(), player, record, report, len(data), is_public=is_public)
        self._store.add(imported, data)
        if self._players.get([player]) == [None]:
            # An audit can take longer than an erasure waits for the requests of the player.
            self.delete(imported)
            raise Unauthorised.with_message("the account of this token has been deleted")
        return imported

    def get(self, import_id: str) -> ImportedRecord:
        """Return the facts about an imported record, for anybody who has its id. Raises NotFound."""
        return self._store.get(import_id)

    def data(self, imported: ImportedRecord) -> bytes:
        """Return the uploaded bytes of a record. Raises NotFound and Unreadable."""
        return self._store.data(imported)

    def of_player(self, player: str) -> list[ImportedRecord]:
        """Return all records that a player has uploaded, the newest first."""
        return self._store.of_player(player)

    def public(self, after: int, limit: int) -> tuple[list[ImportedRecord], int | None]:
        """Return a page of the records that are listed, the newest first, and the `after` of the next one."""
        records = self._store.public(after, limit + 1)
        return records[:limit], after + limit if len(records) > limit else None

    def delete(self, imported: ImportedRecord) -> None:
        """Delete a record. The caller has checked the permission."""
        self._store.delete(imported.id, imported.uploader)
        with self._lock:
            self._cache.pop(imported.id, None)

    def delete_all_of(self, player: str) -> None:
        """Delete all records that a player has uploaded."""
        self._store.delete_all_of(player)

    def report(self, imported: ImportedRecord, language: str) -> JsonObject:
        """Audit a record again, and return the report with sentences in a language. Raises like `upload`."""
        return self._audit(self.data(imported), language)

    def replayed(self, imported: ImportedRecord) -> ReplayedRecord:
        """Return a record for replaying. Raises NotFound, and Unreadable if the object is damaged."""
        with self._lock:
            cached: ReplayedRecord | None = self._cache.get(imported.id)
        if cached is not None:
            return cached
        replayed = ReplayedRecord(imported, read(BytesIO(self.data(imported))), self._bounds)
        with self._lock:
            if imported.bytes <= MAX_CACHED_BYTES:
                self._cache[imported.id] = replayed
        return replayed

    def _read(self, data: bytes) -> Record:
        """Return the record in a file. Raises Malformed."""
        try:
            record = read(BytesIO(data), max_line_values=MAX_LINE_VALUES)
        except Unreadable as unreadable:
            fault: Text = unreadable.why
            if unreadable.line is not None:
                fault = message("line {line}: {fault}", line=unreadable.line, fault=unreadable.why)
            raise _refusal(message("is no game record ({fault})", fault=fault)) from None
        if not record.has_ended:
            raise _refusal(message("is the record of a game that is not over"))
        if not self._audits.can_audit(len(record.events)):
            raise _refusal(
                message("has more than {most} events", most=self._bounds.max_audited_events)
            )
        return record

    def _audit(self, data: bytes, language: str) -> JsonObject:
        """Return the report of an audit by a reader who trusts the keys of this server. Raises Malformed."""
        keys = self._keyring.public_keys()
        try:
            return self._audits.audit([data], keys, language, self._log_name())
        except AuditTooLarge:
            raise _refusal(message("takes too much memory or time to audit")) from None


def too_large(bounds: Bounds) -> Message:
    """Return the reason for refusing a record with too many bytes."""
    return message("a record may have at most {bytes} bytes", bytes=bounds.max_import_bytes)


def no_intact_events() -> Text:
    """Return the reason why there is nothing to replay."""
    return message("no event of this record can be replayed: not even the first is intact")


def _refusal(fault: Text) -> Malformed:
    return Malformed({FIELD: fault})


def _facts(
    import_id: str, player: str, record: Record, report: JsonObject, size: int, *, is_public: bool
) -> ImportedRecord:
    """Return the facts about a record after its audit."""
    header, first = record.header, record.events[0]
    seqs = [finding["seq"] for finding in report["findings"] if finding["seq"] is not None]
    head_check = next(check for check in report["checks"] if check["name"] == "head")
    return ImportedRecord(
        id=import_id,
        uploader=player,
        uploaded=wall_clock.format(wall_clock.now()),
        is_public=is_public,
        game=record.game,
        rules=shortened(str(first["data"].get("rules", ""))),
        seats=first["data"]["seats"],
        players=tuple(_names_by_seat(record)),
        events=len(record.events),
        intact=_intact(record, report["findings"]),
        bytes=size,
        key=shortened(header["head"]["key"]),
        is_own_key=head_check["verdict"] == "holds",
        server=_server(header),
        verdict=_VERDICTS[report["verdict"]],
        differs_at=min(seqs, default=None),
    )


def _intact(record: Record, findings: Sequence[JsonObject]) -> int:
    """Return the number of events before the first fault, and before the first unopened secret."""
    faulty = {len(record.events) + 1}
    for finding in findings:
        if finding["line"] is not None and finding["line"] > 1:
            faulty.add(finding["line"] - 1)
        if finding["seq"] is not None:
            faulty.add(finding["seq"])
    unopened = first_unopened(record)
    if unopened is not None:
        faulty.add(unopened)
    return max(0, min(faulty) - 1)


def _names_by_seat(record: Record) -> list[str]:
    """Return the names of the players in the header, by seat if they are seated."""
    names = record.names
    seated: Any = next(
        (event["data"].get("players") for event in record.events if event["type"] == "GameStarted"),
        None,
    )
    ids = seated if isinstance(seated, list) else [*names]
    shown = [names.get(id) for id in ids[:MAX_SHOWN_NAMES] if isinstance(id, str)]
    return [shortened(name) for name in shown if name]


def _server(header: JsonObject) -> str | None:
    """Return the statements of a header about the server that wrote it."""
    for name in ("origin", "log"):
        value = header.get(name)
        if isinstance(value, str) and value:
            return shortened(value, 100)
    return None
