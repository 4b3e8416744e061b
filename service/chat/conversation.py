"""Messages within a game and comments on it: the pages of both, mutes, and reports."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Malformed, NotNow
from domain.game import Game
from domain.messages import Text, plural_message
from service.accounts.mutes import Mutes
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
    """Some chat messages of a game, the oldest first; `last` is the number of the last one of the game."""

    messages: Sequence[ShownChatMessage]
    last: int

    @property
    def next(self) -> int | None:
        """The number of the last message on this page; None on the last page."""
        if not self.messages or self.messages[-1].message.number >= self.last:
            return None
        return self.messages[-1].message.number


class Conversation(ABC):
    """The messages, or the comments, of all games: what their readers see of them."""

    def __init__(self, mutes: Mutes, max_characters: int) -> None:
        self._mutes = mutes
        self._max_characters = max_characters

    @abstractmethod
    def _game_for_reader(self, game_id: str, player: str | None) -> Game:
        """Return a game whose messages a viewer may read. Raises NotFound and Forbidden."""

    @abstractmethod
    def _last_number(self, game_id: str) -> int:
        """Return the number of the last message of a game, 0 if there is none."""

    @abstractmethod
    def _read(self, game_id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        """Return those messages of a game that exist, in the order of `numbers`."""

    def page(
        self, game_id: str, player: str | None, after: int = 0, limit: int = 100
    ) -> ChatMessagePage:
        """Return the messages after number `after` as a viewer sees them, at most `limit`."""
        self._game_for_reader(game_id, player)
        last = self._last_number(game_id)
        return self._page_of(game_id, player, range(after + 1, min(last, after + limit) + 1), last)

    def latest(
        self, game_id: str, player: str | None, before: int | None = None, limit: int = 50
    ) -> ChatMessagePage:
        """Return the last messages before number `before` (None: of all) as a viewer sees them."""
        self._game_for_reader(game_id, player)
        last = self._last_number(game_id)
        end = last + 1 if before is None else min(before, last + 1)
        return self._page_of(game_id, player, range(max(1, end - limit), end), last)

    def _page_of(
        self, game_id: str, player: str | None, numbers: Sequence[int], last: int
    ) -> ChatMessagePage:
        messages = self._read(game_id, numbers)
        authors = list({each.author for each in messages})
        muted = frozenset[str]() if player is None else self._mutes.has_muted(player, authors)
        return ChatMessagePage(
            [ShownChatMessage(each, each.author in muted) for each in messages], last
        )

    def _text_to_report(
        self,
        reported: ChatMessage,
        player: str,
        reason: str | None,
        *,
        if_own: Text,
        if_erased: Text,
    ) -> str:
        """Return the text of a message that a player reports. Raises Malformed (the reason) and NotNow."""
        if reason is not None and (fault := statement_fault(reason, self._max_characters)):
            raise Malformed({"reason": fault})
        if reported.author == player:
            raise NotNow(None, if_own)
        if reported.text is None:
            raise NotNow(None, if_erased)
        return reported.text

    def _check(self, text: str, seq: int | None, game: Game) -> None:
        """Raise Malformed if a message about a game, or about event `seq` of it, may not be posted."""
        faults: dict[str, Text] = {}
        fault = statement_fault(text, self._max_characters)
        if fault is not None:
            faults["text"] = fault
        if seq is not None and not 1 <= seq <= game.seq:
            faults["seq"] = plural_message(
                "must be 1, the only event of the game",
                "must be an event of the game, from 1 to {count}",
                count=game.seq,
            )
        if faults:
            raise Malformed(faults)
