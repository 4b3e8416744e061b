"""Reads the fields of an action from JSON, and collects what is wrong with them by path."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeGuard, TypeVar

from domain.errors import Malformed
from domain.hexes import Hex
from domain.json_types import INTEGERS_BELOW, JsonObject
from domain.messages import Message, Text, comma_list, listing, message

A = TypeVar("A")
W = TypeVar("W", bound=str)


class FieldReader:
    """Reads the fields of one JSON object and collects their errors.

    Every method returns a value of the right type even where it records an error, so that reading goes on
    and all errors are found; the value is only used if there is none.
    """

    def __init__(self, raw: JsonObject) -> None:
        self.raw: Final = raw
        self.errors: Final[dict[str, Text]] = {}
        """By the path of a field (`moves.0.1`), what is wrong with it."""

    def allow(self, *names: str) -> None:
        """Record an error for every other field."""
        for name in self.raw:
            if name not in names and name != "type":
                self.errors[name] = message("is not a field of this action")

    def entries(self, name: str, *, least: int = 1, most: int | None = None) -> list[object]:
        """The list in a field, which must have `least` to `most` entries."""
        value = self.raw.get(name)
        if not isinstance(value, list):
            self.errors[name] = message("must be a list")
            return []
        if len(value) < least or (most is not None and len(value) > most):
            self.errors[name] = _wrong_length(len(value), least, most)
            return []
        return value

    def hex(self, name: str) -> Hex:
        """The hex in a field."""
        return self.hex_of(self.raw.get(name), name)

    def hex_of(self, value: object, path: str) -> Hex:
        """The hex that the value at this path is."""
        if isinstance(value, list) and len(value) == 2 and all(map(is_integer, value)):
            return (value[0], value[1])
        self.errors[path] = message("must be a hex, [q, r]")
        return (0, 0)

    def count(self, name: str) -> int:
        """The count in a field, 1 or more."""
        return self.count_of(self.raw.get(name), name)

    def count_of(self, value: object, path: str) -> int:
        """The count that the value at this path is, 1 or more."""
        if is_integer(value) and value >= 1:
            return value
        self.errors[path] = message("must be a whole number, 1 or more")
        return 1

    def flag(self, name: str) -> bool:
        """The boolean in a field."""
        value = self.raw.get(name)
        if not isinstance(value, bool):
            self.errors[name] = message("must be true or false")
        return value is True

    def word(self, value: object, path: str, words: Sequence[W]) -> W:
        """The one of these words that the value at this path is."""
        for word in words:
            if value == word:
                return word
        self.errors[path] = one_of(words)
        return words[0]

    def entry(self, value: object, path: str, names: tuple[str, ...]) -> JsonObject:
        """The object with exactly these fields that the value at this path is; {} where it is not."""
        if isinstance(value, dict) and set(value) == set(names):
            return value
        self.errors[path] = message(
            "must be an object with these fields: {names}", names=listing(names)
        )
        return {}

    def require_unique(self, name: str, values: Sequence[Hashable]) -> None:
        """Record an error if the values of a field, none of them wrong, name anything twice."""
        is_right = not any(path.split(".")[0] == name for path in self.errors)
        if is_right and len(set(values)) < len(values):
            self.errors[name] = message("names something twice")


def one_of(words: Iterable[str]) -> Message:
    """The fault of a value that is none of these words."""
    return message("must be one of {words}", words=comma_list(words))


def _wrong_length(length: int, least: int, most: int | None) -> Message:
    if most is None:
        return message(
            "must have {least} or more entries, not {length}", least=least, length=length
        )
    return message(
        "must have {least} to {most} entries, not {length}", least=least, most=most, length=length
    )


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer in JSON: smaller than 2^53 in magnitude, and no boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGERS_BELOW


F = TypeVar("F", bound=FieldReader)
Parser: TypeAlias = tuple[Sequence[str] | None, Callable[[F], A]]
"""The names of the fields that an action of one type has, and the function that reads the action from them.
The names are None if the function checks which fields there are.
"""


def parse_action_fields(
    raw: object, reader: Callable[[JsonObject], F], parsers: Mapping[str, Parser[F, A]]
) -> A:
    """The action that decoded JSON stands for. Raises Malformed, which names every wrong field.

    `parsers` has the parser of each action type; it reads from a `reader` of the object.
    """
    if not isinstance(raw, dict):
        raise Malformed({"": message("an action is an object")})
    type = raw.get("type")
    if not isinstance(type, str) or type not in parsers:
        raise Malformed({"type": one_of(parsers)})
    names, parse = parsers[type]
    fields = reader(raw)
    if names is not None:
        fields.allow(*names)
    action = parse(fields)
    if fields.errors:
        raise Malformed(fields.errors)
    return action
