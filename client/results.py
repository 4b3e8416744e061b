"""The results of calls: dataclasses with the fields of docs/http.md, which are read from JSON.

The results of the calls in groups are TypedDicts, which are read in the same way.

Fields that a later version of the server adds are ignored, except in `json`, which has the whole object where
its fields depend on the game. The metadata of a field may give it another `name` in JSON, and a predicate
`is_valid` for its value.
"""

import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import orjson

from client.errors import InvalidResponse
from domain.json_types import JsonObject
from ledger.envelope import is_hash, is_timestamp

T = TypeVar("T")

MAX_KEYS: Final = 1_000
"""The most keys that a server may publish: each may have to be tried on a signature."""

_SCALARS: Final = (str, int, bool, types.NoneType)

WHOLE: Final[Mapping[str, bool]] = {"whole": True}
"""The metadata of a field that holds the whole JSON object."""


@dataclass(frozen=True, slots=True)
class Account:
    """The player's own account. A guest has no password yet."""

    id: str
    handle: str
    locale: str | None = None
    guest: bool = False


@dataclass(frozen=True, slots=True)
class Registration:
    """A new player, and the token with which requests are made for them."""

    player: Account
    token: str


@dataclass(frozen=True, slots=True)
class Token:
    """A new token."""

    token: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last event of a game."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class GamePlayer:
    """A player of a game. `handle` is None if the account was deleted, `seat` before the game starts."""

    id: str
    handle: str | None
    seat: int | None
    bot: str | None = None


@dataclass(frozen=True, slots=True)
class GameSummary:
    """The summary of a game. `status` is `open`, `playing`, `finished` or `abandoned`."""

    id: str
    rules: str
    options: JsonObject
    clock: JsonObject | None
    seats: int
    status: str
    players: tuple[GamePlayer, ...]
    head: Head
    to_act: int | None
    deadline: str | None
    json: JsonObject = field(metadata=WHOLE, repr=False)

    def seat_of(self, player_id: str) -> int | None:
        """Return the seat of a player; None if they have none."""
        return next((player.seat for player in self.players if player.id == player_id), None)

    @property
    def has_ended(self) -> bool:
        """Whether the game is over."""
        return self.status in {"finished", "abandoned"}


