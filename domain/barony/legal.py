"""The complete list of legal actions: every outcome that an action could have, by one action at least."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from domain.barony.actions import Pass, PlaceCity
from domain.barony.construction import legal_builds, legal_new_cities
from domain.barony.movement import legal_moves
from domain.barony.recruitment import legal_expeditions, legal_recruits
from domain.barony.state import State
from domain.barony.titles import legal_titles
from domain.barony.turn_order import can_hold_first_city

ActionGenerator: TypeAlias = Callable[[Any, int], Sequence[Any]]
"""Lists the legal actions of one kind that a seat has in a state."""

ACTION_GENERATORS: Final[tuple[ActionGenerator, ...]] = (
    legal_recruits,
    legal_moves,
    legal_builds,
    legal_new_cities,
    legal_expeditions,
    legal_titles,
)
"""The actions A to F, each with its list."""


def legal_actions(
    state: State, seat: int, lists: tuple[ActionGenerator, ...] = ACTION_GENERATORS
) -> Sequence[Any]:
    """What the seat may do now; [] when it is not its turn. `resign` and `agree_to_end` are not listed."""
    if seat != state.to_act:
        return []
    if state.phase == "setup":
        hexes = state.board.hexes
        return [PlaceCity(at) for hex, at in enumerate(hexes) if can_hold_first_city(state, hex)]
    actions: list[Any] = []
    for listed in lists:
        actions += listed(state, seat)
    return actions or [Pass()]


def some_action(
    state: State, seat: int, lists: tuple[ActionGenerator, ...] = ACTION_GENERATORS
) -> Any:
    """BY-TURN-2: one of the listed actions that the seat could take, or None when it must pass."""
    for listed in lists:
        actions = listed(state, seat)
        if actions:
            return actions[0]
    return None
