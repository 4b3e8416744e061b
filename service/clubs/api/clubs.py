"""Clubs: creating, finding and joining them, and what their owners and officers do."""

from collections.abc import Sequence
from typing import Final

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message
from service.chat.conversation import ShownChatMessage
from service.chat.schemas import Post, PostList, RemovePost, WritePost
from service.clubs.agenda import Meeting
from service.clubs.links import token_of_link
from service.clubs.model import Club
from service.clubs.permissions import require_any_right, require_right
from service.clubs.polls import CountedPoll
from service.clubs.schemas import (
    MAX_CLUBS,
    AppointOfficer,
    ClubDetails,
    ClubList,
    ClubMeeting,
    ClubMeetingList,
    ClubMemberList,
    ClubMembership,
    ClubPoll,
    ClubPollList,
    ClubsQuery,
    ClubWebhook,
    CreateClub,
    EditClub,
    EnterMeeting,
    FixDate,
    JoinClub,
    MembersQuery,
    NameMember,
    OpenPoll,
    OwnClubList,
    SetClubWebhook,
    VoteInPoll,
)
from service.http.blueprint import Blueprint
from service.http.context import has_personal_token, personal_token_digest, service
from service.http.language import request_renderer
from service.http.ratelimits import limit_messages, limit_new_places, limit_webhook_tests
from service.http.responses import club_json, posts_json, webhook_json
from service.http.schemas.lobby import Invitation, MessagesQuery, ReportChatMessage
from service.http.schemas.requests import Invite
from service.notifications.schemas import DeliveriesQuery, DeliveryList
from service.notifications.webhooks.webhooks import Webhook

_CLUB: Final = "/clubs/<club>"

blueprint = Blueprint("clubs", "Groups of players.", auth="login_required")


@blueprint.get(
    "/clubs",
    "A page of the public clubs, by name.",
    ClubList,
    auth="optional_auth",
    query=ClubsQuery(),
)
def list_clubs(player: str | None, query: JsonObject) -> JsonObject:
    """List the public clubs by name. Private clubs are on no list but `GET /me/clubs`."""
    clubs, cursor = service().clubs.public_page(**query)
    return {"clubs": club_json(clubs), "next": cursor}


@blueprint.get("/me/clubs", "All clubs of the player, by name. `next` is null.", OwnClubList)
def list_my_clubs(player: str) -> JsonObject:
    """List the clubs of which the player is a member, to which they are invited or which they ask to join.

    Invitations by players whom the player has muted are left out.
    """
    clubs = service().clubs.of(player)
    entries = club_json([each.club for each in clubs])
    return {
        "clubs": [
            {**entry, "you": each.relation} for entry, each in zip(entries, clubs, strict=True)
        ],
        "next": None,
    }


@blueprint.post(
    "/clubs",
    "The club.",
    ClubDetails,
    limit=limit_new_places,
    json_body=CreateClub(),
    errors=(409,),
)
def create_club(player: str, body: JsonObject) -> JsonObject:
    """Create a club, whose owner is the player.

    A guest, and a player with too many clubs, get a 409, and so does a name that looks like that of another
    public club.
    """
    club = service().clubs.create(player, body["name"], body["about"], is_private=body["private"])
    return _details(club.id, player)


@blueprint.get(_CLUB, "The club.", ClubDetails, auth="optional_auth")
def get_club(club: str, player: str | None) -> JsonObject:
    """Get a club. A private club is a 404 for everybody but its members and those who are invited."""
    return _details(club, player)


@blueprint.patch(
    _CLUB,
    "The club after the change.",
    ClubDetails,
    limit=limit_new_places,
    json_body=EditClub(),
    errors=(403, 409),
)
def edit_club(club: str, player: str, body: JsonObject) -> JsonObject:
    """Change the name of a club, as its owner, or its description and its question, also as an officer.

    The officer must have the right to edit. An empty `question` removes it: then nobody has to answer.
    """
    if not body:
        raise Malformed({"": message("must have name, about or question")})
    service().clubs.edit(club, player, **body)
    return _details(club, player)


