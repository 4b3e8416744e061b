"""Chance: every random choice of a game is drawn from one seed that the server and the players contribute to.

The stream of bytes is SHA-256(seed ‖ 64-bit big-endian counter) for counter 0, 1, 2 …; docs/formats.md,
Chance, defines it with test vectors. The order in which a game draws is part of its rules.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

from domain.errors import Malformed
from domain.messages import Message, message

T = TypeVar("T")

SEED_LABEL = b"cartulary seed v1"
RESUMED_SEED_LABEL = b"cartulary resume v1"
MAX_NONCE_BYTES = 64
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


def seed(secret: bytes, nonces: Iterable[bytes]) -> bytes:
    """The 32 bytes from which everything is drawn.

    `nonces` are those of the players in the order of joining. Raises Malformed for one of more than 64 bytes.
    """
    digest = sha256(SEED_LABEL + secret)
    for nonce in nonces:
        if len(nonce) > MAX_NONCE_BYTES:
            raise Malformed({"nonce": nonce_too_long(nonce)})
        digest.update(bytes([len(nonce)]) + nonce)
    return digest.digest()


def resumed_seed(seed: bytes, previous_hash: bytes) -> bytes:
    """The 32 bytes from which everything is drawn anew when play resumes from an earlier position.

    `previous_hash` is `prev` of `PlayResumed`, which nobody can know before the ruling or the agreement.
    """
    return sha256(RESUMED_SEED_LABEL + seed + previous_hash).digest()


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
