"""Rows on text: rendering the log of a game, and the reason for a refusal, in every language."""

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Final

from bench.measure import Row, limit_row
from bench.our_games import PlayedGame
from bench.record_rows import record_bytes
from domain.errors import Refused
from domain.messages import Text
from ledger.record import scan
from replay.history.log_view import log_lines
from replay.language.catalogue import languages
from replay.language.renderer import renderer
from replay.render.styles import Styler

RUNS: Final = 25
EVENTS: Final = 300
MOST_MILLISECONDS: Final = 30
MOST_MICROSECONDS: Final = 20


def measure(played: PlayedGame) -> Iterator[Row]:
    """Measure the rows of this group with a game of more than 300 events."""
    first = replace(played, events=played.events[:EVENTS], lines=played.lines[:EVENTS])
    record, _ = scan(io.BytesIO(record_bytes(first)))
    reasons = [*_reasons(played)]
    styler = Styler(is_on=False)
    for language in languages():
        render = renderer(language)

        def render_log() -> int:
            return len([*log_lines(record, render, styler)])  # noqa: B023 # called in this round

        def render_reasons() -> int:
            return len([render(reason) for reason in reasons])  # noqa: B023 # called in this round

        log = 1000 * EVENTS * _seconds_per_unit(render_log)
        yield limit_row(
            f"render the log of {EVENTS} events ({language})", log, MOST_MILLISECONDS, "ms"
        )
        reason = 1_000_000 * _seconds_per_unit(render_reasons)
        yield limit_row(
            f"render why an action is refused ({language})", reason, MOST_MICROSECONDS, "µs"
        )


def _reasons(played: PlayedGame) -> Iterator[Text]:
    """Yield why actions of other turns are refused in each turn."""
    for number, turn in enumerate(played.turns):
        other = played.turns[(7 * number) % len(played.turns)]
        try:
            turn.game.rules.decide(turn.game.state, turn.seat, other.action)
        except Refused as refusal:
            yield refusal.why


def _seconds_per_unit(workload: Callable[[], int]) -> float:
    """Return the median of several runs, after one that fills the caches."""
    workload()
    seconds = []
    for _ in range(RUNS):
        start = perf_counter()
        units = workload()
        seconds.append((perf_counter() - start) / units)
    return median(seconds)
