"""Proofs from the transparency log: that it contains a head of a game, and that it only ever grew."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from domain.errors import CartularyError, Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.merkle import prove_consistency, prove_inclusion, root
from service.errors import NotFound
from service.store.event_store import LogReader
from service.transparency.checkpoints import Checkpoints
from service.transparency.store import LoggedHead, TransparencyStore

MAX_LEAVES: Final = 2_048
"""The most hashes of leaves on one page."""


@dataclass(eq=False, repr=False)
class Proofs:
    """Reads the transparency log. Thread-safe; raises Unavailable if Redis does not respond."""

    _store: TransparencyStore
    _checkpoints: Checkpoints
    _log_reader: LogReader

    def inclusion(self, game_id: str, seq: int = 1) -> JsonObject:
        """Return the proof that the log contains the last logged head of a game (docs/formats.md).

        The hash of a head covers all events before it. Raises NotFound if that head is before event `seq`,
        LogIncomplete.
        """
        head = self._logged_head(game_id)
        if head is None or head.seq < seq:
            raise NotFound.with_message(
                "no head of game {game} from event {seq} on is in the log yet",
                game=game_id,
                seq=seq,
            )
        return self._inclusion(game_id, head)

    def inclusion_for_record(self, game: Game) -> JsonObject | None:
        """Return the proof for the header of a record of this game; None if there is no suitable one.

        The record must contain the logged event. There is thus no proof if the log has a later head, or if
        the store has lost the logged event.
        """

        def line(seq: int) -> bytes:
            lines = self._log_reader.read(game.id, seq - 1, seq)
            return lines[0] if lines else b""

        return self.inclusion_of(game.id, game.seq, line)

    def inclusion_of(self, id: str, seq: int, line: Callable[[int], bytes]) -> JsonObject | None:
        """Return the proof for a record of a game or a tournament up to event `seq`; None without a suitable
        one.

        `line` returns the canonical line of an event of it by its seq, empty if there is none.
        """
        try:
            head = self._logged_head(id)
            if head is None or head.seq > seq:
                return None
            if b'"hash":"%b","prev":' % head.hash.encode() not in line(head.seq):
                return None
            return self._inclusion(id, head)
        except CartularyError:
            # A record is complete without the proof, and must be available even if the log is not.
            return None

    def log_name(self) -> str | None:
        """Return the name of the transparency log; None while it cannot be read."""
        try:
            return self._checkpoints.origin
        except CartularyError:
            return None

    def consistency(self, first: int, second: int) -> JsonObject:
        """Return the proof that the tree of `second` leaves continues that of `first`.

        Raises Malformed unless 0 < first <= second, and NotFound if no checkpoint of that size is published.
        """
        if not 0 < first <= second:
            raise Malformed({"to": message("must not be smaller than from")})
        if second > self._published_size():
            raise NotFound.with_message(
                "the server has not published a checkpoint of size {size}", size=second
            )
        path = prove_consistency(self._store, first, second)
        return {"from": first, "to": second, "path": [hash.hex() for hash in path]}

    def continuation(self, size: int) -> JsonObject:
        """Return the latest checkpoint, and the proof that its tree continues that of `size` leaves.

        `checkpoint` is null if there is none now, and `consistency` if there is no such proof. `epochs` are
        the declarations of new epochs. A caller who knows no earlier checkpoint passes 0.
        """
        try:
            note = self._checkpoints.latest()
            latest = Checkpoint.of_note(note).size
            consistency: JsonObject | None = None
            if 0 < size <= latest:
                path = prove_consistency(self._store, size, latest)
                consistency = {
                    "from": size,
                    "to": latest,
                    "root": root(self._store, size).hex(),
                    "path": [hash.hex() for hash in path],
                }
            epochs = [str(epoch) for epoch in self._checkpoints.epochs()]
        except CartularyError:
            # A game can be checked without the log, and must be if the log is not available.
            return {"checkpoint": None, "consistency": None, "epochs": []}
        return {"checkpoint": str(note), "consistency": consistency, "epochs": epochs}

    def leaf_hashes(self, after: int, limit: int) -> JsonObject:
        """Return a page of the hashes of the leaves that are published, from leaf `after` on."""
        size = self._published_size()
        count = max(0, min(limit, MAX_LEAVES, size - after))
        hashes = self._store.leaf_hashes(after, count) if count else []
        end = after + count
        return {"leaves": [hash.hex() for hash in hashes], "next": end if end < size else None}

    def _logged_head(self, game_id: str) -> LoggedHead | None:
        _, heads = self._store.state([game_id])
        return heads[game_id]

    def _inclusion(self, game_id: str, head: LoggedHead) -> JsonObject:
        note = self._checkpoints.covering(head.index)
        path = prove_inclusion(self._store, head.index, Checkpoint.of_note(note).size)
        return {
            "checkpoint": str(note),
            "game": game_id,
            "seq": head.seq,
            "hash": head.hash,
            "index": head.index,
            "path": [hash.hex() for hash in path],
        }

    def _published_size(self) -> int:
        note, _ = self._store.latest_checkpoint()
        return 0 if note is None else Checkpoint.of_note(note).size
