"""The log as text: one line per event with its seq, its time, its actor and what happened."""

from collections.abc import Iterator
from typing import Final

from domain.event import Event, recorded_data
from ledger.record import Record
from replay.inspect import actor_style, time_text
from replay.render.styles import DIM, Styler
from replay.render.text_layout import clean
from replay.timeline import steps, unreadable_on_error

_WIDEST_ACTOR: Final = 24
"""Columns for actors; a longer name shifts the rest of its line."""


def log_lines(record: Record, styler: Styler) -> Iterator[str]:
    """Yield the lines in order. Raises Unreadable at the first event that cannot be read."""
    seq_width = len(str(len(record.events)))
    actor_width = min(
        max((len(_actor(event)) for event in record.events), default=0), _WIDEST_ACTOR
    )
    for step in steps(record):
        event = step.event
        actor = _actor(event)
        with unreadable_on_error(event["seq"]):
            text = step.after.rules.event_text(event["type"], recorded_data(event))
        seq = styler(f"{event['seq']:>{seq_width}}", DIM)
        padded = styler(actor, actor_style(event)) + " " * (actor_width - len(actor))
        yield f"{seq}  {time_text(event)[:-4]}  {padded}  {clean(text)}"


def _actor(event: Event) -> str:
    ((kind, name),) = event["by"].items()
    return clean(f"{kind} {name}" if kind == "seat" else str(name))