@dataclass(frozen=True, slots=True)
class GamePage:
    """A page of games. `next` is the `cursor` of the next page, or None."""

    games: tuple[GameSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Me:
    """The player, and the games in which it is their turn. `next` is the `cursor` of the next page."""

    player: Account
    games: tuple[GameSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Invitation:
    """The token of an invitation to a game."""

    token: str


@dataclass(frozen=True, slots=True)
class InvitedGame:
    """The game to which an invitation leads, and the id of the player who invites."""

    game: GameSummary
    invited_by: str


@dataclass(frozen=True, slots=True)
class Position:
    """A position as the player may see it. `json` has all its fields, which depend on the game."""

    round: int
    to_act: int | None
    json: JsonObject = field(metadata=WHOLE, repr=False)


@dataclass(frozen=True, slots=True)
class LegalActions:
    """The legal actions after event `seq`, as JSON."""

    seq: int
    actions: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """An introduction to some rules: the ids of their clauses, and a text in the client's language."""

    name: str
    clauses: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class LessonList:
    """The lessons that are due after event `seq`."""

    seq: int
    lessons: tuple[Lesson, ...]


@dataclass(frozen=True, slots=True)
class Author:
    """The player who wrote a message. `handle` is None if the account was deleted."""

    id: str
    handle: str | None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a player within a game. `message` is its number, and `seq` the event that it points to.

    `text` is None if the message was erased, or if the reader has muted its author.
    """

    message: int
    at: str
    player: Author
    text: str | None
    seq: int | None
    erased: bool
    muted: bool


@dataclass(frozen=True, slots=True)
class ChatMessagePage:
    """A page of messages. `last` is the number of the last one, `next` the `after` of the next page."""

    messages: tuple[ChatMessage, ...]
    last: int
    next: int | None


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a log. `json` is the event as it is in the log."""

    game: str
    seq: int
    type: str
    at: str
    by: JsonObject
    action: JsonObject | None
    data: JsonObject
    prev: str
    hash: str
    json: JsonObject = field(metadata=WHOLE, repr=False)


@dataclass(frozen=True, slots=True)
class EventPage:
    """A page of a log. `next` is the `after` of the next page, or None."""

    events: tuple[Event, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class EventFeedPage:
    """A page of the events of all public games.

    `next` is the `after` of the next page, or None; `cursor` is the `after` with which to continue later.
    """

    events: tuple[Event, ...]
    cursor: str
    next: str | None


@dataclass(frozen=True, slots=True)
class GamePositions:
    """The last event of each game of a player, when a stream of all of them begins or is resumed."""

    games: dict[str, int]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The server's signature for an action that it accepted. Keep `json`."""

    game: str
    seq: int
    hash: str
    json: JsonObject = field(metadata=WHOLE, repr=False)


@dataclass(frozen=True, slots=True)
class ServerKey:
    """A public key of the server, in hex, with the times from and until which it signs, if limited."""

    key: str
    public: str = field(metadata={"is_valid": is_hash})
    since: str | None = field(default=None, metadata={"name": "from", "is_valid": is_timestamp})
    until: str | None = field(default=None, metadata={"is_valid": is_timestamp})


@dataclass(frozen=True, slots=True)
class PlayerKey:
    """A public key of the player, in hex, and when it was revoked, if it was."""

    public: str = field(metadata={"is_valid": is_hash})
    until: str | None = field(default=None, metadata={"is_valid": is_timestamp})


@dataclass(frozen=True, slots=True)
class MyKeys:
    """The public keys of the player."""

    keys: tuple[PlayerKey, ...]


@dataclass(frozen=True, slots=True)
class ServerKeys:
    """The keys that a server publishes, its name and that of its transparency log, if it has them."""

    keys: tuple[ServerKey, ...] = field(metadata={"is_valid": lambda keys: len(keys) <= MAX_KEYS})
    origin: str | None = None
    log: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptedAction:
    """The events that an action caused, and the receipt for the first of them."""

    events: tuple[Event, ...]
    receipt: Receipt


Options = Mapping[str, Any]
"""The options of a game, as JSON."""


class _WrongForm(Exception):
    """A value does not have the form of its type; `path` leads to it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def json_of(body: bytes) -> object:
    """Return the JSON of a body. Raises InvalidResponse."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidResponse.with_message("the server's response is not JSON") from None
    return value


def parse(kind: type[T], value: object) -> T:
    """Return JSON as a dataclass or a TypedDict. Raises InvalidResponse.

    A dataclass ignores fields that it does not have; a TypedDict keeps them.
    """
    try:
        result: T = _parse(kind, value, "")
    except _WrongForm as error:
        raise unexpected(error.path or "body") from None
    return result


def unexpected(field: str) -> InvalidResponse:
    """Return the error for a response in which a field is missing or has the wrong form."""
    return InvalidResponse.with_message(
        "the server's response is not the one that was expected: see the field {field}", field=field
    )


def _parse(kind: Any, value: object, path: str) -> Any:
    if kind is Any or kind is object:
        return value
    if kind in _SCALARS:
        # In Python, a bool is an int.
        if type(value) is kind:
            return value
        raise _WrongForm(path)
    if is_dataclass(kind):
        return _dataclass(kind, value, path)
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _union(get_args(kind), value, path)
    if origin in {tuple, list}:
        if not isinstance(value, list):
            raise _WrongForm(path)
        item = get_args(kind)[0]
        return origin(_parse(item, entry, f"{path}.{i}") for i, entry in enumerate(value))
    if not isinstance(value, dict):
        raise _WrongForm(path)
    if is_typeddict(kind):
        return value | {
            name: _parse(hint, value[name], f"{path}.{name}".lstrip("."))
            for name, hint in _typed_dict(kind, value, path)
        }
    if origin is dict:
        item = get_args(kind)[1]
        return {name: _parse(item, entry, f"{path}.{name}") for name, entry in value.items()}
    return value


def _union(kinds: Sequence[Any], value: object, path: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    members = [kind for kind in kinds if kind is not types.NoneType]
    for kind in members[:-1]:
        with suppress(_WrongForm):
            return _parse(kind, value, path)
    return _parse(members[-1], value, path)


def _typed_dict(kind: Any, value: JsonObject, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a TypedDict that a value has, with their types."""
    for name, hint in _hints(kind).items():
        if name in value:
            yield name, hint
        elif name in kind.__required_keys__:
            raise _WrongForm(f"{path}.{name}".lstrip("."))


def _dataclass(kind: Any, value: object, path: str) -> Any:
    if not isinstance(value, dict):
        raise _WrongForm(path)
    attributes: dict[str, Any] = {}
    for attribute, hint in _fields(kind):
        metadata = attribute.metadata
        name = metadata.get("name", attribute.name)
        path_of_field = f"{path}.{name}".lstrip(".")
        if metadata.get("whole"):
            attributes[attribute.name] = value
        elif name in value:
            part = attributes[attribute.name] = _parse(hint, value[name], path_of_field)
            is_valid = metadata.get("is_valid")
            if is_valid is not None and part is not None and not is_valid(part):
                raise _WrongForm(path_of_field)
        elif attribute.default is MISSING:
            raise _WrongForm(path_of_field)
    return kind(**attributes)


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)


@cache
def _fields(kind: Any) -> tuple[tuple[Field[Any], Any], ...]:
    hints = _hints(kind)
    return tuple((attribute, hints[attribute.name]) for attribute in fields(kind))
