"""Conversations in which moderators remove posts with a reason: the walls of clubs, and tournaments."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from typing_extensions import override

from domain.errors import Malformed, NotNow
from domain.messages import Message, message
from service.chat.conversation import Conversation
from service.chat.public_texts import PublicTexts
from service.chat.store import ChatMessage
from service.errors import Forbidden, NotFound, TooManyChatMessages
from service.games.dispute_view import statement_fault

MAX_REASON_CHARACTERS: Final = 300


@dataclass(eq=False, repr=False)
class ModeratedConversation(Conversation):
    """The posts of all conversations of one kind. `id` is that of a club or of a tournament.

    Methods raise NotFound if there is no such post, and what `_require_reader` raises.
    """

    _if_own: ClassVar = message("the post is the player's own")
    _if_erased: ClassVar = message("the post was erased")
    _if_too_many: ClassVar[Message]
    """The reason why a player cannot write another post."""

    _texts: PublicTexts

    @abstractmethod
    def _require_writer(self, id: str, player: str) -> None:
        """Raise NotFound or Forbidden unless a player may write posts."""

    @abstractmethod
    def _require_moderator(self, id: str, player: str) -> None:
        """Raise NotFound or Forbidden unless a player may remove posts of others."""

    def post(self, id: str, player: str, text: str) -> ChatMessage:
        """Add a post, and return it. The first one is deleted if there are as many as allowed.

        Raises Malformed, and TooManyChatMessages (of this player).
        """
        self._require_writer(id, player)
        if fault := statement_fault(text, self._max_characters):
            raise Malformed({"text": fault})
        posted = self._texts.add(id, player, text)
        if posted is None:
            raise TooManyChatMessages(self._if_too_many)
        return posted

    def erase(self, id: str, player: str, number: int) -> None:
        """Erase a post that the player has written. Idempotent. Raises Forbidden for everybody else."""
        self._require_reader(id, player)
        post = self.require(id, number)
        if post.author != player:
            raise Forbidden.with_message("only its author can erase a post without a reason")
        if post.text is not None:
            self._texts.erase(id, post)

    def remove(self, id: str, moderator: str, number: int, reason: str) -> None:
        """Erase a post with a reason, as a moderator.

        Raises Forbidden, Malformed (the reason), NotNow (it was erased).
        """
        self._require_moderator(id, moderator)
        post = self.require(id, number)
        if not reason:
            raise Malformed({"reason": message("must say why")})
        if fault := statement_fault(reason, MAX_REASON_CHARACTERS):
            raise Malformed({"reason": fault})
        if post.text is None:
            raise NotNow(None, self._if_erased)
        self._texts.note_moderator(id, moderator)
        self._texts.erase(id, post, moderator, reason)

    def remove_for_all(self, id: str, number: int) -> None:
        """Erase a post, as an administrator. Idempotent."""
        self._texts.erase(id, self.require(id, number))

    @override
    def require(self, id: str, number: int) -> ChatMessage:
        post = self._texts.get(id, number)
        if post is None:
            raise NotFound.with_message("there is no post {number}", number=number)
        return post

    def erase_all_of(self, player: str) -> None:
        """Erase every post that a player has written, and the reasons that they gave. Idempotent."""
        self._texts.erase_all_of(player)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written or removed posts."""
        return self._texts.authors(players)

    @override
    def _last_number(self, id: str) -> int:
        return self._texts.last_number(id)

    @override
    def _read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        return self._texts.read(id, numbers)