@blueprint.delete(_CLUB, "The club is closed.", errors=(403,))
def close_club(club: str, player: str) -> None:
    """Close a club for ever, as its owner. Its games go on."""
    service().clubs.close(club, player)


@blueprint.put(
    f"{_CLUB}/owner", "The club is handed on.", json_body=NameMember(), errors=(403, 409)
)
def hand_club_on(club: str, player: str, body: JsonObject) -> None:
    """Make another member the owner of a club, as its owner.

    Its invitation link and its webhook end. Officers keep their rights; the former owner is a member.
    """
    service().clubs.of_owner(club, player)
    service().club_notices.hand_on(club, player, _person(body["handle"]))


@blueprint.get(
    f"{_CLUB}/members",
    "A page of players, the earliest first. `next` is the `after` of the next page, or null.",
    ClubMemberList,
    auth="optional_auth",
    query=MembersQuery(),
    errors=(403,),
)
def list_club_members(club: str, player: str | None, query: JsonObject) -> JsonObject:
    """List the members of a club or, as its owner or an officer who may invite, those who are invited or ask
    to join.
    """
    entry = service().clubs.visible(club, player)
    if query["relation"] != "member":
        require_right(entry, player or "", "invite")
    ids, following = entry.page(**query)
    handles = service().accounts.players.handles(ids)
    players = [
        {
            "id": id,
            "handle": handles[id],
            "since": entry.people[id].since,
            "rights": entry.rights(id),
            "answer": entry.people[id].answer,
        }
        for id in ids
        if id in handles
    ]
    return {"players": players, "next": following}


@blueprint.put(
    f"{_CLUB}/members/me",
    "What the player is to the club: a `member`, or `requesting` to become one.",
    ClubMembership,
    limit=limit_new_places,
    json_body=JoinClub(),
    is_body_required=False,
    errors=(409,),
)
def join_club(club: str, player: str, body: JsonObject) -> JsonObject:
    """Become a member of a club, with an invitation, or ask its owner to become one.

    With the token of an invitation link, or if the player is invited, the player is a member at once. A
    private club can be joined in these ways only. Who asks to join a club with a question sends an answer.
    The request can be repeated; the last answer counts.
    """
    return {"you": service().club_notices.join(club, player, body["invitation"], body["answer"])}


@blueprint.delete(f"{_CLUB}/members/me", "The player has no relation to the club.", errors=(409,))
def leave_club(club: str, player: str) -> None:
    """Leave a club, decline an invitation to it, or withdraw the request to join it.

    The owner hands the club on, or closes it, before (409). The request can be repeated.
    """
    service().clubs.leave(club, player)


@blueprint.put(f"{_CLUB}/members/<handle>", "The player is a member.", errors=(403, 409))
def admit_to_club(club: str, handle: str, player: str) -> None:
    """Admit a player who has asked to join, as the owner or an officer who may invite.

    The request can be repeated.
    """
    service().clubs.with_right(club, player, "invite")
    service().club_notices.admit(club, player, _person_id(handle))


@blueprint.delete(
    f"{_CLUB}/members/<handle>", "The player has no relation to the club.", errors=(403, 409)
)
def remove_from_club(club: str, handle: str, player: str) -> None:
    """Remove a member, revoke an invitation or decline a request, as the owner or an officer.

    An officer needs the right to remove members, or to invite for the others, and removes no officer. The
    games in which a removed member plays go on. The invitation link is revoked with a member.
    """
    require_any_right(service().clubs.visible(club, player), player)
    service().club_notices.remove(club, player, _person_id(handle))


@blueprint.put(
    f"{_CLUB}/officers/<handle>",
    "The member is an officer with these rights.",
    json_body=AppointOfficer(),
    is_body_required=False,
    errors=(403, 409),
)
def appoint_club_officer(club: str, handle: str, player: str, body: JsonObject) -> None:
    """Make a member an officer, or change the rights of one, as the owner.

    Without any right, the member is no officer. The request can be repeated.
    """
    service().clubs.of_owner(club, player)
    service().club_notices.appoint(club, player, _person_id(handle), body["rights"])


