"""Schemas of the calls of administrators: requests, and the bodies of their successful responses."""

from typing import Annotated, Literal, TypedDict

from domain.json_types import ClubId, Digest, GameId, PlayerId, PositiveCount, Timestamp
from domain.tournaments.tournament import TOURNAMENT_STATUSES
from service.accounts.account_reader import ADMIN
from service.administration.accounts import ROLES
from service.chat.reports import TextKind
from service.games.listings import STATUSES
from service.http.schemas.requests import PageQuery, statuses_field
from service.http.schemas.responses import Event, ProcessHealth
from service.http.validation import (
    AnyObject,
    Choice,
    NonNegativeInteger,
    PageLimit,
    PositiveInteger,
    QueryInteger,
    StrictSchema,
    String,
)
from service.notifications.schemas import NotificationDelivery


def _reason() -> String:
    return String(
        required=True, minLength=1, maxLength=500, description="For the administration log."
    )


class SearchPlayers(StrictSchema):
    """Which page of which players to show."""

    handle = String(
        load_default="",
        description="The beginning of the handles; default: all. A guest is only found by the whole.",
    )
    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Players", most=100, default=50)


class SearchGames(PageQuery):
    """Which page of which games to show, private ones included."""

    status = statuses_field(STATUSES)
    player = String(load_default=None, description="Id of a player in the game.")


class SearchTournaments(PageQuery):
    """Which page of which tournaments to show, private ones included."""

    status = statuses_field(TOURNAMENT_STATUSES)


class ChatMessageReportsQuery(StrictSchema):
    """Which page of the open reports to show."""

    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Reports", most=100, default=50)


class LogQuery(StrictSchema):
    """Which page of the administration log to show."""

    after = QueryInteger(load_default=0, description="`next` of the previous page, or a seq.")
    limit = PageLimit("Entries", most=100, default=100)


class RenameClub(StrictSchema):
    """Another name of a club, and why."""

    name = String(required=True, description="As for `POST /clubs`.")
    reason = _reason()


class WithReason(StrictSchema):
    """Why an administrator does this."""

    reason = _reason()


class Suspend(WithReason):
    """Why an account is suspended. The player is shown the reason at the attempt to log in."""


class ExcludeRating(WithReason):
    """Why a game does not count for the ratings. Everybody can read the reason."""


class GrantRole(WithReason):
    """Which role the player gets: what an administrator may do, or that of who may create tournaments."""

    role = Choice(choices=ROLES, load_default=ADMIN)


class RemovalOfSeat(WithReason):
    """Which seat is removed."""

    seat = NonNegativeInteger(required=True)


class MoveOfSeat(WithReason):
    """Which seat is moved, and to which account."""

    seat = NonNegativeInteger(required=True)
    player = String(required=True, description="Id of the player who gets the seat.")


class ExtendDeadline(WithReason):
    """By how much the deadline of the turn under way is extended."""

    seconds = PositiveInteger(required=True)


class Announce(WithReason):
    """What is announced to everybody, until when, and why, for the administration log."""

    texts = AnyObject(
        required=True,
        description="The text, of at most 500 characters, by language; `en` is required.",
        example={"en": "The server will be down on Sunday."},
    )
    ends = String(required=True, format="date-time", description="In the next 366 days.")


class Announcement(TypedDict):
    """An announcement of the administrators. `text` is for the reader, and in `language`."""

    id: str
    text: str
    language: str
    texts: dict[str, str]
    at: Timestamp
    ends: Timestamp


class AnnouncementList(TypedDict):
    """The announcements that have not ended, the oldest first."""

    announcements: list[Announcement]
    next: str | None


class AdministeredPlayer(TypedDict):
    """An account as administrators see it."""

    id: PlayerId
    handle: str
    created: Timestamp
    email: str | None
    locale: str | None
    guest: bool
    bot: str | None
    role: Literal["admin"] | None
    suspended_at: Timestamp | None
    suspension_reason: str | None


class AdministeredPlayerList(TypedDict):
    """A page of accounts."""

    players: list[AdministeredPlayer]
    next: str | None


class NewPassword(TypedDict):
    """The new password of a player."""

    password: str


class Decision(TypedDict):
    """The events that were appended to the log of the game."""

    events: list[Event]


class Work(ProcessHealth):
    """What is pending, and what has failed. Jobs are counted by queue, as the scheduler last reported them.

    `overdue_milliseconds` is for how long the earliest deadline has passed that has not taken effect;
    `damaged_games` has the reasons by game and part.
    """

    waiting_jobs: dict[str, int]
    failed_jobs: dict[str, int]
    overdue_milliseconds: int | None
    waiting_deliveries: list[NotificationDelivery]
    failed_deliveries: list[NotificationDelivery]
    damaged_games: dict[str, dict[str, str]]


class ChatMessageReport(TypedDict):
    """What a player has reported about message or comment `number` of a game, or post of a club or of a
    tournament.

    `of` tells them apart; of `game`, `club` and `tournament`, two are null.

    `text` and `reason` are null if erased.
    """

    id: str
    game: GameId | None
    club: ClubId | None
    tournament: str | None
    number: PositiveCount
    author: PlayerId
    reporter: PlayerId
    at: Timestamp
    text: str | None
    reason: str | None
    of: TextKind


class ChatMessageReportList(TypedDict):
    """A page of the open reports of messages, the oldest first."""

    reports: list[ChatMessageReport]
    next: str | None


class AdministrationEntry(TypedDict):
    """An entry of the administration log."""

    seq: PositiveCount
    at: Timestamp
    administrator: Annotated[str, "The id of a player, or `operator` for the command line."]
    operation: str
    details: dict[str, object]
    prev: Digest
    hash: Digest


class AdministrationLogPage(TypedDict):
    """A page of the administration log."""

    entries: list[AdministrationEntry]
    next: int | None
