"""Values of messages from events, which may be forged: actors, players, secrets, any JSON."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from domain.contract import AnyRuleSystem, secret_owner
from domain.messages import (
    Amount,
    HexAt,
    HexPath,
    Instant,
    Listing,
    Message,
    PlayerAt,
    PlayerWithId,
    Term,
    Value,
    comma_list,
    message,
    message_in,
)
from ledger.canonical import canonical
from ledger.record import Record
from replay.history.diff import label_of
from replay.language.renderer import Names

_PARTS: Final[Mapping[str, Callable[[], Message]]] = {
    "clock": lambda: message("the clock"),
    "arbiter": lambda: message("the ruling"),
    "start": lambda: message("the start"),
    "scorer": lambda: message("the scorer"),
    "takeback": lambda: message("the takeback"),
    "administrator": lambda: message("the administrator"),
    "store": lambda: message("the server"),
}
"""The parts of a server that cause events."""
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
    """Return the player whose id is in a field of an event, which may be forged."""
    return PlayerWithId(raw) if isinstance(raw, str) else quoted(raw)


def displayable(value: object) -> Value:
    """Return a value of messages that can be displayed, even if it comes from forged events.

    The rules create messages from the data of events without checking it. Values of a wrong type become JSON.
    """
    match value:
        case Message():
            return displayable_message(value)
        case Listing(items, style):
            return Listing(tuple(map(displayable, items)), style)
        case PlayerAt(seat):
            return value if type(seat) is int else quoted(seat)
        case PlayerWithId(id):
            return player(id)
        case HexAt(q, r):
            return value if type(q) is int and type(r) is int else quoted([q, r])
        case HexPath(hexes):
            is_usual = all(isinstance(displayable(at), HexAt) for at in hexes)
            return value if is_usual else Listing(tuple(map(displayable, hexes)), "comma")
        case Instant(timestamp):
            raw: object = timestamp
            return value if isinstance(raw, str) else quoted(raw)
        case Amount(count):
            return value if type(count) is int else quoted(count)
        case Term():
            return value
        case _:
            return quoted(value)


def displayable_message(text: Message) -> Message:
    """Return a message with values that can be displayed."""
    values = {name: displayable(value) for name, value in text.values.items()}
    return replace(text, values=values)


def game_status(status: str) -> Value:
    """Return the status of a game, which is an identifier in JSON, for people."""
    return _STATUSES.get(status, status)


def seated_players(record: Record) -> tuple[str, ...]:
    """Return the ids of the players of a record by seat, substitutes included; () before the start."""
    players: list[str] = []
    for event in record.events:
        data = event["data"]
        if event["type"] == "GameStarted" and not players:
            started = data.get("players")
            if not isinstance(started, list) or not all(isinstance(id, str) for id in started):
                return ()
            players = list(started)
        elif event["type"] == "SubstituteSeated":
            seat, player = data.get("seat"), data.get("player")
            if type(seat) is int and 0 <= seat < len(players) and isinstance(player, str):
                players[seat] = player
    return tuple(players)


def names_of(record: Record) -> Names:
    """Return the names of the players as the header of a record states them, by seat as the log does."""
    return Names(record.names, seated_players(record))


def secret_label(name: str, rules: AnyRuleSystem) -> Value:
    """Return the label of a secret, such as `pile`, or `reserve of seat 0` for `reserve/0`."""
    owner = secret_owner(name)
    if owner is None:
        return label_of(name, rules)
    label = label_of(name.rpartition("/")[0], rules)
    return message("{secret} of {player}", secret=label, player=PlayerAt(owner))


def secret_value(value: Any, rules: AnyRuleSystem) -> Value:
    """Return the value of a secret: a list of tiles in words, a text as it is, anything else as JSON."""
    match value:
        case str():
            return value
        case [str(), *_] if all(name in rules.LABELS for name in value):
            return comma_list(rules.LABELS[name] for name in value)
    return canonical(value).decode()
