"""Erasure: a player leaves the server for good, and nothing that identifies them stays.

What is erased: the account (handle, password, e-mail address, locale, time zone), the holidays, the
sessions, the keys, the sandboxes, the conditional actions, the preferences, deliveries and feeds of
notifications, and what they wrote in disputes and messages. The logs of games stay as they are, because
other players' games are in them. They contain the player's id, which nothing resolves any more, and public
keys. The player leaves the games that have not started, and resigns in those that are in progress.

An erasure that has begun is completed, whatever happens: first the id is added to the list of erased players,
and the account is deleted last. The scheduler repeats erasures that may be incomplete, and every process does
so with those of accounts that have come back with a backup.
"""

import logging
from collections.abc import Collection, Iterator
from typing import Final

import redis

from domain.errors import CartularyError
from domain.event import Event
from domain.game import Game
from ledger import commands
from ledger.pending import PendingEvents
from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.keys import PlayerKeys
from service.accounts.mutes import Mutes
from service.accounts.tokens import TOKEN_CACHE_TTL
from service.chat.messages import GameMessages
from service.conditional_actions.store import TreeStore
from service.connection import unavailable_on_error
from service.errors import Unavailable, log_text
from service.games.cache import CachedGame
from service.games.listings import Listings
from service.games.repository import GameRepository, Handler
from service.notifications.deliveries import Deliveries
from service.notifications.feed_tokens import FeedTokens
from service.notifications.preferences import PreferenceStore
from service.notifications.webhooks.push_subscriptions import PushSubscriptions
from service.notifications.webhooks.webhooks import Webhooks
from service.sandboxes.sandboxes import Sandboxes
from service.store.event_store import EventStore

log = logging.getLogger(__name__)

RESIGN: Final = {"type": "resign"}
SECONDS_TO_SETTLE: Final = 2 * TOKEN_CACHE_TTL.total_seconds()
"""Time after which no request with a token of an erased player can still be under way."""
SECONDS_BETWEEN_REWRITES: Final = 3600
_REWRITE_DUE: Final = "cartulary:rewrite-due"
_REWRITTEN: Final = "cartulary:rewritten"
_IN_PROGRESS: Final = "in progress"
"""Part of the error of Redis if the file is being rewritten already."""
_PAGE: Final = 100


