"""Ed25519 keys: signs receipts and record heads, and checks all signatures.

The id of a key is the first 16 hex digits of the SHA-256 of its public bytes, so an entry in a list of
public keys can be checked against its id. Where keys are stored and published is up to the service.

Signatures are checked strictly, because they are evidence: all programs must agree on whether one is valid,
and nobody may be able to make a signature that fits several texts, or a second signature for the same text.
OpenSSL refuses S >= L and an R that is not canonical. It accepts public keys of small order and several
encodings of one point; `verify` refuses these, and an R of small order, as WebCrypto does.

The payloads that players sign are in ledger/player_signatures.py.
"""

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from domain.errors import CartularyError, Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import canonical, digest, unhex

RECEIPT_FIELDS: Final = ("game", "seq", "hash", "at")
"""The fields of an event that its receipt repeats."""
SHOWN_HEAD_PAYLOAD: Final = "cartulary head v1"
RATINGS_PAYLOAD: Final = "cartulary ratings v1"
TOURNAMENT_RECEIPT_PAYLOAD: Final = "cartulary tournament receipt v1"
PUBLIC_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_PRIME: Final = 2**255 - 19
"""The field of the curve: the y of a canonical encoding is below it."""
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""The order L of the base point."""
_SIGN_BIT: Final = 1 << 255
_SMALL_ORDER: Final = frozenset(
    int.from_bytes(bytes.fromhex(y), "little")
    for y in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)
"""The y of the eight points whose order divides 8: of order 1, 2, 4 (two points) and 8 (four points)."""
_CACHED_KEYS: Final = 1000


class _PointFaults(NamedTuple):
    """What can be wrong with a point of the curve."""

    not_canonical: Message
    small_order: Message


_FAULTS_OF_KEYS: Final = _PointFaults(
    message("the public key is not encoded canonically"),
    message("the public key is a point of small order"),
)
_FAULTS_OF_R: Final = _PointFaults(
    message("the R of the signature is not encoded canonically"),
    message("the R of the signature is a point of small order"),
)


class BadSignature(CartularyError):
    """A signature or a public key that is not valid; `message` is the reason."""


class SigningKey:
    """A private key. `id` is its id, `public` its public key in hex."""

    __slots__ = ("_private", "id", "public")

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        public = private.public_key().public_bytes_raw()
        self.id = key_id(public)
        self.public = public.hex()

    @classmethod
    def generate(cls) -> "SigningKey":
        """Return a new random key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, seed: bytes) -> "SigningKey":
        """Return the key that is derived from 32 bytes."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def load(cls, path: Path) -> "SigningKey":
        """Return the key in a PEM file without password. Raises Unreadable, FileNotFoundError."""
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except TypeError:
            raise Unreadable.with_message(
                "the private key in {path} is protected by a password", path=str(path)
            ) from None
        except (ValueError, UnsupportedAlgorithm):
            raise Unreadable.with_message(
                "{path} does not contain a readable private key", path=str(path)
            ) from None
        if not isinstance(private, Ed25519PrivateKey):
            raise Unreadable.with_message(
                "{path} contains a key that is not an Ed25519 key", path=str(path)
            )
        return cls(private)

    @classmethod
    def load_or_generate(cls, path: Path) -> "SigningKey":
        """Return the key in the file; generate it first if there is none. Safe for concurrent processes."""
        with suppress(FileNotFoundError):
            return cls.load(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            cls.generate().save(path)
        return cls.load(path)

    def save(self, path: Path) -> None:
        """Write the key to a PEM file that only its owner may read. Raises FileExistsError.

        The file is created atomically.
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

    def public_entry(self, since: str, until: str | None = None) -> JsonObject:
        """Return the key's entry in a list of public keys. `until` is None unless the key is retired."""
        return {"key": self.id, "public": self.public, "from": since, "until": until}

    def receipt(self, event: Event) -> JsonObject:
        """Return the receipt for the event of an accepted action."""
        return self.sign({name: event[name] for name in RECEIPT_FIELDS})

    def sign(self, payload: JsonObject) -> JsonObject:
        """Return the payload with `key` and `signature`; the signature covers everything else."""
        named = {**payload, "key": self.id}
        return {**named, "signature": self.signature(canonical(named))}

    def signature(self, signed: bytes) -> str:
        """Return the signature of these bytes, in hex."""
        return self._private.sign(signed).hex()

    def sign_head(self, header: JsonObject) -> JsonObject:
        """Return a record's header with `key` and `signature` in its `head`.

        The signature covers the canonical JSON of the whole header without `signature`.
        """
        head = {**header["head"], "key": self.id}
        named = {**header, "head": head}
        return {**named, "head": {**head, "signature": self.signature(canonical(named))}}


def key_id(public: bytes) -> str:
    """Return the id of the key with these public bytes."""
    return digest(public)[:16]


def id_of_public(public: object) -> str:
    """Return the id of the key with a public key in hex, as a file lists it; empty if it is not hex."""
    try:
        return key_id(unhex(public))
    except ValueError:
        return ""


def check_public_key(public: bytes) -> None:
    """Raise BadSignature unless these bytes can be a public key that `verify` accepts signatures of.

    Whether they encode a point of the curve at all is known only when a signature is checked.
    """
    _load_public(public)


