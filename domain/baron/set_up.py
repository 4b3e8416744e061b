"""The set-up (BN-SET): what is dealt, laid open and piled up, in the order that docs/formats.md publishes."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.baron.components import (
    COUNTS,
    DEALT,
    FEWEST_SEATS,
    KEEPS,
    MEADOW,
    MOST_SEATS,
    OF_VALUE_ONE,
    SLOTS,
    TILES,
    VALUES,
)
from domain.baron.state import Player, State
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions, untyped_event
from domain.errors import Malformed


def check_options(seats: int, options: Mapping[str, object]) -> OwnOptions:
    """Baron has no options of its own. Raises Malformed naming every one that was given."""
    wrong = {f"options.{name}": "is no option of this game" for name in options}
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        wrong["seats"] = f"must be {FEWEST_SEATS} to {MOST_SEATS}"
    if wrong:
        raise Malformed(wrong)
    return {}


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BN-SET: `GameStarted` with the market, the start tile and what was taken out; the rest is secret."""
    rest = dict(COUNTS)
    dealt = deal(seats, chance)
    for kind in dealt:
        rest[kind] -= 1
    rest[MEADOW] -= seats
    removed = _take_out(rest, chance) if seats == MOST_SEATS else []
    pile = chance.shuffle(_listed(rest, TILES))
    market, pile = pile[:SLOTS], pile[SLOTS:]
    start = turn_up_start(pile)
    secrets: dict[str, Any] = {"pile": pile}
    secrets |= {f"reserve/{seat}": sorted((MEADOW, kind)) for seat, kind in enumerate(dealt)}
    return untyped_event(
        "GameStarted", {"market": market, "start": start, "removed": removed}, secrets
    )


def deal(seats: int, chance: Chance) -> list[str]:
    """BN-SET-2: the kind of value 1 that each seat is dealt, as different as they can be."""
    drawn = chance.shuffle(OF_VALUE_ONE)
    return chance.shuffle([*drawn, *drawn][:seats])


def _take_out(rest: dict[str, int], chance: Chance) -> list[str]:
    """BN-SET-3: a meadow and a tile of value 1, drawn tile by tile, are taken out of the rest."""
    left = _listed(rest, OF_VALUE_ONE)
    removed = [MEADOW, left[chance.below(len(left))]]
    for kind in removed:
        rest[kind] -= 1
    return removed


def _listed(rest: Mapping[str, int], kinds: Sequence[str]) -> list[str]:
    """The tiles of these kinds one by one."""
    return [kind for kind in kinds for _ in range(rest[kind])]


def turn_up_start(pile: list[str]) -> str:
    """BN-SET-4: takes the start tile off the pile; one of negative value goes back into its middle."""
    start = pile.pop(0)
    while VALUES[start] < 0:
        another = pile.pop(0)
        pile.insert(len(pile) // 2, start)
        start = another
    return start


def initial_state(seats: int, options: OwnOptions, data: Any, opened: Mapping[str, Any]) -> State:
    """The state in which seat 0 is to draw; what is not among `opened` is not known in it."""
    players = [Player(KEEPS[seats], opened.get(f"reserve/{seat}"), DEALT) for seat in range(seats)]
    state = State(players)
    state.lay((0, 0), data["start"])
    state.market, state.removed = tuple(data["market"]), tuple(data["removed"])
    pile = opened.get("pile")
    state.pile = None if pile is None else tuple(pile)
    away = DEALT * seats + len(state.removed) + len(state.market) + len(state.tiles)
    state.pile_left = sum(COUNTS.values()) - away
    return state


def copy(state: State) -> State:
    """A state that may be changed without changing this one."""
    return state.copy()
