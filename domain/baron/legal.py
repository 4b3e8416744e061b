"""The complete list of legal actions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from domain.baron.actions import Action
from domain.baron.draw import legal_draws
from domain.baron.keep import legal_keeps
from domain.baron.lay import legal_layings
from domain.baron.state import State

ACTION_GENERATORS: Final[Mapping[str, Callable[[State, int], Sequence[Action]]]] = {
    "draw": legal_draws,
    "lay": legal_layings,
    "keep": legal_keeps,
}
"""What lists the actions of each part of a turn."""


def legal_actions(state: State, seat: int) -> Sequence[Action]:
    """What the seat may do now; [] when it is not its turn. `resign` is not listed."""
    return ACTION_GENERATORS[state.phase](state, seat) if seat == state.to_act else []
