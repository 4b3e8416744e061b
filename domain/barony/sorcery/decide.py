"""Deciding and listing actions with Sorcery: casts, and what the expansion changes in the other actions.

Each family of spells is decided and listed in its own file.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from typing import Final, TypeAlias

from domain.barony.actions import Action, Build, Cast, Expedition, Move, Pass, PlaceCity
from domain.barony.components import FAMILY, Family, Spell
from domain.barony.construction import legal_builds
from domain.barony.decide import ACTION_GENERATORS, DECIDERS, ActionGenerator, Decider, decide_pass
from domain.barony.decide import decide as base_decide
from domain.barony.decide import legal_actions as base_legal_actions
from domain.barony.sorcery.components import MAGIC_TOKEN, SPELL_NAMES, cost_of
from domain.barony.sorcery.construction import decide_construction, legal_constructions
from domain.barony.sorcery.formats import SpellsCast
from domain.barony.sorcery.movement import decide_movement, legal_movements
from domain.barony.sorcery.places import (
    SORCERY_SITE_CLAUSES,
    decide_buildings,
    decide_expedition,
    decide_first_city,
    decide_move,
)
from domain.barony.sorcery.recruitment import decide_recruitment, legal_recruitments
from domain.barony.sorcery.state import SorceryState
from domain.choices import Preview
from domain.contract import DomainEvent
from domain.errors import Refused, refusal
from domain.messages import Message, PlayerAt, counted, listing, plural_message

CastDecider: TypeAlias = Callable[[SorceryState, int, Cast], SpellsCast]
"""Returns the data of the event that a cast of one family leads to. Raises Refused."""
CastGenerator: TypeAlias = Callable[[SorceryState, int, Sequence[tuple[Spell, ...]]], list[Cast]]
"""Returns the casts of these sets of spells of one family, one for each outcome."""

CAST_DECIDERS: Final[Mapping[Family, CastDecider]] = {
    "movement": decide_movement,
    "recruitment": decide_recruitment,
    "construction": decide_construction,
}
CAST_GENERATORS: Final[Mapping[Family, CastGenerator]] = {
    "movement": legal_movements,
    "recruitment": legal_recruitments,
    "construction": legal_constructions,
}


def decide_cast(state: SorceryState, seat: int, cast: Cast) -> DomainEvent:
    """BS-SPL-1, 2, 3: open spells of one family are paid for and take effect. Raises Refused."""
    closed = [spell for spell in cast.spells if spell not in state.spells]
    if closed:
        raise Refused("BS-SPL-1", _not_available(closed, state.spells))
    families = {FAMILY[spell] for spell in cast.spells}
    if len(families) > 1:
        raise refusal("BS-SPL-1", "spells cast together must be of one family")
    cost, magic = cost_of(cast.spells), state.magic[seat]
    if cost > magic:
        raise refusal(
            "BS-SPL-2",
            "this costs {price}, and {player} has {magic}",
            price=counted(cost, MAGIC_TOKEN),
            player=PlayerAt(seat),
            magic=magic,
        )
    return DomainEvent("SpellsCast", CAST_DECIDERS[families.pop()](state, seat, cast))


def _not_available(spells: Sequence[Spell], available: Sequence[Spell]) -> Message:
    """BS-SPL-1: why spells that were not drawn in the set-up cannot be cast."""
    return plural_message(
        "{spells} is not available in this game, which has: {available}",
        "{spells} are not available in this game, which has: {available}",
        count=len(spells),
        spells=listing(SPELL_NAMES[spell] for spell in spells),
        available=listing(SPELL_NAMES[spell] for spell in available),
    )


@cache
def affordable_sets(family: Family, spells: Sequence[Spell], magic: int) -> list[tuple[Spell, ...]]:
    """BS-SPL-1, 2, 4: every set of spells of the family with a cost of at most `magic`, small sets first."""
    own = [spell for spell in spells if FAMILY[spell] == family]
    return [
        together
        for count in range(1, len(own) + 1)
        for together in combinations(own, count)
        if cost_of(together) <= magic
    ]


def legal_casts(state: SorceryState, seat: int) -> list[Cast]:
    """BS-SPL: one cast for every outcome that a cast could have."""
    magic = state.magic[seat]
    casts: list[Cast] = []
    for family, generator in CAST_GENERATORS.items():
        choices = affordable_sets(family, state.spells, magic)
        if choices:
            casts += generator(state, seat, choices)
    return casts


SORCERY_GENERATORS: Final[tuple[ActionGenerator[SorceryState], ...]] = (
    *(
        partial(legal_builds, clauses=SORCERY_SITE_CLAUSES)
        if generator is legal_builds
        else generator
        for generator in ACTION_GENERATORS
    ),
    legal_casts,
)
"""One for each of the actions A to F, and one for casts."""

SORCERY_DECIDERS: Final[Mapping[type[Action], Decider[SorceryState]]] = {
    **DECIDERS,
    PlaceCity: decide_first_city,
    Move: decide_move,
    Expedition: decide_expedition,
    Build: decide_buildings,
    Pass: partial(decide_pass, generators=SORCERY_GENERATORS),
    Cast: decide_cast,
}


def decide(state: SorceryState, seat: int, action: Action) -> DomainEvent:
    """The event that an action of the seat leads to.

    Raises Refused with the clause, NotNow when play is over.
    """
    return base_decide(state, seat, action, SORCERY_DECIDERS)


def legal_actions(state: SorceryState, seat: int) -> Sequence[Action]:
    """The legal actions of the seat, without `resign` and `agree_to_end`; [] when it is not its turn."""
    return base_legal_actions(state, seat, SORCERY_GENERATORS)


def preview(state: SorceryState, seat: int, action: Action) -> Preview:
    """All that the action leads to, because nothing is hidden. Raises what `decide` raises."""
    return Preview(decide(state, seat, action))
