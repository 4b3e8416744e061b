"""Comments on games that are over: who can write and read them.

    cartulary:{GAME}:comments   the comments on a game; see service/chat/public_texts.py
    cartulary:comments:PLAYER   set: the ids of the games on which the player has commented

Everybody who may see a game reads its comments, and everybody with an account can write some. They are not
events of the log, and they stay in Redis when a game is archived. An erased comment keeps its number, its
author and its time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import redis
from typing_extensions import override

from domain.errors import NotNow
from domain.game import Game
from domain.messages import message
from service.accounts.account_reader import AccountReader
from service.chat.conversation import Conversation
from service.chat.public_texts import Bounds, PublicTexts
from service.chat.reports import TextKind
from service.chat.store import ChatMessage
from service.errors import Forbidden, NotFound, TooManyChatMessages
from service.games.access import is_correspondent
from service.games.dispute_view import check_text_about
from service.games.loader import GameLoader
from service.store.redis_event_store import game_key

_COMMENTS: Final = "comments"
_GAMES_OF: Final = "cartulary:comments:"


def comment_texts(client: redis.Redis, most_per_game: int, most_per_player: int) -> PublicTexts:
    """Return the comments in Redis."""
    bounds = Bounds(most_per_game, most_per_player)
    return PublicTexts(client, lambda game_id: game_key(game_id, _COMMENTS), _GAMES_OF, bounds)


@dataclass(eq=False, repr=False)
class Comments(Conversation):
    """The comments on all games. Thread-safe.

    Methods raise NotFound if there is no such game or comment, or the player may not see the game, and
    Unavailable if Redis does not respond.
    """

    _kind: ClassVar[TextKind] = "comment"
    _if_own: ClassVar = message("the comment is the player's own")
    _if_erased: ClassVar = message("the comment was erased")

    _loader: GameLoader
    _texts: PublicTexts
    _accounts: AccountReader

    def post(self, game_id: str, player: str, text: str, seq: int | None = None) -> ChatMessage:
        """Add a comment, about event `seq` if it is given, and return it.

        Raises NotNow (the game is not over), Forbidden (a guest who has not played in it), Malformed, and
        TooManyChatMessages.
        """
        game = self._game_for_reader(game_id, player)
        self.require_writer(game, player)
        check_text_about(game, seq, text, self._max_characters)
        comment = self._texts.add(game_id, player, text, seq)
        if comment is None:
            raise TooManyChatMessages.with_message(
                "there are as many comments on this game as are allowed"
            )
        return comment

    def require_writer(self, game: Game, player: str) -> None:
        """Raise NotNow or Forbidden if a player who sees a game may not comment on it."""
        if not (game.has_ended and game.players):
            raise NotNow(None, message("comments can be written when the game is over"))
        (account,) = self._accounts.get([player])
        if account is not None and account.is_guest and not is_correspondent(game, player):
            raise Forbidden.with_message(
                "guests cannot comment on games of others: choose a handle and a password"
            )

    def erase(self, game_id: str, player: str, number: int) -> None:
        """Erase a comment that the player has written. Idempotent. Raises Forbidden for everybody else."""
        self._game_for_reader(game_id, player)
        if self.require(game_id, number).author != player:
            raise Forbidden.with_message("only its author can erase a comment")
        self.remove(game_id, number)

    def remove(self, game_id: str, number: int) -> None:
        """Erase the text of a comment of any player. Idempotent."""
        self._texts.erase(game_id, self.require(game_id, number))

    @override
    def require(self, id: str, number: int) -> ChatMessage:
        comment = self._texts.get(id, number)
        if comment is not None:
            return comment
        raise NotFound.with_message("game {game} has no comment {number}", game=id, number=number)

    def erase_all_of(self, player: str) -> None:
        """Erase every comment that a player has written. Idempotent."""
        self._texts.erase_all_of(player)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written comments that are not erased."""
        return self._texts.authors(players)

    def _game_for_reader(self, game_id: str, player: str | None) -> Game:
        return self._loader.visible_game(game_id, player)

    @override
    def _require_reader(self, id: str, player: str | None) -> None:
        self._game_for_reader(id, player)

    @override
    def _last_number(self, id: str) -> int:
        return self._texts.last_number(id)

    @override
    def _read(self, id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        return self._texts.read(id, numbers)
