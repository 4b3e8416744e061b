"""Erasure of a player from games: their places, their invitations, and their texts in disputes.

The logs stay as they are, because other players' games are in them. The player leaves the games that have
not started, and resigns in those that are in progress.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from domain.errors import CartularyError
from domain.event import Event
from domain.game import Game
from ledger import commands
from ledger.pending import PendingEvents
from service.errors import Unavailable, log_text
from service.games.game_cache import CachedGame
from service.games.listings import Listings
from service.games.repository import GameRepository
from service.store.redis_event_store import RedisEventStore

log = logging.getLogger(__name__)

RESIGN: Final = {"type": "resign"}
_PAGE: Final = 100


class GameErasure:
    """Erases players from games. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(
        self, repository: GameRepository, store: RedisEventStore, listings: Listings
    ) -> None:
        self._repository = repository
        self._store = store
        self._listings = listings

    def delete_all_of(self, player: str) -> None:
        """Make a player leave all games and decline all invitations, and delete their statements."""

        def leave(cached: CachedGame, pending: PendingEvents) -> None:
            """Before the start, give up the place; afterwards, resign."""
            game = cached.game
            if game.status == "open" and game.has_joined(player):
                commands.leave(pending, player, lambda: self._repository.secret(game.id))
            seat, state = game.seat_of(player), game.state
            if seat is None or state is None or game.to_act is None:
                return
            if seat in state.in_game():
                pending.act(seat, game.rules.parse_action(RESIGN))

        def decline(cached: CachedGame, pending: PendingEvents) -> None:
            if player in cached.game.awaited:
                commands.decline(pending, player)

        # A game is left out if its log is missing or damaged, or if it is just ending.
        self._repository.execute_each(
            self._listings.current_games(player),
            leave,
            partial(log.warning, "an erased player stays in game %s: %s"),
            CartularyError,
        )
        self._repository.execute_each(
            self._invitations(player),
            decline,
            partial(log.warning, "an erased player stays invited to game %s: %s"),
            CartularyError,
        )
        for game_id, seq, author in self._statements():
            if author == player:
                self._store.erase_statement(game_id, seq)

    def authors(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have written statements in any game that are not erased."""
        authors = {author for _, _, author in self._statements()}
        return [player for player in players if player in authors]

    def _invitations(self, player: str) -> Iterator[str]:
        """Yield the games with invitations of a player that wait for an answer."""
        cursor = None
        while True:
            page = self._listings.invitations(player, cursor, _PAGE)
            yield from page.games
            if page.next is None:
                return
            cursor = page.next

    def _statements(self) -> Iterator[tuple[str, int, str | None]]:
        """Yield the game, the seq and the author of every statement in a dispute."""
        for game_id in self._store.games_with_statements():
            try:
                game = self._repository.load(game_id).game
                for seq in self._store.statements(game_id):
                    (event,) = self._repository.event_range(game_id, seq - 1, seq)
                    # A substitute may have taken the seat of the author since then.
                    then = self._repository.game_at(game_id, seq) if game.former_players else game
                    yield game_id, seq, _author(then, event)
            except Unavailable:
                raise
            except (CartularyError, ValueError, LookupError) as error:
                log.error("the statements in game %s cannot be read: %s", game_id, log_text(error))  # noqa: TRY400 # a traceback would add nothing


def _author(game: Game, event: Event) -> str | None:
    """Return the id of the player who wrote the statement of an event; `game` is the game at that event."""
    by = event["by"]
    if "seat" in by:
        return game.players[by["seat"]]
    if "player" in by:
        return by["player"]
    author = event["data"].get("arbiter")
    return author if isinstance(author, str) else None