@blueprint.delete(f"{_CLUB}/officers/<handle>", "The member is no officer.", errors=(403, 409))
def dismiss_club_officer(club: str, handle: str, player: str) -> None:
    """Take all rights from an officer, who stays a member, as the owner. The request can be repeated."""
    service().clubs.of_owner(club, player)
    service().club_notices.appoint(club, player, _person_id(handle), ())


@blueprint.post(
    f"{_CLUB}/invitations",
    "The invitation.",
    Invitation,
    limit=limit_new_places,
    json_body=Invite(),
    is_body_required=False,
    errors=(403, 409),
)
def invite_to_club(club: str, player: str, body: JsonObject) -> JsonObject:
    """Invite a player by their handle, or make an invitation link, as the owner or an officer who may invite.

    A player who asks to join is admitted. Without a `handle`, the response has the token of a link, which is
    valid for 30 days and replaces the one before. The page `/clubs/invitations/TOKEN` opens it in a browser.
    """
    clubs = service().clubs
    clubs.with_right(club, player, "invite")
    if body["handle"] is None:
        return {"token": clubs.create_link(club, player)}
    invited = _person(body["handle"])
    service().club_notices.invite(club, player, invited)
    return {"invited": invited}


@blueprint.delete(f"{_CLUB}/invitations", "The club has no invitation link.", errors=(403,))
def revoke_club_link(club: str, player: str) -> None:
    """Revoke the invitation link of a club, as its owner or an officer who may invite.

    The request can be repeated.
    """
    service().clubs.revoke_link(club, player)


@blueprint.get(
    f"{_CLUB}/meetings",
    "All meetings that are not over, the next one first. `next` is null.",
    ClubMeetingList,
    auth="optional_auth",
)
def list_club_meetings(club: str, player: str | None) -> JsonObject:
    """List the meetings on the agenda of a club.

    Its games and tournaments are in `GET /games` and `GET /tournaments` with `club`.
    """
    meetings = service().club_agenda.meetings(club, player)
    return {"meetings": [_meeting_json(each) for each in meetings], "next": None}


@blueprint.post(
    f"{_CLUB}/meetings",
    "The meeting.",
    ClubMeeting,
    limit=limit_new_places,
    json_body=EnterMeeting(),
    errors=(403, 409),
)
def enter_club_meeting(club: str, player: str, body: JsonObject) -> JsonObject:
    """Enter a meeting on the agenda of a club, as its owner or an officer who may edit."""
    return _meeting_json(service().club_agenda.enter(club, player, **body))


@blueprint.put(
    f"{_CLUB}/meetings/<meeting>",
    "The meeting after the change.",
    ClubMeeting,
    limit=limit_new_places,
    json_body=EnterMeeting(),
    errors=(403,),
)
def change_club_meeting(club: str, meeting: str, player: str, body: JsonObject) -> JsonObject:
    """Change a meeting of a club, as its owner or an officer who may edit."""
    changed = service().club_agenda.enter(club, player, **body, meeting_id=meeting)
    return _meeting_json(changed)


@blueprint.delete(f"{_CLUB}/meetings/<meeting>", "The meeting is cancelled.", errors=(403,))
def cancel_club_meeting(club: str, meeting: str, player: str) -> None:
    """Cancel a meeting of a club, as its owner or an officer who may edit."""
    service().club_agenda.cancel(club, player, meeting)


@blueprint.get(f"{_CLUB}/polls", "All polls. `next` is null.", ClubPollList, errors=(403,))
def list_club_polls(club: str, player: str) -> JsonObject:
    """List the polls for dates of a club with the votes, as one of its members."""
    return {"polls": _polls_json(service().club_polls.polls(club, player)), "next": None}


