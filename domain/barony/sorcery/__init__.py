"""Barony with Sorcery for 2 to 5 players: clauses BS of docs/rules.md.

The rules are those of the base game, whose functions take another table, list or function where the
expansion changes something: `rules` and `apply` have the tables, `state` what there is more of. Spells are
in `spells`, each family in its file.
"""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.action_json import action_to_json, parse_action
from domain.barony.action_text import action_text, parse_action_text
from domain.barony.board_check import infer_secrets
from domain.barony.components import SPELLS
from domain.barony.decide import forfeit, remove
from domain.barony.formats import OwnBaronyOptions
from domain.barony.options import check_options as base_check_options
from domain.barony.sorcery.apply import apply
from domain.barony.sorcery.bots import BOTS
from domain.barony.sorcery.clauses import CLAUSES
from domain.barony.sorcery.components import MOST_SEATS, OPEN_SPELLS
from domain.barony.sorcery.event_text import event_text
from domain.barony.sorcery.explain import explain
from domain.barony.sorcery.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING
from domain.barony.sorcery.laying import lay_board, set_up_faults
from domain.barony.sorcery.position import position
from domain.barony.sorcery.rules import decide, legal_actions
from domain.barony.sorcery.scene import scene
from domain.barony.sorcery.scoring import finish, standings
from domain.barony.sorcery.state import SorceryBoard, SorceryState
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


def check_options(seats: int, options: Mapping[str, object]) -> OwnBaronyOptions:
    """The options whole. Raises Malformed naming every wrong one."""
    return base_check_options(seats, options, MOST_SEATS)


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BS-SET-1, 2, 4: the board, drawn and laid, then the spells that lie open."""
    board = SorceryBoard(lay_board(seats, chance))
    spells = sorted(chance.shuffle(SPELLS)[:OPEN_SPELLS])
    return untyped_event("GameStarted", {"board": board.cells, "spells": spells})


def initial_state(
    seats: int, options: Any, data: Any, opened: Mapping[str, object]
) -> SorceryState:
    """The state in which seat 0 is to place the first city (BY-SET-3); there are no secrets."""
    state = SorceryState(SorceryBoard.from_json(data["board"]), seats)
    state.round_limit = options["round_limit"]
    state.end_by_agreement = options["end_by_agreement"]
    state.spells = tuple(data["spells"])
    return state


copy = SorceryState.copy