class Erasure:
    """Erases players. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(
        self,
        client: redis.Redis,
        erased: ErasedPlayers,
        players: Players,
        player_keys: PlayerKeys,
        repository: GameRepository,
        store: EventStore,
        listings: Listings,
        sandboxes: Sandboxes,
        mutes: Mutes,
        messages: GameMessages,
        deliveries: Deliveries,
        preferences: PreferenceStore,
        feed_tokens: FeedTokens,
        trees: TreeStore,
        webhooks: Webhooks,
        push_subscriptions: PushSubscriptions,
    ) -> None:
        self._push_subscriptions = push_subscriptions
        self._webhooks = webhooks
        self._messages = messages
        self._mutes = mutes
        self._redis = client
        self._erased = erased
        self._players = players
        self._player_keys = player_keys
        self._repository = repository
        self._store = store
        self._listings = listings
        self._sandboxes = sandboxes
        self._deliveries = deliveries
        self._preferences = preferences
        self._feed_tokens = feed_tokens
        self._trees = trees

    def erase(self, player: str, password: str) -> None:
        """Erase a player who repeats their password; a guest has none. Raises Forbidden, TooManyRequests."""
        self._players.require_password_of_owner(player, password)
        self.erase_without_password(player)

    def erase_without_password(self, player: str) -> None:
        """Erase a player whose password is not needed: an administrator has decided so."""
        self._erased.add(player)
        self._complete(player)

    def resume(self) -> None:
        """Complete interrupted erasures, and repeat those during which the player may have acted."""
        for player in self._erased.unfinished(SECONDS_TO_SETTLE):
            self._complete(player)
            self._erased.finish(player)
            with unavailable_on_error():
                self._redis.set(_REWRITE_DUE, "1")

    def repeat(self, *, is_thorough: bool = False) -> int:
        """Erase the erased players whose accounts are there again, and return how many these are.

        `is_thorough` also looks for statements of all other erased players, in every game that has any.
        """
        erased = self._erased.synchronize()
        restored = self._players.with_account(erased)
        for player in restored:
            log.warning("player %s was erased, and is erased again", player)
            self._erased.begin_again(player)
            self._complete(player)
        if is_thorough and erased:
            self._erase_statements(erased)
            for player in self._messages.authors(sorted(erased)):
                self._messages.erase_all_of(player)
        return len(restored)

    def compact(self) -> None:
        """Have Redis rewrite its append-only file if it may contain erased data, at most once an hour."""
        with unavailable_on_error():
            if not self._redis.exists(_REWRITE_DUE):
                return
            if not self._redis.set(_REWRITTEN, "1", nx=True, ex=SECONDS_BETWEEN_REWRITES):
                return
            self._redis.delete(_REWRITE_DUE)
            try:
                if self._redis.info("persistence").get("aof_enabled"):
                    self._redis.bgrewriteaof()
            except redis.ResponseError as error:
                log.warning("the append-only file is not rewritten after an erasure: %s", error)
                if _IN_PROGRESS in str(error):
                    # That rewrite may have begun before the erasure, so another one is needed.
                    self._redis.set(_REWRITE_DUE, "1")
                    self._redis.delete(_REWRITTEN)

    def _complete(self, player: str) -> None:
        """Erase everything of a player that is left. Idempotent."""
        self._players.close_account(player)
        for game_id in self._current_games(player):
            self._trees.delete(game_id, player)
            try:
                self._leave(game_id, player)
            except Unavailable:
                raise
            except CartularyError as error:
                # The log is missing or damaged, or the game ends just now.
                log.warning("an erased player stays in game %s: %s", game_id, log_text(error))
        self._decline_invitations(player)
        self._mutes.delete_all_of(player)
        self._messages.erase_all_of(player)
        self._erase_statements({player})
        self._sandboxes.delete_all_of(player)
        self._deliveries.delete_all_of(player)
        self._preferences.delete(player)
        self._feed_tokens.delete_all_of(player)
        self._webhooks.delete_all_of(player)
        self._push_subscriptions.delete_all_of(player)
        self._player_keys.delete(player)
        self._players.delete_account(player)

    def _leave(self, game_id: str, player: str) -> None:
        """Have a player leave a game: before the start, give up the place; afterwards, resign."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            if game.status == "open" and game.has_joined(player):
                commands.leave(pending, player, lambda: self._repository.secret(game_id))
            seat, state = game.seat_of(player), game.state
            if seat is None or state is None or game.to_act is None:
                return
            if seat in state.in_game():
                commands.act(pending, seat, game.rules.parse_action(RESIGN))

        self._repository.execute(game_id, handler, at_head=True)

    def _decline_invitations(self, player: str) -> None:
        """Have a player decline all invitations that wait for an answer."""
        cursor = None
        while True:
            page = self._listings.invitations(player, cursor, _PAGE)
            for game_id in page.games:
                try:
                    self._repository.execute(game_id, _declined_by(player), at_head=True)
                except Unavailable:
                    raise
                except CartularyError as error:
                    log.warning(
                        "an erased player stays invited to game %s: %s", game_id, log_text(error)
                    )
            if page.next is None:
                return
            cursor = page.next

    def _current_games(self, player: str) -> Iterator[str]:
        """Iterate over the games that are open or in progress in which the player has a place."""
        # Read before any of them changes, because the listings change with it.
        games: list[str] = []
        cursor = None
        while True:
            page = self._listings.page(["open", "playing"], player, cursor, _PAGE, viewer=player)
            games += page.games
            if page.next is None:
                return iter(games)
            cursor = page.next

    def _erase_statements(self, players: Collection[str]) -> None:
        """Delete what these players have written in disputes, in any game."""
        for game_id in self._store.games_with_statements():
            try:
                game = self._repository.load(game_id).game
                for seq in self._store.statements(game_id):
                    (event,) = self._repository.event_range(game_id, seq - 1, seq)
                    # A substitute may have taken the seat of the author since then.
                    then = self._repository.game_at(game_id, seq) if game.former_players else game
                    if _author(then, event) in players:
                        self._store.erase_statement(game_id, seq)
            except Unavailable:
                raise
            except (CartularyError, ValueError, LookupError) as error:
                log.error("statements in game %s cannot be erased: %s", game_id, log_text(error))  # noqa: TRY400 # a traceback would add nothing


def _declined_by(player: str) -> Handler:
    """Return a handler that has a player decline the invitation to a game, if it waits for an answer."""

    def handler(cached: CachedGame, pending: PendingEvents) -> None:
        if player in cached.game.awaited:
            commands.decline(pending, player)

    return handler


def _author(game: Game, event: Event) -> str | None:
    """Return the id of the player who wrote the statement of an event; `game` has the players of its time."""
    by = event["by"]
    if "seat" in by:
        return game.players[by["seat"]]
    if "player" in by:
        return by["player"]
    author = event["data"].get("arbiter")
    return author if isinstance(author, str) else None
