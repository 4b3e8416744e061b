"""Barony for 2 to 4 players, clauses BY of docs/rules.md, as a rule system (`domain.contract`).

`formats` has the types of all JSON. `set_up` draws and lays the board; `state` holds where things are, shows
them as a position, and applies recorded events; `decide` decides an action and lists the legal ones, with
one file for each group of actions; `turn_order` works out whose turn is next. `choices` has the questions
and choices that lead to an action, and puts them into words.

The expansion Sorcery is a separate rule system in `domain.barony.sorcery`, which builds on these files.
Nothing here imports it. The form of its casts is defined here all the same, because a cast is a well-formed
action in every game of Barony: without Sorcery the rules refuse it (BS-SPL-1), not the parser.
"""

from collections.abc import Collection
from typing import Final

from domain.barony.action_text import action_text, parse_action_text
from domain.barony.actions import action_to_json, parse_action
from domain.barony.bots import BOTS
from domain.barony.choices import QUESTIONS, action_for_choice, choice_message, choices
from domain.barony.clauses import CLAUSES, EXPLAINED_BY
from domain.barony.decide import (
    actions_at_any_time,
    decide,
    forfeit,
    legal_actions,
    preview,
    remove,
)
from domain.barony.event_messages import event_message
from domain.barony.explain import explain
from domain.barony.features import FEATURES
from domain.barony.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.barony.lessons import LESSONS
from domain.barony.playouts import PLAYOUTS
from domain.barony.scene import scene
from domain.barony.set_up import (
    apply_redraw,
    check_options,
    infer_secrets,
    initial_state,
    redraw,
    set_up,
    set_up_faults,
)
from domain.barony.state import State, apply, position
from domain.barony.terms import DESCRIPTION, LABELS, OPTION_FIELDS, TITLE
from domain.barony.turn_order import finish, score_changes, standings
from domain.messages import Text, message_in

NAME: Final = "barony"
SCORE_NAME: Final[Text] = message_in("label", "score")
OUT_CLAUSES: Final[Collection[str]] = ("BY-END-6",)


copy = State.copy
