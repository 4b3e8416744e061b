"""Comments on games that are over: who can write and read them, and their storage.

    cartulary:{GAME}:comments   hash: N -> JSON of comment N; `last` -> number of the last comment;
                                `count/PLAYER` -> how many comments the player has written
    cartulary:comments:PLAYER   set: the ids of the games on which the player has commented

Everybody who may see a game reads its comments, and everybody with an account can write some. They are not
events of the log, and they stay in Redis when a game is archived. An erased comment keeps its number, its
author and its time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar, Final

import orjson
import redis
from typing_extensions import override

from domain.errors import NotNow
from domain.game import Game
from domain.messages import message
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.chat.conversation import Conversation
from service.chat.reports import TextKind
from service.chat.store import ChatMessage, decode_message
from service.connection import read_field, read_members, unavailable_on_error, which_exist
from service.errors import Forbidden, NotFound, TooManyChatMessages
from service.games.access import is_correspondent
from service.games.dispute_view import check_text_about
from service.store.redis_event_store import game_key

_COMMENTS: Final = "comments"
_GAMES_OF: Final = "cartulary:comments:"
_LAST: Final = "last"


@dataclass(eq=False, repr=False)
class Comments(Conversation):
    """The comments on all games. Thread-safe.

    Methods raise NotFound if there is no such game or comment, or the player may not see the game, and
    Unavailable if Redis does not respond.
    """

    _kind: ClassVar[TextKind] = "comment"
    _if_own: ClassVar = message("the comment is the player's own")
    _if_erased: ClassVar = message("the comment was erased")

    _redis: redis.Redis
    _accounts: AccountReader
    _max_per_game: int
    _max_per_author: int

    def post(self, game_id: str, player: str, text: str, seq: int | None = None) -> ChatMessage:
        """Add a comment, about event `seq` if it is given, and return it.

        Raises NotNow (the game is not over), Forbidden (a guest who has not played in it), Malformed, and
        TooManyChatMessages.
        """
        game = self._game_for_reader(game_id, player)
        self.require_writer(game, player)
        check_text_about(game, seq, text, self._max_characters)
        key, count = _key(game_id), f"count/{player}"
        at = wall_clock.format(wall_clock.now())
        with unavailable_on_error():
            # The game is added before the comment exists, so that an erasure finds every comment.
            self._redis.sadd(_GAMES_OF + player, game_id)
            if self._redis.hincrby(key, count, 1) > self._max_per_author:
                self._redis.hincrby(key, count, -1)
                raise _too_many()
            # A number is used once, even if several players write at the same time.
            number = self._redis.hincrby(key, _LAST, 1)
            if number > self._max_per_game:
                # There may be more comments than the bound, which the operator can lower.
                self._redis.hincrby(key, _LAST, -1)
                self._redis.hincrby(key, count, -1)
                raise _too_many()
            stored = {"author": player, "at": at, "text": text, "seq": seq}
            self._redis.hset(key, str(number), orjson.dumps(stored))
        return ChatMessage(number, player, at, text, seq)

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
        comment = self.require(game_id, number)
        remainder = {"author": comment.author, "at": comment.at, "text": None}
        with unavailable_on_error():
            self._redis.hset(_key(game_id), str(number), orjson.dumps(remainder))

    @override
    def require(self, game_id: str, number: int) -> ChatMessage:
        for comment in self._read(game_id, [number]):
            return comment
        raise NotFound.with_message(
            "game {game} has no comment {number}", game=game_id, number=number
        )

    def erase_all_of(self, player: str) -> None:
        """Erase every comment that a player has written. Idempotent."""
        for game_id in read_members(self._redis, _GAMES_OF + player):
            for comment in self._read(game_id, range(1, self._last_number(game_id) + 1)):
                if comment.author == player and comment.text is not None:
                    self.remove(game_id, comment.number)
        with unavailable_on_error():
            self._redis.delete(_GAMES_OF + player)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written comments that are not erased."""
        keys = (_GAMES_OF + player for player in players)
        return list(compress(players, which_exist(self._redis, keys)))

    @override
    def _game_for_reader(self, game_id: str, player: str | None) -> Game:
        return self._loader.visible_game(game_id, player)

    @override
    def _last_number(self, game_id: str) -> int:
        return int(read_field(self._redis, _key(game_id), _LAST) or 0)

    @override
    def _read(self, game_id: str, numbers: Sequence[int]) -> list[ChatMessage]:
        if not numbers:
            return []
        with unavailable_on_error():
            replies: Any = self._redis.hmget(_key(game_id), [str(number) for number in numbers])
        return [
            decode_message(number, reply)
            for number, reply in zip(numbers, replies, strict=True)
            if reply is not None
        ]


def _key(game_id: str) -> str:
    return game_key(game_id, _COMMENTS)


def _too_many() -> TooManyChatMessages:
    return TooManyChatMessages.with_message(
        "there are as many comments on this game as are allowed"
    )
