"""The JSON of dataclasses, derived from the types of their fields.

A game with turns states its actions, their outcomes and its state as dataclasses. Their fields are hexes,
words (`Literal`), whole numbers, booleans, other such dataclasses, tuples of all of these, and mappings from
hexes to them; a field can be None where its type says so. The TypedDicts from which the OpenAPI
document is generated, what reads and writes the JSON, and the short form of actions follow from that.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from domain.hexes import Hex, hex_from_text, hex_text, number_from_text
from domain.json_fields import FieldReader, is_integer
from domain.json_types import HexJson, JsonObject, Seat
from domain.messages import Text, Value, comma_list, hex_at, message

_UNIONS: Final = (Union, UnionType)
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of one type are written.

    `json_type` is the type of their JSON. `write` returns a value as JSON; `read` returns the value that JSON
    stands for, and reports what is wrong with it to a FieldReader under its path. `text` and `from_text` are
    the short form in one word, and `words` is the value in a message. `from_text` raises ValueError. `simple`
    is one of the values.
    """

    json_type: object
    write: Callable[[Any], Any]
    read: Callable[[FieldReader, object, str], Any]
    text: Callable[[Any], str]
    from_text: Callable[[str], Any]
    words: Callable[[Any], Value]
    simple: Any = None


def fields_of(cls: Any) -> Mapping[str, object]:
    """The types of the fields of a dataclass, by name, with their metadata."""
    return _fields_of(cls)


@cache
def _fields_of(cls: Any) -> Mapping[str, object]:
    # Resolving the annotations takes longer than writing the action.
    hints = get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in fields(cls)}


def optional_fields(cls: type) -> frozenset[str]:
    """The names of the fields of a dataclass whose default is None: they are left out of JSON then."""
    return frozenset(field.name for field in fields(cls) if field.default is None)


