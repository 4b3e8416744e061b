"""Tasks: the work that outbox entries call for (service/store/outbox.py lists the entries).

A task's id is derived from its entry, so that everybody who reads the same entry enqueues the same job.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import orjson

from service.store.event_store import EventStore

TaskKind: TypeAlias = Literal["score", "forfeit", "notify", "index"]

GAMES: Final = "cartulary-games"
NOTIFICATIONS: Final = "cartulary-notices"
QUEUES: Final = (GAMES, NOTIFICATIONS)
"""In the order in which a worker empties them, so that no game waits for a slow receiver of notifications."""

_KINDS: Final[dict[str, TaskKind]] = {
    "score": "score",
    "finish": "score",
    "deadline": "forfeit",
    "notify": "notify",
    "index": "index",
}
"""By the first part of an entry's name."""


@dataclass(frozen=True, slots=True)
class Task:
    """The work that the outbox entry `entry` of a game calls for, with the payload (JSON) of the entry."""

    game_id: str
    entry: str
    payload: str

    @property
    def kind(self) -> TaskKind | None:
        """What kind of work it is; None if this version does not know the entry."""
        return _KINDS.get(self.entry.partition("/")[0])

    @property
    def queue(self) -> str:
        """The name of the queue for the task."""
        return NOTIFICATIONS if self.kind == "notify" else GAMES

    @property
    def id(self) -> str:
        """32 hex digits: the same for the same entry with the same payload, and for no other."""
        return sha256(f"{self.game_id} {self.entry} {self.payload}".encode()).hexdigest()[:32]

    @property
    def data(self) -> dict[str, Any]:
        """The payload, decoded."""
        data: dict[str, Any] = orjson.loads(self.payload)
        return data

    @property
    def due_at(self) -> str:
        """The time from which on the task is to be done, in the format of the log; "" means at once."""
        due_at: str = self.data["at"] if self.kind == "forfeit" else ""
        return due_at


def tasks_of(store: EventStore, game_ids: Iterable[str]) -> dict[str, list[Task]]:
    """Return the tasks that the outbox of each game calls for, by game id. Raises Unavailable."""
    return {
        game_id: [Task(game_id, entry, payload) for entry, payload in outbox.items()]
        for game_id, outbox in store.outboxes(game_ids).items()
    }
