"""How a row is measured: ours and the peer in turns, each turn a pair, and of the pairs the ratio."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

Timed = Callable[[], int]
"""Does some work and says how many units of it (events, actions, requests) it did."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: rates in units per second, and ours over the peer's, pair by pair.

    `is_cost` turns the reading round: the figures are costs (seconds, bytes), and less is better.
    """

    what: str
    peer: str
    aim: str
    ours: float
    theirs: float | None
    ratios: tuple[float, ...]
    unit: str
    is_met: bool
    is_cost: bool = False


def rate(work: Timed) -> float:
    """Units per second of one run, the garbage collector out of the way for both alike."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    units = work()
    seconds = time.perf_counter() - start
    gc.enable()
    return units / seconds


def compared(
    what: str, peer: str, ours: Timed, theirs: Timed, *, least: float, unit: str, pairs: int = 9
) -> Row:
    """A row in which ours should reach `least` times the peer's rate."""
    rates = [(rate(ours), rate(theirs)) for _ in range(pairs + 1)][1:]  # the first pair warms up
    ratios = tuple(mine / other for mine, other in rates)
    return Row(
        what,
        peer,
        f"≥ {least:g}×",
        median(mine for mine, _ in rates),
        median(other for _, other in rates),
        ratios,
        unit,
        median(ratios) >= least,
    )
