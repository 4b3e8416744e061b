"""The bodies of successful responses about invitations, mutes and messages; see responses.py."""

from typing import Literal, NotRequired, TypedDict

from domain.json_types import Count, PlayerId, PositiveCount, Timestamp


class InvitedPlayer(TypedDict):
    """A player whom the creator of a game has invited, with the answer: null while the game waits for it, or
    if it has started without that player.
    """

    id: PlayerId
    handle: str | None
    answer: Literal["accepted", "declined"] | None


class Invitation(TypedDict):
    """An invitation to a game: the id of the player who is invited, or the token of a link. The page
    `/invitations/TOKEN` opens it in a browser.
    """

    invited: NotRequired[PlayerId]
    token: NotRequired[str]


class MutedPlayer(TypedDict):
    """A player whose messages and invitations do not reach the player who has muted them."""

    id: PlayerId
    handle: str


class MuteList(TypedDict):
    """The players whom a player has muted, the last one first."""

    players: list[MutedPlayer]
    next: str | None


class MessageAuthor(TypedDict):
    """The player who has written a message. `handle` is null if the account has been deleted."""

    id: PlayerId
    handle: str | None


class Message(TypedDict):
    """A message within a game: its number, when and by whom it was written, and the event that it is about.

    `text` is null if its author has erased it, or if the reader has muted the author.
    """

    message: PositiveCount
    at: Timestamp
    player: MessageAuthor
    text: str | None
    seq: PositiveCount | None
    erased: bool
    muted: bool


class MessageList(TypedDict):
    """Some messages of a game. `next` is the `after` of the next page, or null; `last` is the number of the
    last message of the game, 0 if there is none.
    """

    messages: list[Message]
    last: Count
    next: PositiveCount | None
