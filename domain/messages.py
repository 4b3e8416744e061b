"""Messages: what the project says to people, as data.

A message is an English template with named values; it becomes text only at the edge, where the language and
the names of the players are known (`replay/language`). A template is always a literal string in the call that
creates the message, because the catalogues of translations are extracted from the source code.

    message("{player} has no knight on {hex}", player=PlayerAt(1), hex=hex_at(at))
    plural_message("one hex is left", "{count} hexes are left", count=hexes)

`{value:form}` inserts a form of a term, such as `{building:a}`; docs/adding-a-language.md has a list.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a game, such as a kind of pawn. Terms are created by `term`."""

    forms: str


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of things: `2 knights`."""

    count: int
    term: Term


@dataclass(frozen=True, slots=True)
class HexAt:
    """A hex of the board: `2,-1`."""

    q: int
    r: int


@dataclass(frozen=True, slots=True)
class HexPath:
    """The hexes of a way, in order: `0,0>1,0`."""

    hexes: tuple[HexAt, ...]


@dataclass(frozen=True, slots=True)
class PlayerAt:
    """The player of a seat, shown by name, or by seat where the name is not known."""

    seat: int


@dataclass(frozen=True, slots=True)
class PlayerWithId:
    """The player with an id, shown by name, or by id where the name is not known."""

    id: str


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment, given by its timestamp: shown in words, in the time zone of the reader, which is named.

    It is shown to the minute, or to the millisecond.
    """

    timestamp: str
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar, given as `2026-11-20`: shown in words."""

    date: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Several values in one place.

    The style `and` reads `a, b and c` (`nothing` if it is empty), `comma` reads `a, b, c` (`none`), and
    `semicolon` reads `a; b; c`.
    """

    items: tuple["Value", ...]
    style: Literal["and", "comma", "semicolon"] = "and"


@dataclass(frozen=True, slots=True)
class Message:
    """An English template with its values. Messages are created by the functions of this module.

    `plural` is the template for counts other than one, where the wording depends on the value `count`.
    `context` tells messages apart that have the same English template and different meanings.
    """

    template: str
    values: Mapping[str, "Value"]
    plural: str | None = None
    context: str | None = None


Value: TypeAlias = (
    int
    | str
    | Term
    | Amount
    | HexAt
    | HexPath
    | PlayerAt
    | PlayerWithId
    | Instant
    | Day
    | Listing
    | Message
)
"""A value in a template. A string is shown as it is in every language: an identifier, JSON, or text that
somebody wrote, and never words of our own.
"""

Text: TypeAlias = Message | Listing | Term | Amount
"""What can be shown by itself: a message, several, or a term."""


def message(template: str, /, **values: Value) -> Message:
    """A message with this English template and the values of its fields."""
    return Message(template, values)


def message_in(context: str, template: str, /, **values: Value) -> Message:
    """A message whose template has another meaning elsewhere. `context` is a note for translators."""
    return Message(template, values, context=context)


def plural_message(singular: str, plural: str, /, count: int, **values: Value) -> Message:
    """A message whose wording depends on a number. Its templates may contain `{count}`."""
    return Message(singular, {**values, "count": count}, plural)


def reason(clause: str, template: str, /, **values: Value) -> tuple[str, Message]:
    """A clause, and a message that says how it applies to one board (`domain.contract.Reason`)."""
    return clause, Message(template, values)


def plural_reason(
    clause: str, singular: str, plural: str, /, count: int, **values: Value
) -> tuple[str, Message]:
    """A clause, and a message as of `plural_message` that says how it applies to one board."""
    return clause, plural_message(singular, plural, count=count, **values)


def term(forms: str, /) -> Term:
    """A term with its forms in English: `city; plural: cities; a: a city; the: the city`."""
    return Term(forms)


def counted(count: int, noun: Term) -> Amount:
    """`1 knight`, `2 knights`, `0 knights`."""
    return Amount(count, noun)


def listing(items: Iterable[Value]) -> Listing:
    """`a`, `a and b`, `a, b and c`; `nothing` for no items."""
    return Listing(tuple(items))


def comma_list(items: Iterable[Value]) -> Listing:
    """`a, b, c`; `none` for no items."""
    return Listing(tuple(items), "comma")


def semicolon_list(items: Iterable[Value]) -> Listing:
    """`a; b; c`."""
    return Listing(tuple(items), "semicolon")


def hex_at(at: Sequence[int]) -> HexAt:
    """A hex from its two coordinates."""
    q, r = at
    return HexAt(q, r)


def hex_path(hexes: Iterable[Sequence[int]]) -> HexPath:
    """The hexes of a way."""
    return HexPath(tuple(map(hex_at, hexes)))


def mentions(text: Value, value: Value) -> bool:
    """Whether a value is among those of a text, or of the texts within it."""
    if isinstance(text, Message):
        return any(mentions(part, value) for part in text.values.values())
    if isinstance(text, Listing):
        return any(mentions(part, value) for part in text.items)
    return text == value


def english_word(text: Text) -> str:
    """The English template of a message, or the first form of a term: `city`."""
    if isinstance(text, Amount):
        return english_word(text.term)
    if isinstance(text, Term):
        return text.forms.partition(";")[0]
    return text.template if isinstance(text, Message) else ""
