"""The pages of the messages within a game and of the comments on it, and what a reader can do with each; the
players who are muted; and what readers dismiss.
"""

from typing import Final

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.game import Game
from domain.json_types import JsonObject
from replay.history.recap import RecapEvent
from service.chat.moderated import MAX_REASON_CHARACTERS
from service.errors import TooManyChatMessages, TooManyReports
from service.games.access import require_correspondent
from service.http.context import service
from service.http.ratelimits import limit_messages
from service.http.validation import MAX_INTEGER, Choice, StrictSchema, String, whole_number
from service.pages.forms import (
    EMPTY_FORM,
    Form,
    entered_form,
    number_parameter,
    read_form,
    see_other,
    shows_refusals,
)
from service.pages.return_addresses import next_address
from service.pages.session import current_player, require_player
from service.pages.templating import page
from service.pages.view_models.alert_lines import alerts_on_page
from service.pages.view_models.game_forms import KeyedForm, form_about_event, key_of, new_key
from service.pages.view_models.game_forms import require_player as player_of

_MESSAGES: Final = "/games/<game_id>/messages"
_MESSAGE: Final = f"{_MESSAGES}/<int(max={MAX_INTEGER}):number>"
_COMMENTS: Final = "/games/<game_id>/comments"
_COMMENT: Final = f"{_COMMENTS}/<int(max={MAX_INTEGER}):number>"
_POSTS: Final = "/tournaments/<tournament_id>/posts"
_POST: Final = f"{_POSTS}/<int(max={MAX_INTEGER}):number>"
_SHOWN_MESSAGES: Final = 50
_LISTED_MOVES: Final = 40
"""As many as beside the board, so that both read the game once."""

blueprint = Blueprint("chat", __name__, template_folder="templates")


class CommentForm(StrictSchema):
    """A comment or a message, and the event that it is about."""

    text = String(required=True)
    seq = String(load_default=None)


class MessageForm(CommentForm, KeyedForm):
    """A message, which is posted once."""


class ReportForm(StrictSchema):
    """Why a message is reported."""

    reason = String(load_default=None)


class MuteForm(StrictSchema):
    """The id of a player, and whether their messages are shown."""

    player = String(required=True)
    change = Choice(choices=("mute", "unmute"), required=True)


def _page(
    game_id: str,
    form: Form,
    *,
    status: int = 200,
    before: int | None = None,
    reported: int | None = None,
    **_: object,
) -> Response:
    player = player_of(game_id)
    game = service().games.queries.visible_game(game_id, player)
    require_correspondent(game, player)
    message_page = service().chat.latest(game_id, player, before, _SHOWN_MESSAGES)
    if before is None:
        service().chat.marks.read(game_id, player, message_page.last)
    service().accounts.players.handles({each.message.author for each in message_page.messages})
    return page(
        "chat.html",
        status,
        game=game,
        shown=message_page,
        form=form,
        moves=_moves_to_write_about(game, form),
        before=before,
        reported=reported,
        max_characters=service().settings.bounds.max_message_characters,
        key=new_key(),
    )


@blueprint.get(_MESSAGES)
def show_chat(game_id: str) -> Response:
    """Show the last messages of a game, or with `before` earlier ones."""
    return _page(game_id, form_about_event(), before=number_parameter("before"))


@blueprint.post(_MESSAGES)
@limit_messages
@shows_refusals(_page, Malformed, TooManyChatMessages)
def post_chat_message(game_id: str) -> BaseResponse:
    """Write a message, and show all of them, or the page from which the form was sent."""
    player = player_of(game_id)
    values = read_form(MessageForm())
    service().chat.post(game_id, player, _text_of(values), _seq(values["seq"]), key_of(values))
    return see_other(next_address(f"/games/{game_id}/messages#message-form"))


