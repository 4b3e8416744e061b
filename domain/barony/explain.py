"""`explain`: the clauses by which an event followed from a state, each with a sentence about this board.

Nothing is decided here: the sentences state what held on the board before a recorded event. Clauses that did
not matter are not named. `explain_turn_order` has set-up, departures, scores and the turn order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from domain.barony.actions import SomeTokens
from domain.barony.components import (
    KIND,
    LAKE,
    MOUNTAIN,
    RADIUS,
    RESOURCE_POINTS,
    RESOURCES,
    TITLE_PRICE,
    VILLAGE,
    Building,
    Resource,
)
from domain.barony.components import RANKS as RANK_NAMES
from domain.barony.construction import CITY_CLAUSES, SITE_CLAUSES, explain_sites
from domain.barony.decide import ACTION_GENERATORS, ActionGenerator, some_action
from domain.barony.event_messages import pawn, pawns, tokens
from domain.barony.explain_turn_order import (
    explain_departure,
    explain_first_city,
    explain_points,
    explain_ranking,
    explain_request,
    explain_round,
    explain_turn_order,
    number_of,
    reserve_change,
    terrain_at,
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
from domain.barony.movement import has_own_pawn, opposing_pawns
from domain.barony.recruitment import recruits_at
from domain.barony.set_up import MIDDLE, has_gap
from domain.barony.state import State, StateT, apply, apply_steps, tokens_to_json
from domain.barony.terms import (
    HEX,
    KNIGHT,
    PAWNS,
    POINT,
    RANKS,
    RESOURCE_POINT,
    STRONGHOLD,
    TILE,
    TOKENS,
)
from domain.barony.titles import worth
from domain.contract import DomainEvent, Reason
from domain.event import EventData
from domain.hexes import distance, hex_of
from domain.messages import (
    Message,
    PlayerAt,
    PlayerWithId,
    counted,
    hex_at,
    listing,
    message,
    plural_reason,
    reason,
)


def explain_buildings(state: State, data: BuildingsBuilt) -> Iterator[Reason]:
    """`BuildingsBuilt`: BY-BLD."""
    seat, built, bank = data["seat"], data["built"], state.bank[:]
    hexes = [number_of(state, entry["at"]) for entry in built]
    yield from explain_sites(state, seat, hexes, SITE_CLAUSES)
    villages = sum(entry["building"] == "village" for entry in built)
    if villages:
        yield "BY-BLD-4", reserve_change(PAWNS["village"], state.reserve_villages[seat], villages)
    strongholds = len(built) - villages
    if strongholds:
        yield "BY-BLD-4", reserve_change(STRONGHOLD, state.reserve_strongholds[seat], strongholds)
    for hex, entry in zip(hexes, built, strict=True):
        yield explain_gain(state, hex, entry["token"], bank, "BY-BLD-5")


def explain_gain(
    state: State, hex: int, token: Resource | None, bank: list[int], clause: str
) -> Reason:
    """`clause`, which gave a token for the terrain of the hex, or BY-MAT-4. Takes the token out of `bank`."""
    here, terrain = hex_at(state.board.hexes[hex]), state.board.terrain[hex]
    if token is not None:
        bank[KIND[token]] -= 1
        return plural_reason(
            clause,
            "{hex} is {terrain:a} and yields {token:a}, which leaves one in the bank",
            "{hex} is {terrain:a} and yields {token:a}, which leaves {count} in the bank",
            count=bank[KIND[token]],
            hex=here,
            terrain=terrain_at(state, hex),
            token=TOKENS[token],
        )
    if terrain >= len(RESOURCES):
        return reason(
            "BY-MAT-2",
            "{hex} is {terrain:a}, which yields no token",
            hex=here,
            terrain=terrain_at(state, hex),
        )
    return reason(
        "BY-MAT-4",
        "{hex} is {terrain:a}, and the bank had no {token} left",
        hex=here,
        terrain=terrain_at(state, hex),
        token=TOKENS[RESOURCES[terrain]],
    )


def explain_new_city(state: State, data: CityFounded) -> Iterator[Reason]:
    """`CityFounded`: BY-CTY."""
    seat, at = data["seat"], data["at"]
    yield from explain_sites(state, seat, [number_of(state, at)], CITY_CLAUSES)
    yield from explain_city_gain(state, seat, data["points"])


def explain_city_gain(state: State, seat: int, points: int) -> Iterator[Reason]:
    """BY-END-1, 7: the points of a new city."""
    yield explain_points(state, seat, points)
    if state.new_cities[seat] + state.reserve_cities[seat] > 2:
        yield reason(
            "BY-END-7", "{player} did not place all cities in set-up", player=PlayerAt(seat)
        )


StepT = TypeVar("StepT", bound=Step)


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
    start, end = hex_at(second["from"]), hex_at(second["to"])
    if second["from"] == first["from"]:
        knights = state.knights[seat][number_of(state, second["from"])]
        yield reason(
            "BY-MOV-2",
            "two knights leave {hex}, where {number} stood before",
            hex=start,
            number=knights,
        )
    elif second["from"] == first["to"]:
        yield reason(
            "BY-MOV-2", "the knight that leaves {hex} stood there before the first move", hex=start
        )
    if opposing_pawns(state, seat, number_of(state, second["to"])):
        if second["to"] == first["to"]:
            yield reason(
                "BY-MOV-7", "the first move has already brought a knight to {hex}", hex=end
            )
        elif second["to"] == first["from"]:
            yield reason("BY-MOV-7", "the first move has taken a knight away from {hex}", hex=end)


def explain_step(seat: int, step: Step) -> Reason:
    """BY-MOV-1: a knight's step from hex to hex."""
    return reason(
        "BY-MOV-1",
        "a knight of {player} stood on {start}, and {end} is adjacent to it",
        player=PlayerAt(seat),
        start=hex_at(step["from"]),
        end=hex_at(step["to"]),
    )


