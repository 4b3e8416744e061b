"""Barony for 2 to 4 players, clauses BY of docs/rules.md, as a rule system (`domain.contract`).

`formats` has the types of all JSON. `set_up` and `laying` draw and lay the board; `state` holds where things
are and `position` shows it; `decide` decides an action, with one file for each group of actions, and `legal`
lists the legal ones; `apply` writes a recorded event into a state; `turn_order` works out whose turn is next.
`choices` has the questions and choices that lead to an action, `choice_messages` puts them into words, and
`attempts` finds the action that any choice amounts to.

The expansion Sorcery is a rule system of its own in `domain.barony.sorcery`, which builds on these files.
Nothing here imports it. The form of its casts is defined here all the same, because a cast is a well-formed
action in every game of Barony: without Sorcery the rules refuse it (BS-SPL-1), not the parser.
"""

from typing import Final

from domain.barony.action_json import action_to_json, parse_action
from domain.barony.action_text import action_text, parse_action_text
from domain.barony.apply import apply
from domain.barony.attempts import attempt
from domain.barony.board_check import infer_secrets, set_up_faults
from domain.barony.choice_messages import choice_message
from domain.barony.choices import QUESTIONS, choices
from domain.barony.clauses import CLAUSES
from domain.barony.decide import actions_at_any_time, decide, forfeit, preview, remove
from domain.barony.event_messages import event_message
from domain.barony.explain import explain
from domain.barony.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.barony.labels import LABELS
from domain.barony.legal import legal_actions
from domain.barony.lessons import LESSONS
from domain.barony.option_fields import OPTION_FIELDS
from domain.barony.position import position
from domain.barony.scene import scene
from domain.barony.scoring import finish, standings
from domain.barony.set_up import apply_redraw, check_options, initial_state, redraw, set_up
from domain.barony.state import State
from domain.barony.strong_bot import BOTS
from domain.barony.terms import DESCRIPTION, TITLE
from domain.messages import Text, message_in

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
    "set_up",
    "set_up_faults",
    "standings",
]

NAME: Final = "barony"
SCORE_NAME: Final[Text] = message_in("label", "score")


copy = State.copy
