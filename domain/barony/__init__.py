"""Barony for 2 to 4 players: clauses BY of docs/rules.md. The contract's names, each from its file.

The board is laid in `laying`; `state` holds where things are and `position` shows it; `decide` decides an
action, with one file for each group of actions; `apply` writes a recorded event into a state; `turn_order`
works out whose turn comes next.

The expansion Sorcery is a rule system of its own in `domain.barony.sorcery`, which builds on these files.
Nothing here imports it. The form of its casts is defined here all the same, because a cast is a well-formed
action in every game of Barony: without Sorcery the rules refuse it (BS-SPL-1), not the parser.
"""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.action_json import action_to_json, parse_action
from domain.barony.action_text import action_text, parse_action_text
from domain.barony.apply import apply
from domain.barony.board import Board
from domain.barony.board_check import infer_secrets, set_up_faults
from domain.barony.bots import BOTS
from domain.barony.clauses import CLAUSES
from domain.barony.decide import decide, forfeit, remove
from domain.barony.event_text import event_text
from domain.barony.explain import explain
from domain.barony.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.barony.laying import lay_board
from domain.barony.legal import legal_actions
from domain.barony.options import check_options
from domain.barony.position import position
from domain.barony.scene import scene
from domain.barony.scoring import finish, standings
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions, untyped_event

__all__ = [
    "ACTIONS",
    "BOTS",
    "CLAUSES",
    "EVENTS",
    "NAME",
    "OPTIONS",
    "POSITION",
    "STANDING",
    "action_text",
    "action_to_json",
    "apply",
    "check_options",
    "copy",
    "decide",
    "event_text",
    "explain",
    "finish",
    "forfeit",
    "infer_secrets",
    "initial_state",
    "legal_actions",
    "parse_action",
    "parse_action_text",
    "position",
    "remove",
    "scene",
    "set_up",
    "set_up_faults",
    "standings",
]

NAME: Final = "barony"


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BY-SET-1, 2: the board, drawn and laid."""
    board = Board(lay_board(seats, chance))
    return untyped_event("GameStarted", {"board": board.cells, "spells": []})


def initial_state(seats: int, options: Any, data: Any, opened: Mapping[str, object]) -> State:
    """The state in which seat 0 is to place the first city (BY-SET-3); there are no secrets."""
    state = State(Board.from_json(data["board"]), seats)
    state.round_limit = options["round_limit"]
    state.end_by_agreement = options["end_by_agreement"]
    return state


copy = State.copy
