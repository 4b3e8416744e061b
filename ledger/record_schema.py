"""Checks the form of each kind of line in a record: header, event, openings, receipt.

ledger/record.py checks the order of the lines.
"""

from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeAlias

from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.envelope import (
    MAX_SEATS,
    check_envelope,
    invalid_field,
    is_game_id,
    is_hash,
    is_object,
    is_positive,
    is_timestamp,
    is_word,
    missing_field,
)

FORMAT: Final = "cartulary/1"

Opening: TypeAlias = JsonObject
"""`{"salt": hex, "value": …}`"""


def reject(why: Message) -> NoReturn:
    """Raise Unreadable; the caller adds the number of the line."""
    raise Unreadable(why)


_Schema: TypeAlias = Mapping[str, Callable[[object], bool]]
"""The required fields, with a check for each. Later versions may add fields."""

_HEADER: Final[_Schema] = {
    "game": is_game_id,
    "rules": is_word,
    "keys": lambda value: isinstance(value, list),
    "head": is_object,
    "engine": lambda value: isinstance(value, str),
}
_PLAYER: Final[_Schema] = {
    "id": is_word,
    "handle": lambda value: value is None or is_word(value),
    "keys": lambda value: isinstance(value, list),
}
_HEAD: Final[_Schema] = {"seq": is_positive, "hash": is_hash, "key": is_word, "signature": is_word}
_KEY: Final[_Schema] = {
    "key": is_word,
    "public": is_word,
    "from": is_timestamp,
    "until": lambda value: value is None or is_timestamp(value),
}
_GAME_CREATED: Final[_Schema] = {
    "rules": is_word,
    "seats": lambda value: type(value) is int and 1 <= value <= MAX_SEATS,
    "options": is_object,
    "clock": lambda value: value is None or is_object(value),
    "commitment": is_hash,
}
HEADER_FIELDS: Final = frozenset({"format", *_HEADER, "players", "inclusion", "log", "origin"})
"""The fields of a header that this version knows, including those that may be left out."""
HEAD_FIELDS: Final = frozenset(_HEAD)
"""The fields of the head in a header."""
_OPENINGS: Final[_Schema] = {"seq": is_positive, "open": is_object}
_RECEIPT: Final[_Schema] = {"receipt": is_object}


def check_header(value: JsonObject) -> JsonObject:
    """Return a JSON object that is a valid header. Raises Unreadable."""
    if value.get("format") != FORMAT:
        reject(
            message(
                "the header does not name the format {format}: this is not a game record",
                format=FORMAT,
            )
        )
    _check(value, _HEADER)
    _check(value["head"], _HEAD)
    for name in ("log", "origin"):
        if not is_word(value.get(name, "-")):
            reject(invalid_field(name))
    check_key_entries(value["keys"])
    players = value.get("players", [])
    _check_each(players, "players", _PLAYER)
    for player in players:
        _check_each(player["keys"], "players.keys", _KEY)
    return value


def check_event(value: JsonObject, seq: int) -> Event:
    """Return a JSON object that is a valid event, with number `seq` in its record. Raises Unreadable."""
    event = check_envelope(value)
    if (seq == 1) != (event["type"] == "GameCreated"):
        reject(
            message(
                "event {event} of the record is {type}: the first event, and no other, must be GameCreated",
                event=seq,
                type=event["type"],
            )
        )
    if seq == 1:
        _check(event["data"], _GAME_CREATED)
        if "player" not in event["by"]:
            reject(message("a game must be created by a player"))
    return event


def check_openings(value: JsonObject) -> tuple[int, dict[str, Opening]]:
    """Return the seq and, by name, the openings of a JSON object. Raises Unreadable."""
    _check(value, _OPENINGS, allow_others=False)
    openings = value["open"]
    if not openings:
        reject(message("the line opens no secret"))
    for name, opening in openings.items():
        if not isinstance(opening, dict) or opening.keys() != {"salt", "value"}:
            reject(message("the opening of {name} must consist of a salt and a value", name=name))
        if not is_hash(opening["salt"]):
            reject(message("the salt of {name} is not 32 bytes in lowercase hex", name=name))
    return value["seq"], openings


def check_receipt(value: JsonObject) -> JsonObject:
    """Return the receipt in a JSON object. The fields within it are not checked. Raises Unreadable."""
    _check(value, _RECEIPT, allow_others=False)
    receipt: JsonObject = value["receipt"]
    return receipt


def check_key_entries(entries: object) -> None:
    """Check the public keys of a header. Raises Unreadable."""
    _check_each(entries, "keys", _KEY)


def _check_each(entries: object, name: str, schema: _Schema) -> None:
    if not isinstance(entries, list):
        reject(invalid_field(name))
    for entry in entries:
        if not isinstance(entry, dict):
            reject(message("an entry of {name} is not an object", name=name))
        _check(entry, schema)


def _check(value: JsonObject, schema: _Schema, *, allow_others: bool = True) -> None:
    for name, is_valid in schema.items():
        if name not in value:
            reject(missing_field(name))
        if not is_valid(value[name]):
            reject(invalid_field(name))
    if not allow_others:
        for name in value.keys() - schema.keys():
            reject(message("unknown field {name}", name=name))
