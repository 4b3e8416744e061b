"""The position: the whole state as docs/formats.md defines it, and the state that a position shows.

Barony has no secrets.
"""

from collections.abc import Iterator, Sequence

from domain.barony.board import Board
from domain.barony.components import BUILDINGS, RANKS, RESOURCES, Building
from domain.barony.formats import BaronyPosition, Pawns, PlayerJson, Tokens
from domain.barony.state import State, StateT


def position(state: State, viewer: int | None) -> BaronyPosition:
    """The whole state, the same for every viewer."""
    whole: BaronyPosition = {
        "rules": "barony",
        "sorcery": False,
        "phase": state.phase,
        "round": state.round,
        "to_act": state.to_act,
        "round_limit": state.round_limit,
        "end_agreed_by": list(state.end_agreed_by),
        "passed": list(state.passed),
        "board": state.board.cells,
        "pawns": _pawns(state),
        "players": [_player(state, seat) for seat in range(state.seats)],
        "bank": tokens_to_json(state.bank),
        "spells": [],
    }
    if state.ranking:
        whole["ranking"] = [{**entry} for entry in state.ranking]
    return whole


def _player(state: State, seat: int) -> PlayerJson:
    return {
        "seat": seat,
        "status": "out" if state.is_out[seat] else "active",
        "rank": RANKS[state.rank[seat]],
        "new_cities": state.new_cities[seat],
        "reserve": {
            "knights": state.reserve_knights[seat],
            "villages": state.reserve_villages[seat],
            "strongholds": state.reserve_strongholds[seat],
            "cities": state.reserve_cities[seat],
        },
        "removed_knights": state.removed_knights[seat],
        "resources": tokens_to_json(state.resources[seat]),
        "magic": 0,
        "imprints": [],
        "score": state.score[seat],
    }


def tokens_to_json(tokens: Sequence[int]) -> Tokens:
    """Tokens counted by kind, as an object."""
    mountain, forest, plain, field = tokens
    return {"mountain": mountain, "forest": forest, "plain": plain, "field": field}


def _pawns(state: State) -> list[Pawns]:
    """One entry for each hex and seat with pawns, in this order."""
    buildings: dict[tuple[int, int], Building | None] = {
        (hex, seat): None
        for seat, knights in enumerate(state.knights)
        for hex in _hexes_with_any(knights)
    }
    for hex in _hexes_with_any(state.building):
        buildings[hex, state.owner[hex]] = BUILDINGS[state.building[hex]]
    return [
        {
            "at": list(state.board.hexes[hex]),
            "seat": seat,
            "knights": state.knights[seat][hex],
            "building": building,
        }
        for (hex, seat), building in sorted(buildings.items())
    ]


def _hexes_with_any(counts: bytearray) -> Iterator[int]:
    """The numbers of the hexes where the count is not 0."""
    return (hex for hex, count in enumerate(counts) if count)


def from_position(position: BaronyPosition) -> State:
    """The state that a position shows; the number of turns is not part of a position."""
    board = Board.from_json(position["board"])
    return with_position(State(board, len(position["players"])), position)


def with_position(state: StateT, position: BaronyPosition) -> StateT:
    """Write everything that a position of the base game shows into a new state, and return it."""
    state.phase, state.round, state.to_act = (
        position["phase"],
        position["round"],
        position["to_act"],
    )
    state.round_limit = position["round_limit"]
    state.passed = tuple(position["passed"])
    state.end_agreed_by = tuple(position["end_agreed_by"])
    # The option is not part of a position, and matters only once somebody has asked for the end.
    state.end_by_agreement = bool(state.end_agreed_by)
    for pawns in position["pawns"]:
        q, r = pawns["at"]
        hex = state.board.index[q, r]
        state.knights[pawns["seat"]][hex] = pawns["knights"]
        if pawns["building"] is not None:
            state.building[hex] = BUILDINGS.index(pawns["building"])
            state.owner[hex] = pawns["seat"]
    players = position["players"]
    state.reserve_knights = [player["reserve"]["knights"] for player in players]
    state.reserve_villages = [player["reserve"]["villages"] for player in players]
    state.reserve_strongholds = [player["reserve"]["strongholds"] for player in players]
    state.reserve_cities = [player["reserve"]["cities"] for player in players]
    state.resources = [tuple(player["resources"][kind] for kind in RESOURCES) for player in players]
    state.removed_knights = tuple(player["removed_knights"] for player in players)
    state.rank = tuple(RANKS.index(player["rank"]) for player in players)
    state.new_cities = tuple(player["new_cities"] for player in players)
    state.score = tuple(player["score"] for player in players)
    state.is_out = tuple(player["status"] == "out" for player in players)
    state.bank = [position["bank"][kind] for kind in RESOURCES]
    state.ranking = tuple(position.get("ranking", ()))
    return state
