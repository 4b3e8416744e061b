"""`apply`: writes recorded facts into a state. It never refuses and never decides; the facts say all.

The shapes of the facts' data are in docs/formats.md and made in `domain.barony.decide`; each is fixed once
released.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from domain.barony.components import CITY, RANKS, RESOURCES, STRONGHOLD, VILLAGE
from domain.barony.state import State, replaced
from domain.contract import Json

KIND: Final = {name: kind for kind, name in enumerate(RESOURCES)}
"""The number of each kind of resource token."""


def _city_placed(state: State, data: Json) -> None:
    q, r = data["at"]
    seat, hex = data["seat"], state.board.index[q, r]
    state.building[hex], state.owner[hex] = CITY, seat
    state.knights[seat][hex] += 1
    state.reserve_cities[seat] -= 1
    state.reserve_knights[seat] -= 1


def _knights_recruited(state: State, data: Json) -> None:
    q, r = data["at"]
    seat, knights = data["seat"], data["knights"]
    state.knights[seat][state.board.index[q, r]] += knights
    state.reserve_knights[seat] -= knights


def _knights_moved(state: State, data: Json) -> None:
    for step in data["moves"]:
        move_knight(state, data["seat"], step)


def move_knight(state: State, seat: int, step: Json) -> None:
    """One knight's way from hex to hex, with all that its arrival destroyed."""
    index = state.board.index
    q, r = step["from"]
    state.knights[seat][index[q, r]] -= 1
    q, r = step["to"]
    hex = index[q, r]
    state.knights[seat][hex] += 1
    if "destroyed" in step:
        fell(state, seat, hex, step["destroyed"])


def fell(state: State, seat: int, hex: int, destroyed: list[Json]) -> None:
    """Pawns on the hex are destroyed by the seat, which takes the tokens named."""
    for fallen in destroyed:
        owner = fallen["seat"]
        if fallen["pawn"] == "knight":
            state.knights[owner][hex] -= 1
            state.reserve_knights[owner] += 1
            continue
        state.building[hex] = 0
        state.reserve_villages[owner] += 1
        token = fallen["token"]
        if token is not None:
            state.add_tokens(owner, KIND[token], -1)
            state.add_tokens(seat, KIND[token], 1)


def _buildings_built(state: State, data: Json) -> None:
    seat = data["seat"]
    knights, tokens = state.knights[seat], [*state.resources[seat]]
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


def _city_founded(state: State, data: Json) -> None:
    q, r = data["at"]
    seat = data["seat"]
    state.building[state.board.index[q, r]] = CITY
    state.reserve_villages[seat] += 1
    state.reserve_cities[seat] -= 1
    state.new_cities = replaced(state.new_cities, seat, state.new_cities[seat] + 1)
    state.score = replaced(state.score, seat, state.score[seat] + data["points"])


def _expedition_sent(state: State, data: Json) -> None:
    q, r = data["to"]
    seat = data["seat"]
    state.knights[seat][state.board.index[q, r]] += 1
    state.reserve_knights[seat] -= 2
    state.removed_knights = replaced(state.removed_knights, seat, state.removed_knights[seat] + 1)


def _title_bought(state: State, data: Json) -> None:
    seat = data["seat"]
    tokens = [*state.resources[seat]]
    for name, count in data["discarded"].items():
        kind = KIND[name]
        tokens[kind] -= count
        state.bank[kind] += count
    state.resources[seat] = tuple(tokens)
    state.rank = replaced(state.rank, seat, RANKS.index(data["rank"]))
    state.score = replaced(state.score, seat, state.score[seat] + data["points"])


def _nothing_but_the_course(state: State, data: Json) -> None:
    """`TurnPassed`, `TurnForfeited`: all they do stands under `then`."""


def _seat_departed(state: State, data: Json) -> None:
    state.is_out = replaced(state.is_out, data["seat"], True)  # noqa: FBT003
    state.end_agreed_by = tuple(data.get("end_agreed_by", ()))


def _end_agreed(state: State, data: Json) -> None:
    state.end_agreed_by = tuple(data["end_agreed_by"])


def _game_finished(state: State, data: Json) -> None:
    state.phase = "finished"
    state.ranking = tuple(data["ranking"])


EventApplier: TypeAlias = Callable[[Any, Json], None]
"""Writes the data of one type of fact into a state."""

EVENT_APPLIERS: Final[Mapping[str, EventApplier]] = {
    "CityPlaced": _city_placed,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": _expedition_sent,
    "TitleBought": _title_bought,
    "TurnPassed": _nothing_but_the_course,
    "TurnForfeited": _nothing_but_the_course,
    "PlayerResigned": _seat_departed,
    "PlayerRemoved": _seat_departed,
    "EndAgreed": _end_agreed,
    "GameFinished": _game_finished,
}


def apply(
    state: Any, type: str, data: Any, appliers: Mapping[str, EventApplier] = EVENT_APPLIERS
) -> None:
    """Write a fact into a state that the caller owns.

    `appliers`: what writes each type.
    """
    appliers[type](state, data)
    if "then" in data:
        then = data["then"]
        state.phase = then["phase"]
        state.round = then["round"]
        state.turn = then["turn"]
        state.to_act = then["to_act"]
        state.passed = tuple(then["passed"]) if "passed" in then else ()
