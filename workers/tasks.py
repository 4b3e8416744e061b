"""Tasks: the work that outbox entries require (service/games/outbox_table.py lists the entries).

A task's id is derived from its entry, so all processes that read the same entry enqueue the same job. The
notifications of a game are one job, which does all of these tasks that are due.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from typing import Any, Final, Literal, TypeAlias

import orjson

from domain.errors import Unreadable
from ledger.envelope import is_timestamp
from service.errors import log_text
from service.games.outbox_table import Work, entry_of
from service.store.damaged_games import OUTBOX, entry_part
from service.store.redis_event_store import RedisEventStore

TaskKind: TypeAlias = Work | Literal["move", "resume", "tournament", "scrub", "analysis", "puzzles"]

GAMES: Final = "cartulary-games"
NOTIFICATIONS: Final = "cartulary-notices"
BOTS: Final = "cartulary-bots"
THINKING: Final = "cartulary-thinking"
ANALYSES: Final = "cartulary-analyses"
QUEUES: Final = (GAMES, NOTIFICATIONS, BOTS, THINKING, ANALYSES)
"""The queues in the order in which a worker takes jobs: a round does not wait for notifications, no other
job waits for a bot that is thinking, and no bot waits for an analysis."""
QUICK_QUEUES: Final = (GAMES, NOTIFICATIONS, BOTS)
"""The default queues of a worker. A search takes seconds, during which the worker could not take other jobs,
so searches need a separate worker, and so do the steps of an analysis.
"""

NO_PAYLOAD: Final = '{"seq":0}'

_QUEUE_OF_KIND: Final[Mapping[TaskKind | None, str]] = {
    "notify": NOTIFICATIONS,
    "move": NOTIFICATIONS,
    "resume": NOTIFICATIONS,
    "scrub": NOTIFICATIONS,
    "bot": BOTS,
    "think": THINKING,
    "analysis": ANALYSES,
    "puzzles": ANALYSES,
}
"""Other kinds are in GAMES."""


@dataclass(frozen=True, slots=True)
class Task:
    """The work that the outbox entry `entry` of a game requires, with the payload (JSON) of the entry."""

    game_id: str
    entry: str
    payload: str

    @property
    def kind(self) -> TaskKind | None:
        """The kind of work; None if this version does not know the entry."""
        match self.entry.split("/"):
            case ["tournament" | "scrub" | "analysis" | "puzzles" as kind] | [
                "archive",
                "move" | "resume" as kind,
            ]:
                return kind
            case _:
                entry = entry_of(self.entry)
                return None if entry is None else entry.work

    @property
    def queue(self) -> str:
        """The name of the queue for the task."""
        return _QUEUE_OF_KIND.get(self.kind, GAMES)

    @property
    def is_of_outbox(self) -> bool:
        """Whether the entry is one of a game's outbox."""
        return self.kind not in ("move", "resume", "tournament", "scrub", "analysis", "puzzles")

    @property
    def id(self) -> str:
        """The id of the task's job: 32 hex digits, derived from the game, the entry and its payload.

        All notifications of a game are one job, so that games take turns, however much happens in each.
        """
        name = "notify" if self.kind == "notify" else f"{self.entry} {self.payload}"
        return sha256(f"{self.game_id} {name}".encode()).hexdigest()[:32]

    @property
    def data(self) -> dict[str, Any]:
        """The payload, decoded."""
        data: dict[str, Any] = orjson.loads(self.payload)
        return data

    @property
    def due_at(self) -> str:
        """The timestamp from which the task is due; "" means now."""
        due_at: str = self.data.get("at", "")
        return due_at


@dataclass(frozen=True, slots=True)
class GameTasks:
    """The tasks in the outbox of a game, and the entries of it that cannot be read."""

    tasks: tuple[Task, ...] = ()
    damage: Mapping[str, str] = field(default_factory=dict)
    """Reasons by damaged part (service/store/damaged_games.py); a task with a damaged payload is left out."""

    @property
    def next_tasks(self) -> tuple[Task, ...]:
        """The tasks that can be enqueued now: of the rounds to score, only the first.

        Each scored round is an append, after which the next round is enqueued behind the other games.
        """
        score = min((task for task in self.tasks if task.kind == "score"), key=_round, default=None)
        return tuple(task for task in self.tasks if task.kind not in ("score", None)) + (
            () if score is None else (score,)
        )

    @property
    def timed_tasks(self) -> tuple[Task, ...]:
        """The tasks of `next_tasks` that have a time, earliest first."""
        timed = (task for task in self.next_tasks if task.due_at)
        return tuple(sorted(timed, key=lambda task: task.due_at))


def archive_task(game_id: str, work: Literal["move", "resume"]) -> Task:
    """Return the task of moving a game into the archive, or of resuming an interrupted move.

    It is not in an outbox, because an archived game has none.
    """
    return Task(game_id, f"archive/{work}", NO_PAYLOAD)


def tournament_task(id: str) -> Task:
    """Return the task of advancing a tournament, by its id. It is not in the outbox of a game."""
    return Task(id, "tournament", NO_PAYLOAD)


def analysis_task(game_id: str) -> Task:
    """Return the task of the next step of the analysis of a game. It is not in an outbox."""
    return Task(game_id, "analysis", NO_PAYLOAD)


def puzzles_task() -> Task:
    """Return the task of the next step of the search for puzzles. It is not in an outbox."""
    return Task("", "puzzles", NO_PAYLOAD)


def scrub_task() -> Task:
    """Return the task of a step of the scrub. It is not in an outbox."""
    return Task("", "scrub", NO_PAYLOAD)


def tasks_of(store: RedisEventStore, game_ids: Iterable[str]) -> dict[str, GameTasks]:
    """Return the tasks of each game, by game id. Raises Unavailable."""
    return {
        game_id: _game_tasks(game_id, outbox)
        for game_id, outbox in store.outboxes(game_ids).items()
    }


def _game_tasks(game_id: str, outbox: Mapping[str, str] | Unreadable) -> GameTasks:
    if isinstance(outbox, Unreadable):
        return GameTasks(damage={OUTBOX: log_text(outbox)})
    tasks, damage = [], {}
    for entry, payload in outbox.items():
        task = Task(game_id, entry, payload)
        fault = _payload_fault(task)
        if fault is None:
            tasks.append(task)
        else:
            damage[entry_part(entry)] = fault
    return GameTasks(tuple(tasks), damage)


def _round(task: Task) -> float:
    """Return the round that a `score` task is for; the end of the game comes after all rounds."""
    _, _, round = task.entry.partition("/")
    return int(round) if round else inf


def _payload_fault(task: Task) -> str | None:
    """Return the fault in the payload of a task; None if it has the form that its kind requires."""
    if task.kind is None:
        return None
    try:
        data = orjson.loads(task.payload)
    except orjson.JSONDecodeError:
        return "the payload is not JSON"
    if not isinstance(data, dict):
        return "the payload is not a JSON object"
    entry = entry_of(task.entry)
    for name in ("seq",) if entry is None else entry.numbers:
        number = data.get(name)
        if type(number) is not int or number < 0:
            return f"the payload has no number {name!r}"
    times = () if entry is None else entry.times
    for name in {*times, "at"} if "at" in data else times:
        if not is_timestamp(data.get(name)):
            return f"the payload has no timestamp {name!r}"
    return None
