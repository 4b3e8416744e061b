"""Invitations: by handle, which wait for an answer, and by a link with which anybody can see and join a game.

Inviting by handle, declining and revoking are events. A link is valid for a game that has not started, even a
private one.

    cartulary:{GAME}:invitations   hash: id of a player -> the time until which that player's token is
                                   valid, a space, and the secret part of the token; expires

Every player of a game can have one link to it; making another one revokes it. A link is valid while its
player has a place, until the game starts. A token is the id of the game, a hyphen, and random characters.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import redis

from domain.errors import NotNow
from domain.game import STATUS_MESSAGES, Game
from domain.messages import message, plural_message
from ledger import commands
from ledger.pending import PendingEvents
from service import wall_clock
from service.accounts.mutes import Mutes
from service.clubs.clubs import Clubs
from service.connection import to_text, unavailable_on_error
from service.entered_text import trim_code
from service.errors import Forbidden, NotFound
from service.games.game_cache import CachedGame
from service.games.listings import Listings
from service.games.loader import GameLoader
from service.games.queries import GameQueries
from service.games.repository import GameRepository
from service.games.summary import Summary
from service.store.redis_event_store import game_key

INVITATION_DAYS: Final = 30
_SECONDS: Final = INVITATION_DAYS * 24 * 3600
_SECRET_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Invitation:
    """A valid invitation to a game, made by one of its players."""

    game: Game
    inviter: str


class Invitations:
    """All invitations by link. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, loader: GameLoader) -> None:
        self._redis = client
        self._loader = loader

    def create(self, game_id: str, player: str) -> str:
        """Return the token of a new invitation of a player, which replaces an earlier one of theirs.

        Raises NotFound, Forbidden (not a player of the game), NotNow (the game has started).
        """
        game = self._loader.game_of_player(game_id, player)
        if game.status != "open":
            raise NotNow(
                None,
                message(
                    "the game takes no more players: {status}", status=STATUS_MESSAGES[game.status]
                ),
            )
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            expires = wall_clock.format(wall_clock.now() + timedelta(days=INVITATION_DAYS))
            pipeline.hset(_key(game_id), player, f"{expires} {secret}")
            pipeline.expire(_key(game_id), _SECONDS)
            pipeline.execute()
        return _token(game_id, secret)

    def token_of(self, game_id: str, player: str) -> str | None:
        """Return the token of a player's invitation to a game; None if there is none.

        Raises NotFound, Forbidden (not a player of the game).
        """
        game = self._loader.game_of_player(game_id, player)
        with unavailable_on_error():
            stored = self._redis.hget(_key(game_id), player)
        secret = None if stored is None else _valid_secret(to_text(stored))
        return None if secret is None or game.status != "open" else _token(game_id, secret)

    def revoke(self, game_id: str, player: str) -> None:
        """Delete a player's invitation to a game, if there is one.

        Raises NotFound, Forbidden (not a player of the game).
        """
        self._loader.game_of_player(game_id, player)
        with unavailable_on_error():
            self._redis.hdel(_key(game_id), player)

    def get(self, token: str) -> Invitation:
        """Return the invitation with a token. Raises NotFound if it is not valid, or no longer valid."""
        try:
            game = self._loader.load(game_of_token(token)).game
        except NotFound:
            raise _not_valid() from None
        return Invitation(game, self.inviter(game, token))

    def inviter(self, game: Game, token: str) -> str:
        """Return the id of the player whose invitation to the game this is.

        Raises NotFound if it is not valid, which includes that the game has started or that player has left.
        """
        if game.status != "open":
            raise _not_valid()
        token = trim_code(token)
        with unavailable_on_error():
            stored = self._redis.hgetall(_key(game.id))
        for player, value in stored.items():
            secret = _valid_secret(to_text(value))
            if secret is None:
                continue
            expected = _token(game.id, secret)
            if hmac.compare_digest(expected.encode(), token.encode("utf-8", "surrogatepass")):
                inviter = to_text(player)
                if game.has_joined(inviter):
                    return inviter
        raise _not_valid()


