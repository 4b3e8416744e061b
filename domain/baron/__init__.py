"""Baron for 2 to 5 players: clauses BN of docs/rules.md. The names of the contract, each from its module.

`formats` types the JSON; `set_up` deals and makes the first state; `state` holds where everything is, shows
it as a position, and applies recorded events. `legal` and `decide` apply the rules of a turn, `battles`
those of baronies and fights, `consequences` what these mean for the seats, and `turn_order` what comes next.
"""

from collections.abc import Collection, Sequence
from typing import Final

from domain.baron.actions import action_text, action_to_json, parse_action, parse_action_text
from domain.baron.bots import BOTS
from domain.baron.choices import (
    QUESTIONS,
    action_for_choice,
    actions_at_any_time,
    choice_message,
    choices,
    preview,
)
from domain.baron.clauses import CLAUSES, EXPLAINED_BY
from domain.baron.decide import decide, forfeit, remove
from domain.baron.event_messages import event_message
from domain.baron.explain import explain
from domain.baron.features import FEATURES
from domain.baron.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.baron.legal import legal_actions
from domain.baron.lessons import LESSONS
from domain.baron.playouts import PLAYOUTS
from domain.baron.scene import scene
from domain.baron.set_up import (
    apply_redraw,
    check_options,
    copy,
    infer_secrets,
    initial_state,
    redraw,
    set_up,
    set_up_faults,
)
from domain.baron.state import apply, position
from domain.baron.terms import DESCRIPTION, LABELS, TITLE
from domain.baron.turn_order import finish, score_changes, standings
from domain.messages import Text, message_in
from domain.option_fields import OptionField

NAME: Final = "baron"
OPTION_FIELDS: Final[Sequence[OptionField]] = ()
"""Baron has no options of its own."""
SCORE_NAME: Final[Text] = message_in("label", "honour")
OUT_CLAUSES: Final[Collection[str]] = ("BN-OUB-1", "BN-END-4")
