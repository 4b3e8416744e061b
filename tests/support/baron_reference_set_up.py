"""A second implementation of Baron's set-up, from docs/formats.md alone.

It uses no code of the program, so that the program's set-ups can be compared with it.
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
"""By kind, the number of tiles and the value of one (BN-MAT-1)."""


@dataclass(frozen=True)
class SetUp:
    """A set-up. `returned` are the negative tiles that went back into the pile."""

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


def shuffle(stream: Iterator[int], items: list[T]) -> list[T]:
    """Swap from the last index down to 1."""
    items = items.copy()
    for i in reversed(range(1, len(items))):
        j = below(stream, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def set_up(seats: int, seed: bytes) -> SetUp:
    """The set-up from a seed, if the seats are not drawn."""
    stream = words(seed)
    rest = [kind for kind, (count, _) in BOX.items() for _ in range(count)]

    kinds = shuffle(stream, ["vineyard", "quarry", "pond"])
    dealt = shuffle(stream, (kinds * 2)[:seats])
    for kind in dealt:
        rest.remove(kind)
        rest.remove("meadow")

    removed = []
    if seats == 5:
        ones = [kind for kind in rest if kind in kinds]
        removed = ["meadow", ones[below(stream, len(ones))]]
        for kind in removed:
            rest.remove(kind)

    pile = shuffle(stream, rest)
    market, start, pile = pile[:3], pile[3], pile[4:]
    returned = []
    while BOX[start][1] < 0:
        next_tile, pile = pile[0], pile[1:]
        middle = len(pile) // 2
        pile = [*pile[:middle], start, *pile[middle:]]
        returned.append(start)
        start = next_tile
    reserves = [sorted(["meadow", kind]) for kind in dealt]
    return SetUp(reserves, removed, market, start, pile, returned)
