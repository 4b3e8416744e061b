"""The e-mail addresses of players, in their accounts: changing, confirming and disabling them.

An address is unconfirmed until its owner has used the link in a confirmation mail (confirmations.py); until
then, nothing else is sent to it. If mails to it bounce repeatedly, it is disabled until it is confirmed
again.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import redis
from redis.client import Pipeline

from domain.errors import Malformed
from domain.messages import Message, Text
from service import wall_clock
from service.accounts.account_reader import EMAIL_FIELDS, AccountReader, account_key
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.email_address import InvalidAddress, parse_address
from service.errors import Unauthorised
from service.notifications.endpoints import Endpoint
from service.notifications.stored_messages import decode_message, encode_message
from service.shared_secret import MailTokens

_T = TypeVar("_T")


class EmailAddresses:
    """Changes the addresses of all players. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._max_bounces = bounds.max_bounces

    def is_other(self, player_id: str, text: str) -> bool:
        """Return whether an address differs from that of a player. Raises Malformed."""
        address = _parsed(text)
        with unavailable_on_error():
            current = self._redis.hget(account_key(player_id), "email")
        return current is None or to_text(current) != address

    def set(self, player_id: str, text: str) -> str:
        """Store the address of a player, unconfirmed if it has changed; return it, normalized.

        Raises Malformed (not an address), Unauthorised (no account).
        """
        address = _parsed(text)

        def store(pipeline: Pipeline) -> None:
            # An account that is erased in the meantime must not be created again.
            created, current = pipeline.hmget(key, "created", "email")
            if created is None:
                raise Unauthorised.with_message("the account of this token has been deleted")
            pipeline.multi()
            if current is None or to_text(current) != address:
                pipeline.hdel(key, *EMAIL_FIELDS)
                pipeline.hset(key, "email", address)

        key = account_key(player_id)
        with unavailable_on_error():
            self._redis.transaction(store, key)
        return address

    def remove(self, player_id: str) -> None:
        """Remove the address of a player from the account."""
        with unavailable_on_error():
            self._redis.hdel(account_key(player_id), *EMAIL_FIELDS)

    def confirm(self, player_id: str, address: str) -> bool:
        """Mark an address confirmed, and forget its bounces; return False if it is not that of the player."""
        now = wall_clock.format(wall_clock.now())

        def store(pipeline: Pipeline) -> None:
            pipeline.hdel(key, "email_disabled", "email_bounces", "email_refusal")
            pipeline.hset(key, "email_confirmed", now)

        key = account_key(player_id)
        return self._if_current(player_id, address, store)

    def record_refusal(self, player_id: str, address: str, result: Text | None) -> None:
        """Record the reason why the last confirmation mail was not accepted; None if it was.

        Does nothing if the player has another address now.
        """
        key = account_key(player_id)

        def store(pipeline: Pipeline) -> None:
            if result is None:
                pipeline.hdel(key, "email_refusal")
            else:
                pipeline.hset(key, "email_refusal", encode_message(result))

        self._if_current(player_id, address, store)

    def refusal(self, player_id: str) -> Message | None:
        """Return why the last confirmation mail was not accepted; None if it was, or still waits."""
        with unavailable_on_error():
            stored = self._redis.hget(account_key(player_id), "email_refusal")
        return None if stored is None else decode_message(to_text(stored))

    def count_bounce(self, player_id: str, address: str) -> None:
        """Count a mail that bounced because of its address, and disable the address at the limit.

        Does nothing if the player has another address now.
        """
        key = account_key(player_id)

        def count(pipeline: Pipeline) -> None:
            pipeline.hincrby(key, "email_bounces", 1)

        if not self._if_current(player_id, address, count):
            return
        with unavailable_on_error():
            bounces = self._redis.hget(key, "email_bounces")
        if bounces is not None and int(bounces) >= self._max_bounces:
            now = wall_clock.format(wall_clock.now())
            self._if_current(
                player_id, address, lambda pipeline: pipeline.hset(key, "email_disabled", now)
            )

    def _if_current(self, player_id: str, address: str, change: Callable[[Pipeline], _T]) -> bool:
        """Make a change if the player has this address now; return whether it was made."""
        is_current = False

        def store(pipeline: Pipeline) -> None:
            nonlocal is_current
            current = pipeline.hget(key, "email")
            is_current = current is not None and to_text(current) == address
            pipeline.multi()
            if is_current:
                change(pipeline)

        key = account_key(player_id)
        with unavailable_on_error():
            self._redis.transaction(store, key)
        return is_current


def _parsed(text: str) -> str:
    try:
        return parse_address(text)
    except InvalidAddress as error:
        raise Malformed({"email": error.message}) from None


class EmailEndpoints:
    """The endpoints of the channel `email`: the confirmed addresses of players."""

    channel = "email"

    def __init__(self, accounts: AccountReader, tokens: MailTokens) -> None:
        self._accounts = accounts
        self._tokens = tokens

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the address of a player if it is confirmed and not disabled. Raises Unavailable."""
        (account,) = self._accounts.get([player])
        address = None if account is None else account.confirmed_email
        return (
            () if address is None else (Endpoint("email", self._tokens.digest(address), address),)
        )