@blueprint.post(f"{_MESSAGE}/erase")
@limit_messages
def erase_message(game_id: str, number: int) -> BaseResponse:
    """Erase a message of the viewer."""
    service().chat.erase(game_id, player_of(game_id), number)
    return see_other(f"/games/{game_id}/messages")


@blueprint.post(f"{_MESSAGE}/report")
@limit_messages
@shows_refusals(_page, Malformed, NotNow, TooManyReports, keeps_entries=False)
def report_message(game_id: str, number: int) -> BaseResponse:
    """Report a message to the administrators."""
    player = player_of(game_id)
    service().chat.report(game_id, player, number, read_form(ReportForm())["reason"])
    return _page(game_id, EMPTY_FORM, reported=number)


def _comments_page(
    game_id: str,
    form: Form,
    *,
    status: int = 200,
    before: int | None = None,
    reported: int | None = None,
    **_: object,
) -> Response:
    player = current_player()
    game = service().games.queries.visible_game(game_id, player)
    shown = service().comments.latest(game_id, player, before, _SHOWN_MESSAGES)
    service().accounts.players.handles({each.message.author for each in shown.messages})
    return page(
        "comments.html",
        status,
        game=game,
        shown=shown,
        form=form,
        moves=_moves_to_write_about(game, form),
        before=before,
        reported=reported,
        max_characters=service().settings.bounds.max_message_characters,
    )


@blueprint.get(_COMMENTS)
def show_comments(game_id: str) -> Response:
    """Show the last comments on a game, or with `before` earlier ones."""
    return _comments_page(game_id, form_about_event(), before=number_parameter("before"))


@blueprint.post(_COMMENTS)
@limit_messages
@shows_refusals(_comments_page, Malformed, NotNow, TooManyChatMessages)
def post_comment(game_id: str) -> BaseResponse:
    """Comment on a game that is over, and show all comments, or the page from which the form was sent."""
    player = player_of(game_id)
    values = read_form(CommentForm())
    service().comments.post(game_id, player, _text_of(values), _seq(values["seq"]))
    return see_other(next_address(f"/games/{game_id}/comments#comment-form"))


@blueprint.post(f"{_COMMENT}/erase")
@limit_messages
def erase_comment(game_id: str, number: int) -> BaseResponse:
    """Erase a comment of the viewer."""
    service().comments.erase(game_id, player_of(game_id), number)
    return see_other(f"/games/{game_id}/comments")


@blueprint.post(f"{_COMMENT}/report")
@limit_messages
@shows_refusals(_comments_page, Malformed, NotNow, TooManyReports, keeps_entries=False)
def report_comment(game_id: str, number: int) -> BaseResponse:
    """Report a comment to the administrators."""
    player = player_of(game_id)
    service().comments.report(game_id, player, number, read_form(ReportForm())["reason"])
    return _comments_page(game_id, EMPTY_FORM, reported=number)


@blueprint.post("/account/mutes")
@limit_messages
def change_mute() -> BaseResponse:
    """Mute a player or stop muting them, and show the page from which the form was sent."""
    player = require_player()
    values = read_form(MuteForm())
    if values["change"] == "mute":
        service().accounts.mutes.add(player, values["player"])
    else:
        service().accounts.mutes.remove(player, values["player"])
    return see_other(next_address())


class DismissalForm(StrictSchema):
    """The key of an alert (service/games/alerts.py)."""

    concern = String(required=True)


@blueprint.post("/games/<game_id>/concerns/dismissals")
def dismiss_alert(game_id: str) -> BaseResponse:
    """Dismiss an alert of the viewer; messages are then marked as read."""
    player = require_player()
    game = service().games.queries.visible_game(game_id, player)
    key = read_form(DismissalForm())["concern"]
    # An alert that is gone needs no mark.
    for alert in alerts_on_page(game).alerts:
        if alert.key == key and alert.kind == "messages":
            service().chat.marks.read(game_id, player, alert.number)
        elif alert.key == key and alert.can_be_dismissed:
            service().chat.marks.dismiss(game_id, player, key)
    return see_other(next_address(f"/games/{game_id}"))


