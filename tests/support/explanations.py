"""Explanations of events of a record, as data and as text."""

from domain.json_types import JsonObject
from ledger.record import Record
from replay.audit.signatures import is_signed_as_it_is
from replay.history.event_values import names_of
from replay.history.inspect import explain_event, record_context
from replay.history.inspect_page import explanation_page
from replay.history.log_view import log_lines
from replay.history.timeline import transition_at
from replay.language.catalogue import ENGLISH
from replay.language.renderer import Renderer, renderer
from replay.render.styles import Styler

PLAIN = Styler(is_on=False)


def renderer_of(record: Record, language: str = ENGLISH) -> Renderer:
    """Return a renderer with the names of the players of a record."""
    return renderer(language, names_of(record))


def explain(
    record: Record, seq: int, language: str = ENGLISH, *, lists_all_actions: bool = False
) -> JsonObject:
    """Return the explanation of an event of a record."""
    transition = transition_at(record, seq)
    return explain_event(
        transition,
        renderer_of(record, language),
        record_context(record, transition.event, is_signed_as_it_is=is_signed_as_it_is(record)),
        lists_all_actions=lists_all_actions,
    )


def log_of(record: Record, language: str = ENGLISH, styler: Styler = PLAIN) -> list[str]:
    """Return the log of a record as text."""
    return list(log_lines(record, renderer_of(record, language), styler))


def page(
    record: Record,
    seq: int,
    styler: Styler = PLAIN,
    width: int = 80,
    language: str = ENGLISH,
    *,
    has_board: bool = True,
) -> str:
    """Return the explanation of an event of a record as text."""
    return explanation_page(
        explain(record, seq, language),
        transition_at(record, seq).after.rules,
        renderer_of(record, language),
        styler,
        width,
        has_board=has_board,
    )
