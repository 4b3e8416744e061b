"""The chat of a game: who can read and write its messages, and what these may contain.

Only the players of a game and its arbiter read and write messages, even in a public game, from before the
start until after the end. A message is not an event of the log: its author can erase it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from domain.game import Game
from domain.messages import message
from service.chat.conversation import Conversation
from service.chat.read_marks import ReadMarks
from service.chat.reports import TextKind
from service.chat.store import ChatMessage, ChatMessageStore
from service.errors import Forbidden, NotFound, TooManyChatMessages
from service.games.access import is_correspondent, require_correspondent
from service.games.dispute_view import check_text_about
from service.games.loader import GameLoader
from service.games.repository import idempotency_record
from service.notifications.notifier import Notifier


@dataclass(eq=False, repr=False)
class Chat(Conversation):
    """The chats of all games. Thread-safe.

    Every method raises NotFound if there is no such game or message, or the player may not see the game;
    Forbidden if the player neither plays in the game nor is its arbiter; Unavailable if Redis does not
    respond.
    """

    _kind: ClassVar[TextKind] = "message"
    _if_own: ClassVar = message("the message is the player's own")
    _if_erased: ClassVar = message("the message was erased")

    _loader: GameLoader
    _store: ChatMessageStore
    _notifications: Notifier
    marks: ReadMarks

    def post(
        self,
        game_id: str,
        player: str,
        text: str,
        seq: int | None = None,
        idempotency_key: str | None = None,
    ) -> ChatMessage:
        """Add a message, about event `seq` if it is given, notify its readers, and return it.

        A repeated request with an idempotency key adds nothing, and notifies nobody twice. Raises Malformed,
        TooManyChatMessages, IdempotencyConflict.
        """
        game = self._game_for_reader(game_id, player)
        check_text_about(game, seq, text, self._max_characters)
        record = idempotency_record(player, idempotency_key, ["message", text, seq])
        posted = self._store.post(game_id, player, text, seq, record)
        if posted is None:
            raise TooManyChatMessages.with_message(
                "this player has written as many messages in this game as are allowed"
            )
        self._notify(game, posted)
        return posted

    def erase(self, game_id: str, player: str, number: int) -> None:
        """Erase a message that the player has written, perhaps before leaving the game. Idempotent.

        Raises Forbidden for everybody but its author.
        """
        game = self._loader.visible_game(game_id, player)
        stored_message = self._store.get(game_id, number)
        if stored_message is None or stored_message.author != player:
            require_correspondent(game, player)
            self.require(game_id, number)
            raise Forbidden.with_message("only its author can erase a message")
        self._store.erase(game_id, number)

    @override
    def require(self, id: str, number: int) -> ChatMessage:
        stored_message = self._store.get(id, number)
        if stored_message is None:
            raise NotFound.with_message(
                "game {game} has no message {number}", game=id, number=number
            )
        return stored_message

    def erase_all_of(self, player: str) -> None:
        """Erase everything that a player has written, in messages and in reports of messages. Idempotent."""
        self._store.erase_all_of(player)
        self._reports.erase_all_of(player)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written messages that are not erased."""
        return self._store.authors(players)

    def _notify(self, game: Game, posted: ChatMessage) -> None:
        """Notify the readers of a message, except its author and readers who have muted the author."""
        candidates = [*game.participants, *([] if game.arbiter is None else [game.arbiter])]
        # The game still names a player who has left a seat vacant, but they cannot read its messages.
        others = [other for other in candidates if is_correspondent(game, other)]
        muters = self._mutes.muted_by(posted.author, others)
        self._notifications.notify(
            "message",
            game.id,
            game.seq if posted.seq is None else posted.seq,
            [other for other in others if other != posted.author and other not in muters],
            reference=f"message/{posted.number}",
            data={"from": posted.author, "message": posted.number},
            operator_channels=(),
        )

    def _game_for_reader(self, game_id: str, player: str | None) -> Game:
        game = self._loader.visible_game(game_id, player)
        require_correspondent(game, player)
        return game

    @override
    def _require_reader(self, id: str, player: str | None) -> None:
        self._game_for_reader(id, player)

    @override
    def _last_number(self, id: str) -> int:
        return self._store.last_number(id)

    @override
    def _read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        return self._store.read(id, numbers)
