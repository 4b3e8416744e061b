"""Barony with Sorcery for 2 to 5 players, clauses BS of docs/rules.md, as a rule system (`domain.contract`).

The rules are those of the base game. Where the expansion changes something, it passes another table or
function to the base game's functions, or adds fields to its state, positions and events (`state`, `formats`).
`decide` has the tables of deciders and of action generators, and each family of spells has its own file.
"""

from collections.abc import Collection
from typing import Final

from domain.barony.action_text import action_text, parse_action_text
from domain.barony.actions import action_to_json, parse_action
from domain.barony.decide import actions_at_any_time, forfeit, remove
from domain.barony.set_up import apply_redraw, infer_secrets, redraw
from domain.barony.sorcery.bots import BOTS
from domain.barony.sorcery.choices import QUESTIONS, action_for_choice, choice_message, choices
from domain.barony.sorcery.clauses import CLAUSES, EXPLAINED_BY
from domain.barony.sorcery.components import DESCRIPTION, TITLE
from domain.barony.sorcery.decide import decide, legal_actions, preview
from domain.barony.sorcery.event_messages import event_message
from domain.barony.sorcery.explain import explain
from domain.barony.sorcery.features import FEATURES
from domain.barony.sorcery.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.barony.sorcery.lessons import LESSONS
from domain.barony.sorcery.playouts import PLAYOUTS
from domain.barony.sorcery.scene import LABELS, scene
from domain.barony.sorcery.set_up import check_options, initial_state, set_up, set_up_faults
from domain.barony.sorcery.state import (
    SorceryState,
    apply,
    finish,
    position,
    score_changes,
    standings,
)
from domain.barony.terms import OPTION_FIELDS
from domain.messages import Text, message_in

NAME: Final = "barony"
SCORE_NAME: Final[Text] = message_in("label", "score")
OUT_CLAUSES: Final[Collection[str]] = ("BY-END-6",)


copy = SorceryState.copy
