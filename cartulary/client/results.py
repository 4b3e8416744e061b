"""What calls return: dataclasses whose fields are those of docs/http.md.

Fields that a later version of the server adds are ignored, except in `json`, which has the whole object where
its fields depend on the game.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from domain.json_types import JsonObject

WHOLE: Final[Mapping[str, bool]] = {"whole": True}
"""The metadata of a field that holds the whole object of which the other fields are parts."""


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
class Message:
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
class MessagePage:
    """A page of messages. `last` is the number of the last one, `next` the `after` of the next page."""

    messages: tuple[Message, ...]
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
class Receipt:
    """The server's signature for an action that it accepted. Keep `json`."""

    game: str
    seq: int
    hash: str
    json: JsonObject = field(metadata=WHOLE, repr=False)


@dataclass(frozen=True, slots=True)
class AcceptedAction:
    """The events that an action caused, and the receipt for the first of them."""

    events: tuple[Event, ...]
    receipt: Receipt


Options = Mapping[str, Any]
"""The options of a game, as JSON."""
