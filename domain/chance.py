"""Chance: every random choice of a game is drawn from one seed that the server and the players contribute to.

The first event of a game names the version of the seed. The stream of bytes is SHA-256(seed ‖ 64-bit
big-endian counter) for counter 0, 1, 2 …; docs/formats.md, Chance, defines it with test vectors. The order in
which a game draws is part of its rules.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, Literal, TypeAlias, TypeVar

from domain.errors import Malformed
from domain.messages import Message, message

T = TypeVar("T")

SeedVersion: TypeAlias = Literal[1, 2]
FIRST_SEED_VERSION: Final = 1
"""The version of games whose first event names none."""
SEED_VERSION: Final = 2
"""The version of new games."""
MAX_NONCE_BYTES: Final = 64
_WORD = 8
_RANGE = 1 << 64


def commitment(secret: bytes) -> str:
    """The SHA-256 of a game's 32-byte secret, in hex, which is published before any player adds a nonce."""
    return sha256(secret).hexdigest()


def nonce_too_long(nonce: bytes) -> Message:
    """The fault of a nonce of more than `MAX_NONCE_BYTES` bytes."""
    return message(
        "must have at most {most} bytes, not {length}", most=MAX_NONCE_BYTES, length=len(nonce)
    )


def seed(secret: bytes, nonces: Iterable[bytes], version: SeedVersion = SEED_VERSION) -> bytes:
    """The 32 bytes from which everything is drawn.

    In version 1, `nonces` are those of the players at the start, in the order of joining. In version 2, they
    are those of all players who ever took a place, in the order of the log, and empty ones add nothing.
    Raises Malformed for one of more than 64 bytes.
    """
    if version == FIRST_SEED_VERSION:
        return sha256(b"cartulary seed v1" + secret + _with_lengths(nonces)).digest()
    supplied = (nonce for nonce in nonces if nonce)
    return sha256(b"cartulary seed v2" + secret + _with_lengths(supplied)).digest()


def resumed_seed(seed: bytes, number: int, nonces: Iterable[bytes]) -> bytes:
    """The 32 bytes from which everything is drawn when play resumes, with seed version 2.

    `number` counts the resumptions of the game from 1; `nonces` are those of the events that led to this one,
    in the order of the log. Raises Malformed for one of more than 64 bytes.
    """
    label = b"cartulary resume v2"
    return sha256(label + seed + number.to_bytes(8, "big") + _with_lengths(nonces)).digest()


def first_resumed_seed(seed: bytes, previous_hash: bytes) -> bytes:
    """The 32 bytes from which everything is drawn when play resumes, with seed version 1.

    `previous_hash` is `prev` of `PlayResumed`.
    """
    return sha256(b"cartulary resume v1" + seed + previous_hash).digest()


def check_nonce(nonce: bytes) -> None:
    """Raise Malformed for a nonce of more than 64 bytes."""
    if len(nonce) > MAX_NONCE_BYTES:
        raise Malformed({"nonce": nonce_too_long(nonce)})


def _with_lengths(nonces: Iterable[bytes]) -> bytes:
    """The nonces, each after one byte with its length. Raises Malformed."""
    parts = bytearray()
    for nonce in nonces:
        check_nonce(nonce)
        parts += bytes([len(nonce)]) + nonce
    return bytes(parts)


class Chance:
    """The stream of draws from one seed. Every draw advances it; equal seeds give equal draws."""

    __slots__ = ("_buffer", "_counter", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._counter = 0
        self._buffer = b""

    def _word(self) -> int:
        if not self._buffer:
            self._buffer = sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
        word, self._buffer = self._buffer[:_WORD], self._buffer[_WORD:]
        return int.from_bytes(word, "big")

    def below(self, n: int) -> int:
        """A uniform draw from 0..n-1 (n ≥ 1); words in the last, incomplete run of n are rejected."""
        if n < 1:
            raise ValueError(f"below({n}): n must be at least 1")
        limit = _RANGE - _RANGE % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """A new list with the items in random order: Fisher–Yates from the last index down to 1."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result
