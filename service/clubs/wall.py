"""The wall of a club: its members read and write posts, which are public texts like comments on games.

    cartulary:{club:ID}:wall    the posts; see service/chat/public_texts.py
    cartulary:posts:PLAYER      set: the ids of the clubs in which the player has written or removed posts

Nobody else reads them, also in a public club. Its owner and officers who may moderate remove a post with a
reason, which members read in its place.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import redis
from typing_extensions import override

from domain.messages import message
from service.chat.moderated import ModeratedConversation
from service.chat.public_texts import Bounds, PublicTexts
from service.chat.reports import TextKind
from service.chat.store import ChatMessage
from service.clubs.clubs import Clubs
from service.clubs.permissions import require_member, require_right
from service.clubs.store import wall_key

_CLUBS_OF: Final = "cartulary:posts:"


def wall_texts(client: redis.Redis, most_per_club: int, most_per_member: int) -> PublicTexts:
    """Return the posts in Redis."""
    bounds = Bounds(most_per_club, most_per_member, keeps_last=True)
    return PublicTexts(client, wall_key, _CLUBS_OF, bounds)


@dataclass(eq=False, repr=False)
class ClubWall(ModeratedConversation):
    """The walls of all clubs. Thread-safe.

    Methods raise NotFound if there is no such club or post, or the player may not see the club; Forbidden if
    the player is no member of it; Unavailable if Redis does not respond.
    """

    _kind: ClassVar[TextKind] = "post"
    _if_too_many: ClassVar = message(
        "this member has written as many posts on the wall as are allowed"
    )

    _clubs: Clubs

    @override
    def post(self, id: str, player: str, text: str) -> ChatMessage:
        posted = super().post(id, player, text)
        if not self._clubs.exists(id):
            # It was closed in the meantime.
            self._texts.delete_all(id)
        return posted

    @override
    def _require_reader(self, id: str, player: str | None) -> None:
        require_member(self._clubs.visible(id, player), player)

    @override
    def _require_writer(self, id: str, player: str) -> None:
        self._require_reader(id, player)

    @override
    def _require_moderator(self, id: str, player: str) -> None:
        require_right(self._clubs.visible(id, player), player, "moderate")
