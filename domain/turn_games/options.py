"""Options that are checked by the fields with which forms show them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from domain.json_fields import is_integer, one_of
from domain.json_types import Pattern, Range
from domain.messages import Text, message
from domain.options import FlagField, NumberField, OptionField, SelectionField, TextField


def option_type(field: OptionField) -> object:
    """Return the type of an option in JSON."""
    match field:
        case FlagField():
            return bool
        case NumberField(least=least, most=most, default=default):
            number = Annotated[int, Range(least, most)]
            return number | None if default is None else number
        case SelectionField(values=values):
            return Literal[tuple(values)]
        case TextField(most=most):
            return Annotated[str, Pattern(f".{{0,{most}}}")]


def checked_options(
    fields: Sequence[OptionField], options: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, Text]]:
    """Return the options of these fields with their defaults, and the faults of those given, by field."""
    names = [field.name for field in fields]
    errors: dict[str, Text] = {
        f"options.{name}": message("is not an option of this game")
        for name in options
        if name not in names
    }
    checked: dict[str, object] = {}
    for field in fields:
        value = checked[field.name] = options.get(field.name, _default(field))
        if (fault := _fault(field, value)) is not None:
            errors[f"options.{field.name}"] = fault
    return checked, errors


def _default(field: OptionField) -> object:
    """The value of an option that is not given."""
    match field:
        case FlagField():
            return False
        case NumberField(default=default):
            return default
        case SelectionField(values=values):
            return next(iter(values))
        case TextField():
            return ""


def _fault(field: OptionField, value: object) -> Text | None:
    match field:
        case FlagField():
            return None if isinstance(value, bool) else message("must be true or false")
        case NumberField(least=least, most=most, default=default):
            if (value is None and default is None) or (
                is_integer(value) and least <= value <= most
            ):
                return None
            return message("must be a whole number from {least} to {most}", least=least, most=most)
        case SelectionField(values=values):
            return None if value in values else one_of(values)
        case TextField(most=most):
            if isinstance(value, str) and len(value) <= most:
                return None
            return message("must be a text of at most {most} characters", most=most)
