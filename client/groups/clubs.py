"""Groups of players.

`python -m service.http.client_generator` has written this file.
"""

from typing import Literal, NotRequired, TypedDict, Unpack

from client.groups.shared import (
    DeliveryList,
    NamedPlayer,
    Post,
    PostList,
    RemovePost,
    ReportChatMessage,
    WritePost,
)
from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class AppointOfficer(TypedDict):
    """The body of a request: AppointOfficer."""

    rights: NotRequired[list[Literal["invite", "remove", "moderate", "edit"]]]


class ClubDetails(TypedDict):
    """A club as a viewer sees it. `you` is what the viewer is to the club, or null, and `rights`
    what they may do in it. `question` is what players who ask to join have to answer, or null.
    `invitation` is the token of the invitation link, or null, for those who may invite, with a
    session.
    """

    id: str
    name: str
    about: str
    private: bool
    created: str
    owner: NamedPlayer
    members: int
    you: str | None
    rights: list[str]
    question: str | None
    invitation: NotRequired[str | None]


class ClubEntry(TypedDict):
    """A club. `members` is their number, the owner included."""

    id: str
    name: str
    about: str
    private: bool
    created: str
    owner: NamedPlayer
    members: int


class ClubList(TypedDict):
    """A page of clubs. `next` is the `cursor` of the next page, or null."""

    clubs: list[ClubEntry]
    next: str | None


class ClubMeeting(TypedDict):
    """A meeting of a club, and when it begins."""

    id: str
    at: str
    title: str
    details: str


class ClubMeetingList(TypedDict):
    """The meetings of a club that are not over, the next one first."""

    meetings: list[ClubMeeting]
    next: str | None


class ClubMember(TypedDict):
    """A player with a relation to a club, and since when. Its owner and its officers have
    `rights`. `answer` is what a player who asks to join has answered to the question of the
    club, or null.
    """

    id: str
    handle: str
    since: str
    rights: list[str]
    answer: str | None


class ClubMemberList(TypedDict):
    """A page of players, the earliest first. `next` is the `after` of the next page, or null."""

    players: list[ClubMember]
    next: str | None


class ClubMembership(TypedDict):
    """What the player is to the club."""

    you: str


class PollDate(TypedDict):
    """A date of a poll, and the members who vote for it."""

    at: str
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


class ClubWebhook(TypedDict):
    """The webhook of a club. `secret` is in the response that sets a webhook of the format
    `plain`.
    """

    id: str
    url: str
    created: str
    failures: int
    tried_at: str | None
    disabled_at: str | None
    paused_until: str | None
    result: str | None
    secret: NotRequired[str]
    format: str


class CreateClub(TypedDict):
    """The body of a request: CreateClub."""

    name: str
    about: NotRequired[str]
    private: NotRequired[bool]


class EditClub(TypedDict):
    """The body of a request: EditClub."""

    name: NotRequired[str]
    about: NotRequired[str]
    question: NotRequired[str]


class EnterMeeting(TypedDict):
    """The body of a request: EnterMeeting."""

    title: str
    at: str
    details: NotRequired[str]


class FixDate(TypedDict):
    """The body of a request: FixDate."""

    date: str


class Invitation(TypedDict):
    """An invitation to a game: the id of the player who is invited, or the token of a link. The
    page `/invitations/TOKEN` opens it in a browser.
    """

    invited: NotRequired[str]
    token: NotRequired[str]


class Invite(TypedDict):
    """The body of a request: Invite."""

    handle: NotRequired[str | None]


class JoinClub(TypedDict):
    """The body of a request: JoinClub."""

    invitation: NotRequired[str | None]
    answer: NotRequired[str | None]


class NameMember(TypedDict):
    """The body of a request: NameMember."""

    handle: str


class OpenPoll(TypedDict):
    """The body of a request: OpenPoll."""

    title: str
    dates: list[str]
    details: NotRequired[str]


class OwnClub(TypedDict):
    """A club of the player. `you` is what the player is to it."""

    id: str
    name: str
    about: str
    private: bool
    created: str
    owner: NamedPlayer
    members: int
    you: str


class OwnClubList(TypedDict):
    """All clubs of which a player is a member, to which they are invited or which they ask to
    join.
    """

    clubs: list[OwnClub]
    next: str | None


