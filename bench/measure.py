"""How a row of the table is measured: ours and the peer alternately, and a ratio for each pair of runs."""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

Workload: TypeAlias = Callable[[], int]
"""Does some work and returns how many units of it (events, actions, requests) it has done."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: the medians of our values and the peer's, and the ratio of each pair.

    `ours` and `theirs` are in `unit`; a row without a peer has no `theirs` and no `ratios`. `is_met` says
    whether the target is met, None if there is none.
    """

    label: str
    peer: str
    target: str
    ours: float
    theirs: float | None
    ratios: tuple[float, ...]
    unit: str
    is_met: bool | None


def limit_row(label: str, value: float, most: float, unit: str) -> Row:
    """Return the row of a value that has no peer, but an upper limit."""
    return Row(
        label=label,
        peer="none",
        target=f"≤ {most:g} {unit}",
        ours=value,
        theirs=None,
        ratios=(),
        unit=unit,
        is_met=value <= most,
    )


def latency_row(
    label: str, peer: str, latencies: Sequence[tuple[float, float]], most: float
) -> Row:
    """Return the row that compares latencies in seconds, ours and the peer's in turn, with an upper limit."""
    ratios = tuple(ours / theirs for ours, theirs in latencies)
    return Row(
        label=label,
        peer=peer,
        target=f"≤ {most:g}×",
        ours=median(ours for ours, _ in latencies) * 1000,
        theirs=median(theirs for _, theirs in latencies) * 1000,
        ratios=ratios,
        unit="ms",
        is_met=median(ratios) <= most,
    )


def measure_rate(workload: Workload) -> float:
    """Return the units per second of one run, with the garbage collector switched off."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    units = workload()
    seconds = time.perf_counter() - start
    gc.enable()
    return units / seconds


def compare(
    label: str,
    peer: str,
    ours: Workload,
    theirs: Workload,
    *,
    least: float,
    unit: str,
    pairs: int = 9,
) -> Row:
    """Measure two workloads alternately; our rate should be at least `least` times the peer's."""
    # The first pair warms the caches up.
    rates = [(measure_rate(ours), measure_rate(theirs)) for _ in range(pairs + 1)][1:]
    ratios = tuple(our_rate / their_rate for our_rate, their_rate in rates)
    return Row(
        label=label,
        peer=peer,
        target=f"≥ {least:g}×",
        ours=median(our_rate for our_rate, _ in rates),
        theirs=median(their_rate for _, their_rate in rates),
        ratios=ratios,
        unit=unit,
        is_met=median(ratios) >= least,
    )
