"""Signed notes (C2SP signed-note): a text signed by one or more keys, with one line for each signature.

Two types of signatures are supported: Ed25519 over the text, and the timestamped Ed25519 cosignature of a
checkpoint (C2SP tlog-cosignature, version 1). Signatures of other keys are kept and not checked, as the
specification requires.

    This is the text.

    — example.com/key ABCDEFGH… (base64 of the id of the key and the signature)
"""

import binascii
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, TypeAlias, cast

from typing_extensions import override

from domain.errors import CartularyError, Unreadable
from ledger.canonical import unhex
from ledger.keys import BadSignature, SigningKey
from ledger.keys import verify as verify_signature

ED25519: Final = 0x01
"""The type of an Ed25519 signature over the text."""
COSIGNATURE: Final = 0x04
"""The type of a timestamped Ed25519 cosignature of a checkpoint."""
KeyType: TypeAlias = Literal[0x01, 0x04]

MAX_NOTE_BYTES: Final = 1 << 18
MAX_SIGNATURES: Final = 100
MAX_NAME: Final = 200
"""Characters of the name of a key."""

_DASH: Final = "\N{EM DASH}"
_KEY_ID_BYTES: Final = 4
_TIMESTAMP_BYTES: Final = 8
_PUBLIC_BYTES: Final = 32


