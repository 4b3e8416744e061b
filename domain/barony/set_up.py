"""Setting up a game: its options (BY-END-5), the event `GameStarted`, and the state after it."""

from collections.abc import Mapping
from typing import Final, TypeVar, cast

from domain.barony.board import Board
from domain.barony.components import MOST_ROUNDS, MOST_SEATS
from domain.barony.formats import OwnBaronyOptions, SetUp
from domain.barony.laying import lay_board
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions
from domain.errors import Malformed
from domain.event import EventData
from domain.messages import Message, message

SEATS_FAULT: Final = message("must be 2 to {most}, or 5 with Sorcery", most=MOST_SEATS)

StateT = TypeVar("StateT", bound=State)


def check_options(
    seats: int,
    options: Mapping[str, object],
    most_seats: int = MOST_SEATS,
    seats_fault: Message = SEATS_FAULT,
) -> OwnBaronyOptions:
    """The options of the game, complete. Raises Malformed, which names every wrong one.

    `seats_fault` is what is wrong with any other number of seats than 2 to `most_seats`.
    """
    faults = {
        f"options.{name}": message("is not an option of this game")
        for name in options
        if name not in ("sorcery", "round_limit", "end_by_agreement")
    }
    limit = options.get("round_limit")
    if isinstance(limit, bool) or not isinstance(limit, int | None):
        limit = 0
    if limit is not None and not 1 <= limit <= MOST_ROUNDS:
        faults["options.round_limit"] = message(
            "must be a whole number from 1 to {most}, or null", most=MOST_ROUNDS
        )
    flags = {name: options.get(name, False) for name in ("sorcery", "end_by_agreement")}
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            faults[f"options.{name}"] = message("must be true or false")
    if not 2 <= seats <= most_seats:
        faults["seats"] = seats_fault
    if faults:
        raise Malformed(faults)
    return {
        "sorcery": flags["sorcery"] is True,
        "round_limit": limit,
        "end_by_agreement": flags["end_by_agreement"] is True,
    }


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BY-SET-1, 2: the board, drawn and laid."""
    data: SetUp = {"board": Board(lay_board(seats, chance)).cells, "spells": []}
    return DomainEvent("GameStarted", data)


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """BY-SET-3: the state in which seat 0 is to place the first city. There are no secrets."""
    return with_options(State(Board.from_json(cast("SetUp", data)["board"]), seats), options)


def with_options(state: StateT, options: OwnOptions) -> StateT:
    """The new state, after writing the game's options into it."""
    own = cast("OwnBaronyOptions", options)
    state.round_limit = own["round_limit"]
    state.end_by_agreement = own["end_by_agreement"]
    return state


def redraw(state: object, chance: Chance) -> Mapping[str, object]:
    """Draw nothing anew when play resumes: board and spells are drawn at the start (BY-SET-1, BS-SPL-2)."""
    return {}


def apply_redraw(state: object, opened: Mapping[str, object]) -> None:
    """Change nothing, because nothing is drawn anew."""
