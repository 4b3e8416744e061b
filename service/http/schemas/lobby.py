"""Requests and responses about lists of games, profiles, invitations, vacant seats, mutes and messages."""

from typing import Any, Final, Literal, NotRequired, TypedDict

from marshmallow.fields import Field

from domain.json_types import ClubId, Count, GameId, PlayerId, PositiveCount, Timestamp
from domain.registry import EXPANSIONS, RULES
from service.accounts.account_reader import ProfileVisibility
from service.games.game_filter import PACES, RESULTS
from service.games.listings import STATUSES
from service.http.schemas.requests import PageQuery, signature_field, statuses_field
from service.http.validation import (
    Choice,
    Flag,
    NonNegativeInteger,
    PageLimit,
    PositiveInteger,
    QueryInteger,
    StrictSchema,
    String,
)


def _kinds() -> dict[str, Field[Any]]:
    """Return the fields that select games by rules, expansions and seats."""
    return {
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
    }


ListGames: Final = PageQuery.from_dict(
    {
        "status": statuses_field(STATUSES),
        "player": String(load_default=None, description="Handle of a player in the game."),
        "vacant": Choice(
            choices=("true", "false"),
            load_default="false",
            description="Whether to list only games in progress with vacant seats. It goes with"
            " neither `status` nor `player`.",
        ),
        **_kinds(),
        "club": String(
            load_default=None,
            description="Only games of the club with this id, the private ones for its members. It does"
            " not go with `vacant`.",
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

ListGamesOfPlayer: Final = PageQuery.from_dict(
    {
        "status": statuses_field(STATUSES),
        **_kinds(),
        "result": Choice(
            choices=RESULTS,
            load_default=None,
            description="Only finished games that the player has `won`, alone or with others, or `lost`.",
        ),
        "opponent": String(
            load_default=None,
            description="Handle of another player; only games in which that player has a place too.",
        ),
    },
    name="ListGamesOfPlayer",
)
"""Which games of a player to list."""


class CountedGames(TypedDict):
    """How many public games of one kind a player has. `system` is the name of the rule system, which is that
    of an expansion in games with it, and `bots` is whether bots have places. `places` counts the finished
    games by the place of the player, the first place first.
    """

    system: str
    seats: PositiveCount
    bots: bool
    playing: Count
    finished: Count
    abandoned: Count
    places: list[Count]


class PlayerReliability(TypedDict):
    """How a player takes turns in public games with a clock and without bots.

    `percent` is the share of the last turns that were taken in time, at most 100 of them (`turns`), and null
    if they are fewer than 10. The other counts are about all turns and games.
    """

    percent: int | None
    turns: Count
    taken: Count
    missed: Count
    excused: Count
    seats_left: Count
    resignations: Count


class OwnPrivateGames(TypedDict):
    """How many private games the player has, as only the player sees it."""

    playing: Count
    finished: Count


class NamedClub(TypedDict):
    """A club of which a player is a member."""

    id: ClubId
    name: str


class PlayerProfile(TypedDict):
    """A player as the viewer may see them: `shows` is what the player shows to others, and what is not shown
    is null. `clubs` are the public ones of the player, and those of which the viewer is a member too. `bot`
    is the name of the bot that the player is, and `private` is there on one's own profile.
    """

    id: PlayerId
    handle: str
    shows: ProfileVisibility
    since: Timestamp | None
    games: list[CountedGames] | None
    reliability: PlayerReliability | None
    clubs: list[NamedClub] | None
    bot: NotRequired[str]
    guest: NotRequired[Literal[True]]
    private: NotRequired[OwnPrivateGames]


class NamedPlayer(TypedDict):
    """A player with an account."""

    id: PlayerId
    handle: str


class HeadToHeadResult(TypedDict):
    """In how many finished public games of a rule system the player was placed before the other player
    (`ahead`), after that player (`behind`), and in the same place (`equal`).
    """

    system: str
    ahead: Count
    behind: Count
    equal: Count


class HeadToHeadResults(TypedDict):
    """How a player has done against another one, by rule system, where they have met."""

    player: NamedPlayer
    other: NamedPlayer
    results: list[HeadToHeadResult]


class MessagesQuery(StrictSchema):
    """Which messages to show."""

    after = QueryInteger(
        load_default=0, description="`next` of the previous page, or the number of a message."
    )
    limit = PageLimit("Messages", most=200, default=100)


class PostChatMessage(StrictSchema):
    """A message to the other players and the arbiter of a game, or a comment on it."""

    text = String(required=True, minLength=1, description="Its length is bounded by the server.")
    seq = PositiveInteger(
        load_default=None, nullable=True, description="The event that the text is about."
    )


class ReportChatMessage(StrictSchema):
    """Why a message is reported."""

    reason = String(load_default=None, nullable=True, description="A text for the administrators.")


class WriteNote(StrictSchema):
    """A private note on an event."""

    text = String(required=True, minLength=1, description="Its length is bounded by the server.")


class NotesQuery(StrictSchema):
    """Which notes to show."""

    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Notes", most=500, default=100)


class PrivateNote(TypedDict):
    """A private note on event `seq` of a game, and when it was written."""

    seq: PositiveCount
    at: Timestamp
    text: str


class PrivateNoteList(TypedDict):
    """The private notes of a player on a game, by event."""

    notes: list[PrivateNote]
    next: str | None


class MyNote(PrivateNote):
    """A private note with the game that it is about."""

    game: GameId


class MyNoteList(TypedDict):
    """Private notes of a player on several games."""

    notes: list[MyNote]
    next: str | None


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


class SetReady(StrictSchema):
    """Whether the player is ready to begin."""

    ready = Flag(required=True)


class PersonOfGame(TypedDict):
    """A player of a game, or its arbiter. `here` says whether a page of the game is open, `seen` when one was
    open last; it is null if that is not known, was over 30 days ago, or is hidden. `ready` is false once the
    game has started. `handle` is null if the account has been deleted.
    """

    id: PlayerId
    handle: str | None
    here: bool
    seen: Timestamp | None
    ready: bool


class PersonList(TypedDict):
    """The people of a game, without bots."""

    people: list[PersonOfGame]


class ChatMessageAuthor(TypedDict):
    """The player who has written a message. `handle` is null if the account has been deleted."""

    id: PlayerId
    handle: str | None


class _Said(TypedDict):
    """What messages and comments have in common."""

    at: Timestamp
    player: ChatMessageAuthor
    text: str | None
    seq: PositiveCount | None
    erased: bool
    muted: bool


class ChatMessage(_Said):
    """A message within a game: its number, when and by whom it was written, and the event that it is about.

    `text` is null if its author has erased it, or if the reader has muted the author.
    """

    message: PositiveCount


class ChatMessageList(TypedDict):
    """Some messages of a game. `next` is the `after` of the next page, or null; `last` is the number of the
    last message of the game, 0 if there is none.
    """

    messages: list[ChatMessage]
    last: Count
    next: PositiveCount | None


class Comment(_Said):
    """A comment on a game: its number, when and by whom it was written, and the event that it is about.

    `text` is null if it was erased, or if the reader has muted the author.
    """

    comment: PositiveCount


class CommentList(TypedDict):
    """Some comments on a game. `next` is the `after` of the next page, or null; `last` is the number of the
    last comment, 0 if there is none.
    """

    comments: list[Comment]
    last: Count
    next: PositiveCount | None


class TakeSeat(StrictSchema):
    """The vacant seat that a substitute takes."""

    seat = NonNegativeInteger(
        required=True, description="A seat, counted from 0 (`vacant` of the game)."
    )
    signature = signature_field()
