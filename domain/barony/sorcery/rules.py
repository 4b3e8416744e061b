"""What the base game decides and lists, with what the expansion changes in it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from domain.barony.actions import Action, Build, Cast, Expedition, Move, Pass, PlaceCity
from domain.barony.construction import legal_builds
from domain.barony.decide import DECIDERS, Decider, decide_pass
from domain.barony.decide import decide as base_decide
from domain.barony.legal import ACTION_GENERATORS, ActionGenerator
from domain.barony.legal import legal_actions as base_legal_actions
from domain.barony.sorcery.places import bar_to_site, build, expedition, first_city, move
from domain.barony.sorcery.spells import decide_cast, legal_casts
from domain.barony.sorcery.state import SorceryState
from domain.contract import DomainEvent

SORCERY_LISTS: Final[tuple[ActionGenerator, ...]] = (
    *(
        partial(legal_builds, bar=bar_to_site) if listed is legal_builds else listed
        for listed in ACTION_GENERATORS
    ),
    legal_casts,
)
"""The actions A to F, and casts, each with its list."""

SORCERY_JUDGES: Final[Mapping[type, Decider]] = {
    **DECIDERS,
    PlaceCity: first_city,
    Move: move,
    Expedition: expedition,
    Build: build,
    Pass: partial(decide_pass, generators=SORCERY_LISTS),
    Cast: decide_cast,
}


def decide(state: SorceryState, seat: int, action: Action) -> DomainEvent:
    """What comes of an action of the seat. Raises Refused with the clause, NotNow when play is over."""
    return base_decide(state, seat, action, SORCERY_JUDGES)


def legal_actions(state: SorceryState, seat: int) -> Sequence[Any]:
    """What the seat may do now; [] when it is not its turn. `resign` and `agree_to_end` are not listed."""
    return base_legal_actions(state, seat, SORCERY_LISTS)
