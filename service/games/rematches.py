"""Rematches: a new game with the settings and the players of one that has ended.

The id of a rematch is derived from that of the game, so that it is created once, even if several players ask
for it at the same time. If a rematch was abandoned before it started, the next request creates another one.
"""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import redis

from domain.errors import NotNow
from domain.game import Game
from domain.lifecycle import NewGame
from domain.messages import message
from service.accounts.accounts import Players
from service.clubs.clubs import Clubs
from service.errors import Forbidden, IdempotencyConflict, NotFound
from service.games.commands import GameCommands
from service.games.loader import GameLoader
from service.store.redis_event_store import MESSAGE_POSTED, appended_channel

MAX_REMATCHES: Final = 20
"""The most rematches of one game that may be abandoned before they start."""


@dataclass(eq=False, repr=False)
class Rematches:
    """Creates the rematches of games. Thread-safe; every method raises Unavailable."""

    _loader: GameLoader
    _commands: GameCommands
    _players: Players
    _clubs: Clubs
    _redis: redis.Redis
    """Reports a rematch to the streams of the earlier game."""

    def of(self, game: Game) -> Game | None:
        """Return the rematch of a game; None if there is none, or if it was abandoned before it started."""
        for number in range(MAX_REMATCHES):
            rematch = self._load(_rematch_id(game.id, number))
            if rematch is None or not _is_void(rematch):
                return rematch
        return None

    def request(
        self,
        game: Game,
        player: str,
        nonce: bytes | None = None,
        *,
        is_last_bot_later: bool = False,
    ) -> Game:
        """Create the rematch of a game, or take a place in it, and return it.

        The player must be allowed to see the game. The first player of the game who asks creates it, and has
        its first place; its bots get places, and its other players are invited. Other players who ask join
        it, as long as there is a place. If `is_last_bot_later`, a game that bots would fill is created
        without the last bot, and its creator adds it. Raises Forbidden (not a player of the game, or not a
        member of its club), NotNow (the game has not ended or never started, or the player has declined),
        Malformed (nonce), TooManyGames.
        """
        if player not in game.participants:
            raise Forbidden.with_message("only the players of a game can ask for a rematch")
        if not game.has_ended or not game.players:
            raise NotNow(None, message("a rematch follows a game that has started and has ended"))
        for number in range(MAX_REMATCHES):
            rematch_id = _rematch_id(game.id, number)
            rematch = self._load(rematch_id)
            if rematch is None:
                try:
                    return self._create(
                        game, player, nonce, rematch_id, is_last_bot_later=is_last_bot_later
                    )
                except IdempotencyConflict:
                    # Another player has just created it.
                    rematch = self._loader.load(rematch_id).game
            if not _is_void(rematch):
                return self._join(rematch, player, nonce)
        raise NotNow(None, message("too many rematches of this game were abandoned"))

    def _load(self, game_id: str) -> Game | None:
        try:
            return self._loader.load(game_id).game
        except NotFound:
            return None

    def _create(
        self,
        game: Game,
        player: str,
        nonce: bytes | None,
        rematch_id: str,
        *,
        is_last_bot_later: bool,
    ) -> Game:
        others = [other for other in game.players if other != player]
        people = [other for other in others if game.bot_of(other) is None]
        bots = [bot for other in others if (bot := game.bot_of(other)) is not None]
        if is_last_bot_later and not people:
            bots = bots[:-1]
        candidates = people if game.arbiter is None else [*people, game.arbiter]
        accounts = {account.id for account in self._players.get(candidates) if account is not None}
        options: dict[str, Any] = {**game.options, "rematch_of": game.id}
        options.pop("tournament", None)
        if (club := game.options.get("club")) is not None:
            members = self._clubs.members_among(club, [player, *people])
            if player not in members:
                raise Forbidden.with_message(
                    "only the members of its club can ask for this rematch"
                )
            people = [other for other in people if other in members]
        rematch = self._commands.create(
            player,
            NewGame(
                rules=game.rules.NAME,
                seats=game.seats,
                options=options,
                clock=game.clock,
                invited=tuple(other for other in people if other in accounts),
                arbiter=game.arbiter if game.arbiter in accounts else None,
            ),
            bots=tuple(bots),
            nonce=nonce,
            game_id=rematch_id,
        )
        # The rematch exists even if the pages of the earlier game are not informed.
        with suppress(redis.RedisError):
            self._redis.publish(appended_channel(game.id), MESSAGE_POSTED)
        return rematch

    def _join(self, rematch: Game, player: str, nonce: bytes | None) -> Game:
        """Give the player a place in a rematch, if there is one to take, and return the rematch."""
        if player in rematch.declined or not self._loader.access.can_see(rematch, player):
            raise NotNow(
                None, message("this player has declined the rematch, or is no longer invited to it")
            )
        if rematch.status != "open" or rematch.has_joined(player):
            return rematch
        return self._commands.join(rematch.id, player, nonce)


def _is_void(rematch: Game) -> bool:
    """Return whether a rematch was abandoned before it started."""
    return rematch.status == "abandoned" and not rematch.players


def _rematch_id(game_id: str, number: int) -> str:
    """Return the id of a rematch of a game; `number` of them were abandoned before."""
    return sha256(f"rematch {number} of {game_id}".encode()).hexdigest()[:16]
