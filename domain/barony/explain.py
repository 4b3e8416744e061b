"""`explain`: the clauses by which an event followed from a state, each with a sentence about this board.

Nothing is decided here: the sentences state what held on the board before a recorded event. Clauses that did
not matter are not named. `explain_turn_order` has set-up, departures, scores and the turn order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from domain.barony.apply import apply, apply_steps
from domain.barony.components import (
    CITY,
    FOREST,
    KIND,
    MOUNTAIN,
    RADIUS,
    RANKS,
    RESOURCE_POINTS,
    RESOURCES,
    TERRAINS,
    TITLE_PRICE,
    VILLAGE,
    Resource,
)
from domain.barony.construction import has_opposing_knight
from domain.barony.event_messages import pawns_text, token_text, tokens_text
from domain.barony.explain_turn_order import (
    explain_departure,
    explain_first_city,
    explain_ranking,
    explain_request,
    explain_round,
    explain_turn_order,
)
from domain.barony.formats import (
    BuildingsBuilt,
    CityFounded,
    Destroyed,
    DestroyedVillage,
    ExpeditionSent,
    GameStarted,
    KnightsMoved,
    KnightsRecruited,
    Step,
    TitleBought,
    TurnForfeited,
    TurnPassed,
)
from domain.barony.laying import MIDDLE, has_gap
from domain.barony.legal import ACTION_GENERATORS, ActionGenerator, some_action
from domain.barony.movement import has_own_pawn, opposing_pawns
from domain.barony.position import tokens_to_json
from domain.barony.recruitment import recruits_at
from domain.barony.state import State, StateT
from domain.barony.titles import worth
from domain.contract import DomainEvent, Reason
from domain.event import EventData
from domain.hex_text import hex_text
from domain.hexes import distance, hex_of
from domain.phrases import counted, listing

StepT = TypeVar("StepT", bound=Step)
Explainer: TypeAlias = Callable[[StateT, Any], Iterator[Reason]]
"""Explains the data of one type of event on the board before it. The data is `Any` in this table alone: the
type of an event determines the TypedDict of its data.
"""


def explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BY-SET-1, 2, 7."""
    board = {hex_of(cell["at"]) for cell in data["board"]}
    yield "BY-SET-1", f"{len(board) // 3} tiles were drawn and laid, {len(board)} hexes"
    # A forged record can contain any board: looking for gaps in a vast one would take all time and memory.
    is_small = all(distance(at, MIDDLE) <= 2 * max(RADIUS.values()) for at in board)
    if is_small and not has_gap(board):
        reach, middle = min((max(distance(at, other) for other in board), at) for at in board)
        yield (
            "BY-SET-2",
            f"the board has no gaps, and all of it lies within {reach} of {hex_text(middle)}",
        )
    if data.get("players"):
        yield "BY-SET-7", f"by the game's seating {data['players'][0]} is the first player"


def terrain_at(state: State, hex: int) -> str:
    """The terrain of a hex in words."""
    return TERRAINS[state.board.terrain[hex]].replace("_", " ")


def number_of(state: State, at: Sequence[int]) -> int:
    """The number of a hex of the board."""
    return state.board.index[at[0], at[1]]


def _knights_recruited(state: State, data: KnightsRecruited) -> Iterator[Reason]:
    seat = data["seat"]
    yield explain_site(state, seat, data["at"], "city")
    yield explain_reserve(state, seat, data["knights"])


def explain_site(state: State, seat: int, at: Sequence[int], building: str) -> Reason:
    """BY-REC-1: the greatest number of knights at the site of a recruitment."""
    hex = number_of(state, at)
    near = state.board.neighbours[hex]
    lakes = [hex_text(state.board.hexes[at]) for at in near if terrain_at(state, at) == "lake"]
    beside = f"beside the lake on {listing(lakes)}" if lakes else "beside no lake"
    site = f"{hex_text(at)} holds a {building} of seat {seat} and lies {beside}"
    return "BY-REC-1", f"{site}: up to {recruits_at(state, hex)} knights"


def explain_reserve(state: State, seat: int, used: int) -> Reason:
    """BY-REC-2: the knights in reserve before and after a recruitment."""
    before = state.reserve_knights[seat]
    return "BY-REC-2", f"the reserve goes from {counted(before, 'knight')} to {before - used}"


