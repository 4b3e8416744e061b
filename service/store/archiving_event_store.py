"""The event store with its archive: archived games are read from the archive, and recalled by writes.

Redis is asked first, as if there were no archive. Only if it has nothing of a game does a second command
check whether the game is archived. Games in Redis therefore cost no additional round trips.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import orjson
import redis
from typing_extensions import override

from domain.contract import STATEMENT
from domain.errors import Unreadable
from service.connection import to_text, unavailable_on_error
from service.errors import Unavailable
from service.store.archive import MAX_ATTEMPTS, PROVENANCE, Archive, Stub
from service.store.archive_schedule import seconds_of
from service.store.event_store import Appended, AppendRequest, Companion, HeadMoved
from service.store.redis_event_store import (
    ARCHIVED,
    RECEIPTS,
    SCAN_PAGE,
    SECRETS,
    Archived,
    RedisEventStore,
    T,
    game_key,
)

_STATEMENT_SUFFIX: Final = f"/{STATEMENT}"


class ArchivingEventStore(RedisEventStore):
    """All logs of one Redis and of its archive. Thread-safe."""

    def __init__(
        self,
        client: redis.Redis,
        archive: Archive,
        companions: Sequence[Companion] = (),
        *,
        wait_replicas: int = 0,
    ) -> None:
        super().__init__(client, companions, wait_replicas=wait_replicas)
        self._archive = archive
        self._redis_store = RedisEventStore(client, companions, wait_replicas=wait_replicas)
        """The same logs without the archive: an append to an archived game raises Archived."""

    @override
    def _append_archived(self, game_id: str, expected_seq: int, request: AppendRequest) -> Appended:
        for _ in range(MAX_ATTEMPTS):
            if not expected_seq and (stub := self._archive.stub(game_id)) is not None:
                raise HeadMoved(stub.seq)
            self._archive.recall(game_id, for_write=True)
            with suppress(Archived):
                return self._redis_store.append(game_id, expected_seq, request)
        raise Unavailable.with_message("the game is moved into the archive again and again")

    @override
    def read(
        self, game_id: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        lines = super().read(game_id, after, upto, limit)
        if lines or (upto is not None and upto <= after):
            return lines
        stub = self._archive.stub(game_id)
        if stub is not None:
            return self._read_archived(game_id, stub, after, upto, limit)
        # A game may have been recalled between the two reads.
        return super().read(game_id, after, upto, limit) if after else lines

    @override
    def read_each(
        self, after: Mapping[str, int], limit: int | None = None
    ) -> dict[str, list[bytes]]:
        lines_by_game = super().read_each(after, limit)
        missing = [game_id for game_id, lines in lines_by_game.items() if not lines]
        for game_id, stub in self._archive.stubs(missing).items():
            with suppress(Unreadable):
                lines_by_game[game_id] = self._read_archived(
                    game_id, stub, after[game_id], None, limit
                )
        return lines_by_game

    @override
    def read_ranges(self, ranges: Sequence[tuple[str, int, int]]) -> list[list[bytes]]:
        lines_of_ranges = super().read_ranges(ranges)
        missing = {
            game_id
            for (game_id, _, _), lines in zip(ranges, lines_of_ranges, strict=True)
            if not lines
        }
        stubs = self._archive.stubs(sorted(missing))
        for index, (game_id, first, last) in enumerate(ranges):
            if game_id in stubs and not lines_of_ranges[index]:
                with suppress(Unreadable):
                    lines_of_ranges[index] = self._read_archived(
                        game_id, stubs[game_id], first - 1, last, None
                    )
        return lines_of_ranges

    @override
    def provenance(self, game_id: str, after: int = 0, upto: int | None = None) -> dict[int, str]:
        provenance = super().provenance(game_id, after, upto)
        if provenance:
            return provenance
        archived = {int(seq): it for seq, it in self._archive.part(game_id, PROVENANCE).items()}
        return {
            seq: it for seq, it in archived.items() if after < seq and (upto is None or seq <= upto)
        }

    @override
    def head(self, game_id: str) -> int:
        seq = super().head(game_id)
        if seq:
            return seq
        stub = self._archive.stub(game_id)
        return 0 if stub is None else stub.seq

    @override
    def game_ids(self) -> Iterator[str]:
        yield from super().game_ids()
        prefix, suffix = game_key("\0", ARCHIVED).split("\0")
        with unavailable_on_error():
            for name in self._redis.scan_iter(prefix + "*" + suffix, count=SCAN_PAGE):
                yield to_text(name).removeprefix(prefix).removesuffix(suffix)

    @override
    def secrets(self, game_id: str, names: Collection[str] | None = None) -> dict[str, str]:
        secrets = super().secrets(game_id, names)
        if secrets or (names is not None and not names):
            return secrets
        return _select(self._archive.part(game_id, SECRETS), names)

    @override
    def receipts(self, game_id: str, seqs: Collection[int]) -> dict[int, str]:
        receipts = super().receipts(game_id, seqs)
        if receipts or not seqs:
            return receipts
        archived = self._archive.part(game_id, RECEIPTS)
        return {seq: archived[str(seq)] for seq in seqs if str(seq) in archived}

    @override
    def statements(self, game_id: str) -> list[int]:
        seqs = super().statements(game_id)
        if seqs:
            return seqs
        names = self._archive.part(game_id, SECRETS)
        return sorted(
            int(name.removesuffix(_STATEMENT_SUFFIX))
            for name in names
            if name.endswith(_STATEMENT_SUFFIX)
        )

    @override
    def erase_statement(self, game_id: str, seq: int) -> None:
        self._archive.change(game_id, SECRETS, to_delete=[f"{seq}{_STATEMENT_SUFFIX}"])

    @override
    def mark_inactive(self, game_id: str) -> bool:
        # Games are added first, so that none is forgotten; the archive refuses games that have not ended.
        for line in super().read(game_id, max(0, super().head(game_id) - 1)):
            with suppress(KeyError, TypeError, ValueError):
                self._archive.schedule.add_ended(game_id, seconds_of(orjson.loads(line)["at"]))
        return super().mark_inactive(game_id)

    @override
    def _last_events(
        self, game_ids: Iterable[str], decode: Callable[[Any], T]
    ) -> dict[str, T | Unreadable]:
        events = super()._last_events(game_ids, decode)
        missing = [game_id for game_id, event in events.items() if event is None]
        for game_id, stub in self._archive.stubs(missing).items():
            events[game_id] = decode([(b"", {b"e": stub.line})])
        return events

    def _read_archived(
        self, game_id: str, stub: Stub, after: int, upto: int | None, limit: int | None
    ) -> list[bytes]:
        """Return lines of an archived game like `read`. Raises Unreadable."""
        end = stub.seq if upto is None else min(upto, stub.seq)
        if limit is not None:
            end = min(end, after + limit)
        if after >= end:
            return []
        if after == stub.seq - 1:
            return [stub.line]
        game = self._archive.game(game_id, stub)
        if game is None:
            # The game was recalled in the meantime.
            return super().read(game_id, after, upto, limit)
        return list(game.lines[after:end])


def _select(secrets: Mapping[str, str], names: Collection[str] | None) -> dict[str, str]:
    return {name: value for name, value in secrets.items() if names is None or name in names}
