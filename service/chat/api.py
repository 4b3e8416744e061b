"""Messages of players within a game, comments on games that are over (reading, writing, erasing, reporting
them), and muted players.
"""

from collections.abc import Sequence
from typing import Final

from domain.json_types import JsonObject
from service.chat.conversation import ChatMessagePage, ShownChatMessage
from service.chat.schemas import Post, PostList, RemovePost, WritePost
from service.chat.store import ChatMessage as StoredChatMessage
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.ratelimits import limit_messages
from service.http.responses import posts_json
from service.http.schemas.lobby import (
    ChatMessage,
    ChatMessageList,
    Comment,
    CommentList,
    MessagesQuery,
    MuteList,
    PostChatMessage,
    ReportChatMessage,
)

_MESSAGES: Final = "/games/<game_id>/messages"
_MESSAGE: Final = f"{_MESSAGES}/<int:number>"
_COMMENTS: Final = "/games/<game_id>/comments"
_COMMENT: Final = f"{_COMMENTS}/<int:number>"
_POSTS: Final = "/tournaments/<id>/posts"
_POST: Final = f"{_POSTS}/<int:number>"

blueprint = Blueprint("messages", "Messages of players within a game.", auth="correspondents_only")
comments = Blueprint("comments", "Comments on games that are over.", auth="login_required")
tournament_posts = Blueprint(
    "tournament_posts", "The conversations of tournaments.", auth="login_required"
)
mutes = Blueprint("mutes", "Muting players.", auth="login_required")


def _as_json(kind: str, messages: Sequence[ShownChatMessage]) -> list[JsonObject]:
    """Return messages or comments, the `kind`, as JSON. Looks up their authors in one round trip."""
    handles = service().accounts.players.handles({shown.message.author for shown in messages})
    return [
        {
            kind: shown.message.number,
            "at": shown.message.at,
            "player": {"id": shown.message.author, "handle": handles.get(shown.message.author)},
            "text": shown.text,
            "seq": shown.message.seq,
            "erased": shown.message.text is None,
            "muted": shown.is_muted,
        }
        for shown in messages
    ]


def _page(kind: str, page: ChatMessagePage) -> JsonObject:
    return {f"{kind}s": _as_json(kind, page.messages), "last": page.last, "next": page.next}


def _posted(kind: str, posted: StoredChatMessage) -> JsonObject:
    return _as_json(kind, [ShownChatMessage(posted, is_muted=False)])[0]


@blueprint.get(_MESSAGES, "Messages, the oldest first.", ChatMessageList, query=MessagesQuery())
def list_messages(game_id: str, player: str, query: JsonObject) -> JsonObject:
    """List the messages of a game, as one of its players or its arbiter.

    Nobody else can read them, also in a public game. `text` is null if the message was erased, or if the
    player has muted its author.
    """
    return _page("message", service().chat.page(game_id, player, **query))


