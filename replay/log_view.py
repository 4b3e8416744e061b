"""The log for people: one line an event, with seq, time, who, and what it says."""

from collections.abc import Iterator
from typing import Final

from domain.event import Event, recorded_data
from ledger.record import Record
from replay.inspect import when, who_style
from replay.render.styles import DIM, Styler
from replay.render.text_layout import clean
from replay.timeline import reading, steps

_ROOM: Final = 24
"""Columns for the name at most; a longer one moves its own line."""


def chronicle(record: Record, styler: Styler) -> Iterator[str]:
    """The lines, in order. Raises Unreadable when it gets to an event that cannot be read."""
    width = len(str(len(record.events)))
    room = min(max((len(_name(event)) for event in record.events), default=0), _ROOM)
    for step in steps(record):
        event = step.event
        name = _name(event)
        with reading(event["seq"]):
            text = step.after.rules.event_text(event["type"], recorded_data(event))
        seq = styler(f"{event['seq']:>{width}}", DIM)
        padded = styler(name, who_style(event)) + " " * (room - len(name))
        yield f"{seq}  {when(event)[:-4]}  {padded}  {clean(text)}"


def _name(event: Event) -> str:
    ((kind, which),) = event["by"].items()
    return clean(f"{kind} {which}" if kind == "seat" else str(which))
