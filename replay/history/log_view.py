"""The log as text: one line per event with its seq, its time, its actor and its outcome."""

from collections.abc import Iterator
from typing import Final

from domain.messages import Message, message
from ledger.clock.turn_clock import duration_message, time_left_message
from ledger.commands import CLOCK
from ledger.record import Record
from replay.history.branches import superseded_events
from replay.history.event_filter import NO_FILTER, EventFilter
from replay.history.event_text import (
    actor_message,
    actor_style,
    has_clock_stopped,
    outcome_message,
    remaining_milliseconds,
    scored_round_end,
)
from replay.history.timeline import Transition, transitions, unreadable_on_error
from replay.language.renderer import Renderer
from replay.language.text_layout import clean, columns, wrap
from replay.language.times import clock_text
from replay.render.styles import BOLD, DIM, Styler

_WIDEST_ACTOR: Final = 24
"""The width of the column of actors; a longer name shifts the rest of its line."""
_NARROWEST_OUTCOME: Final = 24
"""The least width in which an outcome is beside its actor, or the actor beside the time."""
_INDENT: Final = 4
_GAP: Final = "  "
_SIGNED: Final = message("signed")


def filtered_steps(record: Record, event_filter: EventFilter) -> Iterator[Transition]:
    """Yield the events that pass a filter, with the games around them. Raises Unreadable."""
    for transition in transitions(record):
        if event_filter.is_past(transition.event):
            return
        if event_filter.matches(transition, record.openings.get(transition.event["seq"], {})):
            yield transition


def _time_left(transition: Transition, milliseconds: int) -> Message:
    """Return the time from an event to the deadline, or after it; the clock's delay is not the player's."""
    event = transition.event
    if has_clock_stopped(transition):
        return message("the clock stood still")
    if milliseconds <= 0 and event["by"] == CLOCK:
        return message("deadline + {time}", time=duration_message(-milliseconds))
    return time_left_message(milliseconds)


def log_lines(
    record: Record,
    renderer: Renderer,
    styler: Styler,
    event_filter: EventFilter = NO_FILTER,
    width: int | None = None,
) -> Iterator[str]:
    """Yield the lines of the events that pass a filter, in order.

    An event is one line, or several of at most `width` columns. The outcome is followed by the time that was
    left of the turn, or by the delay, and by a note if play has resumed from an earlier event since. Raises
    Unreadable at the first event that cannot be read.
    """
    superseded = superseded_events(record)
    seq_width = len(str(len(record.events)))
    actors = {event["seq"]: renderer(actor_message(event)) for event in record.events}
    actor_width = min(max(map(columns, actors.values()), default=0), _WIDEST_ACTOR)
    times = {event["seq"]: _time_columns(event["at"], renderer) for event in record.events}
    day_width, time_width = (
        max((columns(time[i]) for time in times.values()), default=0) for i in (0, 1)
    )
    for transition in filtered_steps(record, event_filter):
        event = transition.event
        with unreadable_on_error(event["seq"]):
            outcome = renderer(outcome_message(transition.after.rules, event, transition.after))
            remaining = remaining_milliseconds(transition)
            round_end = scored_round_end(transition)
        notes = []
        if remaining is not None:
            style = DIM if remaining > 0 else BOLD
            notes.append((renderer(_time_left(transition, remaining)), style))
        if "signature" in event or "prepared" in event:
            notes.append((renderer(_SIGNED), DIM))
        # A scored round belongs to the branch of the event that ended it.
        superseded_by = superseded.get(round_end or event["seq"])
        if superseded_by is not None:
            note = message("superseded by event {event}", event=superseded_by)
            notes.append((renderer(note), BOLD))
        day, time = times[event["seq"]]
        beginning = _Columns(styler)
        beginning.add(f"{event['seq']:>{seq_width}}", seq_width, DIM)
        beginning.add(day, day_width)
        beginning.add(time, time_width)
        actor = _Columns(styler)
        actor.add(actors[event["seq"]], actor_width, actor_style(event))
        ending = outcome + (f"  ({', '.join(note for note, _ in notes)})" if notes else "")
        yield from _lines(beginning, actor, ending, notes, styler, width)


class _Columns:
    """Styled texts beside each other."""

    def __init__(self, styler: Styler) -> None:
        self._styler = styler
        self.text = ""
        self.width = 0

    def add(self, text: str, width: int, style: str | None = None) -> None:
        """Add a text in a column of at least this width."""
        padding = max(0, width - columns(text))
        self.text += (text if style is None else self._styler(text, style)) + " " * padding + _GAP
        self.width += columns(text) + padding + len(_GAP)


def _lines(
    beginning: _Columns,
    actor: _Columns,
    ending: str,
    notes: list[tuple[str, str]],
    styler: Styler,
    width: int | None,
) -> Iterator[str]:
    """Yield the lines of an event: time, actor and outcome beside each other, or below where it is narrow."""
    first, indent = beginning.text + actor.text, beginning.width + actor.width
    if width is None:
        lines = [ending]
    else:
        if width - indent < _NARROWEST_OUTCOME:
            yield beginning.text.rstrip()
            first, indent = " " * _INDENT + actor.text, _INDENT + actor.width
        if width - indent < _NARROWEST_OUTCOME:
            yield first.rstrip()
            first, indent = " " * 2 * _INDENT, 2 * _INDENT
        lines = wrap(ending, width - indent, columns)
    for line in lines:
        styled = line
        for note, style in notes:
            styled = styled.replace(note, styler(note, style))
        yield first + styled
        first = " " * indent


def _time_columns(timestamp: str, renderer: Renderer) -> tuple[str, str]:
    try:
        return clock_text(timestamp, renderer.language, renderer.zone)
    except (ValueError, OverflowError):
        return clean(timestamp), ""
