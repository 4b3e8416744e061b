"""A piece of work: one outbox entry of one game, as it stood when it was read.

service/store/outbox.py lists the entries. Here is by what name a piece of work goes in a queue,
so that it is the same for everybody who comes upon the same note, and which queue that is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import orjson

from service.store.event_store import EventStore

Kind: TypeAlias = Literal["score", "forfeit", "notify", "index"]

GAMES: Final = "cartulary-games"
NOTICES: Final = "cartulary-notices"
QUEUES: Final = (GAMES, NOTICES)
"""In the order in which a worker empties them: a game never waits for a letter box that does not answer."""

_KINDS: Final[dict[str, Kind]] = {
    "score": "score",
    "finish": "score",
    "deadline": "forfeit",
    "notify": "notify",
    "index": "index",
}


@dataclass(frozen=True, slots=True)
class Work:
    """What the note `note` of a game calls for; `value` is the note's JSON."""

    game: str
    note: str
    value: str

    @property
    def kind(self) -> Kind | None:
        """Which job does it; None for a note that this version does not know."""
        return _KINDS.get(self.note.partition("/")[0])

    @property
    def queue(self) -> str:
        """The queue it waits in."""
        return NOTICES if self.kind == "notify" else GAMES

    @property
    def id(self) -> str:
        """The same for the same note with the same value, and for no other: 32 hex digits."""
        return sha256(f"{self.game} {self.note} {self.value}".encode()).hexdigest()[:32]

    @property
    def said(self) -> dict[str, Any]:
        """The value, decoded."""
        said: dict[str, Any] = orjson.loads(self.value)
        return said

    @property
    def due(self) -> str:
        """From when on it is to be done, as the log writes times; "" for at once."""
        at: str = self.said["at"] if self.kind == "forfeit" else ""
        return at


def tasks_of(store: EventStore, game_ids: Iterable[str]) -> dict[str, list[Work]]:
    """Return the tasks that the outbox of each game calls for, by game id. Raises Unavailable."""
    return {
        game_id: [Work(game_id, name, payload) for name, payload in entries.items()]
        for game_id, entries in store.outboxes(game_ids).items()
    }
