"""Chance: every random choice of a game, drawn from one seed that both sides made.

The stream is SHA-256(seed ‖ 64-bit big-endian counter), counter 0, 1, 2 …; docs/formats.md, Chance, has
it in full with test vectors. The order in which a game draws is part of its rules.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

from domain.errors import Malformed

T = TypeVar("T")

SEED_LABEL = b"cartulary seed v1"
NONCE_BYTES_MOST = 64
_WORD = 8
_RANGE = 1 << 64


def commitment(secret: bytes) -> str:
    """What is published of a game's 32-byte secret before anyone adds a nonce: its SHA-256, in hex."""
    return sha256(secret).hexdigest()


def seed(secret: bytes, nonces: Iterable[bytes]) -> bytes:
    """The 32 bytes all draws come from, by the server's secret and the nonces in the order of joining.

    Raises Malformed for a nonce of more than 64 bytes.
    """
    digest = sha256(SEED_LABEL + secret)
    for nonce in nonces:
        if len(nonce) > NONCE_BYTES_MOST:
            raise Malformed({"nonce": f"{len(nonce)} bytes, of which 64 are the most"})
        digest.update(bytes([len(nonce)]) + nonce)
    return digest.digest()


class Chance:
    """The stream of draws from one seed. It moves on with every draw; equal seeds give equal draws."""

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
        """An even draw from 0..n-1 (n ≥ 1); words in the last, incomplete run of n are passed over."""
        if n < 1:
            raise ValueError(f"below({n}): there is nothing to draw from")
        limit = _RANGE - _RANGE % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """A new list with the items in drawn order: Fisher–Yates from the last index down to 1."""
        drawn = list(items)
        for i in range(len(drawn) - 1, 0, -1):
            j = self.below(i + 1)
            drawn[i], drawn[j] = drawn[j], drawn[i]
        return drawn