def verify(public: bytes, signature: bytes, signed: bytes) -> None:
    """Check an Ed25519 signature (RFC 8032) of the bytes `signed`. Raises BadSignature.

    It also refuses public keys of small order, for which one signature can be valid for several messages;
    public keys that are not encoded canonically; S >= L, which would be a second signature for the same
    message; and an R that is of small order or not encoded canonically.
    """
    key = _load_public(public)
    if len(signature) != SIGNATURE_BYTES:
        raise BadSignature.with_message(
            "a signature has {expected} bytes, not {length}",
            expected=SIGNATURE_BYTES,
            length=len(signature),
        )
    if int.from_bytes(signature[PUBLIC_BYTES:], "little") >= _ORDER:
        raise BadSignature.with_message(
            "the signature is malleable: its S is not below the order of the group"
        )
    _check_point(signature[:PUBLIC_BYTES], _FAULTS_OF_R)
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        raise BadSignature.with_message("the signature does not match the content") from None


@lru_cache(_CACHED_KEYS)
def _load_public(public: bytes) -> Ed25519PublicKey:
    if len(public) != PUBLIC_BYTES:
        raise BadSignature.with_message(
            "a public key has {expected} bytes, not {length}",
            expected=PUBLIC_BYTES,
            length=len(public),
        )
    _check_point(public, _FAULTS_OF_KEYS)
    return Ed25519PublicKey.from_public_bytes(public)


def _check_point(point: bytes, faults: _PointFaults) -> None:
    """Raise BadSignature unless 32 bytes are an acceptable encoding of a point."""
    y = int.from_bytes(point, "little") & ~_SIGN_BIT
    if y >= _PRIME:
        raise BadSignature(faults.not_canonical)
    if y in _SMALL_ORDER:
        raise BadSignature(faults.small_order)


def not_hex() -> Message:
    """Return the fault of a signature or a public key that is not lowercase hex."""
    return message("the signature cannot be checked: it or its key is not in lowercase hex")


def ratings_payload(
    *,
    log: str,
    size: int,
    root: str,
    model: str,
    games: int,
    hash: str,
    excluded: Sequence[Mapping[str, Any]],
    at: str,
    club: str | None = None,
) -> JsonObject:
    """Return the payload of a signed statement about the ratings of a server, or in a club, without the key.

    The table follows by `model` from the games that count among the first `size` leaves of the log, whose
    tree has this root, without the `excluded` games. `hash` is the hash of line `games`, the last line of the
    history of the ratings.
    """
    of_club = {} if club is None else {"club": club}
    return {
        **of_club,
        "sign": RATINGS_PAYLOAD,
        "log": log,
        "size": size,
        "root": root,
        "model": model,
        "games": games,
        "hash": hash,
        "excluded": list(excluded),
        "at": at,
    }


def tournament_receipt_payload(
    tournament: str, seq: int, hash: str, player: str, at: str
) -> JsonObject:
    """Return the payload of the receipt for a player's place in a tournament after event `seq`."""
    return {
        "sign": TOURNAMENT_RECEIPT_PAYLOAD,
        "tournament": tournament,
        "seq": seq,
        "hash": hash,
        "player": player,
        "at": at,
    }


def shown_head_payload(game_id: str, seq: int, hash: str, shown_at: str) -> JsonObject:
    """Return the payload of the statement that event `seq` was the last one of a game at a time."""
    return {
        "sign": SHOWN_HEAD_PAYLOAD,
        "game": game_id,
        "seq": seq,
        "hash": hash,
        "shown_at": shown_at,
    }


def check_signed(signed: JsonObject, keys: Iterable[JsonObject]) -> None:
    """Check the signature of a result of `SigningKey.sign`, such as a receipt, against public keys.

    Raises BadSignature.
    """
    unsigned = {name: value for name, value in signed.items() if name != "signature"}
    _check(unsigned, signed.get("key"), signed.get("signature"), keys)


def check_head(header: JsonObject, keys: Iterable[JsonObject]) -> None:
    """Check the signature in a record's header against public keys. Raises BadSignature."""
    head = header["head"]
    unsigned = {name: value for name, value in head.items() if name != "signature"}
    _check({**header, "head": unsigned}, head.get("key"), head.get("signature"), keys)


def _check(
    unsigned: JsonObject, key: object, signature: object, keys: Iterable[JsonObject]
) -> None:
    entry = next((entry for entry in keys if entry["key"] == key), None)
    if entry is None:
        raise BadSignature.with_message(
            "the signing key {key} is not in the list of keys", key=str(key)
        )
    try:
        public, signature_bytes = unhex(entry["public"]), unhex(signature)
    except ValueError:
        raise BadSignature(not_hex()) from None
    if key_id(public) != key:
        raise BadSignature.with_message(
            "the public key listed as {key} has another id", key=str(key)
        )
    try:
        verify(public, signature_bytes, canonical(unsigned))
    except BadSignature as bad:
        raise BadSignature.with_message(
            "key {key}: {reason}", key=str(key), reason=bad.message
        ) from None
