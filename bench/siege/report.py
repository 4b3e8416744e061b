"""The table of a siege, as Markdown or for a terminal."""

from collections.abc import Collection, Sequence
from typing import Final

from bench.siege.measurement import Measurement, of_kind
from bench.siege.players import Kind
from bench.siege.traffic import Outcome

SHOWN_FAILURES: Final = 3
NEW_CONNECTIONS: Final = "… on new connections"
HEADINGS: Final = (
    "attack",
    "sent",
    "what became of it",
    "players' p50 without → with",
    "players' p99 without → with",
    "503s (slowest)",
    "failed",
    "memory of the web processes",
    "normal after",
    "slowest /healthz, /readyz",
    "attacker's CPU",
    "",
)


def markdown_head() -> str:
    """Return the first two lines of the Markdown table."""
    return f"{_markdown_line(HEADINGS)}\n{_markdown_line(['---'] * len(HEADINGS))}"


def markdown_rows(measurement: Measurement) -> str:
    """Return the two lines of an attack in the Markdown table: players on kept and on new connections."""
    return "\n".join(map(_markdown_line, (_cells(measurement), _fresh_cells(measurement))))


def text_row(measurement: Measurement) -> str:
    """Return the figures of an attack as a block of lines for a terminal."""
    name, *cells, _ = _cells(measurement)
    _, *fresh_cells, _ = _fresh_cells(measurement)
    width = max(map(len, HEADINGS))
    lines = [
        f"    {heading:<{width}}  {cell}"
        for heading, cell in zip(HEADINGS[1:-1], cells, strict=True)
    ]
    lines.append(f"    {NEW_CONNECTIONS}")
    lines += [
        f"    {heading:<{width}}  {cell}"
        for heading, cell in zip(HEADINGS[1:-1], fresh_cells, strict=True)
        if cell
    ]
    mark = _mark(measurement.missed_aims())
    missed = measurement.missed_aims()
    if missed:
        lines.append(f"    {'missed':<{width}}  {', '.join(missed)}")
    lines += [
        f"    {'failure':<{width}}  {failure.kind}: {failure.detail}"
        for failure in measurement.failures[:SHOWN_FAILURES]
    ]
    return "\n".join([f"{mark} {name}", *lines])


def summary(measurements: Sequence[Measurement]) -> str:
    """Return one sentence on how many attacks met their aims."""
    missed = [measurement.name for measurement in measurements if measurement.missed_aims()]
    text = f"{len(measurements) - len(missed)} of {len(measurements)} attacks met every aim"
    return f"{text}; missed: {', '.join(missed)}" if missed else text


def _cells(measurement: Measurement) -> list[str]:
    normal = measurement.seconds_to_normal
    fresh_failures = of_kind(measurement.failures, "fresh play")
    missed = set(measurement.missed_aims()) - set(measurement.missed_times("fresh play"))
    return [
        measurement.name,
        _sent(measurement.outcome),
        _became(measurement),
        _change(measurement, 0.5, "play"),
        _p99(measurement),
        _refused(measurement, "play"),
        str(len(measurement.failures) - len(fresh_failures)),
        _memory(measurement),
        "not in time" if normal is None else f"{normal:.1f} s",
        f"{_slowest(measurement, '/healthz')}, {_slowest(measurement, '/readyz')}",
        f"{100 * measurement.outcome.cpu_seconds / measurement.seconds:.0f} %",
        _mark(missed),
    ]


def _fresh_cells(measurement: Measurement) -> list[str]:
    """Return the cells for the players who open a connection for each request."""
    failures = of_kind(measurement.failures, "fresh play")
    slowest = measurement.latency(1.0, measurement.during, "fresh play")
    return [
        NEW_CONNECTIONS,
        "",
        f"{_count(len(of_kind(measurement.during, 'fresh play', 'served')), 'request')} served",
        _change(measurement, 0.5, "fresh play"),
        f"{_change(measurement, 0.99, 'fresh play')}, slowest {_ms(slowest)}",
        _refused(measurement, "fresh play"),
        str(len(failures)),
        *("", "", "", ""),
        _mark([*measurement.missed_times("fresh play"), *failures]),
    ]


def _mark(missed: Collection[object]) -> str:
    return "✗" if missed else "✓"


def _change(measurement: Measurement, share: float, kind: Kind) -> str:
    """Return a percentile of the latency without and with the attack."""
    quiet = measurement.latency(share, measurement.quiet, kind)
    during = measurement.latency(share, measurement.during, kind)
    return f"{_ms(quiet)} → {_ms(during)}"


def _refused(measurement: Measurement, kind: Kind) -> str:
    refusals = measurement.refusals(kind)
    return f"{len(refusals)} ({_ms(max(refusals))})" if refusals else "0"


def _p99(measurement: Measurement) -> str:
    text = _change(measurement, 0.99, "play")
    if measurement.measured_p99s:
        text += f" (median of {', '.join(map(_ms, measurement.measured_p99s))})"
    return text


def _memory(measurement: Measurement) -> str:
    before, peak = _mib(measurement.memory_before), _mib(measurement.memory_peak)
    return f"{before} → {peak} MiB ({measurement.memory_ratio:.2f}×)"


def _sent(outcome: Outcome) -> str:
    return (
        f"{_count(outcome.connections, 'connection')}, {_count(outcome.requests, 'request')},"
        f" {outcome.bytes_sent / 1000:,.0f} kB"
    )


def _became(measurement: Measurement) -> str:
    """Describe the responses and what happened to the connections, and how the service reported it."""
    outcome = measurement.outcome
    parts = [f"{status} × {count:,}" for status, count in sorted(outcome.statuses.items())]
    if outcome.not_connected:
        parts.append(f"{outcome.not_connected:,} not connected")
    if outcome.closed_by_server:
        parts.append(f"{outcome.closed_by_server:,} closed by the server")
    if outcome.open_at_end:
        parts.append(f"{outcome.open_at_end:,} open at the end")
    if outcome.notifications:
        parts.append(f"{_count(outcome.notifications, 'notification')} received")
    if closed := of_kind(measurement.during, "play", "closed"):
        parts.append(f"{_count(len(closed), 'idle connection')} of players closed")
    not_ready = of_kind(measurement.during, "/readyz", "refused")
    if not_ready:
        first = min(sample.start + sample.seconds for sample in not_ready)
        parts.append(f"/readyz 503 after {first - measurement.attack_start:.1f} s")
    ends = [s.seconds for s in of_kind((*measurement.during, *measurement.after), "end of game")]
    if ends:
        parts.append(f"games ended within {max(ends):.1f} s")
    return ", ".join(parts) or "nothing"


def _slowest(measurement: Measurement, kind: Kind) -> str:
    return _ms(max((s.seconds for s in of_kind(measurement.during, kind)), default=float("inf")))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _ms(seconds: float) -> str:
    return "none" if seconds == float("inf") else f"{1000 * seconds:,.0f} ms"


def _mib(size: int) -> str:
    return f"{size / 2**20:,.0f}"


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
