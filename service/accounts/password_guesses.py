"""Bounds guesses of the password of an account, so that nobody can lock its player out.

    cartulary:password-guesses:CODE   number of failed attempts in the current period, with which it expires
    cartulary:known-networks:ID       sorted set: code of a network -> time of the last login from it, in
                                      seconds since 1970; the networks of a player

All attempts to log in to an account from unknown places count together, however many networks they come from.
Each browser and each network from which its player has logged in before has a separate allowance, which
others cannot use up. A handle that does not exist is treated like an existing one.
"""

import unicodedata
from dataclasses import dataclass
from typing import Final

import redis

from domain.messages import Message, message
from service import wall_clock
from service.accounts.handles import entered_handle, fold_case
from service.bounds import Bounds
from service.connection import count_attempt, unavailable_on_error
from service.errors import TooManyRequests
from service.shared_secret import MailTokens
from service.visitors import UNKNOWN

MAX_KNOWN_NETWORKS: Final = 20
"""The number of networks of the last logins that are remembered for a player."""
_SECONDS_KNOWN: Final = 180 * 24 * 3600
_MAX_HANDLE_LENGTH: Final = 128
"""The number of characters of a handle that are read; no handle is longer."""
_NOBODY: Final = "nobody"
_TOO_MANY_LOGINS: Final = message(
    "too many wrong passwords were entered for this account: try again later or where you have logged in"
    " before, or have a link sent with which you choose a new password"
)
_TOO_MANY_CONFIRMATIONS: Final = message("too many wrong passwords were entered: try again later")


@dataclass(frozen=True, slots=True)
class LoginSource:
    """The place from which a visitor logs in: the network, and the browser, if it has logged in before.

    `players` are the players who have logged in with the browser.
    """

    network: str = UNKNOWN
    browser: str | None = None
    players: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GuessCount:
    """The counter for an attempt. `is_owners` is True if the player has logged in there before."""

    key: str
    is_owners: bool


class PasswordGuesses:
    """Counts failed attempts. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds, codes: MailTokens) -> None:
        self._redis = client
        self._limit = bounds.max_password_guesses
        self._seconds = bounds.password_guess_seconds
        self._codes = codes

    def begin_login(self, handle: str, player_id: str | None, source: LoginSource) -> GuessCount:
        """Count an attempt to log in with a handle, and the player who has it, if any.

        It counts as failed until `forget` is called, so that attempts at the same time do not exceed the
        limit. Raises TooManyRequests.
        """
        network = self._network_code(player_id, source.network)
        with unavailable_on_error():
            known_since = self._redis.zscore(known_networks_key(player_id or _NOBODY), network)
        if player_id is not None and source.browser is not None and player_id in source.players:
            count = self._count_of("browser", player_id, source.browser, is_owners=True)
        elif player_id is not None and known_since is not None:
            count = self._count_of("network", player_id, source.network, is_owners=True)
        else:
            text = unicodedata.normalize("NFKC", entered_handle(handle)[:_MAX_HANDLE_LENGTH])
            # JSON may contain a lone surrogate, which UTF-8 cannot encode.
            count = self._count_of("handle", ascii(fold_case(text)))
        return self._begin(count, _TOO_MANY_LOGINS)

    def begin_confirmation(self, player_id: str) -> GuessCount:
        """Count an attempt to confirm the password in a session, like `begin_login`."""
        return self._begin(self._count_of("session", player_id), _TOO_MANY_CONFIRMATIONS)

    def forget(self, count: GuessCount) -> None:
        """Forget an attempt that succeeded, and at a place of the player, all failed attempts."""
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            if count.is_owners:
                pipeline.delete(count.key)
            else:
                pipeline.set(count.key, 0, nx=True, px=round(self._seconds * 1000))
                pipeline.decr(count.key)
            pipeline.execute()

    def add_network(self, player_id: str, source: LoginSource) -> None:
        """Remember that a player has logged in from a network."""
        if source.network == UNKNOWN:
            return
        key = known_networks_key(player_id)
        code = self._network_code(player_id, source.network)
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.zadd(key, {code: round(wall_clock.now().timestamp())})
            pipeline.zremrangebyrank(key, 0, -MAX_KNOWN_NETWORKS - 1)
            pipeline.expire(key, _SECONDS_KNOWN)
            pipeline.execute()

    def _network_code(self, player_id: str | None, network: str) -> str:
        return self._codes.code("known network", player_id or _NOBODY, network)

    def _count_of(self, *values: str, is_owners: bool = False) -> GuessCount:
        code = self._codes.code("password guesses", *values)
        return GuessCount(f"cartulary:password-guesses:{code}", is_owners)

    def _begin(self, count: GuessCount, refusal: Message) -> GuessCount:
        if wait := count_attempt(self._redis, count.key, self._seconds, self._limit):
            raise TooManyRequests(refusal, wait)
        return count


def known_networks_key(player_id: str) -> str:
    """Return the key in Redis of the networks from which a player has logged in."""
    return f"cartulary:known-networks:{player_id}"
