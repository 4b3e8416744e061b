"""Ed25519 keys: signing what the server vouches for, and checking what it signed.

A key is named by the first 16 hex digits of SHA-256 of its public bytes, so that a list of public keys can
be checked against the names in it. Where keys are kept and published is the service's business.
"""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from domain.contract import Json
from domain.errors import CartularyError, Unreadable
from domain.event import Event
from ledger.canonical import canonical, digest, unhex


class BadSignature(CartularyError):
    """A signature that does not hold; `why` says what is wrong with it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class SigningKey:
    """A private key and what it signs. `id` names it, `public` is its public half in hex."""

    __slots__ = ("_private", "id", "public")

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        public = private.public_key().public_bytes_raw()
        self.id = key_id(public)
        self.public = public.hex()

    @classmethod
    def generate(cls) -> "SigningKey":
        """A new key by the operating system's chance."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, seed: bytes) -> "SigningKey":
        """The key that 32 bytes stand for, the same every time."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def load(cls, path: Path) -> "SigningKey":
        """The key of a PEM file without password. Raises Unreadable, FileNotFoundError."""
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise Unreadable(f"{path} holds no private key that can be read: {error}") from None
        if not isinstance(private, Ed25519PrivateKey):
            raise Unreadable(f"{path} holds a key of another kind than Ed25519")
        return cls(private)

    @classmethod
    def load_or_generate(cls, path: Path) -> "SigningKey":
        """The key of the file, which is made where there is none; several processes may ask at once."""
        with suppress(FileNotFoundError):
            return cls.load(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            cls.generate().save(path)
        return cls.load(path)

    def save(self, path: Path) -> None:
        """Write the key as a PEM file that only its owner may read. Raises FileExistsError.

        The file appears whole or not at all.
        """
        pem = self._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(pem)
                file.flush()
                os.fsync(file.fileno())
            os.link(name, path)
        finally:
            Path(name).unlink()

    def published(self, since: str, until: str | None = None) -> Json:
        """The key's entry in a list of public keys."""
        return {"key": self.id, "public": self.public, "from": since, "until": until}

    def receipt(self, event: Event) -> Json:
        """The receipt for an accepted action's event."""
        return self.sign({name: event[name] for name in ("game", "seq", "hash", "at")})

    def sign(self, statement: Json) -> Json:
        """The statement with `key` and `signature` added; signed is the canonical JSON with `key`."""
        named = {**statement, "key": self.id}
        return {**named, "signature": self.signature(canonical(named))}

    def signature(self, message: bytes) -> str:
        """The signature over bytes, in hex."""
        return self._private.sign(message).hex()

    def sign_head(self, header: Json) -> Json:
        """A record's header with `key` and `signature` added to its `head`.

        Signed is the canonical JSON of the whole header, with `key` and without `signature`.
        """
        head = {**header["head"], "key": self.id}
        named = {**header, "head": head}
        return {**named, "head": {**head, "signature": self.signature(canonical(named))}}


def key_id(public: bytes) -> str:
    """How a key is named."""
    return digest(public)[:16]


def check_statement(statement: Json, keys: Iterable[Json]) -> None:
    """Check a statement signed by `SigningKey.sign`, a receipt say, with the public keys given.

    Raises BadSignature.
    """
    unsigned = {name: value for name, value in statement.items() if name != "signature"}
    _check(unsigned, statement.get("key"), statement.get("signature"), keys)


def is_genuine(statement: Json, keys: Iterable[Json]) -> bool:
    """Whether `check_statement` finds nothing wrong."""
    try:
        check_statement(statement, keys)
    except BadSignature:
        return False
    return True


def check_receipt(receipt: Json, event: Event, keys: Iterable[Json]) -> None:
    """Check that a receipt is for this event, and signed by one of these keys before it was retired.

    Raises BadSignature.
    """
    for name in ("game", "seq", "hash", "at"):
        if receipt.get(name) != event.get(name):
            raise BadSignature(f"the receipt is for another event: its {name} is another")
    keys = list(keys)
    check_statement(receipt, keys)
    until = next(entry["until"] for entry in keys if entry["key"] == receipt["key"])
    if until is not None and event["at"] > until:
        raise BadSignature(f"key {receipt['key']} had been retired at {until}")


def check_head(header: Json, keys: Iterable[Json]) -> None:
    """Check the signature in a record's header with the public keys given. Raises BadSignature."""
    head = header["head"]
    unsigned = {name: value for name, value in head.items() if name != "signature"}
    _check({**header, "head": unsigned}, head.get("key"), head.get("signature"), keys)


def _check(unsigned: Json, key: object, signature: object, keys: Iterable[Json]) -> None:
    entry = next((entry for entry in keys if entry["key"] == key), None)
    if entry is None:
        raise BadSignature(f"it is signed by key {key}, which is not in the list of keys")
    try:
        public = unhex(entry["public"])
        if key_id(public) != key:
            raise BadSignature(f"the public key listed as {key} is another key")
        Ed25519PublicKey.from_public_bytes(public).verify(unhex(signature), canonical(unsigned))
    except InvalidSignature:
        raise BadSignature(f"the signature of key {key} does not fit what is signed") from None
    except ValueError as error:
        raise BadSignature(f"it cannot be checked: {error}") from None
