"""The numbers by which a keyboard chooses what can be chosen on the page of a game."""

from itertools import count
from typing import Final

_FIGURES: Final = 10


def choice_numbers(cards: int, hexes: int) -> list[str]:
    """Return the numbers by which a keyboard chooses cards and hexes; none of them begins with another one.

    If there are more than nine, hexes have two figures or more, and cards one as long as possible.
    """
    total = cards + hexes
    if total < _FIGURES:
        return [str(number) for number in range(1, total + 1)]
    short = cards if cards < _FIGURES - 1 else 0
    rest = _FIGURES - 1 - short
    unit = next(10**power for power in count(1) if rest * 10**power >= total - short)
    first = (short + 1) * unit
    return [str(number) for number in (*range(1, short + 1), *range(first, first + total - short))]