def _knights_moved(state: State, data: KnightsMoved) -> Iterator[Reason]:
    return explain_moves(state, data["seat"], data["moves"], explain_arrival, apply_steps)


def explain_moves(
    state: StateT,
    seat: int,
    steps: Sequence[StepT],
    explain_arrival: Callable[[StateT, int, StepT], Iterator[Reason]],
    apply_steps: Callable[[StateT, int, Sequence[StepT]], None],
) -> Iterator[Reason]:
    """`KnightsMoved`: BY-MOV, BY-CON. Each arrival is explained on the board before it."""
    first = steps[0]
    trial = state.copy()
    for number, step in enumerate(steps):
        has_new_end = not number or step["to"] != first["to"]
        if has_new_end or step["from"] != first["from"]:
            yield explain_step(seat, step)
        if number:
            yield from _second_move(state, seat, first, step)
        if has_new_end:
            yield from explain_entry(trial, seat, step["to"])
        yield from explain_arrival(trial, seat, step)
        apply_steps(trial, seat, (step,))


def _second_move(state: State, seat: int, first: Step, second: Step) -> Iterator[Reason]:
    """BY-MOV-2, 7: how the first move affects the second."""
    start, end = hex_text(second["from"]), hex_text(second["to"])
    knights = state.knights[seat][number_of(state, second["from"])]
    if second["from"] == first["from"]:
        yield "BY-MOV-2", f"two knights leave {start}, where {knights} stood before"
    elif second["from"] == first["to"]:
        yield "BY-MOV-2", f"the knight that moves on stood on {start} before the first move"
    if opposing_pawns(state, seat, number_of(state, second["to"])):
        if second["to"] == first["to"]:
            yield "BY-MOV-7", f"the first move has already brought a knight to {end}"
        elif second["to"] == first["from"]:
            yield "BY-MOV-7", f"the first move has taken a knight away from {end}"


def explain_step(seat: int, step: Step) -> Reason:
    """BY-MOV-1: a knight's step from hex to hex."""
    start, end = hex_text(step["from"]), hex_text(step["to"])
    return "BY-MOV-1", f"a knight of seat {seat} stood on {start}, and {end} is adjacent to it"


def explain_entry(state: State, seat: int, at: Sequence[int]) -> Iterator[Reason]:
    """BY-MOV-4, 5, 6: why the opposing pawns on a hex did not bar it."""
    hex, here = number_of(state, at), hex_text(at)
    pawns = opposing_pawns(state, seat, hex)
    if not pawns:
        return
    if any(kind == "village" for _, kind in pawns):
        yield "BY-MOV-4", f"the building on {here} is a village, which does not bar the hex"
    owners = listing(f"seat {owner}" for owner, _ in pawns)
    each = " each" if len(pawns) > 1 else ""
    yield (
        "BY-MOV-5",
        f"{owners} had one pawn{each} on {here}; two pawns of one seat would bar the hex",
    )
    if state.board.terrain[hex] != MOUNTAIN:
        terrain = terrain_at(state, hex)
        yield "BY-MOV-6", f"{here} is a {terrain}; a single opposing pawn bars only a mountain"


def explain_arrival(state: State, seat: int, step: Step) -> Iterator[Reason]:
    """BY-CON-1, 2, 3: what the arrival of a knight destroyed, or why nothing."""
    hex, here = number_of(state, step["to"]), hex_text(step["to"])
    destroyed = step.get("destroyed", [])
    if destroyed and has_own_pawn(state, seat, hex):
        has_village = state.building[hex] == VILLAGE and state.owner[hex] == seat
        knights = state.knights[seat][hex]
        own = ["the knight" if knights == 1 else f"the {knights} knights"] if knights else []
        others = listing([*own, "the village"] if has_village else own)
        count = f"{knights + has_village + 1} pawns on {here}"
        with_own = f"with {others} there seat {seat} now has {count}"
        are = "are" if destroyed[1:] else "is"
        yield (
            "BY-CON-1",
            f"{with_own}, so {pawns_text(destroyed)} {are} destroyed",
        )
    elif not destroyed and (opponents := opposing_pawns(state, seat, hex)):
        pawns = listing(f"seat {owner}'s {kind}" for owner, kind in opponents)
        yield "BY-CON-1", f"seat {seat} has only one pawn on {here} and shares the hex with {pawns}"
    yield from explain_tokens(state, seat, destroyed)