def explain_entry(state: State, seat: int, at: Sequence[int]) -> Iterator[Reason]:
    """BY-MOV-4, 5, 6: why the opposing pawns on a hex did not bar it."""
    hex, here = number_of(state, at), hex_at(at)
    opponents = opposing_pawns(state, seat, hex)
    if not opponents:
        return
    if any(kind == "village" for _, kind in opponents):
        yield reason(
            "BY-MOV-4", "the building on {hex} is a village, which does not bar the hex", hex=here
        )
    yield plural_reason(
        "BY-MOV-5",
        "{players} had only one pawn on {hex}; two pawns of one player would bar the hex",
        "{players} had one pawn each on {hex}; two pawns of one player would bar the hex",
        count=len(opponents),
        players=listing(PlayerAt(owner) for owner, _ in opponents),
        hex=here,
    )
    if state.board.terrain[hex] != MOUNTAIN:
        yield reason(
            "BY-MOV-6",
            "{hex} is {terrain:a}; a single opposing pawn bars only a mountain",
            hex=here,
            terrain=terrain_at(state, hex),
        )


def explain_arrival(state: State, seat: int, step: Step) -> Iterator[Reason]:
    """BY-CON-1, 2, 3: what the arrival of a knight destroyed, or why nothing."""
    hex, here, player = number_of(state, step["to"]), hex_at(step["to"]), PlayerAt(seat)
    destroyed = step.get("destroyed", [])
    if destroyed and has_own_pawn(state, seat, hex):
        own = [counted(state.knights[seat][hex] + 1, KNIGHT)]
        if state.building[hex] == VILLAGE and state.owner[hex] == seat:
            own.append(counted(1, PAWNS["village"]))
        yield reason(
            "BY-CON-1",
            "{player} now has {own} on {hex} and destroys {pawns}",
            player=player,
            own=listing(own),
            hex=here,
            pawns=pawns(destroyed),
        )
    elif not destroyed and (opponents := opposing_pawns(state, seat, hex)):
        yield reason(
            "BY-CON-1",
            "{player} has only one pawn on {hex} and shares the hex with {pawns}",
            player=player,
            hex=here,
            pawns=listing(pawn(owner, kind) for owner, kind in opponents),
        )
    yield from explain_tokens(state, seat, destroyed)


