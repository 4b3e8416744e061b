"""`explain`: the clauses by which an event followed from a state, each with a sentence about this board.

Nothing is decided here: the sentences state what held on the board before a recorded event. Clauses that did
not matter are not named. `explain_movement` and `explain_construction` have the actions with many clauses,
`explain_turn_order` has set-up, departures, scores and the turn order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from domain.barony.action_formats import SomeTokens
from domain.barony.apply import apply, apply_steps
from domain.barony.components import (
    KIND,
    LAKE,
    RADIUS,
    RESOURCE_POINTS,
    RESOURCES,
    TITLE_PRICE,
    Building,
)
from domain.barony.components import RANKS as RANK_NAMES
from domain.barony.event_messages import tokens
from domain.barony.explain_board import explain_points, number_of, reserve_change, terrain_at
from domain.barony.explain_construction import explain_buildings, explain_new_city
from domain.barony.explain_movement import explain_arrival, explain_moves
from domain.barony.explain_turn_order import (
    explain_departure,
    explain_first_city,
    explain_ranking,
    explain_request,
    explain_round,
    explain_turn_order,
)
from domain.barony.formats import (
    ExpeditionSent,
    GameStarted,
    KnightsMoved,
    KnightsRecruited,
    TitleBought,
    TurnForfeited,
    TurnPassed,
)
from domain.barony.laying import MIDDLE, has_gap
from domain.barony.legal import ACTION_GENERATORS, ActionGenerator, some_action
from domain.barony.recruitment import recruits_at
from domain.barony.state import State, StateT
from domain.barony.terms import HEX, KNIGHT, PAWNS, POINT, RANKS, RESOURCE_POINT, TILE, TOKENS
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
    plural_message,
)

Explainer: TypeAlias = Callable[[StateT, Any], Iterator[Reason]]
"""Explains the data of one type of event on the board before it. The data is `Any` in this table alone: the
type of an event determines the TypedDict of its data.
"""


def explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BY-SET-1, 2, 7."""
    board = {hex_of(cell["at"]) for cell in data["board"]}
    yield (
        "BY-SET-1",
        message(
            "the board consists of {tiles}, drawn and laid at random: {hexes}",
            tiles=counted(len(board) // 3, TILE),
            hexes=counted(len(board), HEX),
        ),
    )
    # A forged record can contain any board: looking for gaps in a vast one would take all time and memory.
    is_small = all(distance(at, MIDDLE) <= 2 * max(RADIUS.values()) for at in board)
    if is_small and not has_gap(board):
        reach, middle = min((max(distance(at, other) for other in board), at) for at in board)
        yield (
            "BY-SET-2",
            message(
                "the board has no gaps, and no hex is more than {distance} from {hex}",
                distance=counted(reach, HEX),
                hex=hex_at(middle),
            ),
        )
    if data.get("players"):
        yield (
            "BY-SET-7",
            message(
                "by the game's seating {player} is the first player",
                player=PlayerWithId(data["players"][0]),
            ),
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
        return "BY-REC-1", plural_message(
            "{player} has {building:a} on {hex}, beside the lake on {lakes}: up to {knights}",
            "{player} has {building:a} on {hex}, beside the lakes on {lakes}: up to {knights}",
            count=len(lakes),
            player=player,
            building=PAWNS[building],
            hex=hex_at(at),
            lakes=listing(lakes),
            knights=knights,
        )
    return "BY-REC-1", message(
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
    yield (
        "BY-EXP-1",
        message(
            "{player} gives up one knight for good and places another on {hex}",
            player=PlayerAt(seat),
            hex=here,
        ),
    )
    yield (
        "BY-EXP-2",
        plural_message(
            "one of the 6 neighbours of {hex} is off the board",
            "{count} of the 6 neighbours of {hex} are off the board",
            count=6 - len(state.board.neighbours[hex]),
            hex=here,
        ),
    )
    yield "BY-EXP-3", message("{hex} is {terrain:a}", hex=here, terrain=terrain_at(state, hex))
    yield "BY-EXP-4", message("no pawn stood on {hex}", hex=here)
    yield "BY-EXP-5", reserve_change(KNIGHT, state.reserve_knights[seat], 2)


def _title_bought(state: State, data: TitleBought) -> Iterator[Reason]:
    seat, discarded = data["seat"], data["discarded"]
    paid = worth(tuple(discarded.get(kind, 0) for kind in RESOURCES))
    yield "BY-TTL-1", _payment(discarded, paid)
    yield (
        "BY-TTL-2",
        message(
            "{player} was {before} and is now {after}",
            player=PlayerAt(seat),
            before=RANKS[RANK_NAMES[state.rank[seat]]],
            after=RANKS[data["rank"]],
        ),
    )
    cheapest = next(kind for kind in RESOURCES if kind in discarded)
    rest = paid - RESOURCE_POINTS[KIND[cheapest]]
    if rest < TITLE_PRICE:
        yield (
            "BY-TTL-3",
            message(
                "without {token:a} only {points} would be left, so every token was needed",
                token=TOKENS[cheapest],
                points=counted(rest, POINT),
            ),
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
        yield (
            "BY-TURN-2",
            message("{player} had no other legal action", player=PlayerAt(data["seat"])),
        )


def _turn_forfeited(state: State, data: TurnForfeited) -> Iterator[Reason]:
    yield (
        "BY-TURN-5",
        message(
            "the time for the turn of {player} ran out, which does not count as a pass",
            player=PlayerAt(data["seat"]),
        ),
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
