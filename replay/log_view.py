"""The log as text: one line per event with its seq, its time, its actor and what happened."""

from collections.abc import Iterator
from typing import Final

from domain.messages import message
from ledger.record import Record
from ledger.turn_clock import time_left_message
from replay.branches import superseded_events
from replay.event_filter import NO_FILTER, EventFilter
from replay.event_text import (
    actor_message,
    actor_style,
    outcome_message,
    remaining_milliseconds,
    scored_round_end,
    time_text,
)
from replay.language.renderer import Renderer
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text_layout import columns
from replay.timeline import Step, steps, unreadable_on_error

_WIDEST_ACTOR: Final = 24
"""Columns for actors; a longer name shifts the rest of its line."""


def filtered_steps(record: Record, event_filter: EventFilter) -> Iterator[Step]:
    """Yield the events that pass a filter, with the games around them. Raises Unreadable."""
    for step in steps(record):
        if event_filter.is_past(step.event):
            return
        if event_filter.matches(step, record.openings.get(step.event["seq"], {})):
            yield step


def log_lines(
    record: Record, renderer: Renderer, styler: Styler, event_filter: EventFilter = NO_FILTER
) -> Iterator[str]:
    """Yield the lines of the events that pass a filter, in order.

    After the outcome, a line states how much time was left of the turn, or how late the event was, and
    whether play has resumed from an earlier event since. Raises Unreadable at the first event that cannot be
    read.
    """
    superseded = superseded_events(record)
    seq_width = len(str(len(record.events)))
    actors = {event["seq"]: renderer(actor_message(event)) for event in record.events}
    actor_width = min(max(map(columns, actors.values()), default=0), _WIDEST_ACTOR)
    for step in filtered_steps(record, event_filter):
        event = step.event
        with unreadable_on_error(event["seq"]):
            outcome = renderer(outcome_message(step.after.rules, event))
            remaining = remaining_milliseconds(step)
            round_end = scored_round_end(step)
        seq = styler(f"{event['seq']:>{seq_width}}", DIM)
        actor = actors[event["seq"]]
        padded = styler(actor, actor_style(event)) + " " * (actor_width - columns(actor))
        notes = []
        if remaining is not None:
            style = DIM if remaining > 0 else BOLD
            notes.append(styler(renderer(time_left_message(remaining)), style))
        # A scored round belongs to the branch of the event that ended it.
        superseded_by = superseded.get(round_end or event["seq"])
        if superseded_by is not None:
            note = message("superseded by event {event}", event=superseded_by)
            notes.append(styler(renderer(note), BOLD))
        note_text = f"  ({', '.join(notes)})" if notes else ""
        time = time_text(event["at"]).removesuffix(" UTC")
        yield f"{seq}  {time}  {padded}  {outcome}{note_text}"
