"""Requests and responses about posts on the wall of a club, or in the conversation of a tournament."""

from typing import TypedDict

from domain.json_types import Count, PlayerId, PositiveCount, Timestamp
from service.chat.moderated import MAX_REASON_CHARACTERS
from service.http.schemas.lobby import ChatMessageAuthor
from service.http.validation import StrictSchema, String


class WritePost(StrictSchema):
    """A post on the wall of a club, or in the conversation of a tournament."""

    text = String(required=True, minLength=1, description="Its length is bounded by the server.")


class RemovePost(StrictSchema):
    """Why a moderator removes a post."""

    reason = String(
        load_default=None,
        nullable=True,
        description=f"Required for the post of another player: at most {MAX_REASON_CHARACTERS} characters,"
        " which everybody reads who reads the posts.",
    )


class Post(TypedDict):
    """A post on the wall of a club, or in the conversation of a tournament: its number, when and by whom it
    was written.

    `text` is null if it was erased, or if the reader has muted its author. `removed_by` is the id of the
    moderator who has removed it, for `reason`, or null.
    """

    post: PositiveCount
    at: Timestamp
    player: ChatMessageAuthor
    text: str | None
    erased: bool
    muted: bool
    removed_by: PlayerId | None
    reason: str | None


class PostList(TypedDict):
    """Some posts. `next` is the `after` of the next page, or null; `last` is the number of the last post, 0
    if there is none.
    """

    posts: list[Post]
    last: Count
    next: PositiveCount | None
