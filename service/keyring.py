"""The key that signs receipts, and the list of all public keys that receipts were signed with.

The private key is a file of the machine that signs. Public keys are published in Redis, in
`cartulary:keys`, one field a key; a key is published before its first signature leaves the house
and stays in the list for ever, with `until` once it is retired.
"""

from pathlib import Path
from threading import Lock
from typing import Final

import orjson
import redis

from domain.contract import Json
from domain.errors import CartularyError
from domain.event import Event
from ledger.canonical import canonical
from ledger.keys import SigningKey
from service import clock
from service.connection import reachable
from service.errors import NotFound

KEYS: Final = "cartulary:keys"


class NoKeyError(CartularyError):
    """There is no key at hand that this service has published."""


class Keyring:
    """Signs with the key of a PEM file, which is made when it is first needed. Safe for threads.

    Not `makes_keys`: signs only with a key that is there and published; else everything that signs raises
    NoKeyError. For those who only look: what they do must leave no trace in the list of keys.
    """

    def __init__(self, client: redis.Redis, path: Path, *, makes_keys: bool = True) -> None:
        self._redis = client
        self._path = path
        self._makes_keys = makes_keys
        self._lock = Lock()
        self._key: SigningKey | None = None

    def publish_key(self) -> None:
        """Load the signing key and publish it, unless this was done before.

        Call it before anything happens that the key is to sign: a key vouches only for events since
        its `from`.
        """
        self._signing_key()

    def receipt(self, event: Event) -> Json:
        """The receipt of an accepted action's event. The same event gives the same receipt."""
        return self._signing_key().receipt(event)

    def sign_head(self, header: Json) -> Json:
        """The header of a game record, its head signed."""
        return self._signing_key().sign_head(header)

    def public_keys(self) -> list[Json]:
        """All keys, `{"key", "public", "from", "until"}`, the oldest first."""
        with reachable():
            entries = self._redis.hvals(KEYS)
        return sorted(map(orjson.loads, entries), key=lambda entry: (entry["from"], entry["key"]))

    def retire(self, key: str) -> Json:
        """Say that a key signs nothing any more, from now on; its entry. Raises NotFound."""
        for entry in self.public_keys():
            if entry["key"] == key:
                if entry["until"] is None:
                    entry["until"] = clock.format(clock.now())
                    with reachable():
                        self._redis.hset(KEYS, key, canonical(entry))
                return entry
        raise NotFound(f"no key {key} was ever published here")

    def _signing_key(self) -> SigningKey:
        if self._key is None:
            with self._lock:
                if self._key is None:
                    self._key = self._made() if self._makes_keys else self._found()
        return self._key

    def _made(self) -> SigningKey:
        key = SigningKey.load_or_generate(self._path)
        entry = key.public_entry(clock.format(clock.now()))
        with reachable():
            self._redis.hsetnx(KEYS, key.id, canonical(entry))
        return key

    def _found(self) -> SigningKey:
        try:
            key = SigningKey.load(self._path)
        except OSError as error:
            raise NoKeyError(
                f"no signing key can be read at {self._path} ({error.strerror}): run this where the"
                " service's key is, or name its file in CARTULARY_SIGNING_KEY"
            ) from None
        with reachable():
            is_published = self._redis.hexists(KEYS, key.id)
        if not is_published:
            raise NoKeyError(
                f"the signing key at {self._path} is none of this service's: name the file of one that is in"
                " CARTULARY_SIGNING_KEY"
            )
        return key
