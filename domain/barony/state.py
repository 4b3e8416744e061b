"""The state of a game of Barony: where pawns and tokens are and whose turn it is. No rule lives here.

Only `apply` changes a state, in place, on a copy that the caller owns. It writes recorded events into it,
and never refuses and never decides: the data of an event contains everything that it changes
(`domain.barony.formats`). `position` shows the whole state, because Barony has no secrets, and
`from_position` reads it back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, Final, Self, TypeAlias, TypeVar

from domain.barony.board import Board
from domain.barony.components import (
    BANK_OF_EACH,
    BUILDINGS,
    CITIES,
    CITY,
    KIND,
    KNIGHTS,
    NO_BUILDING,
    RANKS,
    RESOURCES,
    STRONGHOLD,
    STRONGHOLDS,
    VILLAGE,
    VILLAGES,
    Building,
    Phase,
)
from domain.barony.formats import (
    BaronyPosition,
    BuildingsBuilt,
    CityFounded,
    CityPlaced,
    Departure,
    Destroyed,
    EndAgreed,
    ExpeditionSent,
    KnightsMoved,
    KnightsRecruited,
    Pawns,
    PlayerJson,
    Step,
    TitleBought,
    Tokens,
    TurnForfeited,
    TurnPassed,
)
from domain.event import Ranked, RankingEntry

Value = TypeVar("Value")


def replaced(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    """The tuple with another value at the index. Raises IndexError."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


class State:
    """One position of Barony. A hex is its number in `board`, a kind of token its index in `RESOURCES`.

    `knights[seat][hex]` counts the knights on the board. `building[hex]` is the number of a building and
    `owner[hex]` its seat, which means nothing where there is no building: no hex ever has two (BY-BLD-2).

    The other attributes of a seat are in one sequence each, by seat: lists where they change often, tuples
    where they change rarely. Copies share the tuples and the knights: `knights_to_change` returns knights
    that no other state shares.
    """

    __slots__ = (
        "bank",
        "board",
        "building",
        "end_agreed_by",
        "end_by_agreement",
        "is_out",
        "knights",
        "new_cities",
        "owner",
        "passed",
        "phase",
        "rank",
        "ranking",
        "removed_knights",
        "reserve_cities",
        "reserve_knights",
        "reserve_strongholds",
        "reserve_villages",
        "resources",
        "round",
        "round_limit",
        "score",
        "to_act",
        "turn",
    )

    def __init__(self, board: Board, seats: int) -> None:
        size = len(board.hexes)
        self.board = board
        self.phase: Phase = "setup"
        self.round = 0
        self.turn = 1
        self.to_act: int | None = 0
        self.round_limit: int | None = None
        self.end_by_agreement = False
        self.passed: tuple[int, ...] = ()
        self.end_agreed_by: tuple[int, ...] = ()
        self.knights = [bytearray(size) for _ in range(seats)]
        self.building = bytearray([NO_BUILDING]) * size
        self.owner = bytearray(size)
        self.reserve_knights = [KNIGHTS] * seats
        self.reserve_villages = [VILLAGES] * seats
        self.reserve_strongholds = [STRONGHOLDS] * seats
        self.reserve_cities = [CITIES] * seats
        self.resources: list[tuple[int, ...]] = [(0, 0, 0, 0)] * seats
        """Resource tokens by seat, counted by kind."""
        self.removed_knights = (0,) * seats
        """Knights that expeditions removed from the game, by seat."""
        self.rank = (0,) * seats
        self.new_cities = (0,) * seats
        self.score = (0,) * seats
        self.is_out = (False,) * seats
        self.bank = [BANK_OF_EACH] * 4
        self.ranking: tuple[RankingEntry, ...] = ()
        """The entries of `position.ranking` once the game is finished."""

    def copy(self) -> Self:
        """A state that may be changed without changing this one; they share only what never changes."""
        kind = type(self)
        duplicate = kind.__new__(kind)
        duplicate.board = self.board
        duplicate.phase = self.phase
        duplicate.round = self.round
        duplicate.turn = self.turn
        duplicate.to_act = self.to_act
        duplicate.round_limit = self.round_limit
        duplicate.end_by_agreement = self.end_by_agreement
        duplicate.passed = self.passed
        duplicate.end_agreed_by = self.end_agreed_by
        duplicate.knights = self.knights.copy()
        duplicate.building = self.building.copy()
        duplicate.owner = self.owner.copy()
        duplicate.reserve_knights = self.reserve_knights.copy()
        duplicate.reserve_villages = self.reserve_villages.copy()
        duplicate.reserve_strongholds = self.reserve_strongholds.copy()
        duplicate.reserve_cities = self.reserve_cities.copy()
        duplicate.removed_knights = self.removed_knights
        duplicate.resources = self.resources.copy()
        duplicate.rank = self.rank
        duplicate.new_cities = self.new_cities
        duplicate.score = self.score
        duplicate.is_out = self.is_out
        duplicate.bank = self.bank.copy()
        duplicate.ranking = self.ranking
        return duplicate

    @property
    def seats(self) -> int:
        """How many seats the game has, those that are out included."""
        return len(self.is_out)

    def knights_to_change(self, seat: int) -> bytearray:
        """The knights of the seat by hex, which the caller may change: they are no longer shared
        with copies.
        """
        knights = self.knights[seat] = self.knights[seat].copy()
        return knights

    def add_tokens(self, seat: int, kind: int, count: int) -> None:
        """The seat gains that many tokens of the kind, or loses them where `count` is negative."""
        tokens = [*self.resources[seat]]
        tokens[kind] += count
        self.resources[seat] = tuple(tokens)

    def occupied(self, seat: int) -> bytes:
        """By hex, nonzero where another seat may have a building or a knight: faster than checking every hex.

        Buildings of the seat itself count as well.
        """
        whole = int.from_bytes(self.building)
        for other, knights in enumerate(self.knights):
            if other != seat:
                whole |= int.from_bytes(knights)
        return whole.to_bytes(len(self.building))

    def built(self, seat: int, building: int) -> list[int]:
        """The hexes with a building of this number and seat, in order."""
        hexes, owner = [], self.owner
        hex = self.building.find(building)
        while hex >= 0:
            if owner[hex] == seat:
                hexes.append(hex)
            hex = self.building.find(building, hex + 1)
        return hexes

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat, is_out in enumerate(self.is_out) if not is_out]


StateT = TypeVar("StateT", bound=State)


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
    return compress(range(len(counts)), counts)


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
