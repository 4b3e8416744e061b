"""Baron for 2 to 5 players: clauses BN of docs/rules.md. The contract's names, each from its file.

`set_up` deals and begins, `state` and `position` hold and show where things are, `decide` judges with a
file for each part of a turn, `reckoning` knows what baronies and fights come to and `outcome` what that means
to the seats, `apply` writes what was recorded, `course` knows whose turn comes next.
"""

from typing import Final

from domain.baron.apply import apply
from domain.baron.bots import BOTS
from domain.baron.clauses import CLAUSES
from domain.baron.decide import decide, forfeit, remove
from domain.baron.explain import explain
from domain.baron.facts import fact_text
from domain.baron.form import as_json, parse
from domain.baron.legal import legal_actions
from domain.baron.notation import action_text, parse_action_text
from domain.baron.picture import scene
from domain.baron.position import position
from domain.baron.scoring import finish, standings
from domain.baron.set_up import begin, check_options, copy, set_up

__all__ = [
    "BOTS",
    "CLAUSES",
    "NAME",
    "action_text",
    "apply",
    "as_json",
    "begin",
    "check_options",
    "copy",
    "decide",
    "explain",
    "fact_text",
    "finish",
    "forfeit",
    "legal_actions",
    "parse",
    "parse_action_text",
    "position",
    "remove",
    "scene",
    "set_up",
    "standings",
]

NAME: Final = "baron"