class UntrustedNote(CartularyError):
    """A note has no valid signature of a key that the reader trusts."""


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A public key with its name (a *vkey*)."""

    name: str
    type: KeyType
    public: bytes

    @property
    def id(self) -> bytes:
        """The id of the key: 4 bytes."""
        data = self.name.encode() + b"\n" + bytes([self.type]) + self.public
        return sha256(data).digest()[:_KEY_ID_BYTES]

    @property
    def short_name(self) -> str:
        """The name and the id of the key, by which errors name it: `example.com/key+1f2e3d4c`."""
        return f"{self.name}+{self.id.hex()}"

    @override
    def __str__(self) -> str:
        """The text form of the key: name, id and key, separated by plus signs."""
        return f"{self.short_name}+{_base64(bytes([self.type]) + self.public)}"

    @classmethod
    def parse(cls, text: str) -> "NoteKey":
        """Return the key that has this text form. Raises Unreadable."""
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise Unreadable.with_message(
                "a note key consists of a name, an id and a key, separated by +"
            )
        name, id_text, encoded = parts
        check_name(name)
        data = _unbase64(encoded)
        if len(data) != 1 + _PUBLIC_BYTES or data[0] not in (ED25519, COSIGNATURE):
            raise Unreadable.with_message("the note key is not an Ed25519 key or cosignature key")
        key = cls(name, cast("KeyType", data[0]), data[1:])
        try:
            stated = unhex(id_text)
        except ValueError:
            raise Unreadable.with_message("the id of the note key is not lowercase hex") from None
        if stated != key.id:
            raise Unreadable.with_message(
                "the note key has the id {id}, not {stated}", id=key.id.hex(), stated=id_text
            )
        return key

    def verify(self, text: str, signature: "NoteSignature") -> None:
        """Check a signature of this key under a text. Raises BadSignature."""
        signed, raw = text.encode(), signature.signature
        if self.type == COSIGNATURE:
            signed = cosigned_message(text, signature.timestamp)
            raw = raw[_TIMESTAMP_BYTES:]
        try:
            verify_signature(self.public, raw, signed)
        except BadSignature as bad:
            raise BadSignature.with_message(
                "key {key}: {reason}", key=self.short_name, reason=bad.message
            ) from None


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line. `signature` follows the id of the key; a cosignature begins with a timestamp."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def timestamp(self) -> int:
        """The timestamp of a cosignature in seconds since 1970. Raises BadSignature if it has none."""
        seconds = int.from_bytes(self.signature[:_TIMESTAMP_BYTES])
        if len(self.signature) <= _TIMESTAMP_BYTES or seconds >= 2**63:
            raise BadSignature.with_message(
                "the cosignature of {name} has no valid timestamp", name=self.name
            )
        return seconds

    @override
    def __str__(self) -> str:
        """The signature line, without its line feed."""
        return f"{_DASH} {self.name} {_base64(self.key_id + self.signature)}"

    @classmethod
    def parse(cls, line: str) -> "NoteSignature":
        """Return the signature in a line without its line feed. Raises Unreadable."""
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != _DASH:
            raise Unreadable.with_message(
                "a signature line consists of an em dash, a name and a signature"
            )
        _, name, encoded = parts
        check_name(name)
        data = _unbase64(encoded)
        if len(data) <= _KEY_ID_BYTES:
            raise Unreadable.with_message("the signature of {name} is too short", name=name)
        return cls(name, data[:_KEY_ID_BYTES], data[_KEY_ID_BYTES:])


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text, which ends with a line feed, and the signatures under it."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @override
    def __str__(self) -> str:
        """The whole note."""
        return self.text + "\n" + "".join(f"{signature}\n" for signature in self.signatures)

    @classmethod
    def parse(cls, note: str | bytes) -> "SignedNote":
        """Parse the text of a note. Raises Unreadable."""
        size = len(note) if isinstance(note, bytes) else len(note.encode(errors="replace"))
        if size > MAX_NOTE_BYTES:
            raise Unreadable.with_message(
                "the note has more than {most} bytes", most=MAX_NOTE_BYTES
            )
        try:
            whole = note.decode() if isinstance(note, bytes) else note
            whole.encode()
        except UnicodeError:
            raise Unreadable.with_message("the note is not UTF-8") from None
        if any(char < " " and char != "\n" for char in whole):
            raise Unreadable.with_message("the note contains a control character")
        text, blank_line, lines = whole.rpartition("\n\n")
        if not blank_line or not lines.endswith("\n"):
            raise Unreadable.with_message("the note has no signatures after a blank line")
        signature_lines = lines[:-1].split("\n")
        if len(signature_lines) > MAX_SIGNATURES:
            raise Unreadable.with_message(
                "the note has more than {most} signatures", most=MAX_SIGNATURES
            )
        return cls(text + "\n", tuple(map(NoteSignature.parse, signature_lines)))

    def verified_keys(self, keys: Iterable[NoteKey]) -> dict[NoteKey, NoteSignature]:
        """Return the keys, of these, that have signed the note, each with its first signature.

        Signatures of other keys are ignored. Raises BadSignature if a signature of one of these keys is not
        valid.
        """
        keys_by_id = {(key.name, key.id): key for key in keys}
        verified: dict[NoteKey, NoteSignature] = {}
        for signature in self.signatures:
            key = keys_by_id.get((signature.name, signature.key_id))
            if key is None or key in verified:
                continue
            key.verify(self.text, signature)
            verified[key] = signature
        return verified

    def check_signed_by(self, key: NoteKey) -> None:
        """Check that the note has a valid signature of a key. Raises BadSignature, UntrustedNote."""
        if not self.verified_keys([key]):
            raise UntrustedNote.with_message("the note is not signed by {key}", key=key.short_name)

    def with_signatures(self, signatures: Sequence[NoteSignature]) -> "SignedNote":
        """Return the note with further signatures. Each replaces an earlier signature of the same key."""
        merged = {(line.name, line.key_id): line for line in (*self.signatures, *signatures)}
        return replace(self, signatures=tuple(merged.values()))


def check_name(name: str) -> None:
    """Raise Unreadable unless a text can be the name of a key."""
    is_valid = (
        0 < len(name) <= MAX_NAME
        and "+" not in name
        and not any(char.isspace() or char < " " for char in name)
    )
    if not is_valid:
        raise Unreadable.with_message(
            "the name of a note key has 1 to {most} characters, no spaces and no plus signs",
            most=MAX_NAME,
        )


def note_key(name: str, key: SigningKey, type: KeyType = ED25519) -> NoteKey:
    """Return the public key, under this name, of a private key."""
    return NoteKey(name, type, bytes.fromhex(key.public))


def sign_text(text: str, name: str, key: SigningKey) -> NoteSignature:
    """Return the Ed25519 signature of a text, which ends with a line feed."""
    signature = bytes.fromhex(key.signature(text.encode()))
    return NoteSignature(name, note_key(name, key).id, signature)


def cosign_text(text: str, name: str, key: SigningKey, timestamp: int) -> NoteSignature:
    """Return the cosignature of the text of a checkpoint at a time in seconds since 1970."""
    signature = bytes.fromhex(key.signature(cosigned_message(text, timestamp)))
    return NoteSignature(
        name, note_key(name, key, COSIGNATURE).id, timestamp.to_bytes(_TIMESTAMP_BYTES) + signature
    )


def cosigned_message(text: str, timestamp: int) -> bytes:
    """Return the bytes that a cosignature of the text of a checkpoint signs."""
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _unbase64(text: str) -> bytes:
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data or _base64(data) != text:
        raise Unreadable.with_message("the signature or key is not base64")
    return data