@blueprint.post(
    f"{_CLUB}/polls",
    "The poll.",
    ClubPoll,
    limit=limit_new_places,
    json_body=OpenPoll(),
    errors=(403, 409),
)
def open_club_poll(club: str, player: str, body: JsonObject) -> JsonObject:
    """Open a poll among dates for a meeting, as the owner or an officer who may edit."""
    return _polls_json([service().club_polls.open(club, player, **body)])[0]


@blueprint.put(
    f"{_CLUB}/polls/<poll>/votes/me",
    "The poll after the vote.",
    ClubPoll,
    limit=limit_messages,
    json_body=VoteInPoll(),
    errors=(403,),
)
def vote_in_club_poll(club: str, poll: str, player: str, body: JsonObject) -> JsonObject:
    """Vote for dates of a poll, as a member of the club, instead of those before."""
    return _polls_json([service().club_polls.vote(club, player, poll, body["dates"])])[0]


@blueprint.post(
    f"{_CLUB}/polls/<poll>/meeting",
    "The meeting.",
    ClubMeeting,
    limit=limit_new_places,
    json_body=FixDate(),
    errors=(403, 409),
)
def fix_date_of_club_poll(club: str, poll: str, player: str, body: JsonObject) -> JsonObject:
    """Enter the meeting at a date of a poll, as the owner or an officer who may edit. The poll ends."""
    return _meeting_json(service().club_polls.fix(club, player, poll, body["date"]))


@blueprint.delete(f"{_CLUB}/polls/<poll>", "The poll is withdrawn.", errors=(403,))
def withdraw_club_poll(club: str, poll: str, player: str) -> None:
    """Withdraw a poll with its votes, as the owner or an officer who may edit."""
    service().club_polls.withdraw(club, player, poll)


@blueprint.get(
    f"{_CLUB}/posts", "Posts, the oldest first.", PostList, query=MessagesQuery(), errors=(403,)
)
def list_club_posts(club: str, player: str, query: JsonObject) -> JsonObject:
    """List the posts on the wall of a club, as one of its members.

    A wall keeps a certain number of posts, which is a setting of the server: the first page begins with the
    oldest that is kept.
    """
    page = service().club_wall.page(club, player, **query)
    return {"posts": posts_json(page.messages), "last": page.last, "next": page.next}


@blueprint.post(
    f"{_CLUB}/posts",
    "The post.",
    Post,
    limit=limit_messages,
    json_body=WritePost(),
    errors=(403, 409),
)
def write_club_post(club: str, player: str, body: JsonObject) -> JsonObject:
    """Write a post on the wall of a club, as one of its members. Nobody else reads it."""
    post = service().club_wall.post(club, player, body["text"])
    return posts_json([ShownChatMessage(post, is_muted=False)])[0]


@blueprint.delete(
    f"{_CLUB}/posts/<int:number>",
    "The post is erased.",
    limit=limit_messages,
    json_body=RemovePost(),
    is_body_required=False,
    errors=(403, 409),
)
def erase_club_post(club: str, number: int, player: str, body: JsonObject) -> None:
    """Erase a post: the player's own or, with a reason, one of another member.

    The latter is for the owner and officers who may moderate; a post that was erased already is then a 409.
    """
    if body["reason"] is None:
        service().club_wall.erase(club, player, number)
    else:
        service().club_wall.remove(club, player, number, body["reason"])


@blueprint.post(
    f"{_CLUB}/posts/<int:number>/report",
    "The post is reported.",
    limit=limit_messages,
    json_body=ReportChatMessage(),
    is_body_required=False,
    errors=(403, 409),
)
def report_club_post(club: str, number: int, player: str, body: JsonObject) -> None:
    """Report a post of another member to the administrators of the server.

    They see its text, also if it is erased afterwards, and who has reported it. The request can be repeated;
    only the first one counts.
    """
    service().club_wall.report(club, player, number, body["reason"])


@blueprint.get(f"{_CLUB}/webhook", "The webhook of the club.", ClubWebhook, errors=(403,))
def get_club_webhook(club: str, player: str) -> JsonObject:
    """Get the webhook of a club, as its owner, without its secret. A club without one is a 404."""
    return _webhook_json(club, service().club_webhooks.find(club, player))


