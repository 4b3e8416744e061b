"""Reading the fields of an action: what is wrong with them is gathered, each field by its path."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Self, TypeVar

from domain.contract import Json
from domain.errors import Malformed
from domain.hexes import Hex

INTEGERS_BELOW: Final = 2**53

A = TypeVar("A")


class Form:
    """Reads fields of one object and gathers what is wrong with them; a wrong field reads as something
    harmless.
    """

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.wrong: dict[str, str] = {}

    def allow(self, *names: str) -> Self:
        """Fields other than these are wrong."""
        for name in self.raw:
            if name not in names and name != "type":
                self.wrong[name] = "is no field of this action"
        return self

    def bare(self, action: A) -> A:
        """An action without fields."""
        self.allow()
        return action

    def entries(self, name: str, *, least: int = 1, most: int | None = None) -> list[Any]:
        """The list in a field, with so many entries."""
        value = self.raw.get(name)
        if not isinstance(value, list):
            self.wrong[name] = "must be a list"
            return []
        if len(value) < least or (most is not None and len(value) > most):
            bounds = f"{least} to {most}" if most is not None else f"{least} or more"
            self.wrong[name] = f"must have {bounds} entries, not {len(value)}"
            return []
        return value

    def hex_of(self, value: object, path: str) -> Hex:
        """A hex from a value at this path."""
        if isinstance(value, list) and len(value) == 2 and all(is_integer(n) for n in value):
            return (value[0], value[1])
        self.wrong[path] = "must be a hex, [q, r]"
        return (0, 0)

    def count_of(self, value: object, path: str) -> int:
        """A count from a value at this path."""
        if is_integer(value) and isinstance(value, int) and value >= 1:
            return value
        self.wrong[path] = "must be a whole number, 1 or more"
        return 1

    def word(self, value: object, path: str, words: tuple[str, ...]) -> str:
        """One of these words, from a value at this path."""
        if isinstance(value, str) and value in words:
            return value
        self.wrong[path] = f"must be one of {', '.join(words)}"
        return words[0]

    def entry(self, value: object, path: str, names: tuple[str, ...]) -> Json:
        """An object of exactly these fields, from a value at this path; empty where it is none."""
        if isinstance(value, dict) and set(value) == set(names):
            return value
        self.wrong[path] = f"must be an object with {' and '.join(names)}"
        return {}

    def once(self, name: str, values: list[Any]) -> None:
        """Say so where the values of a field name something twice."""
        is_sound = not any(path.split(".")[0] == name for path in self.wrong)
        if is_sound and len(set(values)) < len(values):
            self.wrong[name] = "names something twice"

    def hex(self, name: str) -> Hex:
        """The hex in a field."""
        return self.hex_of(self.raw.get(name), name)

    def count(self, name: str) -> int:
        """The count in a field."""
        return self.count_of(self.raw.get(name), name)

    def flag(self, name: str) -> bool:
        """The true or false in a field."""
        value = self.raw.get(name)
        if not isinstance(value, bool):
            self.wrong[name] = "must be true or false"
        return value is True


def is_integer(value: object) -> bool:
    """An integer as JSON means it here: below 2^53 in size, and `true` is not 1."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGERS_BELOW


F = TypeVar("F", bound=Form)


def read_action(
    raw: object, form_of: Callable[[Json], F], forms: Mapping[str, Callable[[F], Any]]
) -> Any:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field.

    `forms`: what reads the fields of each type, out of what `form_of` makes of the object.
    """
    if not isinstance(raw, dict):
        raise Malformed({"": "an action is an object"})
    type = raw.get("type")
    if not isinstance(type, str) or type not in forms:
        raise Malformed({"type": f"must be one of {', '.join(forms)}"})
    form = form_of(raw)
    action = forms[type](form)
    if form.wrong:
        raise Malformed(form.wrong)
    return action
