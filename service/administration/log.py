"""The administration log: every operation of an administrator, in order, never changed or deleted.

    cartulary:administration   stream; entry SEQ-0 has the field `entry`, canonical JSON

Entries are chained by hashes like the events of a game: `hash` is the SHA-256 of the canonical JSON of the
entry without this field, and `prev` is the `hash` of the previous entry. Somebody who keeps a `hash` can
later detect that an earlier entry was changed or removed.

An entry is written before its operation takes effect: no operation is ever missing from the log. Operations
on games are also events of their logs.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
import redis

from domain.errors import Unreadable
from domain.event import ZEROS
from domain.json_types import JsonObject
from ledger.canonical import canonical, entry_hash
from service import wall_clock
from service.connection import unavailable_on_error
from service.errors import Unavailable

ADMINISTRATION_LOG: Final = "cartulary:administration"
_ENTRY: Final = b"entry"
_MAX_ATTEMPTS: Final = 50
_PAGE: Final = 500


class AdministrationLog:
    """The log of one service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def append(
        self, administrator: str, operation: str, details: Mapping[str, object]
    ) -> JsonObject:
        """Append an entry with the current time, and return it."""
        for _ in range(_MAX_ATTEMPTS):
            last = self._last()
            entry: JsonObject = {
                "seq": last["seq"] + 1,
                "at": wall_clock.format(wall_clock.now()),
                "administrator": administrator,
                "operation": operation,
                "details": dict(details),
                "prev": last["hash"],
            }
            entry["hash"] = entry_hash(entry)
            with unavailable_on_error():
                try:
                    self._redis.xadd(
                        ADMINISTRATION_LOG, {_ENTRY: canonical(entry)}, id=f"{entry['seq']}-0"
                    )
                except redis.ResponseError:
                    # Another process has already appended an entry with this seq.
                    if self._last()["seq"] < entry["seq"]:
                        raise
                    continue
            return entry
        raise Unavailable.with_message("too many administrators write at the same time")

    def page(self, after: int, limit: int) -> list[JsonObject]:
        """Return entries after+1 …, at most `limit`. Raises Unreadable if one is damaged."""
        with unavailable_on_error():
            rows: Any = self._redis.xrange(ADMINISTRATION_LOG, f"{after + 1}-0", count=limit)
        return [_decode(fields) for _, fields in rows]

    def page_before(self, before: int | None, limit: int) -> list[JsonObject]:
        """Return the last entries before entry `before`, or the last ones, the newest first.

        Raises Unreadable if one is damaged.
        """
        last = "+" if before is None else f"({before}-0"
        with unavailable_on_error():
            rows: Any = self._redis.xrevrange(ADMINISTRATION_LOG, last, count=limit)
        return [_decode(fields) for _, fields in rows]

    def entries(self) -> Iterator[JsonObject]:
        """Iterate over all entries, in order. Raises Unreadable if one is damaged."""
        after = 0
        while page := self.page(after, _PAGE):
            yield from page
            after = page[-1]["seq"]

    def first_fault(self) -> int | None:
        """Return the seq of the first entry that breaks the chain; None if the log is unbroken.

        Raises Unreadable if an entry is damaged.
        """
        prev = ZEROS
        for seq, entry in enumerate(self.entries(), 1):
            if (entry["seq"], entry["prev"], entry["hash"]) != (seq, prev, entry_hash(entry)):
                return seq
            prev = entry["hash"]
        return None

    def _last(self) -> JsonObject:
        """Return the last entry; one with seq 0 if the log is empty."""
        with unavailable_on_error():
            rows: Any = self._redis.xrevrange(ADMINISTRATION_LOG, count=1)
        return _decode(rows[0][1]) if rows else {"seq": 0, "hash": ZEROS}


def _decode(fields: Mapping[bytes, bytes]) -> JsonObject:
    try:
        entry: JsonObject = orjson.loads(fields[_ENTRY])
    except (KeyError, ValueError):
        raise Unreadable.with_message("an entry of the administration log is damaged") from None
    return entry