@blueprint.put(
    f"{_CLUB}/webhook",
    "The webhook of the club, with its secret if its format is `plain`.",
    ClubWebhook,
    limit=limit_new_places,
    json_body=SetClubWebhook(),
    errors=(403,),
)
def set_club_webhook(club: str, player: str, body: JsonObject) -> JsonObject:
    """Give a club a webhook, as its owner, instead of the one before.

    It reports that a game of the club was created, has started, or is over. `secret` is shown only in this
    response. A webhook that is set with a personal token is removed when the token is revoked or ends.
    """
    webhook = service().club_webhooks.set(
        club, player, body["url"], body["format"], personal_token_digest()
    )
    secret = {"secret": webhook.secret} if webhook.format == "plain" else {}
    return {**_webhook_json(club, webhook), **secret}


@blueprint.delete(f"{_CLUB}/webhook", "The club has no webhook.", errors=(403,))
def remove_club_webhook(club: str, player: str) -> None:
    """Remove the webhook of a club, as its owner. The request can be repeated."""
    service().club_webhooks.remove(club, player)


@blueprint.post(
    f"{_CLUB}/webhook/test",
    "A test is posted to the webhook.",
    limit=limit_webhook_tests,
    errors=(403,),
)
def test_club_webhook(club: str, player: str) -> None:
    """Have a test posted to the webhook of a club, as its owner.

    `GET /clubs/CLUB/webhook` shows the result a moment later. The tests of all webhooks of a player are
    counted together.
    """
    service().club_webhooks.request_test(club, player)


@blueprint.get(
    f"{_CLUB}/webhook/deliveries",
    "A page of deliveries, newest first.",
    DeliveryList,
    query=DeliveriesQuery(),
    errors=(403,),
)
def list_club_deliveries(club: str, player: str, query: JsonObject) -> JsonObject:
    """List the deliveries to the webhooks that a club has had, as its owner."""
    deliveries, cursor = service().club_webhooks.deliveries(
        club, player, min(query["limit"], MAX_CLUBS), query["cursor"]
    )
    render = request_renderer()
    return {"deliveries": [delivery.as_json(render) for delivery in deliveries], "next": cursor}


def _meeting_json(meeting: Meeting) -> JsonObject:
    return {name: getattr(meeting, name) for name in ("id", "at", "title", "details")}


def _polls_json(polls: Sequence[CountedPoll]) -> list[JsonObject]:
    handles = service().accounts.players.handles(
        {player for each in polls for voters in each.votes for player in voters}
    )
    return [
        {
            "id": each.poll.id,
            "title": each.poll.title,
            "details": each.poll.details,
            "dates": [
                {
                    "at": at,
                    "voters": [
                        {"id": player, "handle": handles[player]}
                        for player in voters
                        if player in handles
                    ],
                }
                for at, voters in zip(each.poll.dates, each.votes, strict=True)
            ],
        }
        for each in polls
    ]


def _webhook_json(club_id: str, webhook: Webhook) -> JsonObject:
    paused_until = service().club_webhooks.paused_until(club_id, webhook)
    return {**webhook_json(webhook, paused_until), "format": webhook.format}


def _person_id(handle: str) -> str:
    """Return the id of the player whom a path names. Raises NotFound."""
    return service().accounts.players.find_person(handle).id


def _person(handle: str) -> str:
    return service().accounts.players.person_with_handle(handle).id


def _details(club_id: str, viewer: str | None) -> JsonObject:
    entry = service().clubs.visible(club_id, viewer)
    club: Club = entry.club
    details: JsonObject = {
        **club_json([club])[0],
        "you": entry.relation(viewer),
        "rights": entry.rights(viewer),
        "question": club.question,
    }
    # The link makes anybody a member, which no scope of a personal token allows.
    if entry.has_right(viewer, "invite") and not has_personal_token():
        details["invitation"] = token_of_link(club)
    return details
