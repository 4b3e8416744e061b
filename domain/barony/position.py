"""The position: the whole state as docs/formats.md has it, written and read back. Barony has no secrets."""

from domain.barony.board import Board
from domain.barony.components import BUILDINGS, RANKS, RESOURCES
from domain.barony.state import State
from domain.contract import Json


def position(state: State, viewer: int | None) -> Json:
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
                "status": "out" if player.is_out else "active",
                "rank": RANKS[player.rank],
                "new_cities": player.new_cities,
                "reserve": {
                    "knights": player.knights,
                    "villages": player.villages,
                    "strongholds": player.strongholds,
                    "cities": player.cities,
                },
                "removed_knights": player.removed_knights,
                "resources": dict(zip(RESOURCES, player.resources, strict=True)),
                "magic": 0,
                "imprints": [],
                "score": player.score,
            }
            for seat, player in enumerate(state.players)
        ],
        "bank": dict(zip(RESOURCES, state.bank, strict=True)),
        "spells": [],
    }
    if state.ranking is not None:
        whole["ranking"] = state.ranking
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
    for entry, player in zip(whole["players"], state.players, strict=True):
        reserve = entry["reserve"]
        player.is_out = entry["status"] == "out"
        player.rank, player.new_cities = RANKS.index(entry["rank"]), entry["new_cities"]
        player.knights, player.villages = reserve["knights"], reserve["villages"]
        player.strongholds, player.cities = reserve["strongholds"], reserve["cities"]
        player.removed_knights, player.score = entry["removed_knights"], entry["score"]
        player.resources = [entry["resources"][kind] for kind in RESOURCES]
    state.bank = [whole["bank"][kind] for kind in RESOURCES]
    state.ranking = whole.get("ranking")
