"""Messages within a game, comments on it, posts on the wall of a club: pages of them, mutes, and reports."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from domain.errors import Malformed, NotNow
from domain.messages import Message
from service.accounts.mutes import Mutes
from service.chat.reports import ChatMessageReports, TextKind
from service.chat.store import ChatMessage
from service.games.dispute_view import statement_fault


@dataclass(frozen=True, slots=True)
class ShownChatMessage:
    """A chat message as one reader sees it: without its text if the reader has muted the author."""

    message: ChatMessage
    is_muted: bool

    @property
    def text(self) -> str | None:
        """The text; None if it was erased, or if its author is muted."""
        return None if self.is_muted else self.message.text


@dataclass(frozen=True, slots=True)
class ChatMessagePage:
    """Some chat messages, the oldest first; `last` is the number of the last message of all."""

    messages: Sequence[ShownChatMessage]
    last: int

    @property
    def next(self) -> int | None:
        """The number of the last message on this page; None on the last page."""
        if not self.messages or self.messages[-1].message.number >= self.last:
            return None
        return self.messages[-1].message.number


@dataclass(eq=False, repr=False)
class Conversation(ABC):
    """The messages of one kind, as readers see and report them. `id` is that of a game, or of a club."""

    _kind: ClassVar[TextKind]
    _if_own: ClassVar[Message]
    _if_erased: ClassVar[Message]
    """The reasons why a reader cannot report their own message, or an erased one."""

    _mutes: Mutes
    _reports: ChatMessageReports
    _max_characters: int

    @abstractmethod
    def _require_reader(self, id: str, player: str | None) -> None:
        """Raise NotFound or Forbidden unless a viewer may read the messages of a game, or of a club."""

    @abstractmethod
    def _last_number(self, id: str) -> int:
        """Return the number of the last message of a game, 0 if there is none."""

    @abstractmethod
    def require(self, id: str, number: int) -> ChatMessage:
        """Return a message of a game. Raises NotFound if there is none with this number."""

    @abstractmethod
    def _read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        """Return the existing messages of a game, in the order of `numbers`."""

    def page(
        self, id: str, player: str | None, after: int = 0, limit: int = 100
    ) -> ChatMessagePage:
        """Return the messages after number `after` as a viewer sees them, at most `limit`."""
        self._require_reader(id, player)
        last = self._last_number(id)
        return self._page_of(id, player, range(after + 1, min(last, after + limit) + 1), last)

    def latest(
        self, id: str, player: str | None, before: int | None = None, limit: int = 50
    ) -> ChatMessagePage:
        """Return the last messages before number `before` (None: of all) as a viewer sees them."""
        self._require_reader(id, player)
        last = self._last_number(id)
        end = last + 1 if before is None else min(before, last + 1)
        return self._page_of(id, player, range(max(1, end - limit), end), last)

    def _page_of(
        self, id: str, player: str | None, numbers: Sequence[int], last: int
    ) -> ChatMessagePage:
        messages = self._read(id, numbers)
        authors = list({each.author for each in messages})
        muted = frozenset[str]() if player is None else self._mutes.has_muted(player, authors)
        return ChatMessagePage(
            [ShownChatMessage(each, each.author in muted) for each in messages], last
        )

    def report(self, id: str, player: str, number: int, reason: str | None = None) -> None:
        """Report a message to the administrators; reporting it again changes nothing.

        Raises Malformed (the reason), NotNow (the player's own message, or an erased one), TooManyReports.
        """
        self._require_reader(id, player)
        reported = self.require(id, number)
        if reason is not None and (fault := statement_fault(reason, self._max_characters)):
            raise Malformed({"reason": fault})
        if reported.author == player:
            raise NotNow(None, self._if_own)
        if reported.text is None:
            raise NotNow(None, self._if_erased)
        author, text = reported.author, reported.text
        self._reports.add(id, number, author, player, text, reason, of=self._kind)
