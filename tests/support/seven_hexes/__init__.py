"""Seven Hexes: a tiny rule system outside `domain`, for tests of everything that handles any game.

Two seats claim hexes of a board of seven in turn, three times each, with the cards field (1), forest (2) and
mountain (3). A claim scores its card, and 1 for each hex of the same seat beside it. There are no secrets.
`registration` adds the game to the registry.
"""

from typing import Final

from tests.support.seven_hexes.bots import BOTS
from tests.support.seven_hexes.formats import (
    ACTIONS,
    EVENTS,
    OPTIONS,
    POSITION,
    STANDING,
)
from tests.support.seven_hexes.presentation import (
    CLAUSES,
    DESCRIPTION,
    LABELS,
    LESSONS,
    OPTION_FIELDS,
    OUT_CLAUSES,
    QUESTIONS,
    SCORE_NAME,
    TITLE,
    actions_at_any_time,
    attempt,
    choice_message,
    choices,
    event_message,
    explain,
    position,
    preview,
    scene,
)
from tests.support.seven_hexes.rules import (
    action_text,
    action_to_json,
    apply,
    apply_redraw,
    check_options,
    copy,
    decide,
    finish,
    forfeit,
    infer_secrets,
    initial_state,
    legal_actions,
    parse_action,
    parse_action_text,
    redraw,
    remove,
    score_changes,
    set_up,
    set_up_faults,
    standings,
)

__all__ = [
    "ACTIONS",
    "BOTS",
    "CLAUSES",
    "DESCRIPTION",
    "EVENTS",
    "LABELS",
    "LESSONS",
    "NAME",
    "OPTIONS",
    "OPTION_FIELDS",
    "OUT_CLAUSES",
    "POSITION",
    "QUESTIONS",
    "SCORE_NAME",
    "STANDING",
    "TITLE",
    "action_text",
    "action_to_json",
    "actions_at_any_time",
    "apply",
    "apply_redraw",
    "attempt",
    "check_options",
    "choice_message",
    "choices",
    "copy",
    "decide",
    "event_message",
    "explain",
    "finish",
    "forfeit",
    "infer_secrets",
    "initial_state",
    "legal_actions",
    "parse_action",
    "parse_action_text",
    "position",
    "preview",
    "redraw",
    "remove",
    "scene",
    "score_changes",
    "set_up",
    "set_up_faults",
    "standings",
]

NAME: Final = "seven_hexes"
