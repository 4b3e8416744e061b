"""The form of what stands in a record: header, event, opening, receipt, each field by field.

Here is what a line must have; where in a file it stands is the business of `replay.record`.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Final, NoReturn, TypeAlias

from domain.contract import Json
from domain.errors import Unreadable
from domain.event import VERSION, Event

FORMAT: Final = "cartulary/1"
MOST_SEATS: Final = 100

Opening: TypeAlias = Json
"""`{"salt": hex, "value": …}`"""


def wrong(why: str) -> NoReturn:
    """Raise Unreadable; who knows the line adds it."""
    raise Unreadable(why)


_HASH: Final = re.compile(r"[0-9a-f]{64}")
_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,100}")
"""What needs no escaping in a URL."""
_TYPE: Final = re.compile(r"[A-Za-z]{1,100}")
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
_TEXTS: Final = re.compile(
    " ".join(form.pattern for form in (_ID, _TYPE, _TIME, _HASH, _HASH, _HASH))
)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _is_type(value: object) -> bool:
    return isinstance(value, str) and _TYPE.fullmatch(value) is not None


def is_time(value: object) -> bool:
    """Whether it is a time as it is written everywhere: UTC, RFC 3339, milliseconds, Z."""
    return isinstance(value, str) and _TIME.fullmatch(value) is not None and _is_day(value[:10])


@lru_cache(1000)
def _is_day(text: str) -> bool:
    """Whether a calendar has that day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


_Form = Mapping[str, Callable[[object], bool]]
"""Of each field that must be there, what it must be; other fields may be added by later versions."""


def _has(value: Json, form: _Form) -> None:
    for name, is_right in form.items():
        if name not in value:
            wrong(f"the field {name} is missing")
        if not is_right(value[name]):
            wrong(f"the field {name} is not of the form")


def _only(value: Json, form: _Form) -> None:
    _has(value, form)
    for name in value.keys() - form.keys():
        wrong(f"there is no field {name!r} here")


def checked_header(value: Json) -> Json:
    """The header that an object is. Raises Unreadable."""
    if value.get("format") != FORMAT:
        wrong(f"the header does not say {FORMAT}: this is no game record, or one of another kind")
    _has(value, _HEADER)
    _has(value["head"], _HEAD)
    for entry in value["keys"]:
        if not isinstance(entry, dict):
            wrong("an entry of keys is no object")
        _has(entry, _KEY)
    return value


_HEADER: Final[_Form] = {
    "game": _is_id,
    "rules": _is_text,
    "keys": _is_list,
    "head": _is_object,
    "engine": lambda value: isinstance(value, str),
}
_HEAD: Final[_Form] = {
    "seq": _is_count,
    "hash": _is_hash,
    "key": _is_text,
    "signature": _is_text,
}
_KEY: Final[_Form] = {
    "key": _is_text,
    "public": _is_text,
    "from": is_time,
    "until": lambda value: value is None or is_time(value),
}
_EVENT: Final[_Form] = {
    "game": _is_id,
    "seq": _is_count,
    "type": _is_type,
    "at": is_time,
    "by": lambda value: isinstance(value, dict) and len(value) == 1,
    "action": lambda value: value is None or isinstance(value, dict),
    "data": _is_object,
    "state": _is_hash,
    "prev": _is_hash,
    "hash": _is_hash,
}
_BY: Final[_Form] = {
    "seat": lambda value: type(value) is int and 0 <= value < MOST_SEATS,
    "player": _is_id,
    "system": _is_text,
}
_CREATED: Final[_Form] = {
    "rules": _is_text,
    "seats": lambda value: type(value) is int and 1 <= value <= MOST_SEATS,
    "options": _is_object,
    "clock": lambda value: value is None or isinstance(value, dict),
    "commitment": _is_hash,
}


def checked_event(value: Json, seq: int) -> Event:
    """The event that an object is, as the `seq`-th of its record. Raises Unreadable."""
    if type(value.get("v")) is not int:
        wrong("this is no event: it has no version")
    if value["v"] != VERSION:
        wrong(f"an event of version {value['v']}; version {VERSION} is known here")
    if not _has_usual_envelope(value):
        _has(value, _EVENT)
    ((who, which),) = value["by"].items()
    if who not in _BY or not _BY[who](which):
        wrong("by says neither a seat nor a player nor a part of the system")
    if "secrets" in value:
        secrets = value["secrets"]
        if not isinstance(secrets, dict) or not secrets:
            wrong("secrets is not of the form")
        if not all(map(_is_hash, secrets.values())):
            wrong("a commitment is not 32 bytes in hex")
    if (seq == 1) != (value["type"] == "GameCreated"):
        wrong(f"the {seq}. event is {value['type']}; GameCreated is the first and no other")
    if seq == 1:
        _has(value["data"], _CREATED)
        if "player" not in value["by"]:
            wrong("a game is created by a player")
    return value  # type: ignore[return-value] # its form has just been checked


def _has_usual_envelope(value: Json) -> bool:
    """A quick look at an event, several times as fast as `_EVENT`, which tells what is wrong otherwise."""
    try:
        texts = " ".join(
            (
                value["game"],
                value["type"],
                value["at"],
                value["state"],
                value["prev"],
                value["hash"],
            )
        )
        return (
            _TEXTS.fullmatch(texts) is not None
            and _is_day(value["at"][:10])
            and type(value["seq"]) is int
            and value["seq"] > 0
            and type(value["by"]) is dict
            and len(value["by"]) == 1
            and type(value["data"]) is dict
            and (value["action"] is None or type(value["action"]) is dict)
        )
    except (KeyError, TypeError):
        return False


def checked_openings(value: Json) -> tuple[int, dict[str, Opening]]:
    """The seq and, by name, the openings that an object holds. Raises Unreadable."""
    _only(value, {"seq": _is_count, "open": _is_object})
    opens = value["open"]
    if not opens:
        wrong("nothing is opened")
    for name, opening in opens.items():
        if not isinstance(opening, dict) or opening.keys() != {"salt", "value"}:
            wrong(f"the opening of {name!r} is not of a salt and a value")
        if not _is_hash(opening["salt"]):
            wrong(f"the salt of {name!r} is not 32 bytes in hex")
    return value["seq"], opens


def checked_receipt(value: Json) -> Json:
    """The receipt that an object holds; its own fields are signed. Raises Unreadable."""
    _only(value, {"receipt": _is_object})
    receipt: Json = value["receipt"]
    return receipt