@cache
def form_of(hint: Any) -> Form:
    """Return how the values of a type are written. Raises TypeError for a type that has no JSON here."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner = form_of(arguments[0])
        return replace(inner, json_type=hint)
    if hint == tuple[int, int]:
        return Form(HexJson, list, _read_hex, hex_text, hex_from_text, hex_at, (0, 0))
    if origin is Literal:
        return Form(hint, str, _word_reader(arguments), str, str, str, arguments[0])
    if hint is bool:
        return Form(
            bool, bool, _read_flag, lambda flag: str(flag).lower(), _FLAGS.__getitem__, _flag
        )
    if hint is int:
        return Form(int, int, _read_integer, str, number_from_text, int, 1)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _list_form(form_of(arguments[0]))
    if origin in _UNIONS and len(arguments) == 2 and NoneType in arguments:
        return _optional_form(form_of(next(item for item in arguments if item is not NoneType)))
    if origin is not None and issubclass(origin, Mapping) and arguments[0] == tuple[int, int]:
        return _mapping_form(arguments[1])
    if isinstance(hint, type) and is_dataclass(hint):
        return _object_form(hint)
    raise TypeError(f"{hint!r} has no JSON in a game with turns")


def typed_dict(
    name: str, module: str, description: str | None, types: Mapping[str, object]
) -> type:
    """Create a TypedDict at run time, as if the module had defined it.

    Its name begins with that of the module's package, `SevenHexes`, because all games share the names of one
    OpenAPI document.
    """
    package = (sys.modules[module].__package__ or module).rpartition(".")[2]
    prefix = package.title().replace("_", "")
    create: Any = TypedDict
    result: type = create(prefix + name.removeprefix(prefix), dict(types))
    result.__module__ = module
    result.__doc__ = description
    return result


def json_types(cls: type) -> dict[str, object]:
    """Return the types of the JSON of the fields of a dataclass, by name."""
    optional = optional_fields(cls)
    types = {}
    for name, hint in fields_of(cls).items():
        try:
            types[name] = form_of(hint).json_type
        except TypeError as error:
            raise TypeError(f"{cls.__name__}.{name}: {error}") from None
    return {
        name: NotRequired[cast("Any", _without_none(fields_of(cls)[name]))]
        if name in optional
        else type
        for name, type in types.items()
    }


def _without_none(hint: Any) -> object:
    (present,) = (item for item in get_args(hint) if item is not NoneType)
    return form_of(present).json_type


def write_fields(value: Any) -> JsonObject:
    """Return the fields of an instance of a dataclass as JSON."""
    optional = optional_fields(type(value))
    return {
        name: form_of(hint).write(part)
        for name, hint in fields_of(type(value)).items()
        if (part := getattr(value, name)) is not None or name not in optional
    }


def read_fields(cls: Any, reader: FieldReader, raw: JsonObject, path: str = "") -> Any:
    """Return the instance of a dataclass whose fields JSON has; what is wrong is reported to the reader."""
    optional = optional_fields(cls)
    values = {}
    for name, hint in fields_of(cls).items():
        if name in raw or name not in optional:
            values[name] = form_of(hint).read(reader, raw.get(name), f"{path}{name}")
    return cls(**values)


def text_of_fields(value: Any) -> list[str]:
    """Return the short forms of the fields of an instance, in their order, without None at the end."""
    words = [
        form_of(hint).text(getattr(value, name)) for name, hint in fields_of(type(value)).items()
    ]
    while words and words[-1] == "":
        words.pop()
    return words


def fields_from_text(cls: type, words: list[str]) -> JsonObject:
    """Return the JSON of the fields whose short forms these are. Raises ValueError or IndexError."""
    hints = fields_of(cls)
    required = sum(field.default is MISSING for field in fields(cls))
    if not required <= len(words) <= len(hints):
        raise ValueError(words)
    pairs = zip(hints.items(), words, strict=False)
    return {
        name: form_of(hint).write(form_of(hint).from_text(word)) for (name, hint), word in pairs
    }


def _read_hex(reader: FieldReader, value: object, path: str) -> Hex:
    return reader.hex_of(value, path)


def _read_integer(reader: FieldReader, value: object, path: str) -> int:
    if not is_integer(value):
        reader.errors[path] = message("must be a whole number")
        return 0
    return value


def _read_flag(reader: FieldReader, value: object, path: str) -> bool:
    if not isinstance(value, bool):
        reader.errors[path] = message("must be true or false")
    return value is True


def _flag(value: Any) -> Text:
    return message("yes") if value else message("no")


def _word_reader(words: tuple[str, ...]) -> Callable[[FieldReader, object, str], str]:
    return lambda reader, value, path: reader.word(value, path, words)


def _list_form(item: Form) -> Form:
    def read(reader: FieldReader, value: object, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            reader.errors[path] = message("must be a list")
            return ()
        return tuple(item.read(reader, part, f"{path}.{i}") for i, part in enumerate(value))

    return Form(
        list[item.json_type],  # type: ignore[name-defined] # a type that is known at run time only
        lambda values: [item.write(value) for value in values],
        read,
        lambda values: "+".join(map(item.text, values)),
        lambda text: tuple(item.from_text(part) for part in text.split("+")),
        lambda values: comma_list(item.words(value) for value in values),
        (),
    )


def _optional_form(present: Form) -> Form:
    return Form(
        cast("Any", present.json_type) | None,
        lambda value: None if value is None else present.write(value),
        lambda reader, value, path: None if value is None else present.read(reader, value, path),
        lambda value: "" if value is None else present.text(value),
        present.from_text,
        lambda value: comma_list(()) if value is None else present.words(value),
    )


def _mapping_form(of: Any) -> Form:
    """The form of a mapping from hexes: a list in their order, each `at` with the fields of its value.

    A value that is no dataclass is the `seat` that has the hex.
    """
    entry = of if is_dataclass(of) else None
    types = {"at": HexJson, **(json_types(of) if entry else {"seat": Seat})}
    name, module = (of.__name__, of.__module__) if entry else ("HexOfSeat", __name__)

    def write(values: Mapping[Hex, Any]) -> list[JsonObject]:
        return [
            {"at": list(at), **(write_fields(value) if entry else {"seat": value})}
            for at, value in sorted(values.items())
        ]

    def read(reader: FieldReader, value: object, path: str) -> dict[Hex, Any]:
        items = value if isinstance(value, list) else []
        return {
            reader.hex_of(item["at"], path): (
                read_fields(of, reader, item, f"{path}.") if entry else item["seat"]
            )
            for item in items
        }

    form = typed_dict(name, module, of.__doc__ if entry else "A hex that a seat has.", types)
    return Form(cast("Any", list)[form], write, read, _no_text, _no_text, _no_words)


def _object_form(cls: type) -> Form:
    def read(reader: FieldReader, value: object, path: str) -> Any:
        if not isinstance(value, dict):
            reader.errors[path] = message("must be an object")
            value = {}
        return read_fields(cls, reader, value, f"{path}.")

    form = typed_dict(cls.__name__, cls.__module__, cls.__doc__, json_types(cls))
    return Form(form, write_fields, read, _no_text, _no_text, _no_words)


def _no_text(value: Any) -> str:
    raise ValueError(f"{value!r} has no short form")


def _no_words(value: Any) -> Value:
    raise ValueError(f"{value!r} is not shown in words")
