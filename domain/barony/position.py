"""The position: the whole state as docs/formats.md has it, written and read back. Barony has no secrets."""

from typing import Any

from domain.barony.board import Board
from domain.barony.components import BUILDINGS, RANKS, RESOURCES
from domain.barony.state import State
from domain.contract import Json


def position(state: State, viewer: int | None) -> Any:
    """The whole state, the same for every viewer."""
    whole: Json = {
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
        "players": [
            {
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
                "resources": dict(zip(RESOURCES, state.resources[seat], strict=True)),
                "magic": 0,
                "imprints": [],
                "score": state.score[seat],
            }
            for seat in range(state.seats)
        ],
        "bank": dict(zip(RESOURCES, state.bank, strict=True)),
        "spells": [],
    }
    if state.ranking:
        whole["ranking"] = [{**entry} for entry in state.ranking]
    return whole


def _pawns(state: State) -> list[Json]:
    """One entry a hex and seat, in that order."""
    stands: dict[tuple[int, int], str | None] = {
        (hex, seat): None for seat, counts in enumerate(state.knights) for hex in _some(counts)
    }
    for hex in _some(state.building):
        stands[hex, state.owner[hex]] = BUILDINGS[state.building[hex]]
    return [
        {
            "at": list(state.board.hexes[hex]),
            "seat": seat,
            "knights": state.knights[seat][hex],
            "building": building,
        }
        for (hex, seat), building in sorted(stands.items())
    ]


def _some(counts: bytearray) -> list[int]:
    """The hexes where there are any."""
    return [hex for hex, count in enumerate(counts) if count]


def from_position(whole: Json, *, turn: int = 1, end_by_agreement: bool = False) -> State:
    """The state that a position shows. What a position does not tell is given beside it."""
    state = State(Board.from_json(whole["board"]), len(whole["players"]))
    fill(state, whole, turn, end_by_agreement=end_by_agreement)
    return state


def fill(state: State, whole: Json, turn: int, *, end_by_agreement: bool) -> None:
    """Write what a position shows into a new state."""
    board = state.board
    state.phase, state.round, state.to_act = whole["phase"], whole["round"], whole["to_act"]
    state.turn, state.end_by_agreement = turn, end_by_agreement
    state.round_limit = whole["round_limit"]
    state.end_agreed_by, state.passed = tuple(whole["end_agreed_by"]), tuple(whole["passed"])
    for pawn in whole["pawns"]:
        hex, seat = board.index[pawn["at"][0], pawn["at"][1]], pawn["seat"]
        state.knights[seat][hex] = pawn["knights"]
        if pawn["building"]:
            state.building[hex], state.owner[hex] = BUILDINGS.index(pawn["building"]), seat
    players = whole["players"]
    reserves = [player["reserve"] for player in players]
    state.reserve_knights = [reserve["knights"] for reserve in reserves]
    state.reserve_villages = [reserve["villages"] for reserve in reserves]
    state.reserve_strongholds = [reserve["strongholds"] for reserve in reserves]
    state.reserve_cities = [reserve["cities"] for reserve in reserves]
    state.removed_knights = tuple(player["removed_knights"] for player in players)
    state.resources = [tuple(player["resources"][kind] for kind in RESOURCES) for player in players]
    state.rank = tuple(RANKS.index(player["rank"]) for player in players)
    state.new_cities = tuple(player["new_cities"] for player in players)
    state.score = tuple(player["score"] for player in players)
    state.is_out = tuple(player["status"] == "out" for player in players)
    state.bank = [whole["bank"][kind] for kind in RESOURCES]
    state.ranking = tuple(whole.get("ranking", ()))