class SetClubWebhook(TypedDict):
    """The body of a request: SetClubWebhook."""

    url: str
    format: NotRequired[Literal["plain", "discord", "slack"]]


class VoteInPoll(TypedDict):
    """The body of a request: VoteInPoll."""

    dates: list[str]


def list_clubs(*, cursor: str | None = None, limit: int | None = None) -> Call[ClubList]:
    """List the public clubs by name. Private clubs are on no list but `GET /me/clubs`."""
    return call("GET", "/clubs", reader(ClubList), params={"cursor": cursor, "limit": limit})


def create_club(**body: Unpack[CreateClub]) -> Call[ClubDetails]:
    """Create a club, whose owner is the player.

    A guest, and a player with too many clubs, get a 409, and so does a name that looks like that of
    another public club.
    """
    return call("POST", "/clubs", reader(ClubDetails), body=body)


def list_my_clubs() -> Call[OwnClubList]:
    """List the clubs of which the player is a member, to which they are invited or which they
    ask to join.

    Invitations by players whom the player has muted are left out.
    """
    return call("GET", "/me/clubs", reader(OwnClubList))


def get_club(club: str, /) -> Call[ClubDetails]:
    """Get a club. A private club is a 404 for everybody but its members and those who are
    invited.
    """
    return call("GET", f"/clubs/{segment(club)}", reader(ClubDetails))


def edit_club(club: str, /, **body: Unpack[EditClub]) -> Call[ClubDetails]:
    """Change the name of a club, as its owner, or its description and its question, also as an
    officer.

    The officer must have the right to edit. An empty `question` removes it: then nobody has to
    answer.
    """
    return call("PATCH", f"/clubs/{segment(club)}", reader(ClubDetails), body=body)


def close_club(club: str, /) -> Call[None]:
    """Close a club for ever, as its owner. Its games go on."""
    return call("DELETE", f"/clubs/{segment(club)}", read_nothing)


def hand_club_on(club: str, /, **body: Unpack[NameMember]) -> Call[None]:
    """Make another member the owner of a club, as its owner.

    Its invitation link and its webhook end. Officers keep their rights; the former owner is a
    member.
    """
    return call("PUT", f"/clubs/{segment(club)}/owner", read_nothing, body=body)


