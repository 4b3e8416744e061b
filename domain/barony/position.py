"""The position: the whole state as docs/formats.md defines it. Barony has no secrets."""

from collections.abc import Iterator, Sequence

from domain.barony.components import BUILDINGS, RANKS, Building
from domain.barony.formats import BaronyPosition, Pawns, PlayerJson, Tokens
from domain.barony.state import State


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
