"""The arithmetic of estimates from playouts: shares with their margins, and the difference of two actions.

Sums are integers. What is computed from them uses only operations that IEEE 754 rounds exactly (+, −, ×, ÷
and the square root), so that every machine gets the same digits; `sum` of floats would not, from one version
of Python to the next.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from domain.playouts import WHOLE

PLAYOUTS_A_PSEUDO_PLAYOUT: Final = 3
"""The number of playouts for which one with equal shares is added. Players are not the bots that play them
out, so even many playouts that end alike leave a doubt.
"""
ONE_SIDED_95: Final = 1.64
TWO_SIDED_95: Final = 1.96
DIGITS: Final = 4


def rounded(value: float) -> float:
    """Return a share as it is written."""
    return round(value, DIGITS) + 0.0


def total(values: Iterable[float]) -> float:
    """Return the sum, added from left to right."""
    result = 0.0
    for value in values:
        result += value
    return result


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """The share of one seat, with the margin of its interval at a confidence of 95 %."""

    share: float
    margin: float


def share_estimates(
    playouts: Sequence[Sequence[int]], in_game: Sequence[int]
) -> list[ShareEstimate]:
    """Return the share of each seat from the results of playouts (at least one), and the pseudo-playouts."""
    pseudo = max(1, len(playouts) // PLAYOUTS_A_PSEUDO_PLAYOUT)
    count = len(playouts) + pseudo
    seats = len(playouts[0])
    result = []
    for seat in range(seats):
        shares = [playout[seat] for playout in playouts]
        equal = WHOLE // len(in_game) if seat in in_game else 0
        sum_of_shares = sum(shares) + pseudo * equal
        sum_of_squares = sum(share * share for share in shares) + pseudo * equal * equal
        # The variance of the mean, times count² × WHOLE², stays an integer up to here.
        spread = count * sum_of_squares - sum_of_shares * sum_of_shares
        deviation = sqrt(spread / (count - 1)) / count / WHOLE
        result.append(
            ShareEstimate(rounded(sum_of_shares / count / WHOLE), rounded(TWO_SIDED_95 * deviation))
        )
    return result


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one action is better than another one, from playouts in pairs that start alike."""

    mean: float
    error: float
    """The standard error of the mean."""
    pairs: int

    @property
    def least(self) -> float:
        """The difference that is exceeded with a confidence of 95 %."""
        return self.mean - ONE_SIDED_95 * self.error

    @property
    def most(self) -> float:
        """The difference that is not exceeded with a confidence of 95 %."""
        return self.mean + ONE_SIDED_95 * self.error


def difference(one: Sequence[int], other: Sequence[int]) -> Difference:
    """Return how much greater the first shares are than the second ones, pair by pair; two pairs at least."""
    count = len(one)
    changes = [a - b for a, b in zip(one, other, strict=True)]
    sum_of_changes = sum(changes)
    # Two pseudo-pairs, a win and a loss, keep the error of a few equal pairs from being nothing.
    sum_of_squares = sum(change * change for change in changes) + 2 * WHOLE * WHOLE
    count_with_pseudo = count + 2
    spread = count_with_pseudo * sum_of_squares - sum_of_changes * sum_of_changes
    error = sqrt(spread / (count_with_pseudo - 1)) / count_with_pseudo / WHOLE
    return Difference(sum_of_changes / count / WHOLE, error, count)
