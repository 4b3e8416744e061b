"""Explanations of events of a record, as data and as text."""

from domain.json_types import JsonObject
from ledger.record import Record
from replay.event_text import Names
from replay.inspect import explain_event, record_context
from replay.inspect_page import explanation_page
from replay.render.styles import Styler
from replay.timeline import step_at

PLAIN = Styler(is_on=False)


def explain(record: Record, seq: int, *, lists_all_actions: bool = False) -> JsonObject:
    """Return the explanation of an event of a record."""
    step = step_at(record, seq)
    context = record_context(record, step.event)
    return explain_event(step, context, lists_all_actions=lists_all_actions)


def page(
    record: Record,
    seq: int,
    styler: Styler = PLAIN,
    width: int = 80,
    *,
    has_board: bool = True,
) -> str:
    """Return the explanation of an event of a record as text."""
    names = Names(record.names)
    rules = step_at(record, seq).after.rules
    return explanation_page(explain(record, seq), rules, names, styler, width, has_board=has_board)
