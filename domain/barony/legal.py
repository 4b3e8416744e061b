"""Legal actions: every outcome that an action could have, by at least one action; and passing without any."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.barony.action_text import action_text
from domain.barony.actions import Action, Pass, PlaceCity
from domain.barony.construction import legal_builds, legal_new_cities
from domain.barony.formats import TurnPassed
from domain.barony.movement import legal_moves
from domain.barony.recruitment import legal_expeditions, legal_recruits
from domain.barony.state import State, StateT
from domain.barony.titles import legal_titles
from domain.barony.turn_order import after_turn, can_hold_first_city
from domain.contract import DomainEvent
from domain.errors import Refused
from domain.messages import message

ActionGenerator: TypeAlias = Callable[[StateT, int], Sequence[Action]]
"""Returns the legal actions of one kind that a seat has in a state."""

ACTION_GENERATORS: Final[tuple[ActionGenerator[State], ...]] = (
    legal_recruits,
    legal_moves,
    legal_builds,
    legal_new_cities,
    legal_expeditions,
    legal_titles,
)
"""One for each of the actions A to F."""


def legal_actions(
    state: StateT, seat: int, generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS
) -> Sequence[Action]:
    """The legal actions of the seat, without `resign` and `agree_to_end`; [] when it is not its turn."""
    if seat != state.to_act:
        return []
    if state.phase == "setup":
        hexes = state.board.hexes
        return [PlaceCity(at) for hex, at in enumerate(hexes) if can_hold_first_city(state, hex)]
    actions: list[Action] = []
    for generator in generators:
        actions += generator(state, seat)
    return actions or [Pass()]


def some_action(
    state: StateT, seat: int, generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS
) -> Action | None:
    """BY-TURN-2: a legal action of the seat in its turn, or None when it must pass."""
    for generator in generators:
        actions = generator(state, seat)
        if actions:
            return actions[0]
    return None


def decide_pass(
    state: StateT,
    seat: int,
    action: Pass,
    generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS,
) -> DomainEvent:
    """BY-TURN-2: pass, where no other action is legal. Raises Refused."""
    other = some_action(state, seat, generators)
    if other is not None:
        raise Refused(
            "BY-TURN-2", message("another action is legal: {action}", action=action_text(other))
        )
    data: TurnPassed = {"seat": seat, "then": after_turn(state, has_passed=True)}
    return DomainEvent("TurnPassed", data)
