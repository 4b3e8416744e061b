"""Messages as JSON, so that the result of a delivery can be stored and shown in any language."""

from dataclasses import replace
from typing import Any, Final

import orjson

from domain.messages import Instant, Message, Text, Value, message
from replay.language.renderer import english

_EMPTY: Final = message("{text}", text="")
"""Creates a stored message again: its template was a literal in the call that first created it."""


def encode_message(text: Text) -> str:
    """Return a message as JSON. A value of a kind that cannot be stored becomes English text."""
    return orjson.dumps(_as_json(text)).decode()


def decode_message(stored: str) -> Message:
    """Return the message that `encode_message` encoded; return any other text unchanged."""
    try:
        value = _as_value(orjson.loads(stored))
    except (ValueError, TypeError, KeyError):
        value = stored
    return value if isinstance(value, Message) else message("{text}", text=stored)


def _as_json(value: Value) -> Any:
    match value:
        case Message():
            values = {name: _as_json(item) for name, item in value.values.items()}
            return {
                "template": value.template,
                "values": values,
                "plural": value.plural,
                "context": value.context,
            }
        case Instant(timestamp):
            return {"instant": timestamp}
        case int() | str():
            return value
        case _:
            return english(value)


def _as_value(stored: Any) -> Value:
    if isinstance(stored, dict) and "instant" in stored:
        return Instant(str(stored["instant"]))
    if isinstance(stored, dict):
        return replace(
            _EMPTY,
            template=str(stored["template"]),
            values={name: _as_value(item) for name, item in stored["values"].items()},
            plural=stored["plural"],
            context=stored["context"],
        )
    if isinstance(stored, int | str):
        return stored
    raise TypeError(stored)