@blueprint.post(
    _MESSAGES,
    "The message.",
    ChatMessage,
    limit=limit_messages,
    json_body=PostChatMessage(),
    is_idempotent=True,
    errors=(409,),
)
def post_message(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> JsonObject:
    """Write a message to the other players of a game and its arbiter.

    A message is no event of the game's log. It can be written before the game starts and after it has ended.
    A player can write a certain number of messages in a game, which is a setting of the server.
    """
    posted = service().chat.post(game_id, player, **body, idempotency_key=idempotency_key)
    return _posted("message", posted)


@blueprint.delete(_MESSAGE, "The message is erased.", limit=limit_messages, resource="message")
def erase_message(game_id: str, number: int, player: str) -> None:
    """Erase a message that the player has written.

    Its number, its author and its time stay. The request can be repeated.
    """
    service().chat.erase(game_id, player, number)


@blueprint.post(
    f"{_MESSAGE}/report",
    "The message is reported.",
    limit=limit_messages,
    json_body=ReportChatMessage(),
    is_body_required=False,
    resource="message",
    errors=(409,),
)
def report_message(game_id: str, number: int, player: str, body: JsonObject) -> None:
    """Report a message of another player to the administrators of the server.

    They see its text, also if its author erases it afterwards, and who has reported it. The request can be
    repeated; only the first one counts.
    """
    service().chat.report(game_id, player, number, body["reason"])


@comments.get(
    _COMMENTS,
    "Comments, the oldest first.",
    CommentList,
    auth="optional_auth",
    query=MessagesQuery(),
)
def list_comments(game_id: str, player: str | None, query: JsonObject) -> JsonObject:
    """List the comments on a game that is over.

    Everybody who may see the game reads them. `text` is null if the comment was erased, or if the player has
    muted its author.
    """
    return _page("comment", service().comments.page(game_id, player, **query))


@comments.post(
    _COMMENTS,
    "The comment.",
    Comment,
    limit=limit_messages,
    json_body=PostChatMessage(),
    errors=(403, 409),
)
def post_comment(game_id: str, player: str, body: JsonObject) -> JsonObject:
    """Comment on a game that is over, whether or not the player has played in it.

    409 if the game is not over, or has as many comments as the server allows; 403 for a guest who has not
    played in it.
    """
    return _posted("comment", service().comments.post(game_id, player, **body))


@comments.delete(_COMMENT, "The comment is erased.", limit=limit_messages, errors=(403,))
def erase_comment(game_id: str, number: int, player: str) -> None:
    """Erase a comment that the player has written.

    Its number, its author and its time stay. The request can be repeated.
    """
    service().comments.erase(game_id, player, number)


@comments.post(
    f"{_COMMENT}/report",
    "The comment is reported.",
    limit=limit_messages,
    json_body=ReportChatMessage(),
    is_body_required=False,
    errors=(409,),
)
def report_comment(game_id: str, number: int, player: str, body: JsonObject) -> None:
    """Report a comment of another player to the administrators of the server.

    They see its text, also if its author erases it afterwards, and who has reported it. The request can be
    repeated; only the first one counts.
    """
    service().comments.report(game_id, player, number, body["reason"])


@mutes.get("/me/mutes", "The muted players, the last one first.", MuteList)
def list_mutes(player: str) -> JsonObject:
    """List the players whom the player has muted."""
    handles = service().accounts.players.handles(ids := service().accounts.mutes.of(player))
    players = [{"id": id, "handle": handles[id]} for id in ids if id in handles]
    return {"players": players, "next": None}


@mutes.put("/me/mutes/<handle>", "The player is muted.", limit=limit_messages, errors=(400, 409))
def mute_player(player: str, handle: str) -> None:
    """Mute a player: their messages are hidden from the player, and their invitations are not shown.

    Nobody else learns of it. The request can be repeated.
    """
    service().accounts.mutes.add(player, service().accounts.players.find_person(handle).id)


@mutes.delete("/me/mutes/<handle>", "The player is not muted.")
def unmute_player(player: str, handle: str) -> None:
    """Stop muting a player. The request can be repeated."""
    service().accounts.mutes.remove(player, service().accounts.players.find_person(handle).id)


@tournament_posts.get(
    _POSTS, "Posts, the oldest first.", PostList, auth="optional_auth", query=MessagesQuery()
)
def list_tournament_posts(id: str, player: str | None, query: JsonObject) -> JsonObject:
    """List the posts in the conversation of a tournament, which everybody reads who may see the tournament.

    A certain number of posts is kept, which is a setting of the server: the first page begins with the oldest
    that is kept.
    """
    page = service().tournament_posts.page(id, player, **query)
    return {"posts": posts_json(page.messages), "last": page.last, "next": page.next}


@tournament_posts.post(
    _POSTS, "The post.", Post, limit=limit_messages, json_body=WritePost(), errors=(403, 409)
)
def write_tournament_post(id: str, player: str, body: JsonObject) -> JsonObject:
    """Write a post in the conversation of a tournament, as one of its players or organisers."""
    post = service().tournament_posts.post(id, player, body["text"])
    return posts_json([ShownChatMessage(post, is_muted=False)])[0]


@tournament_posts.delete(
    _POST,
    "The post is erased.",
    limit=limit_messages,
    json_body=RemovePost(),
    is_body_required=False,
    errors=(403, 409),
)
def erase_tournament_post(id: str, number: int, player: str, body: JsonObject) -> None:
    """Erase a post: the player's own or, with a reason, one of another player, as an organiser.

    In the latter case, a post that was erased already is a 409.
    """
    if body["reason"] is None:
        service().tournament_posts.erase(id, player, number)
    else:
        service().tournament_posts.remove(id, player, number, body["reason"])


@tournament_posts.post(
    f"{_POST}/report",
    "The post is reported.",
    limit=limit_messages,
    json_body=ReportChatMessage(),
    is_body_required=False,
    errors=(409,),
)
def report_tournament_post(id: str, number: int, player: str, body: JsonObject) -> None:
    """Report a post of another player to the administrators of the server.

    They see its text, also if it is erased afterwards, and who has reported it. The request can be repeated;
    only the first one counts.
    """
    service().tournament_posts.report(id, player, number, body["reason"])
