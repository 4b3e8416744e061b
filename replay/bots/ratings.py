"""Ratings of players from the games between them, with margins of error.

The model is that of Bradley and Terry: the odds that one player beats another are the ratio of their
strengths. It is fitted to all comparisons of two players in the same game, of which a tie counts half for
each. Ratings are on the scale of Elo, where 400 points are odds of 10 to 1, and their mean is 1500.

Each player also has one tied game against a player of mean strength, so that the ratings of a player who has
won every game stay finite.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Final

MEAN_RATING: Final = 1500.0
POINTS_A_LOGIT: Final = 400 / log(10)
"""Points on the scale of Elo for a factor of e in the odds."""
NORMAL_95: Final = 1.959964
"""The half width, in standard errors, of an interval with a confidence of 95 %."""
MAX_STEPS: Final = 100
PRECISION: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of a player. The true one is within the margin with a confidence of 95 %."""

    points: float
    margin: float


def ratings(players: Sequence[str], results: Mapping[tuple[str, str], float]) -> list[Rating]:
    """Return the rating of each player.

    `results` has, by the winner and the loser, how often the one was ahead of the other. A tie is half a
    result in each direction. Results may have weights.
    """
    index = {player: number for number, player in enumerate(players)}
    won = [[0.0] * len(players) for _ in players]
    for (winner, loser), count in results.items():
        won[index[winner]][index[loser]] += count
    strengths = [0.0] * len(players)
    for _ in range(MAX_STEPS):
        step = _solved(_information(won, strengths), _gradient(won, strengths))
        strengths = [strength + change for strength, change in zip(strengths, step, strict=True)]
        if max(map(abs, step)) < PRECISION:
            break
    mean = sum(strengths) / len(strengths)
    deviations = _deviations(_information(won, strengths))
    return [
        Rating(
            MEAN_RATING + POINTS_A_LOGIT * (strength - mean), NORMAL_95 * POINTS_A_LOGIT * deviation
        )
        for strength, deviation in zip(strengths, deviations, strict=True)
    ]


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the interval in which the true share of successes lies with a confidence of 95 % (Wilson)."""
    share, z2 = successes / trials, NORMAL_95**2
    center = share + z2 / (2 * trials)
    spread = NORMAL_95 * sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    low, high = (center - spread) / (1 + z2 / trials), (center + spread) / (1 + z2 / trials)
    return max(0.0, low), min(1.0, high)


def _expected(difference: float) -> float:
    """Return the share of games won by a player who is stronger by this many logits."""
    return 1 / (1 + exp(-difference))


def _gradient(won: Sequence[Sequence[float]], strengths: Sequence[float]) -> list[float]:
    """Return how many more results each player has won than expected."""
    return [
        0.5
        - _expected(own)
        + sum(
            won[player][other] - (won[player][other] + won[other][player]) * _expected(own - theirs)
            for other, theirs in enumerate(strengths)
            if other != player
        )
        for player, own in enumerate(strengths)
    ]


def _information(won: Sequence[Sequence[float]], strengths: Sequence[float]) -> list[list[float]]:
    """Return Fisher's information about the strengths."""
    size = range(len(strengths))
    matrix = [[0.0 for _ in size] for _ in size]
    for player in size:
        share = _expected(strengths[player])
        matrix[player][player] += share * (1 - share)
        for other in size:
            if other != player:
                share = _expected(strengths[player] - strengths[other])
                weight = (won[player][other] + won[other][player]) * share * (1 - share)
                matrix[player][player] += weight
                matrix[player][other] -= weight
    return matrix


def _deviations(information: Sequence[Sequence[float]]) -> list[float]:
    size = len(information)
    deviations = []
    for player in range(size):
        contrast = [(number == player) - 1 / size for number in range(size)]
        solved = _solved(information, contrast)
        deviations.append(sqrt(max(0.0, sum(a * b for a, b in zip(contrast, solved, strict=True)))))
    return deviations


def _solved(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Return the solution of a system of linear equations with a positive definite matrix."""
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    for number, row in enumerate(rows):
        for other in rows[number + 1 :]:
            factor = other[number] / row[number]
            for column in range(number, len(row)):
                other[column] -= factor * row[column]
    solution = [0.0] * len(rows)
    for number in reversed(range(len(rows))):
        solved_part = sum(
            rows[number][column] * solution[column] for column in range(number + 1, len(rows))
        )
        solution[number] = (rows[number][-1] - solved_part) / rows[number][number]
    return solution
