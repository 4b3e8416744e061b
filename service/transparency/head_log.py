"""Logs heads: every new head of a game becomes a leaf of the transparency log.

The missing heads are derived from the logs of the games and from the logged heads, so none can be lost:
logging a head twice, late, or in two processes at the same time adds only one leaf.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.errors import Unreadable
from domain.messages import message
from ledger.transparency.checkpoint import head_leaf_hash
from ledger.transparency.merkle import new_nodes
from service.errors import Unavailable
from service.store.event_store import Head
from service.transparency.store import LoggedHead, TransparencyStore

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 50
"""The number of times that heads are read again because another process has logged some."""


class HeadReader(Protocol):
    """Reads the heads of logs of games or of tournaments."""

    def heads(self, ids: Iterable[str], /) -> dict[str, Head | Unreadable | None]:
        """Return the seq and the hash of each last event; see `RedisEventStore.heads`."""


@dataclass(eq=False, repr=False)
class HeadLog:
    """Adds the heads of games to the transparency log. Thread-safe."""

    _store: HeadReader
    _transparency_store: TransparencyStore

    def log(self, game_ids: Sequence[str]) -> set[str]:
        """Log the heads of these games that are not logged yet, and return the ids of games with a logged
        head.

        A game without a log, or with a damaged one, is left out. Raises Unavailable, and Unreadable if the
        transparency log is damaged.
        """
        for _ in range(MAX_ATTEMPTS):
            heads = {
                game_id: head
                for game_id, head in self._store.heads(game_ids).items()
                if head is not None and not isinstance(head, Unreadable)
            }
            if not heads:
                return set()
            size, logged = self._transparency_store.state(list(heads))
            missing = {
                game_id: head
                for game_id, head in heads.items()
                if not _is_logged(head, logged[game_id])
            }
            if not missing or self._append(size, missing, logged):
                return set(heads)
        raise Unavailable(
            message("too many processes write to the transparency log at the same time"),
            retry_after=1,
        )

    def _append(
        self, size: int, heads: dict[str, Head], logged: dict[str, LoggedHead | None]
    ) -> bool:
        """Append the heads to a tree of `size` leaves; return False if the log has changed."""
        leaf_hashes = [head_leaf_hash(game_id, *head) for game_id, head in heads.items()]
        nodes = new_nodes(self._transparency_store, size, leaf_hashes)
        changes = {
            game_id: (logged[game_id], LoggedHead(*head, index))
            for index, (game_id, head) in enumerate(heads.items(), size)
        }
        return self._transparency_store.append(size, nodes, changes)


def _is_logged(head: Head, logged: LoggedHead | None) -> bool:
    return logged is not None and (logged.seq, logged.hash) == head
