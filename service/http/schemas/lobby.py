"""Requests and responses about lists of games, invitations, vacant seats, mutes and messages."""

from typing import Final, Literal, NotRequired, TypedDict

from domain.json_types import Count, PlayerId, PositiveCount, Timestamp
from domain.registry import EXPANSIONS, RULES
from service.games.game_filter import PACES
from service.games.listings import STATUSES
from service.http.schemas.requests import PageQuery, signature_field
from service.http.validation import (
    Choice,
    NonNegativeInteger,
    PositiveInteger,
    QueryInteger,
    StrictSchema,
    String,
)

ListGames: Final = PageQuery.from_dict(
    {
        "status": String(
            load_default=None,
            description=f"One or several of {', '.join(STATUSES)}, separated by commas.",
        ),
        "player": String(load_default=None, description="Handle of a player in the game."),
        "vacant": Choice(
            choices=("true", "false"),
            load_default="false",
            description="Whether to list only games in progress with vacant seats. It goes with"
            " neither `status` nor `player`.",
        ),
        "rules": Choice(
            choices=sorted(RULES), load_default=None, description="Only games with these rules."
        ),
        **{
            option: Choice(
                choices=("true", "false"),
                load_default=None,
                description=f"Only games of {rules} with or without this expansion.",
            )
            for rules, option in EXPANSIONS
        },
        "seats": QueryInteger(
            minimum=1, load_default=None, description="Only games for so many players."
        ),
        "free": QueryInteger(
            minimum=1,
            load_default=None,
            description="Only games that have not started and have at least so many free places.",
        ),
        "clock": Choice(
            choices=PACES,
            load_default=None,
            description="Only games with this time for a turn: any (`none`), at most an hour (`hour`),"
            " more than an hour and at most a day (`day`), more than a day (`slow`).",
        ),
    },
    name="ListGames",
)
"""Which games to list."""


class MessagesQuery(StrictSchema):
    """Which messages to show."""

    after = QueryInteger(
        load_default=0, description="`next` of the previous page, or the number of a message."
    )
    limit = QueryInteger(minimum=1, load_default=100, description="Messages per page, at most 200.")


class PostChatMessage(StrictSchema):
    """A message to the other players and the arbiter of a game."""

    text = String(
        required=True,
        metadata={"minLength": 1, "description": "Its length is bounded by the server."},
    )
    seq = PositiveInteger(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "The event that the message is about."},
    )


class ReportChatMessage(StrictSchema):
    """Why a message is reported."""

    reason = String(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "A text for the administrators."},
    )


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


class ChatMessageAuthor(TypedDict):
    """The player who has written a message. `handle` is null if the account has been deleted."""

    id: PlayerId
    handle: str | None


class ChatMessage(TypedDict):
    """A message within a game: its number, when and by whom it was written, and the event that it is about.

    `text` is null if its author has erased it, or if the reader has muted the author.
    """

    message: PositiveCount
    at: Timestamp
    player: ChatMessageAuthor
    text: str | None
    seq: PositiveCount | None
    erased: bool
    muted: bool


class ChatMessageList(TypedDict):
    """Some messages of a game. `next` is the `after` of the next page, or null; `last` is the number of the
    last message of the game, 0 if there is none.
    """

    messages: list[ChatMessage]
    last: Count
    next: PositiveCount | None


class TakeSeat(StrictSchema):
    """The vacant seat that a substitute takes."""

    seat = NonNegativeInteger(
        required=True, description="A seat, counted from 0 (`vacant` of the game)."
    )
    signature = signature_field()
