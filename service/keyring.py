"""The key that signs receipts and records, and the published list of all public keys.

The private key is in a PEM file on the machine that signs. The public keys are in the Redis hash
`cartulary:keys`, one field per key. A key is published before it signs anything, and its entry is never
removed; the entry of a retired key has `until`.
"""

from functools import cached_property
from pathlib import Path
from typing import Final

import orjson
import redis

from domain.errors import CartularyError
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.files.os_errors import os_reason
from ledger.keys import SigningKey, shown_head_payload
from ledger.transparency.signed_note import NoteKey, NoteSignature, note_key, sign_text
from service import wall_clock
from service.connection import unavailable_on_error
from service.errors import NotFound
from service.operation.data_folder import warn_of_exposed_key

KEYS: Final = "cartulary:keys"


class NoKeyError(CartularyError):
    """There is no readable signing key, or this service has not published it."""


class RetiredKeyError(NoKeyError):
    """The signing key was retired, so its signatures are no longer valid."""


class Keyring:
    """Signs with the key of a PEM file, which is generated if it does not exist. Thread-safe.

    A `read_only` keyring neither generates nor publishes a key: a command that only reads a service must not
    change its list of keys. Its signing methods raise NoKeyError unless the key exists and is published. The
    signing methods of every keyring raise RetiredKeyError if the key was retired before its first use.
    """

    def __init__(
        self, client: redis.Redis, path: Path, *, read_only: bool = False, origin: str = ""
    ) -> None:
        """Sign with the key in the file `path`. `origin` is the name of the server, if it has one, which
        readers of records remember its keys by.
        """
        self.origin = origin
        self._redis = client
        self._path = path
        self._read_only = read_only

    @cached_property
    def signing_key(self) -> SigningKey:
        """The signing key, which is loaded and published when it is first used.

        Read this before dating an event that the key will sign: its signatures are valid only for events
        since its `from`. Raises Unreadable and OSError (the key file), RetiredKeyError and Unavailable. The
        store is not read again after the first use: `check` notices a later retirement.
        """
        # Two threads may do this at the same time: they find or create the same key, and publish it once.
        return self._find_key() if self._read_only else self._create_key()

    def publish_key(self) -> None:
        """Publish the signing key, unless this was done before. Raises the errors of `signing_key`."""
        _ = self.signing_key

    def check(self) -> None:
        """Raise RetiredKeyError if the key exists and was retired; for processes that may never sign.

        Raises Unreadable for a file that contains no key, and Unavailable.
        """
        try:
            key = SigningKey.load(self._path)
        except OSError:
            return
        self._check_validity(key)

    def shown_head(self, game_id: str, seq: int, hash: str) -> JsonObject:
        """Return the signed statement that an event is currently the last one of a game (docs/formats.md)."""
        return self.signing_key.sign(
            shown_head_payload(game_id, seq, hash, wall_clock.format(wall_clock.now()))
        )

    def current_entry(self) -> JsonObject:
        """Return the entry of the signing key in the list of public keys."""
        id = self.signing_key.id
        return next(entry for entry in self.public_keys() if entry["key"] == id)

    def sign_head(self, header: JsonObject) -> JsonObject:
        """Return the header of a game record with the server's name, if it has one, and its head signed."""
        named = {**header, "origin": self.origin} if self.origin else header
        return self.signing_key.sign_head(named)

    def note_key(self, name: str) -> NoteKey:
        """Return the public signing key as the key of a signed note with this name."""
        return note_key(name, self.signing_key)

    def sign_note(self, text: str, name: str) -> NoteSignature:
        """Return the signature of the text of a note by the signing key under this name."""
        return sign_text(text, name, self.signing_key)

    def public_keys(self) -> list[JsonObject]:
        """Return all public keys, `{"key", "public", "from", "until"}`, the oldest first.

        Unless the keyring is read-only, its own key is among them.
        """
        if not self._read_only:
            self.publish_key()
        with unavailable_on_error():
            entries = self._redis.hvals(KEYS)
        return sorted(map(orjson.loads, entries), key=lambda entry: (entry["from"], entry["key"]))

    def retire(self, key: str) -> JsonObject:
        """Set `until` of a key to the current time, and return its entry. Raises NotFound.

        A key that is already retired is not changed.
        """
        for entry in self.public_keys():
            if entry["key"] == key:
                if entry["until"] is None:
                    entry["until"] = wall_clock.format(wall_clock.now())
                    with unavailable_on_error():
                        self._redis.hset(KEYS, key, canonical(entry))
                return entry
        raise NotFound.with_message("this service has never published a key {key}", key=key)

    def _create_key(self) -> SigningKey:
        """Load or generate the key, and publish it if it is not published yet."""
        key = SigningKey.load_or_generate(self._path)
        warn_of_exposed_key(self._path)
        entry = key.public_entry(wall_clock.format(wall_clock.now()))
        with unavailable_on_error():
            self._redis.hsetnx(KEYS, key.id, canonical(entry))
        self._check_validity(key)
        return key

    def _check_validity(self, key: SigningKey) -> None:
        """Raise RetiredKeyError if the store says that a key was retired. Raises Unavailable."""
        with unavailable_on_error():
            stored = self._redis.hget(KEYS, key.id)
        until = None if stored is None else orjson.loads(stored)["until"]
        if until is not None:
            raise RetiredKeyError.with_message(
                "the signing key {file} was retired at {until}: set CARTULARY_SIGNING_KEY to the file"
                " of the key that has replaced it",
                file=str(self._path),
                until=until,
            )

    def _find_key(self) -> SigningKey:
        """Load the key, which must be published already."""
        try:
            key = SigningKey.load(self._path)
        except OSError as error:
            raise NoKeyError.with_message(
                "the signing key {file} cannot be read ({reason}): run this on the machine that has"
                " the service's key, or set CARTULARY_SIGNING_KEY to its file",
                file=str(self._path),
                reason=os_reason(error),
            ) from None
        with unavailable_on_error():
            is_published = self._redis.hexists(KEYS, key.id)
        if not is_published:
            raise NoKeyError.with_message(
                "the signing key {file} is not one of this service's keys: set"
                " CARTULARY_SIGNING_KEY to the file of one that is",
                file=str(self._path),
            )
        self._check_validity(key)
        return key
