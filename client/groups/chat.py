"""Messages and comments about games, and players who are muted.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.groups.shared import ChatMessageAuthor, ReportChatMessage
from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class Comment(TypedDict):
    """A comment on a game: its number, when and by whom it was written, and the event that it is
    about. `text` is null if it was erased, or if the reader has muted the author.
    """

    at: str
    player: ChatMessageAuthor
    text: str | None
    seq: int | None
    erased: bool
    muted: bool
    comment: int


class CommentList(TypedDict):
    """Some comments on a game. `next` is the `after` of the next page, or null; `last` is the
    number of the last comment, 0 if there is none.
    """

    comments: list[Comment]
    last: int
    next: int | None


class MutedPlayer(TypedDict):
    """A player whose messages and invitations do not reach the player who has muted them."""

    id: str
    handle: str


class MuteList(TypedDict):
    """The players whom a player has muted, the last one first."""

    players: list[MutedPlayer]
    next: str | None


class PostChatMessage(TypedDict):
    """The body of a request: PostChatMessage."""

    text: str
    seq: NotRequired[int | None]


def report_message(game: str, number: int, /, **body: Unpack[ReportChatMessage]) -> Call[None]:
    """Report a message of another player to the administrators of the server.

    They see its text, also if its author erases it afterwards, and who has reported it. The request
    can be repeated; only the first one counts.
    """
    return call(
        "POST", f"/games/{segment(game)}/messages/{segment(number)}/report", read_nothing, body=body
    )


def list_comments(
    game: str, /, *, after: int | None = None, limit: int | None = None
) -> Call[CommentList]:
    """List the comments on a game that is over.

    Everybody who may see the game reads them. `text` is null if the comment was erased, or if the
    player has muted its author.
    """
    return call(
        "GET",
        f"/games/{segment(game)}/comments",
        reader(CommentList),
        params={"after": after, "limit": limit},
    )


def post_comment(game: str, /, **body: Unpack[PostChatMessage]) -> Call[Comment]:
    """Comment on a game that is over, whether or not the player has played in it.

    409 if the game is not over, or has as many comments as the server allows; 403 for a guest who
    has not played in it.
    """
    return call("POST", f"/games/{segment(game)}/comments", reader(Comment), body=body)


def erase_comment(game: str, number: int, /) -> Call[None]:
    """Erase a comment that the player has written.

    Its number, its author and its time stay. The request can be repeated.
    """
    return call("DELETE", f"/games/{segment(game)}/comments/{segment(number)}", read_nothing)


def report_comment(game: str, number: int, /, **body: Unpack[ReportChatMessage]) -> Call[None]:
    """Report a comment of another player to the administrators of the server.

    They see its text, also if its author erases it afterwards, and who has reported it. The request
    can be repeated; only the first one counts.
    """
    return call(
        "POST", f"/games/{segment(game)}/comments/{segment(number)}/report", read_nothing, body=body
    )


def list_mutes() -> Call[MuteList]:
    """List the players whom the player has muted."""
    return call("GET", "/me/mutes", reader(MuteList))


def mute_player(handle: str, /) -> Call[None]:
    """Mute a player: their messages are hidden from the player, and their invitations are not
    shown.

    Nobody else learns of it. The request can be repeated.
    """
    return call("PUT", f"/me/mutes/{segment(handle)}", read_nothing)


def unmute_player(handle: str, /) -> Call[None]:
    """Stop muting a player. The request can be repeated."""
    return call("DELETE", f"/me/mutes/{segment(handle)}", read_nothing)


class ChatCalls(Group[C_co]):
    """Messages and comments about games, and players who are muted."""

    report_message = Method(report_message)
    list_comments = Method(list_comments)
    post_comment = Method(post_comment)
    erase_comment = Method(erase_comment)
    report_comment = Method(report_comment)
    list_mutes = Method(list_mutes)
    mute_player = Method(mute_player)
    unmute_player = Method(unmute_player)
