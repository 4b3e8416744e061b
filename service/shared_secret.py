"""Secrets that all processes share, and codes from them: tokens in mails, which need not be stored, and
digests of addresses.

cartulary:mail-secret    random bytes, created by the first process that needs them
"""

import hmac
import secrets
from hashlib import sha256
from typing import Final

import redis

from service.connection import unavailable_on_error
from service.entered_text import trim_code

_KEY: Final = "cartulary:mail-secret"
_SECRET_BYTES: Final = 32
CODE_DIGITS: Final = 32
"""The number of hexadecimal digits of a code, of four bits each."""


def shared_secret(client: redis.Redis, key: str) -> bytes:
    """Return the random bytes at a key in Redis, which the first process creates. Raises Unavailable."""
    with unavailable_on_error(), client.pipeline() as pipeline:
        pipeline.set(key, secrets.token_bytes(_SECRET_BYTES), nx=True)
        pipeline.get(key)
        return bytes(pipeline.execute()[-1])


class MailTokens:
    """Makes and checks tokens. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._secret: bytes | None = None

    def code(self, purpose: str, *values: str) -> str:
        """Return the code of some values for a purpose: CODE_DIGITS hexadecimal digits."""
        text = "\n".join((purpose, *values)).encode()
        return hmac.new(self._key(), text, sha256).hexdigest()[:CODE_DIGITS]

    def digest(self, address: str) -> str:
        """Return the digest of an address, which is stored where the address only has to be recognised."""
        return self.code("address", address)

    def unsubscribe_token(self, player: str) -> str:
        """Return the token with which a player can unsubscribe from mails without logging in."""
        return f"{player}.{self.code('unsubscribe', player)}"

    def unsubscribing_player(self, token: str) -> str | None:
        """Return the id of the player whose unsubscribe token this is; None if it is not valid."""
        player, _, code = trim_code(token).partition(".")
        expected = self.code("unsubscribe", player)
        return player if hmac.compare_digest(code.encode(), expected.encode()) else None

    def _key(self) -> bytes:
        if self._secret is None:
            self._secret = shared_secret(self._redis, _KEY)
        return self._secret
