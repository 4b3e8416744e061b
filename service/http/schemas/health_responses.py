"""The bodies of the responses about the health of a service; see responses.py."""

from typing import Literal, TypedDict

from domain.json_types import Timestamp


class Health(TypedDict):
    """The state of a process."""

    status: Literal["alive", "ready"]


class ProcessState(TypedDict):
    """A process that has reported lately. `queues` are those of which a worker takes jobs."""

    kind: Literal["worker", "scheduler"]
    version: str
    queues: list[str]
    started_at: Timestamp
    seen_at: Timestamp


class ProcessHealth(TypedDict):
    """Whether the processes behind the web server are alive. `missing` are the kinds of which none is."""

    status: Literal["healthy", "degraded"]
    version: str
    missing: list[Literal["worker", "scheduler"]]
    processes: list[ProcessState]
