"""The addresses to which players answer mails in order to play: `play+TOKEN@example.org`.

    cartulary:reply-address:DIGEST JSON {"player", "address", "game", "seq"}; the address is a digest too; it
                                   expires after the time of the bound `reply_seconds`
    cartulary:reply-counts:CODE    number of answers of a player; it expires an hour after the first
    cartulary:reply:ID             exists if an answer was handled; it expires as above

A token belongs to one player, with one address, and to one position of one game. It cannot be guessed, so
only recipients of the mail know it. It is derived from the player and the position, so several mails about
the same position have the same address.
"""

import re
from dataclasses import asdict, dataclass
from email.headerregistry import Address
from hashlib import sha256
from typing import Final

import orjson
import redis

from domain.messages import message
from service.accounts.account_reader import AccountReader, Player
from service.bounds import Bounds
from service.connection import count_attempt, unavailable_on_error
from service.errors import TooManyRequests
from service.shared_secret import CODE_DIGITS, MailTokens
from service.stored_objects import decode_object

PERIOD_SECONDS: Final = 3600
"""The period in which the answers of a player are counted."""
_TOKEN: Final = re.compile(rf"\+([0-9a-f]{{{CODE_DIGITS}}})@")


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """The position that an answer is about: a game after event `seq`, as the player saw it in a mail.

    `address` is the digest of the address to which the mail was sent.
    """

    player: str
    address: str
    game: str
    seq: int


@dataclass(eq=False, repr=False)
class ReplyAddresses:
    """Makes and finds reply addresses. Methods raise Unavailable if Redis does not respond."""

    _redis: redis.Redis
    _bounds: Bounds
    _accounts: AccountReader
    _tokens: MailTokens
    _base: Address | None
    """The address to which the token is added; None if this server receives no answers."""

    @property
    def is_configured(self) -> bool:
        """Whether this server receives answers."""
        return self._base is not None

    def address_for(self, player: Player, game: str, seq: int) -> str | None:
        """Return the address for answers to a mail about a game after event `seq`; None without a setting."""
        if self._base is None or player.email is None:
            return None
        target = ReplyTarget(player.id, self._tokens.digest(player.email), game, seq)
        token = self._tokens.code("reply", target.player, target.address, game, str(seq))
        seconds = round(self._bounds.reply_seconds)
        with unavailable_on_error():
            self._redis.set(_address_key(token), orjson.dumps(asdict(target)), ex=seconds)
        return f"{self._base.username}+{token}@{self._base.domain}"

    def find(self, recipient: str) -> tuple[ReplyTarget, Player] | None:
        """Return the position that an answer to an address is about, and its player.

        Returns None if the address is unknown or has expired, if the mail with it was not sent to the
        player's current confirmed address, or if the player is suspended.
        """
        match = _TOKEN.search(recipient.lower())
        if match is None:
            return None
        with unavailable_on_error():
            stored = self._redis.get(_address_key(match[1]))
        if stored is None:
            return None
        target = decode_object(ReplyTarget, stored)
        (player,) = self._accounts.get([target.player])
        if player is None or player.confirmed_email is None:
            return None
        is_other = self._tokens.digest(player.confirmed_email) != target.address
        return None if is_other or self._accounts.is_suspended(player.id) else (target, player)

    def count(self, player: str) -> None:
        """Count an answer of a player. Raises TooManyRequests if there are too many in an hour."""
        key = f"cartulary:reply-counts:{self._tokens.code('reply-count', player)}"
        limit = self._bounds.max_replies_per_player
        if wait := count_attempt(self._redis, key, PERIOD_SECONDS, limit):
            raise TooManyRequests(message("too many answers in an hour"), wait)

    def is_handled(self, id: str) -> bool:
        """Return whether an answer was handled before."""
        with unavailable_on_error():
            return bool(self._redis.exists(f"cartulary:reply:{id}"))

    def mark_handled(self, id: str) -> None:
        """Remember that an answer was handled, for as long as its address is valid."""
        with unavailable_on_error():
            self._redis.set(f"cartulary:reply:{id}", 1, ex=round(self._bounds.reply_seconds))


def _address_key(token: str) -> str:
    # The name of a key must not reveal the address.
    return f"cartulary:reply-address:{sha256(token.encode()).hexdigest()}"