def explain_tokens(state: State, seat: int, destroyed: Sequence[Destroyed]) -> Iterator[Reason]:
    """BY-CON-2, 3: the tokens taken for the villages among destroyed pawns."""
    for pawn in destroyed:
        if pawn["pawn"] == "village":
            yield from _token_taken(state, seat, pawn)


def _token_taken(state: State, seat: int, village: DestroyedVillage) -> Iterator[Reason]:
    owner, token = village["seat"], village["token"]
    tokens = state.resources[owner]
    if token is None:
        yield "BY-CON-2", f"seat {owner} had no token to give for its village"
        return
    yield "BY-CON-2", f"for its village seat {owner} gives seat {seat} a {token} token"
    if sum(count > 0 for count in tokens) > 1:
        choice = tokens_text(tokens_to_json(tokens))
        yield "BY-CON-3", f"seat {owner} had {choice}, and seat {seat} chose"


def _buildings_built(state: State, data: BuildingsBuilt) -> Iterator[Reason]:
    seat, built, bank = data["seat"], data["built"], state.bank[:]
    here = listing(hex_text(entry["at"]) for entry in built)
    each = "each of " if built[1:] else ""
    yield "BY-BLD-1", f"one knight of seat {seat} on {each}{here} goes back to the reserve"
    hexes = [number_of(state, entry["at"]) for entry in built]
    if not any(state.building[hex] for hex in hexes):
        yield "BY-BLD-2", f"there was no building on {here}"
    if not any(has_opposing_knight(state, seat, hex) for hex in hexes):
        yield "BY-BLD-3", f"no opponent's knight stood on {here}"
    for building, before in (
        ("village", state.reserve_villages[seat]),
        ("stronghold", state.reserve_strongholds[seat]),
    ):
        used = sum(entry["building"] == building for entry in built)
        if used:
            yield (
                "BY-BLD-4",
                f"the reserve goes from {counted(before, building)} to {before - used}",
            )
    for hex, entry in zip(hexes, built, strict=True):
        yield explain_gain(state, hex, entry["token"], bank, "BY-BLD-5")


def explain_gain(
    state: State, hex: int, token: Resource | None, bank: list[int], clause: str
) -> Reason:
    """`clause`, which gave a token for the terrain of the hex, or BY-MAT-4. Takes the token out of `bank`."""
    here, terrain = hex_text(state.board.hexes[hex]), terrain_at(state, hex)
    if token is None:
        return "BY-MAT-4", f"{here} is a {terrain}, and the bank had no {terrain} token left"
    bank[KIND[token]] -= 1
    left = bank[KIND[token]]
    return clause, f"{here} is a {terrain}: {token_text(token)}, leaving {left} in the bank"


def _city_founded(state: State, data: CityFounded) -> Iterator[Reason]:
    seat, at = data["seat"], data["at"]
    yield explain_replaced_village(seat, at)
    yield from explain_city_site(state, at)
    yield from explain_no_opposing_knight(state, seat, at)
    yield from explain_city_gain(state, seat, data["points"])


def explain_replaced_village(seat: int, at: Sequence[int]) -> Reason:
    """BY-CTY-1: the village that a city replaced."""
    village = f"seat {seat}'s village on {hex_text(at)}"
    return "BY-CTY-1", f"{village} goes back to the reserve and makes room for a city"


def explain_city_site(state: State, at: Sequence[int]) -> Iterator[Reason]:
    """BY-CTY-2, 3: the terrain of a new city, and the hexes around it."""
    hex, here = number_of(state, at), hex_text(at)
    if state.board.terrain[hex] != FOREST:
        yield "BY-CTY-2", f"{here} is a {terrain_at(state, hex)}, not a forest"
    if all(state.building[near] != CITY for near in state.board.neighbours[hex]):
        yield "BY-CTY-3", f"no hex adjacent to {here} had a city"


def explain_no_opposing_knight(state: State, seat: int, at: Sequence[int]) -> Iterator[Reason]:
    """BY-CTY-4: no opposing knight was on the hex of a new city."""
    if not has_opposing_knight(state, seat, number_of(state, at)):
        yield "BY-CTY-4", f"no opponent's knight stood on {hex_text(at)}"