def explain_tokens(state: State, seat: int, destroyed: Sequence[Destroyed]) -> Iterator[Reason]:
    """BY-CON-2, 3: the tokens taken for the villages among destroyed pawns."""
    for entry in destroyed:
        if entry["pawn"] == "village":
            yield from _token_taken(state, seat, entry)


def _token_taken(state: State, seat: int, village: DestroyedVillage) -> Iterator[Reason]:
    owner, player, kind = PlayerAt(village["seat"]), PlayerAt(seat), village["token"]
    owned = state.resources[village["seat"]]
    if kind is None:
        yield reason("BY-CON-2", "{owner} had no token to give for the village", owner=owner)
        return
    yield reason(
        "BY-CON-2",
        "{owner} gives {player} {token:a} for the village",
        owner=owner,
        player=player,
        token=TOKENS[kind],
    )
    if sum(count > 0 for count in owned) > 1:
        yield reason(
            "BY-CON-3",
            "{owner} had {tokens}, and {player} chose",
            owner=owner,
            tokens=tokens(tokens_to_json(owned)),
            player=player,
        )


Explainer: TypeAlias = Callable[[StateT, Any], Iterator[Reason]]
"""Explains the data of one type of event on the board before it. The data is `Any` in this table alone: the
type of an event determines the TypedDict of its data.
"""


def explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BY-SET-1, 2, 7."""
    board = {hex_of(cell["at"]) for cell in data["board"]}
    yield reason(
        "BY-SET-1",
        "the board consists of {tiles}, drawn and laid at random: {hexes}",
        tiles=counted(len(board) // 3, TILE),
        hexes=counted(len(board), HEX),
    )
    # A forged record can contain any board: looking for gaps in a vast one would take all time and memory.
    is_small = all(distance(at, MIDDLE) <= 2 * max(RADIUS.values()) for at in board)
    if is_small and not has_gap(board):
        reach, middle = min((max(distance(at, other) for other in board), at) for at in board)
        yield reason(
            "BY-SET-2",
            "the board has no gaps, and no hex is more than {distance} from {hex}",
            distance=counted(reach, HEX),
            hex=hex_at(middle),
        )
    if data.get("players"):
        yield reason(
            "BY-SET-7",
            "by the game's seating {player} is the first player",
            player=PlayerWithId(data["players"][0]),
        )


def _knights_recruited(state: State, data: KnightsRecruited) -> Iterator[Reason]:
    seat = data["seat"]
    yield explain_site(state, seat, data["at"], "city")
    yield explain_reserve(state, seat, data["knights"])


def explain_site(state: State, seat: int, at: Sequence[int], building: Building) -> Reason:
    """BY-REC-1: the greatest number of knights at the site of a recruitment."""
    hex, player = number_of(state, at), PlayerAt(seat)
    near, terrain = state.board.neighbours[hex], state.board.terrain
    lakes = [hex_at(state.board.hexes[other]) for other in near if terrain[other] == LAKE]
    knights = counted(recruits_at(state, hex), KNIGHT)
    if lakes:
        return plural_reason(
            "BY-REC-1",
            "{player} has {building:a} on {hex}, beside the lake on {lakes}: up to {knights}",
            "{player} has {building:a} on {hex}, beside the lakes on {lakes}: up to {knights}",
            count=len(lakes),
            player=player,
            building=PAWNS[building],
            hex=hex_at(at),
            lakes=listing(lakes),
            knights=knights,
        )
    return reason(
        "BY-REC-1",
        "{player} has {building:a} on {hex}, beside no lake: up to {knights}",
        player=player,
        building=PAWNS[building],
        hex=hex_at(at),
        knights=knights,
    )


def explain_reserve(state: State, seat: int, used: int) -> Reason:
    """BY-REC-2: the knights in reserve before and after a recruitment."""
    return "BY-REC-2", reserve_change(KNIGHT, state.reserve_knights[seat], used)


def _knights_moved(state: State, data: KnightsMoved) -> Iterator[Reason]:
    return explain_moves(state, data["seat"], data["moves"], explain_arrival, apply_steps)


def explain_expedition(state: State, data: ExpeditionSent) -> Iterator[Reason]:
    """`ExpeditionSent`: BY-EXP."""
    seat, hex, here = data["seat"], number_of(state, data["to"]), hex_at(data["to"])
    yield reason(
        "BY-EXP-1",
        "{player} gives up one knight for good and places another on {hex}",
        player=PlayerAt(seat),
        hex=here,
    )
    yield plural_reason(
        "BY-EXP-2",
        "one of the 6 neighbours of {hex} is off the board",
        "{count} of the 6 neighbours of {hex} are off the board",
        count=6 - len(state.board.neighbours[hex]),
        hex=here,
    )
    yield reason("BY-EXP-3", "{hex} is {terrain:a}", hex=here, terrain=terrain_at(state, hex))
    yield reason("BY-EXP-4", "no pawn stood on {hex}", hex=here)
    yield "BY-EXP-5", reserve_change(KNIGHT, state.reserve_knights[seat], 2)


def _title_bought(state: State, data: TitleBought) -> Iterator[Reason]:
    seat, discarded = data["seat"], data["discarded"]
    paid = worth(tuple(discarded.get(kind, 0) for kind in RESOURCES))
    yield "BY-TTL-1", _payment(discarded, paid)
    yield reason(
        "BY-TTL-2",
        "{player} was {before} and is now {after}",
        player=PlayerAt(seat),
        before=RANKS[RANK_NAMES[state.rank[seat]]],
        after=RANKS[data["rank"]],
    )
    cheapest = next(kind for kind in RESOURCES if kind in discarded)
    rest = paid - RESOURCE_POINTS[KIND[cheapest]]
    if rest < TITLE_PRICE:
        yield reason(
            "BY-TTL-3",
            "without {token:a} only {points} would be left, so every token was needed",
            token=TOKENS[cheapest],
            points=counted(rest, POINT),
        )
    yield explain_points(state, seat, data["points"])


def _payment(discarded: SomeTokens, paid: int) -> Message:
    """BY-TTL-1: what the discarded tokens are worth, and the price."""
    if paid > TITLE_PRICE:
        return message(
            "the payment ({tokens}) is worth {points}; a title costs {price}, and no change is given",
            tokens=tokens(discarded),
            points=counted(paid, RESOURCE_POINT),
            price=TITLE_PRICE,
        )
    return message(
        "the payment ({tokens}) is worth {points}; a title costs {price}",
        tokens=tokens(discarded),
        points=counted(paid, RESOURCE_POINT),
        price=TITLE_PRICE,
    )


def explain_pass(
    state: StateT,
    data: TurnPassed,
    generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS,
) -> Iterator[Reason]:
    """`TurnPassed`: BY-TURN-2. `generators` list the other actions."""
    if some_action(state, data["seat"], generators) is None:
        yield reason(
            "BY-TURN-2", "{player} had no other legal action", player=PlayerAt(data["seat"])
        )


def _turn_forfeited(state: State, data: TurnForfeited) -> Iterator[Reason]:
    yield reason(
        "BY-TURN-5",
        "the time for the turn of {player} ran out, which does not count as a pass",
        player=PlayerAt(data["seat"]),
    )


EXPLAINERS: Final[Mapping[str, Explainer[State]]] = {
    "CityPlaced": explain_first_city,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": explain_buildings,
    "CityFounded": explain_new_city,
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
    additions: Mapping[str, Explainer[StateT]] | None = None,
) -> list[Reason]:
    """`explain` by these functions, and by those that an expansion adds.

    `apply` writes an event into a state.
    """
    if state is None:
        return [*explain_start(None, event.data)] if event.type == "GameStarted" else []
    if event.type not in explainers:
        return []
    reasons = [*explainers[event.type](state, event.data)]
    if additions is not None and event.type in additions:
        reasons += additions[event.type](state, event.data)
    if "then" in event.data:
        after = state.copy()
        apply(after, event.type, event.data)
        reasons += explain_turn_order(state, after, event)
    return reasons
