"""Recovery of a forgotten password: a mail with a link to the confirmed address of the account.

    cartulary:password-reset:HASH         JSON {"player", "address", "password"}, by the SHA-256 of the token
                                          in the link: the id, and digests of the address and of the hash of
                                          the password; it expires
    cartulary:password-reset-mails:CODE   number of requests from a network, or of mails to a player

A request does the same whether or not the account exists: it stores a mail for a worker to send, and the
worker looks up the account. A link can be used once, and not after the password or the address has changed.
"""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import orjson
import redis

from domain.errors import Malformed
from domain.messages import message
from service.accounts.account_reader import Player, account_key
from service.accounts.accounts import Players, password_fault
from service.accounts.password_guesses import LoginSource
from service.bounds import Bounds
from service.connection import count_attempt, to_text, unavailable_on_error
from service.entered_text import trim, trim_code
from service.errors import NotFound, OperationNotPossible, TooManyRequests
from service.notifications.mail.account_mails import AccountMails, AccountNotices
from service.shared_secret import MailTokens

_TOKEN_BYTES: Final = 24
_DAY_SECONDS: Final = 24 * 3600
_MAILS_WHILE_VALID: Final = 2
"""The most mails to a player in the time for which a link is valid, so that the last link still is."""
_MAX_HANDLE_LENGTH: Final = 128


@dataclass(eq=False, repr=False)
class PasswordResets:
    """Sends links, and replaces passwords. Methods raise Unavailable without Redis."""

    _redis: redis.Redis
    _bounds: Bounds
    _players: Players
    _mails: AccountMails
    _tokens: MailTokens
    _notices: AccountNotices
    is_mail_configured: bool

    def request(self, handle: str, network: str) -> None:
        """Send a link to the player with a handle, if there is one with a confirmed address.

        Raises OperationNotPossible on a server that sends no mail, TooManyRequests after many requests from
        the network.
        """
        if not self.is_mail_configured:
            raise OperationNotPossible.with_message(
                "this server sends no mails: ask an administrator for a new password"
            )
        limit, seconds = self._bounds.max_password_resets_per_network, _DAY_SECONDS
        if wait := self._count("network", network, limit, seconds):
            raise TooManyRequests(message("no more links are sent today"), wait)
        text = trim(handle)[:_MAX_HANDLE_LENGTH].encode(errors="replace").decode()
        self._mails.add("password_reset", "", "", {"handle": text})

    def recipient(self, handle: str, *, is_first_attempt: bool) -> Player | None:
        """Return the player who gets a link for a handle; None if there is none, or after too many links."""
        player = self._players.by_handle(handle)
        if player is None or player.is_guest or player.bot is not None:
            return None
        if player.confirmed_email is None:
            return None
        limits = (
            ("player", _MAILS_WHILE_VALID, self._bounds.password_reset_seconds),
            ("player-day", self._bounds.max_password_resets_per_player, _DAY_SECONDS),
        )
        if is_first_attempt and any(
            self._count(scope, player.id, limit, seconds) for scope, limit, seconds in limits
        ):
            return None
        return player

    def create_token(self, player: Player) -> str:
        """Return a new token with which a player can choose a new password."""
        assert player.email is not None
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        value = {
            "player": player.id,
            "address": self._tokens.digest(player.email),
            "password": self._password_digest(player.id),
        }
        milliseconds = round(self._bounds.password_reset_seconds * 1000)
        with unavailable_on_error():
            self._redis.set(_token_key(token), orjson.dumps(value), px=milliseconds)
        return token

    def find(self, token: str) -> Player:
        """Return the player whose password a token replaces. Raises NotFound."""
        with unavailable_on_error():
            stored = self._redis.get(_token_key(token))
        return self._player_of(stored)

    def reset(self, token: str, new_password: str, source: LoginSource) -> Player:
        """Replace the password, end all sessions, and return the player. The token cannot be used again.

        Raises Malformed (the password), after which the token stays valid, and NotFound.
        """
        fault = password_fault(new_password)
        if fault := fault or password_fault(new_password, self.find(token).handle):
            raise Malformed({"new_password": fault})
        with unavailable_on_error():
            stored = self._redis.getdel(_token_key(token))
        player = self._player_of(stored)
        self._players.replace_password(player.id, new_password)
        self._players.add_login_source(player.id, source)
        self._notices.report("password_changed", player.id)
        return player

    def _player_of(self, stored: bytes | str | None) -> Player:
        if stored is not None:
            value = orjson.loads(stored)
            (player,) = self._players.get([value["player"]])
            if (
                player is not None
                and player.confirmed_email is not None
                and self._tokens.digest(player.confirmed_email) == value["address"]
                and self._password_digest(player.id) == value["password"]
            ):
                return player
        raise NotFound.with_message(
            "this link has expired or was used already: have a new mail sent to you"
        )

    def _password_digest(self, player_id: str) -> str:
        with unavailable_on_error():
            stored = self._redis.hget(account_key(player_id), "password")
        return self._tokens.code("password", "" if stored is None else to_text(stored))

    def _count(self, scope: str, name: str, limit: int, seconds: float) -> int:
        """Count one more in the current period; return the seconds until its end if there are too many."""
        key = f"cartulary:password-reset-mails:{self._tokens.code(scope, name)}"
        return count_attempt(self._redis, key, seconds, limit)


def _token_key(token: str) -> str:
    return (
        f"cartulary:password-reset:{sha256(trim_code(token).encode(errors='replace')).hexdigest()}"
    )
