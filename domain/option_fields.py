"""The kinds of options of a game. Each checks its values, reads them from a form, and says them in words.

A kind is a class here, and the macro KIND_option in `option_fields.html`, which draws its field in a form.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from domain.json_fields import is_integer, one_of
from domain.json_types import Pattern, Range
from domain.messages import Text, Value, message, message_in

_NO_VALUE = message_in("option", "none")


@dataclass(frozen=True, slots=True)
class OptionField(ABC):
    """An option by its name in `options`, with its label and a sentence that explains it."""

    kind: ClassVar[str]
    """The name of the kind, by which templates choose the macro that draws the field."""

    name: str
    label: Text
    help: Text

    @property
    @abstractmethod
    def json_type(self) -> object:
        """The type of the option in JSON."""

    @property
    @abstractmethod
    def value_if_missing(self) -> object:
        """The value of the option in a game that does not give it."""

    @abstractmethod
    def fault(self, value: object) -> Text | None:
        """Return what is wrong with a value, as the end of a sentence about it; None if it is valid."""

    @abstractmethod
    def from_form(self, text: str) -> object:
        """Return the value for the text of the field, which is empty if a form does not have it.

        What cannot be a value is returned as it was entered, for `fault` to refuse it.
        """

    @abstractmethod
    def in_words(self, value: object) -> Value:
        """Return a valid value in words. None stands for an option that is left out."""


@dataclass(frozen=True, slots=True)
class FlagField(OptionField):
    """An option that is true or false, and false by default."""

    kind = "flag"

    @property
    @override
    def json_type(self) -> object:
        return bool

    @property
    @override
    def value_if_missing(self) -> object:
        return False

    @override
    def fault(self, value: object) -> Text | None:
        return None if isinstance(value, bool) else message("must be true or false")

    @override
    def from_form(self, text: str) -> object:
        return bool(text)

    @override
    def in_words(self, value: object) -> Value:
        return message_in("option", "yes") if value else message_in("option", "no")


@dataclass(frozen=True, slots=True)
class NumberField(OptionField):
    """An option that is a whole number from `least` to `most`. The default None stands for no number."""

    kind = "number"

    least: int
    most: int
    default: int | None = None

    @property
    @override
    def json_type(self) -> object:
        number = Annotated[int, Range(self.least, self.most)]
        return number | None if self.default is None else number

    @property
    @override
    def value_if_missing(self) -> object:
        return self.default

    @override
    def fault(self, value: object) -> Text | None:
        if is_integer(value) and self.least <= value <= self.most:
            return None
        if self.default is not None:
            return message(
                "must be a whole number from {least} to {most}", least=self.least, most=self.most
            )
        if value is None:
            return None
        return message(
            "must be a whole number from {least} to {most}, or null",
            least=self.least,
            most=self.most,
        )

    @override
    def from_form(self, text: str) -> object:
        return entered_number(text) if text else None

    @override
    def in_words(self, value: object) -> Value:
        return value if isinstance(value, int) else _NO_VALUE


@dataclass(frozen=True, slots=True)
class SelectionField(OptionField):
    """An option with one of several values, each with its label. The first one is the default."""

    kind = "selection"

    values: Mapping[str, Text]

    @property
    @override
    def json_type(self) -> object:
        return Literal[tuple(self.values)]

    @property
    @override
    def value_if_missing(self) -> object:
        return next(iter(self.values))

    @override
    def fault(self, value: object) -> Text | None:
        return None if value in self.values else one_of(self.values)

    @override
    def from_form(self, text: str) -> object:
        return text

    @override
    def in_words(self, value: object) -> Value:
        return self.values[str(value)]


@dataclass(frozen=True, slots=True)
class TextField(OptionField):
    """An option that is one line of text with at most `most` characters. The default None stands for none."""

    kind = "text"

    most: int
    default: str | None = ""

    @property
    @override
    def json_type(self) -> object:
        text = Annotated[str, Pattern(f".{{0,{self.most}}}")]
        return text | None if self.default is None else text

    @property
    @override
    def value_if_missing(self) -> object:
        return self.default

    @override
    def fault(self, value: object) -> Text | None:
        is_text = isinstance(value, str) and len(value) <= self.most
        if is_text or (value is None and self.default is None):
            return None
        return message("must be a text of at most {most} characters", most=self.most)

    @override
    def from_form(self, text: str) -> object:
        return text.strip() or self.default

    @override
    def in_words(self, value: object) -> Value:
        return value if isinstance(value, str) and value else _NO_VALUE


def checked_options(
    fields: Sequence[OptionField], options: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, Text]]:
    """Return the options of these fields with their defaults, and the faults of those given, by field."""
    names = [field.name for field in fields]
    faults: dict[str, Text] = {
        f"options.{name}": message("is not an option of this game")
        for name in options
        if name not in names
    }
    checked: dict[str, object] = {}
    for field in fields:
        value = checked[field.name] = options.get(field.name, field.value_if_missing)
        if (fault := field.fault(value)) is not None:
            faults[f"options.{field.name}"] = fault
    return checked, faults


def entered_number(text: str) -> int | str:
    """Return the whole number that was entered into a field; what is not a number, as it was entered."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text