def game_of_token(token: str) -> str:
    """Return the id of the game that a token names. Neither the token nor the game is checked."""
    return trim_code(token).partition("-")[0]


def _not_valid() -> NotFound:
    """Return the error for any invalid invitation. It does not reveal whether the game exists."""
    return NotFound.with_message("this invitation is not, or no longer, valid")


def _valid_secret(stored: str) -> str | None:
    """Return the secret part of a stored token; None if the token is no longer valid."""
    expires, _, secret = stored.partition(" ")
    return secret if wall_clock.format(wall_clock.now()) < expires else None


def _token(game_id: str, secret: str) -> str:
    return f"{game_id}-{secret}"


def _key(game_id: str) -> str:
    return game_key(game_id, "invitations")


class ReceivedInvitations:
    """Reads the invitations of all players. Thread-safe; raises Unavailable if the store does not respond."""

    def __init__(self, listings: Listings, queries: GameQueries, mutes: Mutes) -> None:
        self._listings = listings
        self._queries = queries
        self._mutes = mutes

    def page(
        self, player: str, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[Summary], str | None]:
        """Return a page of the games that wait for the player's answer to an invitation, and the next cursor.

        The newest game is first. Games of creators whom the player has muted are left out, so the page may
        have fewer games than `limit`, even none, and still a next page. Raises Malformed (cursor).
        """
        page = self._listings.invitations(player, cursor, limit)
        summaries = self._queries.summaries(page.games)
        page = page.first(len(summaries))
        invitations = [
            summary for summary in summaries if summary is not None and player in summary.awaited
        ]
        muted = self._mutes.has_muted(player, [summary.creator for summary in invitations])
        return [summary for summary in invitations if summary.creator not in muted], page.next


class InvitationCommands:
    """Invites players to games that have not started. Thread-safe.

    Every command returns the game after it. It raises NotFound if there is no such game or the player may not
    see it; NotNow if the game does not accept it as it stands; Unavailable if the store does not respond; and
    IdempotencyConflict if the key was used for another request.
    """

    def __init__(self, repository: GameRepository, clubs: Clubs, max_invitations: int) -> None:
        self._repository = repository
        self._clubs = clubs
        self._max_invitations = max_invitations

    def invite(
        self, game_id: str, player: str, invited: str, idempotency_key: str | None = None
    ) -> Game:
        """Invite another person, who has an account, for the creator of a game.

        Raises Forbidden (not the creator, or one of them is not a member of the club of the game), NotNow
        (also for too many invitations).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._require_creator(cached.game, player)
            club = cached.game.options.get("club")
            if club is not None:
                # A creator who has left the club must not learn who its members are.
                if not self._clubs.is_member(club, player):
                    raise Forbidden.with_message("only the members of its club can join this game")
                if not self._clubs.is_member(club, invited):
                    raise Forbidden.with_message(
                        "this player is not a member of the club of the game"
                    )
            commands.invite(pending, invited)
            if cached.game.invitations >= self._max_invitations:
                raise NotNow(
                    None,
                    plural_message(
                        "only one player can be invited to a game",
                        "at most {count} players can be invited to a game",
                        count=self._max_invitations,
                    ),
                )

        return self._repository.change(
            game_id, player, handler, idempotency_key, ["invite", invited]
        )

    def revoke(
        self, game_id: str, player: str, invited: str, idempotency_key: str | None = None
    ) -> Game:
        """Withdraw an invitation, for the creator of a game. Raises Forbidden (not the creator), NotNow."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._require_creator(cached.game, player)
            commands.revoke(pending, invited)

        return self._repository.change(
            game_id, player, handler, idempotency_key, ["revoke", invited]
        )

    def decline(self, game_id: str, player: str, idempotency_key: str | None = None) -> Game:
        """Decline an invitation for a player. Idempotent. Raises NotNow."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            if player not in cached.game.declined:
                commands.decline(pending, player)

        return self._repository.change(game_id, player, handler, idempotency_key, ["decline"])

    def _require_creator(self, game: Game, player: str) -> None:
        self._repository.access.require_visible(game, player)
        if player != game.creator:
            raise Forbidden.with_message(
                "only the creator of a game invites players by their handles"
            )
