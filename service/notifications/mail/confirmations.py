"""The confirmation of e-mail addresses by mails with a link, whose number is bounded.

    cartulary:email-confirmation:HASH    JSON {"player", "address"}, by the SHA-256 of the token in the link;
                                         the address is a digest; it expires
    cartulary:confirmation-mails:DIGEST  number of confirmation mails in the last day for a player, to an
                                         address, or from a network

A player can enter the address of somebody else. So that nobody can be flooded with mails, their number is
bounded for each account, each address and each network.
"""

import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import orjson
import redis

from domain.messages import message
from service.accounts.account_reader import AccountReader
from service.bounds import Bounds
from service.connection import count_attempt, unavailable_on_error
from service.email_address import limit_key
from service.entered_text import trim_code
from service.errors import NotFound, TooManyRequests
from service.notifications.mail.account_mails import AccountMails
from service.notifications.mail.email_addresses import EmailAddresses
from service.shared_secret import MailTokens

PERIOD_SECONDS: Final = 24 * 3600
"""The period in which confirmation mails are counted."""
_TOKEN_BYTES: Final = 24
_COUNTS: Final = "cartulary:confirmation-mails:"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The statement that a link confirms: that an address belongs to a player."""

    player: str
    address: str = field(repr=False)


@dataclass(eq=False, repr=False)
class Confirmations:
    """Sends confirmation mails and confirms addresses. Methods raise Unavailable without Redis."""

    _redis: redis.Redis
    _bounds: Bounds
    _accounts: AccountReader
    _addresses: EmailAddresses
    _mails: AccountMails
    _tokens: MailTokens
    is_mail_configured: bool

    def request(self, player_id: str, network: str) -> bool:
        """Send a confirmation mail to the address of a player, on behalf of a client in a network.

        Returns False if there is nothing to send: there is no address, it is confirmed already, or this
        server sends no mail. Raises TooManyRequests if a bound on the number of these mails is reached.
        """
        (player,) = self._accounts.get([player_id])
        if player is None or player.email is None or player.confirmed_email is not None:
            return False
        if not self.is_mail_configured:
            return False
        bounds = self._bounds
        # The address comes last, so that only mails that are sent are counted for it.
        self._count("player", player_id, bounds.max_confirmations_per_player)
        self._count("network", network, bounds.max_confirmations_per_network)
        self._count("mailbox", limit_key(player.email), bounds.max_confirmations_per_address)
        self._mails.add("confirmation", player_id, self._tokens.digest(player.email))
        return True

    def create_token(self, confirmation: Confirmation) -> str:
        """Return a new token for the link in a mail. Other tokens for the same address stay valid."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        digest = self._tokens.digest(confirmation.address)
        value = orjson.dumps({"player": confirmation.player, "address": digest})
        with unavailable_on_error():
            self._redis.set(
                _token_key(token), value, px=round(self._bounds.confirmation_seconds * 1000)
            )
        return token

    def find(self, token: str) -> Confirmation:
        """Return the confirmation of a token. Raises NotFound if it or the address is out of date."""
        with unavailable_on_error():
            stored = self._redis.get(_token_key(token))
        if stored is not None:
            value = orjson.loads(stored)
            (player,) = self._accounts.get([value["player"]])
            address = None if player is None else player.email
            if address is not None and self._tokens.digest(address) == value["address"]:
                return Confirmation(value["player"], address)
        raise NotFound.with_message(
            "this link has expired, or the address is no longer that of the account: have a new"
            " mail sent from the page of your account"
        )

    def confirm(self, token: str) -> Confirmation:
        """Confirm the address of a token. The token can be used again while it is valid. Raises NotFound."""
        confirmation = self.find(token)
        if not self._addresses.confirm(confirmation.player, confirmation.address):
            return self.find(token)  # raises NotFound if the address has just been changed
        return confirmation

    def _count(self, scope: str, name: str, limit: int) -> None:
        """Count a mail in the current period. Raises TooManyRequests if that exceeds the limit."""
        key = _COUNTS + self._tokens.code(scope, name)
        if wait := count_attempt(self._redis, key, PERIOD_SECONDS, limit):
            raise TooManyRequests(message("no more confirmation mails are sent today"), wait)


def _token_key(token: str) -> str:
    return f"cartulary:email-confirmation:{sha256(trim_code(token).encode()).hexdigest()}"