def explain_city_gain(state: State, seat: int, points: int) -> Iterator[Reason]:
    """BY-CTY-5, BY-END-1, 7: the reserve that a city came from, and its points."""
    cities = state.reserve_cities[seat]
    yield "BY-CTY-5", f"the reserve held {counted(cities, 'city')}"
    yield explain_points(state, seat, points)
    if state.new_cities[seat] + cities > 2:
        yield "BY-END-7", f"seat {seat} did not place all its cities in set-up"


def explain_points(state: State, seat: int, points: int) -> Reason:
    """BY-END-1: points on the score track."""
    score = state.score[seat] + points
    return "BY-END-1", f"seat {seat} rises by {points} to {score} on the score track"


def explain_expedition(state: State, data: ExpeditionSent) -> Iterator[Reason]:
    """`ExpeditionSent`: BY-EXP."""
    seat, hex, here = data["seat"], number_of(state, data["to"]), hex_text(data["to"])
    missing = 6 - len(state.board.neighbours[hex])
    yield "BY-EXP-1", f"seat {seat} gives up one knight for good and places another on {here}"
    yield "BY-EXP-2", f"{missing} of the six neighbours of {here} are off the board"
    yield "BY-EXP-3", f"{here} is a {terrain_at(state, hex)}"
    yield "BY-EXP-4", f"no pawn stood on {here}"
    before = state.reserve_knights[seat]
    yield "BY-EXP-5", f"the reserve goes from {counted(before, 'knight')} to {before - 2}"


def _title_bought(state: State, data: TitleBought) -> Iterator[Reason]:
    seat, discarded = data["seat"], data["discarded"]
    paid = worth(tuple(discarded.get(kind, 0) for kind in RESOURCES))
    change = ", and no change is given" if paid > TITLE_PRICE else ""
    price = f"a title costs {TITLE_PRICE}{change}"
    yield (
        "BY-TTL-1",
        f"{tokens_text(discarded)} are worth {paid} resource points; {price}",
    )
    yield "BY-TTL-2", f"seat {seat} was {RANKS[state.rank[seat]]} and is now {data['rank']}"
    cheapest = next(kind for kind in RESOURCES if kind in discarded)
    rest = paid - RESOURCE_POINTS[KIND[cheapest]]
    if rest < TITLE_PRICE:
        token = token_text(cheapest)
        yield "BY-TTL-3", f"without {token} only {rest} would be left, so every token was needed"
    yield explain_points(state, seat, data["points"])


def explain_pass(
    state: StateT,
    data: TurnPassed,
    generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS,
) -> Iterator[Reason]:
    """`TurnPassed`: BY-TURN-2. `generators` list the other actions."""
    if some_action(state, data["seat"], generators) is None:
        yield "BY-TURN-2", f"seat {data['seat']} had no other legal action"


def _turn_forfeited(state: State, data: TurnForfeited) -> Iterator[Reason]:
    seat = data["seat"]
    yield "BY-TURN-5", f"the time for seat {seat}'s turn ran out, which does not count as a pass"


EXPLAINERS: Final[Mapping[str, Explainer[State]]] = {
    "CityPlaced": explain_first_city,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": explain_expedition,
    "TitleBought": _title_bought,
    "TurnPassed": explain_pass,
    "TurnForfeited": _turn_forfeited,
    "PlayerResigned": explain_departure,
    "PlayerRemoved": explain_departure,
    "EndAgreed": explain_request,
    "RoundScored": explain_round,
    "GameFinished": explain_ranking,
}
"""By event type."""


def explain(state: State | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """The clauses by which this event followed from this state; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    return explain_with(state, event, explain_start, EXPLAINERS, apply)


def explain_with(
    state: StateT | None,
    event: DomainEvent,
    explain_start: Callable[[None, Any], Iterator[Reason]],
    explainers: Mapping[str, Explainer[StateT]],
    apply: Callable[[StateT, str, EventData], None],
) -> list[Reason]:
    """`explain` by these functions; `apply` writes an event into a state."""
    if state is None:
        return [*explain_start(None, event.data)] if event.type == "GameStarted" else []
    if event.type not in explainers:
        return []
    reasons = [*explainers[event.type](state, event.data)]
    if "then" in event.data:
        after = state.copy()
        apply(after, event.type, event.data)
        reasons += explain_turn_order(state, after, event)
    return reasons
