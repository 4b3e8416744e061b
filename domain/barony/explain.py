"""`explain`: the clauses that let a fact come of a state, each with a sentence about this very board.

It judges nothing: of a recorded fact it says what holds on the board it came of. Clauses that were not at
stake are not named. Set-up, departures, the end and the score are told in `explain_course`, and what any
fact brings about for the course of the game.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from domain.barony.apply import KIND, apply, move_knight
from domain.barony.components import (
    CITY,
    FOREST,
    MOUNTAIN,
    RADIUS,
    RANKS,
    RESOURCE_POINTS,
    RESOURCES,
    TERRAINS,
    TITLE_PRICE,
    VILLAGE,
)
from domain.barony.construction import has_opposing_knight
from domain.barony.event_text import fallen_text, token_text, tokens_text
from domain.barony.explain_turn_order import (
    Reason,
    explain_course,
    explain_departure,
    explain_placement,
    explain_ranking,
    explain_request,
    explain_standings,
)
from domain.barony.laying import MIDDLE, has_gap
from domain.barony.legal import ACTION_GENERATORS, ActionGenerator, some_action
from domain.barony.movement import has_company, opposing_pawns
from domain.barony.recruitment import recruits_at
from domain.barony.state import State
from domain.barony.titles import worth
from domain.contract import DomainEvent, Json, untyped_data
from domain.hex_text import hex_text
from domain.hexes import distance, hex_of
from domain.phrases import counted, listing


def explain_start(state: None, data: Json) -> Iterator[Reason]:
    """`GameStarted`: BY-SET-1, 2, 7."""
    board = {hex_of(cell["at"]) for cell in data["board"]}
    yield "BY-SET-1", f"{len(board) // 3} tiles were drawn and laid, {len(board)} hexes"
    # A record may tell of any board; looking for gaps in a vast one would take all time and memory.
    is_small = all(distance(at, MIDDLE) <= 2 * max(RADIUS.values()) for at in board)
    if is_small and not has_gap(board):
        reach, middle = min((max(distance(at, other) for other in board), at) for at in board)
        yield (
            "BY-SET-2",
            f"the board has no gaps, and all of it lies within {reach} of {hex_text(middle)}",
        )
    if data.get("players"):
        yield "BY-SET-7", f"by the game's seating {data['players'][0]} is the first player"


def ground_of(state: State, hex: int) -> str:
    """The terrain of a hex, as a word."""
    return TERRAINS[state.board.terrain[hex]].replace("_", " ")


def number_of(state: State, at: list[int]) -> int:
    """The number of a hex of the board."""
    return state.board.index[at[0], at[1]]


def _recruited(state: State, data: Json) -> Iterator[Reason]:
    seat = data["seat"]
    yield explain_site(state, seat, data["at"], "city")
    yield explain_reserve(state, seat, data["knights"])


def explain_site(state: State, seat: int, at: list[int], building: str) -> Reason:
    """BY-REC-1: how many knights a building there takes."""
    hex = number_of(state, at)
    near = state.board.neighbours[hex]
    lakes = [hex_text(state.board.hexes[at]) for at in near if ground_of(state, at) == "lake"]
    beside = f"beside the lake on {listing(lakes)}" if lakes else "by no lake"
    holds = f"{hex_text(at)} holds a {building} of seat {seat}"
    return "BY-REC-1", f"{holds} and lies {beside}: up to {recruits_at(state, hex)} knights"


def explain_reserve(state: State, seat: int, used: int) -> Reason:
    """BY-REC-2: the knights that were there for a recruitment."""
    held = state.reserve_knights[seat]
    return "BY-REC-2", f"of {counted(held, 'knight')} in reserve {held - used} are left"


def _second_move(state: State, seat: int, first: Json, second: Json) -> Iterator[Reason]:
    """What the first move means to the second."""
    start, end = hex_text(second["from"]), hex_text(second["to"])
    stood = state.knights[seat][number_of(state, second["from"])]
    if second["from"] == first["from"]:
        yield "BY-MOV-2", f"two knights leave {start}, where {stood} stood before"
    elif second["from"] == first["to"]:
        yield "BY-MOV-2", f"a knight stood on {start} before the first came: that one moves on"
    if opposing_pawns(state, seat, number_of(state, second["to"])):
        if second["to"] == first["to"]:
            yield "BY-MOV-7", f"the first move has brought a knight to {end} already"
        elif second["to"] == first["from"]:
            yield "BY-MOV-7", f"the first move has taken a knight off {end}"


def explain_step(seat: int, step: Json) -> Reason:
    """BY-MOV-1: a knight, and where it went."""
    start, end = hex_text(step["from"]), hex_text(step["to"])
    return "BY-MOV-1", f"a knight of seat {seat} stood on {start}, and {end} is adjacent to it"


def explain_entry(state: State, seat: int, at: list[int]) -> Iterator[Reason]:
    """BY-MOV-4, 5, 6: why the opponents on a hex did not bar it."""
    hex, here = number_of(state, at), hex_text(at)
    pawns = opposing_pawns(state, seat, hex)
    if not pawns:
        return
    if any(pawn == "village" for _, pawn in pawns):
        yield "BY-MOV-4", f"the building on {here} is a village, which keeps nobody out"
    owners = listing(f"seat {owner}" for owner, _ in pawns)
    each = " each" if len(pawns) > 1 else ""
    yield "BY-MOV-5", f"{owners} had one pawn{each} on {here}; two of one seat would bar it"
    if state.board.terrain[hex] != MOUNTAIN:
        yield (
            "BY-MOV-6",
            f"{here} is a {ground_of(state, hex)}; only on a mountain would one bar it",
        )


def explain_arrival(state: State, seat: int, step: Json) -> Iterator[Reason]:
    """BY-CON: conflict, or none."""
    hex, here = number_of(state, step["to"]), hex_text(step["to"])
    destroyed = step.get("destroyed", [])
    if destroyed and has_company(state, seat, hex):
        has_village = state.building[hex] == VILLAGE and state.owner[hex] == seat
        knights = state.knights[seat][hex]
        stood = ["the knight" if knights == 1 else f"the {knights} knights"] if knights else []
        company = listing([*stood, "the village"] if has_village else stood)
        pawns = f"{knights + has_village + 1} pawns on {here}"
        fall = f"{fallen_text(destroyed)} {'fall' if destroyed[1:] else 'falls'}"
        yield "BY-CON-1", f"with {company} there seat {seat} now has {pawns}: {fall}"
    elif not destroyed and (others := opposing_pawns(state, seat, hex)):
        company = listing(f"seat {owner}'s {pawn}" for owner, pawn in others)
        yield "BY-CON-1", f"seat {seat} has one pawn on {here}, and shares the hex with {company}"
    yield from explain_tokens(state, seat, destroyed)


def explain_tokens(state: State, seat: int, destroyed: Sequence[Json]) -> Iterator[Reason]:
    """BY-CON-2, 3: what the villages among pawns that fell brought."""
    for fallen in destroyed:
        if fallen["pawn"] == "village":
            yield from _token_taken(state, seat, fallen)


def _token_taken(state: State, seat: int, fallen: Json) -> Iterator[Reason]:
    owner, token = fallen["seat"], fallen["token"]
    held = dict(zip(RESOURCES, state.resources[owner], strict=True))
    if token is None:
        yield "BY-CON-2", f"seat {owner} had no token to give for its village"
        return
    yield "BY-CON-2", f"for its village seat {owner} gives seat {seat} a {token} token"
    if sum(count > 0 for count in held.values()) > 1:
        yield "BY-CON-3", f"seat {owner} had {tokens_text(held)}, and seat {seat} chose"


def explain_moves(
    state: Any,
    data: Json,
    arrived: Callable[[Any, int, Json], Iterator[Reason]] = explain_arrival,
    move_knight: Callable[[Any, int, Json], None] = move_knight,
) -> Iterator[Reason]:
    """`KnightsMoved`: BY-MOV, BY-CON. `arrived` explains an arrival, `move_knight` makes a step."""
    seat, first = data["seat"], data["moves"][0]
    trial = state.copy()
    for number, step in enumerate(data["moves"]):
        has_new_end = not number or step["to"] != first["to"]
        if has_new_end or step["from"] != first["from"]:
            yield explain_step(seat, step)
        if number:
            yield from _second_move(state, seat, first, step)
        if has_new_end:
            yield from explain_entry(trial, seat, step["to"])
        yield from arrived(trial, seat, step)
        move_knight(trial, seat, step)


def _built(state: State, data: Json) -> Iterator[Reason]:
    seat, built = data["seat"], data["built"]
    bank = state.bank[:]
    here = listing(hex_text(entry["at"]) for entry in built)
    yield "BY-BLD-1", f"one knight of seat {seat} goes back to the reserve from {here}"
    hexes = [number_of(state, entry["at"]) for entry in built]
    if not any(state.building[hex] for hex in hexes):
        yield "BY-BLD-2", f"there was no building on {here}"
    if not any(has_opposing_knight(state, seat, hex) for hex in hexes):
        yield "BY-BLD-3", f"no opponent's knight stood on {here}"
    for building, held in (
        ("village", state.reserve_villages[seat]),
        ("stronghold", state.reserve_strongholds[seat]),
    ):
        used = sum(entry["building"] == building for entry in built)
        if used:
            yield (
                "BY-BLD-4",
                f"of {counted(held, building)} in reserve {held - used} are left",
            )
    for hex, entry in zip(hexes, built, strict=True):
        yield explain_gain(bank, ground_of(state, hex), entry, "BY-BLD-5")


def explain_gain(bank: list[int], ground: str, gained: Json, clause: str) -> Reason:
    """BY-MAT-4, or the clause that gave a token for the ground; the token is taken out of `bank`."""
    here, token = f"{hex_text(gained['at'])} is a {ground}", gained["token"]
    if token is None:
        return "BY-MAT-4", f"{here}, and the bank had no {ground} token left"
    bank[KIND[token]] -= 1
    return clause, f"{here}: {token_text(token)}, leaving {bank[KIND[token]]} in the bank"


def _founded(state: State, data: Json) -> Iterator[Reason]:
    yield explain_village_replaced(data)
    yield from explain_city_site(state, data)
    yield from explain_city_peace(state, data)
    yield from explain_city_gain(state, data)


def explain_village_replaced(data: Json) -> Reason:
    """BY-CTY-1: what made room for a city."""
    here = hex_text(data["at"])
    return (
        "BY-CTY-1",
        f"seat {data['seat']}'s village on {here} went back to the reserve for a city",
    )


def explain_city_site(state: State, data: Json) -> Iterator[Reason]:
    """BY-CTY-2, 3: the ground of a city, and what lies around it."""
    hex, here = number_of(state, data["at"]), hex_text(data["at"])
    if state.board.terrain[hex] != FOREST:
        yield "BY-CTY-2", f"{here} is a {ground_of(state, hex)}, no forest"
    if all(state.building[near] != CITY for near in state.board.neighbours[hex]):
        yield "BY-CTY-3", f"no hex adjacent to {here} had a city"


def explain_city_peace(state: State, data: Json) -> Iterator[Reason]:
    """BY-CTY-4: nobody in the way of a city."""
    if not has_opposing_knight(state, data["seat"], number_of(state, data["at"])):
        yield "BY-CTY-4", f"no opponent's knight stood on {hex_text(data['at'])}"


def explain_city_gain(state: State, data: Json) -> Iterator[Reason]:
    """BY-CTY-5, BY-END-1, 7: the reserve that a city came of, and its points."""
    seat, points = data["seat"], data["points"]
    cities, score = state.reserve_cities[seat], state.score[seat] + points
    yield "BY-CTY-5", f"the reserve held {counted(cities, 'city')}"
    yield "BY-END-1", f"seat {seat} rises by {points} to {score} on the track"
    if state.new_cities[seat] + cities > 2:
        yield "BY-END-7", f"seat {seat} did not place all its cities in set-up"


def explain_expedition(state: State, data: Json) -> Iterator[Reason]:
    """`ExpeditionSent`: BY-EXP."""
    seat, hex, here = data["seat"], number_of(state, data["to"]), hex_text(data["to"])
    off = 6 - len(state.board.neighbours[hex])
    yield "BY-EXP-1", f"seat {seat} gives up one knight for good and places another on {here}"
    yield "BY-EXP-2", f"{off} of the six neighbours of {here} are off the board"
    yield "BY-EXP-3", f"{here} is a {ground_of(state, hex)}"
    yield "BY-EXP-4", f"no pawn stood on {here}"
    held = state.reserve_knights[seat]
    yield "BY-EXP-5", f"of {counted(held, 'knight')} in reserve {held - 2} are left"


def _title(state: State, data: Json) -> Iterator[Reason]:
    seat, paid = data["seat"], data["discarded"]
    gold = worth(tuple(paid.get(kind, 0) for kind in RESOURCES))
    change = f", and the {gold - TITLE_PRICE} beyond are lost" if gold > TITLE_PRICE else ""
    yield (
        "BY-TTL-1",
        f"{tokens_text(paid)} are worth {gold} resource points; a title costs {TITLE_PRICE}{change}",
    )
    yield "BY-TTL-2", f"seat {seat} was {RANKS[state.rank[seat]]} and is {data['rank']} now"
    least = min(paid, key=lambda kind: RESOURCE_POINTS[KIND[kind]])
    without = gold - RESOURCE_POINTS[KIND[least]]
    if without < TITLE_PRICE:
        yield "BY-TTL-3", f"without {token_text(least)} there would be {without}: all were needed"
    score = state.score[seat] + data["points"]
    yield "BY-END-1", f"seat {seat} rises by {data['points']} to {score} on the track"


def explain_pass(
    state: State, data: Json, lists: tuple[ActionGenerator, ...] = ACTION_GENERATORS
) -> Iterator[Reason]:
    """`TurnPassed`: BY-TURN-2. `lists`: the actions that there are."""
    if some_action(state, data["seat"], lists) is None:
        yield "BY-TURN-2", f"seat {data['seat']} could do nothing else"


def _forfeited(state: State, data: Json) -> Iterator[Reason]:
    yield "BY-TURN-5", f"seat {data['seat']} let its turn lapse, which is no pass"


Reasons: TypeAlias = Callable[[Any, Json], Iterator[Reason]]
"""Explains the data of one type of fact, on the board that it came of."""

REASONS: Final[Mapping[str, Reasons]] = {
    "GameStarted": explain_start,
    "CityPlaced": explain_placement,
    "KnightsRecruited": _recruited,
    "KnightsMoved": explain_moves,
    "BuildingsBuilt": _built,
    "CityFounded": _founded,
    "ExpeditionSent": explain_expedition,
    "TitleBought": _title,
    "TurnPassed": explain_pass,
    "TurnForfeited": _forfeited,
    "PlayerResigned": explain_departure,
    "PlayerRemoved": explain_departure,
    "EndAgreed": explain_request,
    "RoundScored": explain_standings,
    "GameFinished": explain_ranking,
}


def explain(
    state: Any,
    seat: int | None,
    fact: DomainEvent,
    reasons: Mapping[str, Reasons] = REASONS,
    apply: Callable[[Any, str, Json], None] = apply,
) -> list[Reason]:
    """The clauses that let this fact come of this state, and what they did; [] for an unknown type.

    There is no state (None) before `GameStarted`. `reasons`: what explains each type; `apply`: what writes
    facts.
    """
    if fact.type not in reasons or (state is None and fact.type != "GameStarted"):
        return []
    why = [*reasons[fact.type](state, untyped_data(fact))]
    return why if state is None else [*why, *explain_course(state, fact, apply)]
