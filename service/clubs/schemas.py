"""Requests and responses about clubs."""

from typing import Any, ClassVar, Final, NotRequired, TypedDict

from marshmallow import fields

from domain.event import Clock
from domain.json_types import ClubId, JsonObject, PlayerId, PositiveCount, Timestamp
from domain.registry import RULES
from domain.tournaments.format_settings import MAX_BOARDS
from service.clubs.agenda import FURTHEST, MAX_DETAILS_CHARACTERS, MAX_TITLE_CHARACTERS
from service.clubs.model import RELATIONS, RIGHTS, Relation, Right
from service.clubs.names import MAX_NAME_LENGTH
from service.clubs.polls import MAX_DATES, MIN_DATES
from service.clubs.texts import MAX_ABOUT_CHARACTERS, MAX_ANSWER_CHARACTERS, MAX_QUESTION_CHARACTERS
from service.http.schemas.lobby import NamedPlayer
from service.http.validation import (
    AnyObject,
    AnyValue,
    Choice,
    Flag,
    PageLimit,
    PositiveInteger,
    StrictSchema,
    String,
    TextList,
)
from service.notifications.schemas import WebhookResponse
from service.notifications.webhooks.webhooks import FORMATS, Format

MAX_CLUBS: Final = 100
"""The largest number of clubs, or of members, on a page."""


def _name(**settings: Any) -> String:
    return String(
        example="The Wednesday Club",
        description=f"At most {MAX_NAME_LENGTH} characters. The rules are those of handles; words"
        " may be separated by spaces.",
        **settings,
    )


def _about(**settings: Any) -> String:
    return String(
        description=f"What the club is, in at most {MAX_ABOUT_CHARACTERS} characters.", **settings
    )


class CreateClub(StrictSchema):
    """A new club."""

    name = _name(required=True)
    about = _about(load_default="")
    private = Flag(
        load_default=False,
        description="Whether only its members can see the club. It cannot be changed later.",
    )


class EditClub(StrictSchema):
    """What is changed of a club."""

    name = _name()
    about = _about()
    question = String(
        example="Where do you play?",
        description="What players who ask to join have to answer, in at most"
        f" {MAX_QUESTION_CHARACTERS} characters. An empty one removes it.",
    )


class JoinClub(StrictSchema):
    """How a player joins a club."""

    invitation = String(
        load_default=None, description="The token of its invitation link, if the player has one."
    )
    answer = String(
        load_default=None,
        description="The answer to the question of the club, in at most"
        f" {MAX_ANSWER_CHARACTERS} characters. Those see it who admit players.",
    )


class NameMember(StrictSchema):
    """A member of the club."""

    handle = String(required=True, example="bea")


class _RightField(Choice):
    """A right of an officer."""

    def __init__(self) -> None:
        super().__init__(choices=RIGHTS)


class _RightList(TextList):
    """The rights of an officer."""

    element: ClassVar[type[fields.Field[Any]]] = _RightField


class AppointOfficer(StrictSchema):
    """What an officer may do."""

    rights = _RightList(
        max_items=len(RIGHTS),
        load_default=RIGHTS,
        description="`invite`: invite players, make and revoke the link, answer requests. `remove`: remove"
        " members who are not officers. `moderate`: remove posts from the wall. `edit`: change the"
        " description, the question and the agenda. All of them by default.",
    )


class EnterMeeting(StrictSchema):
    """A meeting of a club."""

    title = String(
        required=True,
        example="Barony night",
        description=f"One line of at most {MAX_TITLE_CHARACTERS} characters.",
    )
    at = String(
        required=True,
        example="2027-01-08T19:00:00.000Z",
        description=f"When it begins, at most {FURTHEST.days} days from now, in UTC with milliseconds.",
    )
    details = String(
        load_default="",
        description=f"What else there is to know, in at most {MAX_DETAILS_CHARACTERS} characters.",
    )


class OpenPoll(StrictSchema):
    """A poll among dates for a meeting of a club."""

    title = String(
        required=True,
        example="Barony night",
        description=f"One line of at most {MAX_TITLE_CHARACTERS} characters.",
    )
    dates = TextList(
        required=True,
        max_items=MAX_DATES,
        description=f"{MIN_DATES} to {MAX_DATES} times at which the meeting may begin, at most"
        f" {FURTHEST.days} days from now, in UTC with milliseconds.",
    )
    details = String(
        load_default="",
        description=f"What else there is to know, in at most {MAX_DETAILS_CHARACTERS} characters.",
    )


class VoteInPoll(StrictSchema):
    """The dates for which a member votes."""

    dates = TextList(
        required=True,
        max_items=MAX_DATES,
        description="Dates of the poll; none withdraws the vote.",
    )


class FixDate(StrictSchema):
    """The date that is fixed."""

    date = String(required=True, example="2027-01-08T19:00:00.000Z", description="One of the poll.")


