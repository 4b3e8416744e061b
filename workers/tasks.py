"""Tasks: the work that outbox entries call for (service/store/outbox.py lists the entries).

A task's id is derived from its entry, so that all processes that read the same entry enqueue the same job.
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
"""In the order in which a worker takes jobs, so that no game waits for a slow receiver of notifications."""

_KINDS: Final[dict[str, TaskKind]] = {
    "score": "score",
    "finish": "score",
    "deadline": "forfeit",
    "notify": "notify",
    "index": "index",
}
"""The kind of a task, by the first part of its entry's name."""


@dataclass(frozen=True, slots=True)
class Task:
    """The work that the outbox entry `entry` of a game calls for, with the payload (JSON) of the entry."""

    game_id: str
    entry: str
    payload: str

    @property
    def kind(self) -> TaskKind | None:
        """The kind of work; None if this version does not know the entry."""
        return _KINDS.get(self.entry.partition("/")[0])

    @property
    def queue(self) -> str:
        """The name of the queue for the task."""
        return NOTIFICATIONS if self.kind == "notify" else GAMES

    @property
    def id(self) -> str:
        """The id of the task's job: 32 hex digits, derived from the game, the entry and its payload."""
        return sha256(f"{self.game_id} {self.entry} {self.payload}".encode()).hexdigest()[:32]

    @property
    def data(self) -> dict[str, Any]:
        """The payload, decoded."""
        data: dict[str, Any] = orjson.loads(self.payload)
        return data

    @property
    def due_at(self) -> str:
        """The timestamp from which on the task is to be done; "" means at once."""
        due_at: str = self.data["at"] if self.kind == "forfeit" else ""
        return due_at


def tasks_of(store: EventStore, game_ids: Iterable[str]) -> dict[str, list[Task]]:
    """Return the tasks that the outbox of each game calls for, by game id. Raises Unavailable."""
    return {
        game_id: [Task(game_id, entry, payload) for entry, payload in outbox.items()]
        for game_id, outbox in store.outboxes(game_ids).items()
    }