def _moves_to_write_about(game: Game, form: Form) -> list[RecapEvent]:
    """Return the last moves of a game that has started, and the one that a form is about, oldest first."""
    if game.state is None:
        return []
    moves = [each for each in service().games.recaps.latest(game, _LISTED_MOVES) if not each.scores]
    seq = whole_number(form.values.get("seq", "")) or 0
    if 0 < seq <= game.seq and seq not in {each.seq for each in moves}:
        moves = [*service().games.replays.moves(game, seq, 1), *moves]
    return moves


def _text_of(values: JsonObject) -> str:
    """Return the text that was entered. Browsers send each line break of a text as two characters."""
    return str(values["text"]).replace("\r\n", "\n").strip()


def _seq(text: str | None) -> int | None:
    """Return the seq that was entered, 0 for a text that is none."""
    return None if text is None else whole_number(text) or 0


def _posts_page(
    tournament_id: str,
    form: Form = EMPTY_FORM,
    status: int = 200,
    reported: int | None = None,
    **_: object,
) -> Response:
    player, before = current_player(), number_parameter("before")
    tournament = service().tournaments.tournaments.get(tournament_id, player)
    posts = service().tournament_posts
    shown = posts.latest(tournament_id, player, before, _SHOWN_MESSAGES)
    people = {each.message.author for each in shown.messages}
    people |= {each.message.removed_by for each in shown.messages if each.message.removed_by}
    service().accounts.players.handles(people)
    return page(
        "tournament_posts.html",
        status,
        tournament=tournament,
        shown=shown,
        before=before,
        reported=reported,
        can_write=posts.can_write(tournament, player),
        can_moderate=posts.can_moderate(tournament, player),
        form=form,
        unfilled=EMPTY_FORM,
        max_characters=service().settings.bounds.max_message_characters,
        max_reason_characters=MAX_REASON_CHARACTERS,
    )


@blueprint.get(_POSTS)
def show_tournament_posts(tournament_id: str) -> Response:
    """Show the last posts in the conversation of a tournament, or with `before` earlier ones."""
    return _posts_page(tournament_id)


@blueprint.post(_POSTS)
@limit_messages
@shows_refusals(_posts_page, Malformed, TooManyChatMessages)
def write_tournament_post(tournament_id: str) -> BaseResponse:
    """Write a post in the conversation of a tournament, as one of its players or organisers."""
    text = entered_form().values.get("text", "").replace("\r\n", "\n")
    service().tournament_posts.post(tournament_id, require_player(), text)
    return see_other(f"/tournaments/{tournament_id}/posts")


@blueprint.post(f"{_POST}/erase")
@limit_messages
def erase_tournament_post(tournament_id: str, number: int) -> BaseResponse:
    """Erase a post of the viewer."""
    service().tournament_posts.erase(tournament_id, require_player(), number)
    return see_other(f"/tournaments/{tournament_id}/posts")


@blueprint.post(f"{_POST}/removal")
@limit_messages
@shows_refusals(_posts_page, Malformed, NotNow, keeps_entries=False)
def remove_tournament_post(tournament_id: str, number: int) -> BaseResponse:
    """Erase a post of another player with a reason, as an organiser."""
    reason = entered_form().values.get("reason", "").strip()
    service().tournament_posts.remove(tournament_id, require_player(), number, reason)
    return see_other(f"/tournaments/{tournament_id}/posts")


@blueprint.post(f"{_POST}/report")
@limit_messages
@shows_refusals(_posts_page, Malformed, NotNow, TooManyReports, keeps_entries=False)
def report_tournament_post(tournament_id: str, number: int) -> Response:
    """Report a post to the administrators."""
    reason = entered_form().values.get("reason", "").strip() or None
    service().tournament_posts.report(tournament_id, require_player(), number, reason)
    return _posts_page(tournament_id, reported=number)
