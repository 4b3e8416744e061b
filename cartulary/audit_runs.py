"""Audits of several records: one after the other, or on several processes, with the results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from client.receipts import ReceiptFileError, nonces_of_game, receipts_of_game
from domain.json_types import JsonObject
from domain.messages import Value, message
from ledger.envelope import is_game_id
from ledger.files.os_errors import os_reason
from ledger.transparency.signed_note import NoteKey
from replay.audit import Report, audit, quick_audit
from replay.audit.kept_evidence import NO_EVIDENCE, KeptEvidence
from replay.audit.signatures import KeptReceipts
from replay.audit.trusted_keys import NO_TRUSTED_KEYS, TrustedKeys
from replay.compare.histories import History

FILES_PER_PROCESS: Final = 8
"""Record files from which on another process is worth its start, of about 0.3 seconds."""
MAX_WAITING_PER_PROCESS: Final = 4
"""Records whose audits are enqueued or done before the next result in order, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What every record is audited with, as `replay.audit.audit` describes it. With `is_quick`, only the keys
    matter.
    """

    keys: Sequence[str] = ()
    trusted: TrustedKeys = NO_TRUSTED_KEYS
    receipts: Sequence[JsonObject] = ()
    witnesses: Sequence[NoteKey] = ()
    kept_receipts: KeptReceipts = field(default_factory=dict)
    evidence_folder: Path | None = None
    """The folder in which the player's programs keep evidence."""
    against: History | None = None
    is_quick: bool = False

    def audit(self, file: BinaryIO) -> Report:
        """Return the report on a record."""
        if self.is_quick:
            return quick_audit(file, keys=self.keys, trusted=self.trusted)
        return audit(
            file,
            keys=self.keys,
            trusted=self.trusted,
            receipts=self.receipts,
            witnesses=self.witnesses,
            kept_receipts=self.kept_receipts,
            kept_evidence=self._evidence,
            against=self.against,
        )

    def _evidence(self, game: str) -> KeptEvidence:
        """Return what the player's programs have kept of a game."""
        if self.evidence_folder is None or not is_game_id(game):
            return NO_EVIDENCE
        try:
            return KeptEvidence(
                receipts_of_game(self.evidence_folder, game),
                nonces_of_game(self.evidence_folder, game),
            )
        except ReceiptFileError as error:
            return KeptEvidence(fault=message("{reason}", reason=error.message))


@dataclass(frozen=True, slots=True)
class SourceError:
    """A source that could not be audited, and why."""

    message: Value
    is_missing: bool = False


Result: TypeAlias = Report | SourceError


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_jobs(sources: Sequence[str]) -> int:
    """Return the number of processes for these sources: one per core, but none without enough work."""
    return max(1, min(usable_cores(), len(sources) // FILES_PER_PROCESS))


def audit_all(
    sources: Sequence[str], jobs: int, options: AuditOptions, audit_here: Callable[[str], Result]
) -> Iterator[tuple[str, Result]]:
    """Yield each source with its result, in order.

    With more than one job, record files are audited by other processes with the `options`. `audit_here`
    audits all other sources in this process: standard input, live games and what does not exist.
    """
    if jobs == 1:
        yield from ((source, audit_here(source)) for source in sources)
        return
    waiting: deque[tuple[str, Callable[[], Result]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        try:
            for source in sources:
                if source != "-" and os.path.isfile(source):  # noqa: PTH113 # Path raises for long names
                    future: Future[Result] = pool.submit(audit_file, source, options)
                    waiting.append((source, future.result))
                else:
                    waiting.append((source, partial(audit_here, source)))
                if len(waiting) >= jobs * MAX_WAITING_PER_PROCESS:
                    first, result = waiting.popleft()
                    yield first, result()
            for rest, result in waiting:
                yield rest, result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def audit_file(path: str, options: AuditOptions) -> Result:
    """Audit a record file."""
    try:
        with Path(path).open("rb") as file:
            return options.audit(file)
    except OSError as error:
        return SourceError(
            message("cannot open {path}: {reason}", path=path, reason=os_reason(error))
        )