class ChallengeClub(StrictSchema):
    """A challenge to another club: the settings of the match."""

    club = String(required=True, description="The id of the other club, a public one.")
    rules = String(required=True, enum=sorted(RULES))
    options = AnyObject(
        load_default=dict,
        type="object",
        description="Options of the games, as for `POST /tournaments`.",
    )
    clock = AnyValue(
        required=True,
        type="object",
        description="How much time players have in each game, as for `POST /games`.",
    )
    boards = PositiveInteger(
        required=True, description=f"At how many boards the teams meet: at most {MAX_BOARDS}."
    )
    cycles = PositiveInteger(load_default=1, description="In how many rounds: at most 4.")
    closes = String(
        required=True,
        example="2027-01-08T19:00:00.000Z",
        description="When the teams have to be complete, and the first round is drawn. The challenge waits"
        " for an answer until then.",
    )
    round_seconds = PositiveInteger(
        required=True, description="Seconds from the draw of a round to its last date."
    )
    public = Flag(
        load_default=False,
        description="Whether everybody may see the match, if the other club wants that, too. Else it is seen"
        " by the members of both clubs.",
    )


class AcceptChallenge(StrictSchema):
    """How a club accepts a challenge."""

    public = Flag(
        load_default=False,
        description="Whether everybody may see the match, if the challenger wants that, too.",
    )


class SetClubWebhook(StrictSchema):
    """The webhook of a club."""

    url = String(required=True, example="https://example.org/games")
    format = Choice(
        choices=FORMATS,
        load_default="plain",
        description="What is posted: signed JSON (the default), or a message for a channel of Discord or"
        " Slack.",
    )


class ChallengedClub(TypedDict):
    """A club of a challenge."""

    id: ClubId
    name: str


class ClubChallenge(TypedDict):
    """A challenge that waits for an answer. `player` is its author, null if they were erased."""

    id: str
    challenger: ChallengedClub
    challenged: ChallengedClub
    player: NamedPlayer | None
    at: Timestamp
    closes: Timestamp
    public: bool
    rules: str
    options: JsonObject
    clock: Clock
    boards: PositiveCount
    cycles: PositiveCount
    round_seconds: PositiveCount


class ClubChallengeList(TypedDict):
    """The challenges of a club that wait for an answer, the newest first. `next` is null."""

    challenges: list[ClubChallenge]
    next: str | None


class ClubsQuery(StrictSchema):
    """Which page of the public clubs to show."""

    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Clubs", most=MAX_CLUBS, default=50)


class MembersQuery(StrictSchema):
    """Which players of a club to show."""

    relation = Choice(
        choices=RELATIONS,
        load_default="member",
        description="Its members (the default) or, for the owner and officers who may invite, those who are"
        " invited or ask to join.",
    )
    after = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Players", most=MAX_CLUBS, default=50)


class ClubEntry(TypedDict):
    """A club. `members` is their number, the owner included."""

    id: ClubId
    name: str
    about: str
    private: bool
    created: Timestamp
    owner: NamedPlayer
    members: PositiveCount


class ClubDetails(ClubEntry):
    """A club as a viewer sees it. `you` is what the viewer is to the club, or null, and `rights` what they
    may do in it. `question` is what players who ask to join have to answer, or null. `invitation` is the
    token of the invitation link, or null, for those who may invite, with a session.
    """

    you: Relation | None
    rights: list[Right]
    question: str | None
    invitation: NotRequired[str | None]


class ClubList(TypedDict):
    """A page of clubs. `next` is the `cursor` of the next page, or null."""

    clubs: list[ClubEntry]
    next: str | None


class OwnClub(ClubEntry):
    """A club of the player. `you` is what the player is to it."""

    you: Relation


class OwnClubList(TypedDict):
    """All clubs of which a player is a member, to which they are invited or which they ask to join."""

    clubs: list[OwnClub]
    next: str | None


class ClubMember(TypedDict):
    """A player with a relation to a club, and since when. Its owner and its officers have `rights`.

    `answer` is what a player who asks to join has answered to the question of the club, or null.
    """

    id: PlayerId
    handle: str
    since: Timestamp
    rights: list[Right]
    answer: str | None


class ClubMemberList(TypedDict):
    """A page of players, the earliest first. `next` is the `after` of the next page, or null."""

    players: list[ClubMember]
    next: str | None


class ClubMeeting(TypedDict):
    """A meeting of a club, and when it begins."""

    id: str
    at: Timestamp
    title: str
    details: str


class ClubMeetingList(TypedDict):
    """The meetings of a club that are not over, the next one first."""

    meetings: list[ClubMeeting]
    next: str | None


class PollDate(TypedDict):
    """A date of a poll, and the members who vote for it."""

    at: Timestamp
    voters: list[NamedPlayer]


class ClubPoll(TypedDict):
    """A poll among dates for a meeting of a club."""

    id: str
    title: str
    details: str
    dates: list[PollDate]


class ClubPollList(TypedDict):
    """The polls of a club that have a date in the future. `next` is null."""

    polls: list[ClubPoll]
    next: str | None


class ClubWebhook(WebhookResponse):
    """The webhook of a club. `secret` is in the response that sets a webhook of the format `plain`."""

    format: Format


class ClubMembership(TypedDict):
    """What the player is to the club."""

    you: Relation
