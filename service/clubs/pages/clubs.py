"""Clubs: their list, the page of one, joining and leaving it, and what its owner and its officers do."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.json_fields import one_of
from domain.messages import Message, message
from service.chat.moderated import MAX_REASON_CHARACTERS
from service.clubs.links import club_of_token, token_of_link
from service.clubs.model import RIGHTS, Right
from service.clubs.names import MAX_NAME_LENGTH
from service.clubs.permissions import NOT_A_MEMBER
from service.clubs.schemas import SetClubWebhook
from service.clubs.texts import MAX_ABOUT_CHARACTERS, MAX_ANSWER_CHARACTERS, MAX_QUESTION_CHARACTERS
from service.errors import (
    ClubNameTaken,
    NotFound,
    TooManyChatMessages,
    TooManyClubs,
    TooManyReports,
)
from service.games.game_filter import GameFilter
from service.games.listings import GamesOfClub
from service.http.context import service
from service.http.ratelimits import limit_messages, limit_new_places, limit_webhook_tests
from service.http.validation import MAX_INTEGER
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Format, Webhook
from service.pages.forms import (
    EMPTY_FORM,
    Form,
    entered_form,
    number_parameter,
    read_field,
    read_form,
    see_other,
    shows_refusals,
)
from service.pages.session import current_player, require_player
from service.pages.templating import absolute_url, page
from service.pages.view_models.game_forms import require_sure
from service.pages.view_models.game_lists import (
    FIRST_PAGE_GAMES,
    GameList,
    filtered_list,
    read_lists,
)

blueprint = Blueprint("clubs", __name__, template_folder="../templates")

PAGE_CLUBS: Final = 24
PAGE_MEMBERS: Final = 50
PAGE_POSTS: Final = 50
PAGE_TOURNAMENTS: Final = 20
_POST: Final = f"/clubs/<club_id>/posts/<int(max={MAX_INTEGER}):number>"
_LISTS: Final = ("open", "watch", "finished")
_FORMATS: Final[Mapping[Format, Message]] = {
    "discord": message("A message in Discord"),
    "slack": message("A message in Slack"),
    "plain": message("JSON for a program, signed"),
}


def _club_page(
    club_id: str, form: Form = EMPTY_FORM, status: int = 200, new_webhook: Webhook | None = None
) -> Response:
    player_id = current_player()
    entry = service().clubs.visible(club_id, player_id)
    club, relation = entry.club, entry.relation(player_id)
    members, following = entry.page("member", request.args.get("after"), PAGE_MEMBERS)
    is_owner = club.owner == player_id
    may_invite = entry.has_right(player_id, "invite")
    requesting = entry.with_relation("requesting") if may_invite else []
    invited = entry.with_relation("invited") if may_invite else []
    inviter = None if player_id is None or relation != "invited" else entry.inviter(player_id)
    person = None if player_id is None else entry.people.get(player_id)
    officers = entry.officers()
    service().accounts.players.handles(
        {*members, *officers, *requesting, *invited, club.owner, inviter or club.owner}
    )
    games = GamesOfClub(club_id, for_member=relation == "member")
    lists = {name: games_of_club(name, player_id, games) for name in _LISTS}
    read_lists(*lists.values())
    tournaments, _ = service().tournaments.tournaments.page(
        viewer=player_id, limit=PAGE_TOURNAMENTS, club=club_id
    )
    token = token_of_link(club) if may_invite else None
    webhooks = service().club_webhooks
    webhook = webhooks.get(club_id, club.owner) if is_owner else None
    return page(
        "club.html",
        status,
        club=club,
        relation=relation,
        is_owner=is_owner,
        rights=entry.rights(player_id),
        inviter=inviter,
        officers=officers,
        members=members,
        next=following,
        requesting={player: entry.people[player].answer for player in requesting},
        answer=None if person is None else person.answer,
        invited=invited,
        lists=lists,
        tournaments=tournaments,
        link=None if token is None else absolute_url(f"/clubs/invitations/{token}"),
        webhook=webhook,
        new_webhook=new_webhook,
        paused_until=None if webhook is None else webhooks.paused_until(club_id, webhook),
        formats=_FORMATS,
        decode_message=decode_message,
        form=form,
        max_name_length=MAX_NAME_LENGTH,
        max_about_characters=MAX_ABOUT_CHARACTERS,
        max_question_characters=MAX_QUESTION_CHARACTERS,
        max_answer_characters=MAX_ANSWER_CHARACTERS,
    )


_RIGHTS: Final[Mapping[Right, tuple[Message, Message]]] = {
    "invite": (
        message("Invite"),
        message(
            "invites players, sees and makes the invitation link, and answers requests to join"
        ),
    ),
    "remove": (message("Remove"), message("removes members, but neither officers nor the owner")),
    "moderate": (
        message("Moderate"),
        message("removes posts from the wall, with a reason that the members read"),
    ),
    "edit": (
        message("Edit"),
        message("edits the description, the question and the agenda of the club, but not its name"),
    ),
}
"""The label of each right, and what an officer with it does."""


def games_of_club(name: str, player_id: str | None, games: GamesOfClub) -> GameList:
    """Return the first games of a club of one of the lists."""
    return filtered_list(name, player_id, None, FIRST_PAGE_GAMES, GameFilter(), club=games)


def _officers_page(club_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    entry = service().clubs.of_owner(club_id, require_player())
    officers = entry.officers()
    service().accounts.players.handles(officers)
    return page(
        "club_officers.html",
        status,
        club=entry.club,
        officers={player: entry.rights(player) for player in officers},
        rights=_RIGHTS,
        form=form,
    )


def _new_club_page(form: Form, status: int = 200) -> Response:
    return page(
        "new_club.html",
        status,
        form=form,
        max_name_length=MAX_NAME_LENGTH,
        max_about_characters=MAX_ABOUT_CHARACTERS,
    )


def _invitation_page(token: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    club = service().clubs.by_link(token)
    return page("club_invitation.html", status, club=club, token=token, form=form)


@blueprint.get("/clubs")
def show_clubs() -> Response:
    """Show the clubs of the visitor, and a page of the public ones."""
    player_id, cursor = current_player(), request.args.get("cursor")
    clubs, following = service().clubs.public_page(cursor, PAGE_CLUBS)
    own = [] if player_id is None or cursor is not None else service().clubs.of(player_id)
    return page("clubs.html", clubs=clubs, own=own, next=following)


@blueprint.get("/clubs/new")
def show_new_club() -> Response:
    """Show the form for a new club."""
    require_player()
    return _new_club_page(EMPTY_FORM)


@blueprint.post("/clubs")
@limit_new_places
@shows_refusals(_new_club_page, ClubNameTaken, field="name")
@shows_refusals(_new_club_page, Malformed, NotNow, TooManyClubs)
def create_club() -> BaseResponse:
    """Create a club, and show it."""
    player_id = require_player()
    values = entered_form().values
    club = service().clubs.create(
        player_id,
        values.get("name", ""),
        entered_lines(values.get("about", "")),
        is_private=bool(values.get("private")),
    )
    return see_other(f"/clubs/{club.id}")


@blueprint.get("/clubs/<club_id>")
def show_club(club_id: str) -> Response:
    """Show a club: its members and games, and to its owner all that the owner can change."""
    return _club_page(club_id)


@blueprint.post("/clubs/<club_id>/join")
@limit_new_places
@shows_refusals(_club_page, Malformed, NotNow, TooManyClubs)
def join_club(club_id: str) -> BaseResponse:
    """Accept an invitation to a club, or ask to join it, with an answer to its question."""
    player_id = require_player()
    answer = entered_lines(entered_form().values.get("answer", ""))
    service().club_notices.join(club_id, player_id, answer=answer)
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/leave")
def leave_club(club_id: str) -> BaseResponse:
    """Leave a club, decline an invitation to it, or withdraw the request to join it."""
    service().clubs.leave(club_id, require_player())
    return see_other("/clubs")


@blueprint.get("/clubs/invitations/<token>")
def open_link(token: str) -> BaseResponse:
    """Show the club to which a link invites; a member sees its own page, also after the link has ended."""
    player_id = current_player()
    try:
        club = service().clubs.by_link(token)
    except NotFound:
        club_id = club_of_token(token)
        if player_id is not None and service().clubs.is_member(club_id, player_id):
            return see_other(f"/clubs/{club_id}")
        raise
    if player_id is not None and service().clubs.is_member(club.id, player_id):
        return see_other(f"/clubs/{club.id}")
    return _invitation_page(token)


@blueprint.post("/clubs/invitations/<token>")
@limit_new_places
@shows_refusals(_invitation_page, NotNow, TooManyClubs, keeps_entries=False)
def join_by_link(token: str) -> BaseResponse:
    """Become a member of the club to which a link invites. Members are shown the club."""
    player_id = require_player()
    club_id = club_of_token(token)
    if not service().clubs.is_member(club_id, player_id):
        service().club_notices.join(service().clubs.by_link(token).id, player_id, token)
    return see_other(f"/clubs/{club_id}")


def _wall_page(
    club_id: str,
    form: Form = EMPTY_FORM,
    status: int = 200,
    reported: int | None = None,
    **_: object,
) -> Response:
    player_id, before = require_player(), number_parameter("before")
    entry = service().clubs.visible(club_id, player_id)
    shown = service().club_wall.latest(club_id, player_id, before, PAGE_POSTS)
    posts = [each.message for each in shown.messages]
    moderators = {post.removed_by for post in posts if post.removed_by is not None}
    service().accounts.players.handles({*moderators, *(post.author for post in posts)})
    return page(
        "club_wall.html",
        status,
        club=entry.club,
        rights=entry.rights(player_id),
        shown=shown,
        before=before,
        reported=reported,
        form=form,
        unfilled=EMPTY_FORM,
        max_characters=service().settings.bounds.max_message_characters,
        max_reason_characters=MAX_REASON_CHARACTERS,
    )


@blueprint.get("/clubs/<club_id>/posts")
def show_wall(club_id: str) -> Response:
    """Show the last posts on the wall of a club to its members, or with `before` earlier ones."""
    return _wall_page(club_id)


@blueprint.post("/clubs/<club_id>/posts")
@limit_messages
@shows_refusals(_wall_page, Malformed, TooManyChatMessages)
def write_post(club_id: str) -> BaseResponse:
    """Write a post on the wall, as a member."""
    text = entered_lines(read_field("text"))
    service().club_wall.post(club_id, require_player(), text)
    return see_other(f"/clubs/{club_id}/posts")


@blueprint.post(f"{_POST}/erase")
@limit_messages
def erase_post(club_id: str, number: int) -> BaseResponse:
    """Erase a post of the viewer."""
    service().club_wall.erase(club_id, require_player(), number)
    return see_other(f"/clubs/{club_id}/posts")


@blueprint.post(f"{_POST}/removal")
@limit_messages
@shows_refusals(_wall_page, Malformed, NotNow, keeps_entries=False)
def remove_post(club_id: str, number: int) -> BaseResponse:
    """Erase a post of another member with a reason, as the owner or an officer."""
    reason = entered_form().values.get("reason", "").strip()
    service().club_wall.remove(club_id, require_player(), number, reason)
    return see_other(f"/clubs/{club_id}/posts")


@blueprint.post(f"{_POST}/report")
@limit_messages
@shows_refusals(_wall_page, Malformed, NotNow, TooManyReports, keeps_entries=False)
def report_post(club_id: str, number: int) -> BaseResponse:
    """Report a post to the administrators."""
    player_id = require_player()
    reason = entered_form().values.get("reason", "").strip() or None
    service().club_wall.report(club_id, player_id, number, reason)
    return _wall_page(club_id, reported=number)


@blueprint.post("/clubs/<club_id>/invited")
@limit_new_places
@shows_refusals(_club_page, Malformed, NotNow, field="handle")
def invite(club_id: str) -> BaseResponse:
    """Invite a player by their handle, as the owner or an officer."""
    player_id = require_player()
    service().clubs.with_right(club_id, player_id, "invite")
    account = service().accounts.players.person_with_handle(read_field("handle"))
    service().club_notices.invite(club_id, player_id, account.id)
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/link")
@limit_new_places
def change_link(club_id: str) -> BaseResponse:
    """Make a new invitation link, or revoke it, as the owner or an officer."""
    player_id = require_player()
    match read_field("change"):
        case "create":
            service().clubs.create_link(club_id, player_id)
        case "revoke":
            service().clubs.revoke_link(club_id, player_id)
        case _:
            raise Malformed({"change": one_of(("create", "revoke"))})
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/admit")
@shows_refusals(_club_page, NotNow, keeps_entries=False)
def admit(club_id: str) -> BaseResponse:
    """Admit a player who has asked to join, as the owner or an officer."""
    service().club_notices.admit(club_id, require_player(), read_field("player"))
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/remove")
def remove(club_id: str) -> BaseResponse:
    """Remove a member, revoke an invitation or decline a request, as the owner or an officer."""
    service().club_notices.remove(club_id, require_player(), read_field("player"))
    return see_other(f"/clubs/{club_id}")


@blueprint.get("/clubs/<club_id>/officers")
def show_officers(club_id: str) -> Response:
    """Show the officers of a club with their rights, to its owner."""
    return _officers_page(club_id)


@blueprint.post("/clubs/<club_id>/officers")
@shows_refusals(_officers_page, NotNow, field="handle")
@shows_refusals(_officers_page, Malformed)
def appoint(club_id: str) -> BaseResponse:
    """Give a member the rights that are ticked, as the owner; with none, the member is no officer."""
    player_id = require_player()
    service().clubs.of_owner(club_id, player_id)
    values = entered_form().values
    member = service().accounts.players.person_with_handle(values.get("handle", ""))
    rights = [right for right in RIGHTS if values.get(right)]
    service().club_notices.appoint(club_id, player_id, member.id, rights)
    return see_other(f"/clubs/{club_id}/officers")


@blueprint.post("/clubs/<club_id>/officers/dismiss")
@shows_refusals(_officers_page, Malformed, NotNow, keeps_entries=False)
def dismiss(club_id: str) -> BaseResponse:
    """Take all rights from an officer, as the owner."""
    player_id = require_player()
    service().clubs.of_owner(club_id, player_id)
    handle = entered_form().values.get("handle", "")
    member = service().accounts.players.person_with_handle(handle)
    service().club_notices.appoint(club_id, player_id, member.id, ())
    return see_other(f"/clubs/{club_id}/officers")


@blueprint.get("/clubs/<club_id>/owner")
def show_handover(club_id: str) -> Response:
    """Show what changes if the club is handed on to a member, and who goes on receiving what."""
    player_id = require_player()
    entry = service().clubs.of_owner(club_id, player_id)
    heir = request.args.get("player", "")
    if heir == player_id or entry.relation(heir) != "member":
        raise NotFound(NOT_A_MEMBER)
    officers = [player for player in entry.officers() if player != heir]
    tournaments, _ = service().tournaments.tournaments.page(
        ("open", "running"), viewer=player_id, limit=PAGE_MEMBERS, club=club_id
    )
    organised = [(each, tuple(each.organisers)) for each in tournaments]
    webhook = service().club_webhooks.get(club_id, player_id)
    organisers = {player for _, each in organised for player in each}
    service().accounts.players.handles(
        {heir, *officers, *entry.with_relation("invited"), *organisers}
    )
    return page(
        "club_handover.html",
        club=entry.club,
        heir=heir,
        officers={player: entry.rights(player) for player in officers},
        rights=_RIGHTS,
        invited=entry.with_relation("invited"),
        organised=organised,
        has_link=token_of_link(entry.club) is not None,
        webhook=webhook,
    )


@blueprint.post("/clubs/<club_id>/owner")
@shows_refusals(_club_page, NotNow, keeps_entries=False)
def hand_on(club_id: str) -> BaseResponse:
    """Hand the club on to another member."""
    service().club_notices.hand_on(club_id, require_player(), read_field("player"))
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/edit")
@limit_new_places
@shows_refusals(_club_page, ClubNameTaken, field="name")
@shows_refusals(_club_page, Malformed)
def edit(club_id: str) -> BaseResponse:
    """Change the description and the question, as the owner or an officer, and the name, as the owner."""
    player_id = require_player()
    values = entered_form().values
    about, question = (entered_lines(values.get(name, "")) for name in ("about", "question"))
    service().clubs.edit(club_id, player_id, values.get("name"), about, question)
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/webhook")
@limit_new_places
@shows_refusals(_club_page, Malformed)
def set_webhook(club_id: str) -> BaseResponse:
    """Set the webhook of the club, as the owner, and show its secret, once."""
    player_id = require_player()
    values = read_form(SetClubWebhook())
    webhook = service().club_webhooks.set(club_id, player_id, values["url"], values["format"])
    return _club_page(club_id, status=201, new_webhook=webhook)


@blueprint.post("/clubs/<club_id>/webhook/test")
@limit_webhook_tests
def test_webhook(club_id: str) -> BaseResponse:
    """Have a test posted to the webhook of the club, as the owner."""
    service().club_webhooks.request_test(club_id, require_player())
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/webhook/remove")
def remove_webhook(club_id: str) -> BaseResponse:
    """Remove the webhook of the club, as the owner."""
    service().club_webhooks.remove(club_id, require_player())
    return see_other(f"/clubs/{club_id}")


@blueprint.post("/clubs/<club_id>/close")
@shows_refusals(_club_page, Malformed, keeps_entries=False)
def close(club_id: str) -> BaseResponse:
    """Close the club for ever, as the owner."""
    player_id = require_player()
    service().clubs.of_owner(club_id, player_id)
    require_sure()
    service().clubs.close(club_id, player_id)
    return see_other("/clubs")


def entered_lines(text: str) -> str:
    """Return a text of several lines as a browser has sent it, with the line ends that are stored."""
    return text.replace("\r\n", "\n").strip()
