"""Barony for 2 to 4 players: clauses BY of docs/rules.md. The contract's names, each from its file.

The expansion is a rule system of its own (`sorcery`), made of these files. From it comes only the form of
actions, since a cast is of the form in every game; without the expansion the rules refuse it.

The board is laid in `laying`, `state` and `position` hold and show where things are, `decide` judges with a
file for each group of actions, `apply` writes what was recorded, `course` knows whose turn comes next.
"""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.apply import apply
from domain.barony.board import Board
from domain.barony.bots import BOTS
from domain.barony.clauses import CLAUSES
from domain.barony.decide import decide, forfeit, remove
from domain.barony.event_text import event_text
from domain.barony.explain import explain
from domain.barony.laying import lay_board
from domain.barony.legal import legal_actions
from domain.barony.options import check_options
from domain.barony.position import position
from domain.barony.scene import scene
from domain.barony.scoring import finish, standings
from domain.barony.sorcery.action_json import action_to_json, parse_action
from domain.barony.sorcery.action_text import action_text, parse_action_text
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, Json

__all__ = [
    "BOTS",
    "CLAUSES",
    "NAME",
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
    "initial_state",
    "legal_actions",
    "parse_action",
    "parse_action_text",
    "position",
    "remove",
    "scene",
    "set_up",
    "standings",
]

NAME: Final = "barony"


def set_up(seats: int, options: Json, chance: Chance) -> DomainEvent:
    """BY-SET-1, 2: the board, drawn and laid."""
    board = Board(lay_board(seats, chance))
    return DomainEvent("GameStarted", {"board": board.cells, "spells": []})


def initial_state(seats: int, options: Json, data: Json, opened: Mapping[str, Any]) -> State:
    """The state in which seat 0 is to place the first city (BY-SET-3); there are no secrets."""
    state = State(Board.from_json(data["board"]), seats)
    state.round_limit = options["round_limit"]
    state.end_by_agreement = options["end_by_agreement"]
    return state


def copy(state: State) -> State:
    """A state that may be changed without changing this one; the board is shared."""
    return state.copy()
