"""The server itself.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict

from client.groups.shared import Announcement, Key, ProcessState
from client.methods import C_co, Group, Method
from client.requests import Call, call, read_text, reader


class AnnouncementList(TypedDict):
    """The announcements that have not ended, the oldest first."""

    announcements: list[Announcement]
    next: str | None


class EndedBy(TypedDict):
    """How many games ended by what: by the rules, by the last player who resigned or was removed
    before the end, or without a ranking.
    """

    completed: int
    resignation: int
    removal: int
    abandonment: int


class Health(TypedDict):
    """The state of a process."""

    status: str
    risks: NotRequired[list[str]]


class KeyList(TypedDict):
    """All public keys of the server, including retired ones. `origin` is its name, if it has
    one, and `log` is the name of its transparency log.
    """

    keys: list[Key]
    origin: str | None
    log: str | None
    next: str | None


class KindStatistics(TypedDict):
    """Figures about the public games of a rule system with a number of seats. `finished` are the
    games that ended with a ranking. `wins` has the number of games that each seat has won; a
    shared first place counts for each of the seats.
    """

    system: str
    seats: int
    open: int
    playing: int
    finished: int
    ended_by: EndedBy
    wins: list[int]


class ProcessHealth(TypedDict):
    """Whether the processes behind the web server are alive. `missing` are the kinds of which
    none is.
    """

    status: str
    version: str
    missing: list[str]
    processes: list[ProcessState]


class Statistics(TypedDict):
    """Figures about all public games, and the number of their events."""

    games: list[KindStatistics]
    events: int
    lag: int


def get_statistics() -> Call[Statistics]:
    """Get statistics of the public games, by rule system and number of seats.

    Private games are never counted. What has happened is counted when it has reached the
    transparency log.
    """
    return call("GET", "/statistics", reader(Statistics), sends_token=False)


def list_keys() -> Call[KeyList]:
    """List the public keys that receipts and records are checked with, including retired ones."""
    return call("GET", "/keys", reader(KeyList))


def list_announcements() -> Call[AnnouncementList]:
    """List what the administrators announce to everybody.

    A new announcement appears within seconds.
    """
    return call("GET", "/announcements", reader(AnnouncementList))


def check_health() -> Call[Health]:
    """Check whether the process is alive."""
    return call("GET", "/healthz", reader(Health), sends_token=False, prefix="")


def check_readiness() -> Call[Health]:
    """Check whether the process is ready.

    It is ready if the log accepts writes, the queue can be reached, and its signing key is
    published. If a Redis has settings with which it can lose data, the response says in `risks`
    what can be lost.
    """
    return call("GET", "/readyz", reader(Health), sends_token=False, prefix="")


def check_processes() -> Call[ProcessHealth]:
    """Check whether the processes behind the web server are alive: a scheduler, a worker, and
    `replies` if players can answer mails.

    If one is missing, the response is a 503 that names it.
    """
    return call("GET", "/healthz/processes", reader(ProcessHealth), sends_token=False, prefix="")


def get_metrics() -> Call[str]:
    """Get metrics in the text format of Prometheus."""
    return call("GET", "/metrics", read_text, sends_token=False, prefix="")


class ServerCalls(Group[C_co]):
    """The server itself."""

    get_statistics = Method(get_statistics)
    list_keys = Method(list_keys)
    list_announcements = Method(list_announcements)
    check_health = Method(check_health)
    check_readiness = Method(check_readiness)
    check_processes = Method(check_processes)
    get_metrics = Method(get_metrics)
