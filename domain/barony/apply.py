"""`apply`: writes recorded events into a state. It never refuses and never decides.

The data of an event contains everything that it changes; `domain.barony.formats` has its fields.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from domain.barony.components import CITY, KIND, NO_BUILDING, RANKS, STRONGHOLD, VILLAGE
from domain.barony.formats import (
    BuildingsBuilt,
    CityFounded,
    CityPlaced,
    Departure,
    Destroyed,
    EndAgreed,
    ExpeditionSent,
    KnightsMoved,
    KnightsRecruited,
    Step,
    TitleBought,
    TurnForfeited,
    TurnPassed,
)
from domain.barony.state import State, StateT, replaced
from domain.event import Ranked

EventApplier: TypeAlias = Callable[[StateT, Any], None]
"""Writes the data of one type of event into a state. The data is `Any` in this table and in `apply` alone:
the type of an event determines the TypedDict of its data.
"""


def _city_placed(state: State, data: CityPlaced) -> None:
    q, r = data["at"]
    apply_first_city(state, data["seat"], state.board.index[q, r])


def apply_first_city(state: State, seat: int, hex: int) -> None:
    """A city and a knight of the reserve come onto the hex."""
    state.building[hex], state.owner[hex] = CITY, seat
    state.knights_to_change(seat)[hex] += 1
    state.reserve_cities[seat] -= 1
    state.reserve_knights[seat] -= 1


def _knights_recruited(state: State, data: KnightsRecruited) -> None:
    q, r = data["at"]
    seat, knights = data["seat"], data["knights"]
    state.knights_to_change(seat)[state.board.index[q, r]] += knights
    state.reserve_knights[seat] -= knights


def _knights_moved(state: State, data: KnightsMoved) -> None:
    apply_steps(state, data["seat"], data["moves"])


def apply_steps(state: State, seat: int, steps: Sequence[Step]) -> None:
    """Steps of knights from hex to hex, with the pawns that their arrivals destroyed."""
    index, knights = state.board.index, state.knights_to_change(seat)
    for step in steps:
        q, r = step["from"]
        knights[index[q, r]] -= 1
        q, r = step["to"]
        hex = index[q, r]
        knights[hex] += 1
        if "destroyed" in step:
            apply_destroyed(state, seat, hex, step["destroyed"])


def apply_destroyed(state: State, seat: int, hex: int, destroyed: Sequence[Destroyed]) -> None:
    """The seat destroys pawns on the hex, and takes tokens for the villages among them."""
    for pawn in destroyed:
        owner = pawn["seat"]
        if pawn["pawn"] == "knight":
            state.knights_to_change(owner)[hex] -= 1
            state.reserve_knights[owner] += 1
            continue
        state.building[hex] = NO_BUILDING
        state.reserve_villages[owner] += 1
        token = pawn["token"]
        if token is not None:
            state.add_tokens(owner, KIND[token], -1)
            state.add_tokens(seat, KIND[token], 1)


def _buildings_built(state: State, data: BuildingsBuilt) -> None:
    seat = data["seat"]
    knights, tokens = state.knights_to_change(seat), [*state.resources[seat]]
    for built in data["built"]:
        q, r = built["at"]
        hex = state.board.index[q, r]
        knights[hex] -= 1
        state.reserve_knights[seat] += 1
        state.owner[hex] = seat
        if built["building"] == "village":
            state.building[hex] = VILLAGE
            state.reserve_villages[seat] -= 1
        else:
            state.building[hex] = STRONGHOLD
            state.reserve_strongholds[seat] -= 1
        token = built["token"]
        if token is not None:
            kind = KIND[token]
            state.bank[kind] -= 1
            tokens[kind] += 1
    state.resources[seat] = tuple(tokens)


def _city_founded(state: State, data: CityFounded) -> None:
    q, r = data["at"]
    state.building[state.board.index[q, r]] = CITY
    state.reserve_villages[data["seat"]] += 1
    apply_new_city(state, data["seat"], data["points"])


def apply_new_city(state: State, seat: int, points: int) -> None:
    """A city of the reserve was founded in play."""
    state.reserve_cities[seat] -= 1
    state.new_cities = replaced(state.new_cities, seat, state.new_cities[seat] + 1)
    state.score = replaced(state.score, seat, state.score[seat] + points)


def apply_expedition(state: State, data: ExpeditionSent) -> None:
    """`ExpeditionSent`: one knight of the reserve leaves the game, another comes onto the board."""
    q, r = data["to"]
    seat = data["seat"]
    state.knights_to_change(seat)[state.board.index[q, r]] += 1
    state.reserve_knights[seat] -= 2
    removed = state.removed_knights[seat] + 1
    state.removed_knights = replaced(state.removed_knights, seat, removed)


def _title_bought(state: State, data: TitleBought) -> None:
    seat, discarded = data["seat"], data["discarded"]
    tokens = [*state.resources[seat]]
    for name, kind in KIND.items():
        if name in discarded:
            count = discarded[name]
            tokens[kind] -= count
            state.bank[kind] += count
    state.resources[seat] = tuple(tokens)
    state.rank = replaced(state.rank, seat, RANKS.index(data["rank"]))
    state.score = replaced(state.score, seat, state.score[seat] + data["points"])


def _turn_ended(state: State, data: TurnPassed | TurnForfeited) -> None:
    """Only the turn order changes."""


def _seat_departed(state: State, data: Departure) -> None:
    state.is_out = replaced(state.is_out, data["seat"], value=True)
    state.end_agreed_by = tuple(data.get("end_agreed_by", ()))


def _end_agreed(state: State, data: EndAgreed) -> None:
    state.end_agreed_by = tuple(data["end_agreed_by"])


def _game_finished(state: State, data: Ranked) -> None:
    state.phase = "finished"
    state.ranking = tuple(data["ranking"])


EVENT_APPLIERS: Final[Mapping[str, EventApplier[State]]] = {
    "CityPlaced": _city_placed,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": apply_expedition,
    "TitleBought": _title_bought,
    "TurnPassed": _turn_ended,
    "TurnForfeited": _turn_ended,
    "PlayerResigned": _seat_departed,
    "PlayerRemoved": _seat_departed,
    "EndAgreed": _end_agreed,
    "GameFinished": _game_finished,
}


def apply(
    state: StateT,
    type: str,
    data: Any,
    appliers: Mapping[str, EventApplier[StateT]] = EVENT_APPLIERS,
) -> None:
    """Write an event into a state that the caller owns, by the applier of its type."""
    appliers[type](state, data)
    if "then" in data:
        then = data["then"]
        state.phase = then["phase"]
        state.round = then["round"]
        state.turn = then["turn"]
        state.to_act = then["to_act"]
        state.passed = tuple(then["passed"]) if "passed" in then else ()