def list_club_members(
    club: str,
    /,
    *,
    relation: Literal["member", "invited", "requesting"] | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Call[ClubMemberList]:
    """List the members of a club or, as its owner or an officer who may invite, those who are
    invited or ask to join.
    """
    return call(
        "GET",
        f"/clubs/{segment(club)}/members",
        reader(ClubMemberList),
        params={"relation": relation, "after": after, "limit": limit},
    )


def join_club(club: str, /, **body: Unpack[JoinClub]) -> Call[ClubMembership]:
    """Become a member of a club, with an invitation, or ask its owner to become one.

    With the token of an invitation link, or if the player is invited, the player is a member at
    once. A private club can be joined in these ways only. Who asks to join a club with a question
    sends an answer. The request can be repeated; the last answer counts.
    """
    return call("PUT", f"/clubs/{segment(club)}/members/me", reader(ClubMembership), body=body)


def leave_club(club: str, /) -> Call[None]:
    """Leave a club, decline an invitation to it, or withdraw the request to join it.

    The owner hands the club on, or closes it, before (409). The request can be repeated.
    """
    return call("DELETE", f"/clubs/{segment(club)}/members/me", read_nothing)


def admit_to_club(club: str, handle: str, /) -> Call[None]:
    """Admit a player who has asked to join, as the owner or an officer who may invite.

    The request can be repeated.
    """
    return call("PUT", f"/clubs/{segment(club)}/members/{segment(handle)}", read_nothing)


def remove_from_club(club: str, handle: str, /) -> Call[None]:
    """Remove a member, revoke an invitation or decline a request, as the owner or an officer.

    An officer needs the right to remove members, or to invite for the others, and removes no
    officer. The games in which a removed member plays go on. The invitation link is revoked with a
    member.
    """
    return call("DELETE", f"/clubs/{segment(club)}/members/{segment(handle)}", read_nothing)


def appoint_club_officer(club: str, handle: str, /, **body: Unpack[AppointOfficer]) -> Call[None]:
    """Make a member an officer, or change the rights of one, as the owner.

    Without any right, the member is no officer. The request can be repeated.
    """
    return call(
        "PUT", f"/clubs/{segment(club)}/officers/{segment(handle)}", read_nothing, body=body
    )


def dismiss_club_officer(club: str, handle: str, /) -> Call[None]:
    """Take all rights from an officer, who stays a member, as the owner. The request can be
    repeated.
    """
    return call("DELETE", f"/clubs/{segment(club)}/officers/{segment(handle)}", read_nothing)


def invite_to_club(club: str, /, **body: Unpack[Invite]) -> Call[Invitation]:
    """Invite a player by their handle, or make an invitation link, as the owner or an officer
    who may invite.

    A player who asks to join is admitted. Without a `handle`, the response has the token of a link,
    which is valid for 30 days and replaces the one before. The page `/clubs/invitations/TOKEN`
    opens it in a browser.
    """
    return call("POST", f"/clubs/{segment(club)}/invitations", reader(Invitation), body=body)


def revoke_club_link(club: str, /) -> Call[None]:
    """Revoke the invitation link of a club, as its owner or an officer who may invite.

    The request can be repeated.
    """
    return call("DELETE", f"/clubs/{segment(club)}/invitations", read_nothing)


def list_club_meetings(club: str, /) -> Call[ClubMeetingList]:
    """List the meetings on the agenda of a club.

    Its games and tournaments are in `GET /games` and `GET /tournaments` with `club`.
    """
    return call("GET", f"/clubs/{segment(club)}/meetings", reader(ClubMeetingList))


def enter_club_meeting(club: str, /, **body: Unpack[EnterMeeting]) -> Call[ClubMeeting]:
    """Enter a meeting on the agenda of a club, as its owner or an officer who may edit."""
    return call("POST", f"/clubs/{segment(club)}/meetings", reader(ClubMeeting), body=body)


def change_club_meeting(
    club: str, meeting: str, /, **body: Unpack[EnterMeeting]
) -> Call[ClubMeeting]:
    """Change a meeting of a club, as its owner or an officer who may edit."""
    return call(
        "PUT", f"/clubs/{segment(club)}/meetings/{segment(meeting)}", reader(ClubMeeting), body=body
    )


def cancel_club_meeting(club: str, meeting: str, /) -> Call[None]:
    """Cancel a meeting of a club, as its owner or an officer who may edit."""
    return call("DELETE", f"/clubs/{segment(club)}/meetings/{segment(meeting)}", read_nothing)


def list_club_polls(club: str, /) -> Call[ClubPollList]:
    """List the polls for dates of a club with the votes, as one of its members."""
    return call("GET", f"/clubs/{segment(club)}/polls", reader(ClubPollList))


def open_club_poll(club: str, /, **body: Unpack[OpenPoll]) -> Call[ClubPoll]:
    """Open a poll among dates for a meeting, as the owner or an officer who may edit."""
    return call("POST", f"/clubs/{segment(club)}/polls", reader(ClubPoll), body=body)


def vote_in_club_poll(club: str, poll: str, /, **body: Unpack[VoteInPoll]) -> Call[ClubPoll]:
    """Vote for dates of a poll, as a member of the club, instead of those before."""
    return call(
        "PUT", f"/clubs/{segment(club)}/polls/{segment(poll)}/votes/me", reader(ClubPoll), body=body
    )


def fix_date_of_club_poll(club: str, poll: str, /, **body: Unpack[FixDate]) -> Call[ClubMeeting]:
    """Enter the meeting at a date of a poll, as the owner or an officer who may edit. The poll
    ends.
    """
    return call(
        "POST",
        f"/clubs/{segment(club)}/polls/{segment(poll)}/meeting",
        reader(ClubMeeting),
        body=body,
    )


def withdraw_club_poll(club: str, poll: str, /) -> Call[None]:
    """Withdraw a poll with its votes, as the owner or an officer who may edit."""
    return call("DELETE", f"/clubs/{segment(club)}/polls/{segment(poll)}", read_nothing)


def list_club_posts(
    club: str, /, *, after: int | None = None, limit: int | None = None
) -> Call[PostList]:
    """List the posts on the wall of a club, as one of its members.

    A wall keeps a certain number of posts, which is a setting of the server: the first page begins
    with the oldest that is kept.
    """
    return call(
        "GET",
        f"/clubs/{segment(club)}/posts",
        reader(PostList),
        params={"after": after, "limit": limit},
    )


def write_club_post(club: str, /, **body: Unpack[WritePost]) -> Call[Post]:
    """Write a post on the wall of a club, as one of its members. Nobody else reads it."""
    return call("POST", f"/clubs/{segment(club)}/posts", reader(Post), body=body)


def erase_club_post(club: str, number: int, /, **body: Unpack[RemovePost]) -> Call[None]:
    """Erase a post: the player's own or, with a reason, one of another member.

    The latter is for the owner and officers who may moderate; a post that was erased already is
    then a 409.
    """
    return call(
        "DELETE", f"/clubs/{segment(club)}/posts/{segment(number)}", read_nothing, body=body
    )


def report_club_post(club: str, number: int, /, **body: Unpack[ReportChatMessage]) -> Call[None]:
    """Report a post of another member to the administrators of the server.

    They see its text, also if it is erased afterwards, and who has reported it. The request can be
    repeated; only the first one counts.
    """
    return call(
        "POST", f"/clubs/{segment(club)}/posts/{segment(number)}/report", read_nothing, body=body
    )


def get_club_webhook(club: str, /) -> Call[ClubWebhook]:
    """Get the webhook of a club, as its owner, without its secret. A club without one is a 404."""
    return call("GET", f"/clubs/{segment(club)}/webhook", reader(ClubWebhook))


def set_club_webhook(club: str, /, **body: Unpack[SetClubWebhook]) -> Call[ClubWebhook]:
    """Give a club a webhook, as its owner, instead of the one before.

    It reports that a game of the club was created, has started, or is over. `secret` is shown only
    in this response. A webhook that is set with a personal token is removed when the token is
    revoked or ends.
    """
    return call("PUT", f"/clubs/{segment(club)}/webhook", reader(ClubWebhook), body=body)


def remove_club_webhook(club: str, /) -> Call[None]:
    """Remove the webhook of a club, as its owner. The request can be repeated."""
    return call("DELETE", f"/clubs/{segment(club)}/webhook", read_nothing)


def test_club_webhook(club: str, /) -> Call[None]:
    """Have a test posted to the webhook of a club, as its owner.

    `GET /clubs/CLUB/webhook` shows the result a moment later. The tests of all webhooks of a player
    are counted together.
    """
    return call("POST", f"/clubs/{segment(club)}/webhook/test", read_nothing)


def list_club_deliveries(
    club: str, /, *, cursor: str | None = None, limit: int | None = None
) -> Call[DeliveryList]:
    """List the deliveries to the webhooks that a club has had, as its owner."""
    return call(
        "GET",
        f"/clubs/{segment(club)}/webhook/deliveries",
        reader(DeliveryList),
        params={"cursor": cursor, "limit": limit},
    )


class ClubsCalls(Group[C_co]):
    """Groups of players."""

    list = Method(list_clubs)
    create = Method(create_club)
    list_own = Method(list_my_clubs)
    get = Method(get_club)
    edit = Method(edit_club)
    close = Method(close_club)
    hand_on = Method(hand_club_on)
    list_members = Method(list_club_members)
    join = Method(join_club)
    leave = Method(leave_club)
    admit = Method(admit_to_club)
    remove = Method(remove_from_club)
    appoint_officer = Method(appoint_club_officer)
    dismiss_officer = Method(dismiss_club_officer)
    invite = Method(invite_to_club)
    revoke_link = Method(revoke_club_link)
    list_meetings = Method(list_club_meetings)
    enter_meeting = Method(enter_club_meeting)
    change_meeting = Method(change_club_meeting)
    cancel_meeting = Method(cancel_club_meeting)
    list_polls = Method(list_club_polls)
    open_poll = Method(open_club_poll)
    vote_in_poll = Method(vote_in_club_poll)
    fix_date_of_poll = Method(fix_date_of_club_poll)
    withdraw_poll = Method(withdraw_club_poll)
    list_posts = Method(list_club_posts)
    write_post = Method(write_club_post)
    erase_post = Method(erase_club_post)
    report_post = Method(report_club_post)
    get_webhook = Method(get_club_webhook)
    set_webhook = Method(set_club_webhook)
    remove_webhook = Method(remove_club_webhook)
    test_webhook = Method(test_club_webhook)
    list_deliveries = Method(list_club_deliveries)
