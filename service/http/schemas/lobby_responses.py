"""The bodies of successful responses about invitations, mutes and messages; see responses.py."""

from typing import Literal, NotRequired, TypedDict

from domain.json_types import PlayerId


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
