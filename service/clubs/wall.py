"""The wall of a club: its members read and write posts, which are public texts like comments on games.

    cartulary:{club:ID}:wall    the posts; see service/chat/public_texts.py
    cartulary:posts:PLAYER      set: the ids of the clubs in which the player has written or removed posts

Nobody else reads them, also in a public club. Its owner and officers who may moderate remove a post with a
reason, which members read in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import redis
from typing_extensions import override

from domain.errors import Malformed, NotNow
from domain.messages import message
from service.chat.conversation import Conversation
from service.chat.public_texts import Bounds, PublicTexts
from service.chat.reports import TextKind
from service.chat.store import ChatMessage
from service.clubs.clubs import Clubs
from service.clubs.permissions import require_member, require_right
from service.clubs.store import wall_key
from service.errors import Forbidden, NotFound, TooManyChatMessages
from service.games.dispute_view import statement_fault

MAX_REASON_CHARACTERS: Final = 300
_CLUBS_OF: Final = "cartulary:posts:"


def wall_texts(client: redis.Redis, most_per_club: int, most_per_member: int) -> PublicTexts:
    """Return the posts in Redis."""
    bounds = Bounds(most_per_club, most_per_member, keeps_last=True)
    return PublicTexts(client, wall_key, _CLUBS_OF, bounds)


@dataclass(eq=False, repr=False)
class ClubWall(Conversation):
    """The walls of all clubs. Thread-safe.

    Methods raise NotFound if there is no such club or post, or the player may not see the club; Forbidden if
    the player is no member of it; Unavailable if Redis does not respond.
    """

    _kind: ClassVar[TextKind] = "post"
    _if_own: ClassVar = message("the post is the player's own")
    _if_erased: ClassVar = message("the post was erased")

    _clubs: Clubs
    _texts: PublicTexts

    def post(self, club_id: str, player: str, text: str) -> ChatMessage:
        """Add a post, and return it. The first one is deleted if there are as many as allowed.

        Raises Malformed, and TooManyChatMessages (of this member).
        """
        self._require_reader(club_id, player)
        if fault := statement_fault(text, self._max_characters):
            raise Malformed({"text": fault})
        posted = self._texts.add(club_id, player, text)
        if posted is None:
            raise TooManyChatMessages.with_message(
                "this member has written as many posts on the wall as are allowed"
            )
        if not self._clubs.exists(club_id):
            # It was closed in the meantime.
            self._texts.delete_all(club_id)
        return posted

    def erase(self, club_id: str, player: str, number: int) -> None:
        """Erase a post that the player has written. Idempotent. Raises Forbidden for everybody else."""
        self._require_reader(club_id, player)
        post = self.require(club_id, number)
        if post.author != player:
            raise Forbidden.with_message("only its author can erase a post without a reason")
        if post.text is not None:
            self._texts.erase(club_id, post)

    def remove(self, club_id: str, moderator: str, number: int, reason: str) -> None:
        """Erase a post with a reason, as the owner or an officer who may moderate.

        Raises Forbidden, Malformed (the reason), NotNow (it was erased).
        """
        require_right(self._clubs.visible(club_id, moderator), moderator, "moderate")
        post = self.require(club_id, number)
        if not reason:
            raise Malformed({"reason": message("must say why")})
        if fault := statement_fault(reason, MAX_REASON_CHARACTERS):
            raise Malformed({"reason": fault})
        if post.text is None:
            raise NotNow(None, self._if_erased)
        self._texts.note_moderator(club_id, moderator)
        self._texts.erase(club_id, post, moderator, reason)

    def remove_for_all(self, club_id: str, number: int) -> None:
        """Erase a post, as an administrator. Idempotent."""
        self._texts.erase(club_id, self.require(club_id, number))

    @override
    def require(self, id: str, number: int) -> ChatMessage:
        post = self._texts.get(id, number)
        if post is None:
            raise NotFound.with_message("the wall has no post {number}", number=number)
        return post

    def erase_all_of(self, player: str) -> None:
        """Erase every post that a player has written, and the reasons that they gave. Idempotent."""
        self._texts.erase_all_of(player)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written or removed posts."""
        return self._texts.authors(players)

    @override
    def _require_reader(self, id: str, player: str | None) -> None:
        require_member(self._clubs.visible(id, player), player)

    @override
    def _last_number(self, id: str) -> int:
        return self._texts.last_number(id)

    @override
    def _read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        return self._texts.read(id, numbers)
