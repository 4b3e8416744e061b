"""The complete list of legal actions: every outcome that an action could have, by one action at least."""

from collections.abc import Callable, Sequence
from typing import Final

from domain.barony.actions import Action, Pass, PlaceCity
from domain.barony.construction import legal_builds, legal_new_cities
from domain.barony.course import can_hold_first_city
from domain.barony.movement import legal_moves
from domain.barony.recruitment import legal_expeditions, legal_recruits
from domain.barony.state import State
from domain.barony.titles import legal_titles

LISTS: Final[tuple[Callable[[State, int], Sequence[Action]], ...]] = (
    legal_recruits,
    legal_moves,
    legal_builds,
    legal_new_cities,
    legal_expeditions,
    legal_titles,
)
"""The actions A to F, each with its list."""


def legal_actions(state: State, seat: int) -> Sequence[Action]:
    """What the seat may do now; [] when it is not its turn. `resign` and `agree_to_end` are not listed."""
    if seat != state.to_act:
        return []
    if state.phase == "setup":
        hexes = state.board.hexes
        return [PlaceCity(at) for hex, at in enumerate(hexes) if can_hold_first_city(state, hex)]
    actions: list[Action] = []
    for listed in LISTS:
        actions += listed(state, seat)
    return actions or [Pass()]


def some_action(state: State, seat: int) -> Action | None:
    """BY-TURN-2: one of the actions A to F that the seat could take, or None when it must pass."""
    for listed in LISTS:
        actions = listed(state, seat)
        if actions:
            return actions[0]
    return None
