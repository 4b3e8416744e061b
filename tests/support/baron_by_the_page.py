"""The set-up of Baron drawn by docs/formats.md alone: chance and set-up written down a second time.

Nothing of the program is in it, so that the program's set-ups can be held against it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeVar

T = TypeVar("T")

BOX: Final = {
    "meadow": (28, 0),
    "village": (6, 3),
    "field": (6, 2),
    "forest": (6, 2),
    "vineyard": (6, 1),
    "quarry": (6, 1),
    "pond": (6, 1),
    "marsh": (6, -1),
    "cursed_place": (3, -2),
}
"""Of each kind how many there are, and what one is worth (BN-MAT-1)."""


@dataclass(frozen=True)
class SetUp:
    """What is drawn before anybody plays. `returned`: start tiles that went back into the pile."""

    reserves: list[list[str]]
    removed: list[str]
    market: list[str]
    start: str
    pile: list[str]
    returned: list[str]


def words(seed: bytes) -> Iterator[int]:
    """The stream as numbers of eight bytes."""
    counter = 0
    while True:
        block = sha256(seed + counter.to_bytes(8, "big")).digest()
        for place in range(0, 32, 8):
            yield int.from_bytes(block[place : place + 8], "big")
        counter += 1


def below(stream: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1."""
    return next(word % n for word in stream if word < 2**64 - 2**64 % n)


def shuffled(stream: Iterator[int], things: list[T]) -> list[T]:
    """Swaps from the last place down to the second."""
    things = things.copy()
    for i in reversed(range(1, len(things))):
        j = below(stream, i + 1)
        things[i], things[j] = things[j], things[i]
    return things


def set_up(seats: int, seed: bytes) -> SetUp:
    """The whole set-up from a seed, of a game whose seats are not drawn."""
    stream = words(seed)
    left = [kind for kind, (count, _) in BOX.items() for _ in range(count)]

    kinds = shuffled(stream, ["vineyard", "quarry", "pond"])
    dealt = shuffled(stream, (kinds * 2)[:seats])
    for kind in dealt:
        left.remove(kind)
        left.remove("meadow")

    removed = []
    if seats == 5:
        ones = [kind for kind in left if kind in kinds]
        removed = ["meadow", ones[below(stream, len(ones))]]
        for kind in removed:
            left.remove(kind)

    pile = shuffled(stream, left)
    market, start, pile = pile[:3], pile[3], pile[4:]
    returned = []
    while BOX[start][1] < 0:
        following, pile = pile[0], pile[1:]
        middle = len(pile) // 2
        pile = [*pile[:middle], start, *pile[middle:]]
        returned.append(start)
        start = following
    reserves = [sorted(["meadow", kind]) for kind in dealt]
    return SetUp(reserves, removed, market, start, pile, returned)
