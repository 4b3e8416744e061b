"""Values of messages from events, which may have been made up: actors, players, any JSON; and their names."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.messages import Message, PlayerAt, PlayerWithId, Value, message, message_in
from ledger.canonical import canonical
from ledger.record import Record
from replay.language.names import Names

_PARTS: Final[Mapping[str, Callable[[], Message]]] = {
    "clock": lambda: message("the clock"),
    "arbiter": lambda: message("the arbiter"),
    "start": lambda: message("the start"),
    "scorer": lambda: message("the scorer"),
    "takeback": lambda: message("the takeback"),
}
"""The parts of a server that cause events by themselves."""
_STATUSES: Final[Mapping[str, Message]] = {
    "open": message_in("status of a game", "open"),
    "playing": message_in("status of a game", "playing"),
    "finished": message_in("status of a game", "finished"),
    "abandoned": message_in("status of a game", "abandoned"),
}


def actor(by: Mapping[str, Any]) -> Value:
    """Return the player or the part of the server that the field `by` of an event names."""
    ((kind, name),) = by.items()
    match kind:
        case "seat":
            return PlayerAt(name)
        case "player":
            return PlayerWithId(name)
        case _:
            part = _PARTS.get(name)
            return message("the system {name}", name=name) if part is None else part()


def quoted(raw: object) -> Value:
    """Return a value of JSON from outside as a value of messages: text and numbers as they are."""
    return raw if isinstance(raw, str) or type(raw) is int else canonical(raw).decode()


def player(raw: object) -> Value:
    """Return the player whose id is in a field of an event that may have been made up."""
    return PlayerWithId(raw) if isinstance(raw, str) else quoted(raw)


def game_status(status: str) -> Value:
    """Return the status of a game, which is an identifier in JSON, for people."""
    return _STATUSES.get(status, status)


def seated_players(record: Record) -> tuple[str, ...]:
    """Return the ids of the players of a record by seat; () before the start."""
    for event in record.events:
        if event["type"] == "GameStarted":
            players = event["data"].get("players")
            if not isinstance(players, list) or not all(isinstance(id, str) for id in players):
                return ()
            return tuple(players)
    return ()


def names_of(record: Record) -> Names:
    """Return the names of the players as the header of a record states them, by seat as the log does."""
    return Names(record.names, seated_players(record))
