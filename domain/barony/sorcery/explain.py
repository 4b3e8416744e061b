"""`explain` with Sorcery: what spells lifted and did, and what arrivals on mysterious places gained.

Clauses of the base game are explained by its own `explain`. The families of spells have `explain_movement`,
`explain_recruitment` and `explain_construction`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final, assert_never

from domain.barony.components import (
    FAMILY,
    SPELLS,
    Family,
    Spell,
)
from domain.barony.explain import (
    EXPLAINERS,
    Explainer,
    explain_pass,
    explain_with,
)
from domain.barony.explain import explain_expedition as base_explain_expedition
from domain.barony.explain import explain_start as base_explain_start
from domain.barony.explain_board import number_of
from domain.barony.explain_movement import explain_moves
from domain.barony.explain_turn_order import explain_first_city as base_explain_first_city
from domain.barony.explain_turn_order import explain_ranking as base_explain_ranking
from domain.barony.explain_turn_order import explain_standings
from domain.barony.formats import CityPlaced, GameStarted
from domain.barony.sorcery.apply import apply, apply_steps
from domain.barony.sorcery.components import COST, PLACES, PLACES_APART
from domain.barony.sorcery.decide import SORCERY_GENERATORS
from domain.barony.sorcery.explain_construction import explain_construction
from domain.barony.sorcery.explain_movement import (
    explain_arrival,
    explain_imprint,
    explain_movement,
)
from domain.barony.sorcery.explain_recruitment import explain_recruitment
from domain.barony.sorcery.formats import (
    ExpeditionSent,
    KnightsMoved,
    RoundScored,
    SpellsCast,
)
from domain.barony.sorcery.position import imprint_points
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.sorcery.terms import IMPRINT, MAGIC_TOKEN, SPELL_NAMES
from domain.barony.terms import POINT, TERRAINS
from domain.contract import DomainEvent, Reason
from domain.event import Ranked
from domain.hexes import distance, hex_of
from domain.messages import (
    Message,
    PlayerAt,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
    semicolon_list,
)


def _explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BS-SET-1, 2, 4."""
    yield from base_explain_start(state, data)
    places = [hex_of(cell["at"]) for cell in data["board"] if cell["terrain"] == "mysterious_place"]
    yield (
        "BS-SET-1",
        message(
            "the board has {places}: {hexes}",
            places=counted(len(places), TERRAINS["mysterious_place"]),
            hexes=listing(map(hex_at, places)),
        ),
    )
    # A forged record can contain any board; more places than a set-up lays are not compared in pairs.
    if 1 < len(places) <= max(PLACES.values()):
        apart = min(distance(one, other) for one, other in combinations(places, 2))
        if apart >= PLACES_APART:
            yield (
                "BS-SET-2",
                message(
                    "the distance between the two nearest places is {distance}", distance=apart
                ),
            )
    spells = data["spells"]
    yield (
        "BS-SET-4",
        plural_message(
            "{count} of {total} spells is available: {spells}",
            "{count} of {total} spells are available: {spells}",
            count=len(spells),
            total=len(SPELLS),
            spells=listing(SPELL_NAMES[spell] for spell in spells),
        ),
    )


def _city_placed(state: SorceryState, data: CityPlaced) -> Iterator[Reason]:
    """`CityPlaced`: BS-SET-3."""
    yield from base_explain_first_city(state, data)
    board = state.board
    if isinstance(board, SorceryBoard) and not board.by_a_place[number_of(state, data["at"])]:
        yield (
            "BS-SET-3",
            message(
                "there is no mysterious place on {hex} or adjacent to it", hex=hex_at(data["at"])
            ),
        )


def _knights_moved(state: SorceryState, data: KnightsMoved) -> Iterator[Reason]:
    return explain_moves(state, data["seat"], data["moves"], explain_arrival, apply_steps)


def _expedition_sent(state: SorceryState, data: ExpeditionSent) -> Iterator[Reason]:
    """`ExpeditionSent`: BS-MYS-2, 3, 4."""
    yield from base_explain_expedition(state, data)
    yield from explain_imprint(state, data["seat"], data["to"], data.get("magic", 0))
    if "magic" in data:
        yield "BS-MYS-4", message("an expedition counts as an arrival")


def _spells_cast(state: SorceryState, data: SpellsCast) -> Iterator[Reason]:
    """`SpellsCast`: BS-SPL-1, 2, 3, then the clauses of the family."""
    seat, spells = data["seat"], data["spells"]
    family, magic = FAMILY[spells[0]], state.magic[seat]
    yield "BS-SPL-1", _spells_of_family(family, spells)
    yield (
        "BS-SPL-2",
        message(
            "{player} had {magic}, pays {costs}, and keeps {rest}",
            player=PlayerAt(seat),
            magic=counted(magic, MAGIC_TOKEN),
            costs=listing(map(_cost, spells)),
            rest=magic - data["cost"],
        ),
    )
    if spells[1:]:
        yield "BS-SPL-3", _one_action(family)
    if "moves" in data:
        yield from explain_movement(state, data)
    elif "recruits" in data:
        yield from explain_recruitment(state, data)
    else:
        yield from explain_construction(state, data)


def _cost(spell: Spell) -> Message:
    """`2 for Tornado`."""
    return message("{cost} for {spell}", cost=COST[spell], spell=SPELL_NAMES[spell])


def _spells_of_family(family: Family, spells: Sequence[Spell]) -> Message:
    """BS-SPL-1: the spells are available, and of one family."""
    count, names = len(spells), listing(SPELL_NAMES[spell] for spell in spells)
    match family:
        case "movement":
            return plural_message(
                "{spells} is an available spell of movement",
                "{spells} are available spells of movement",
                count=count,
                spells=names,
            )
        case "recruitment":
            return plural_message(
                "{spells} is an available spell of recruitment",
                "{spells} are available spells of recruitment",
                count=count,
                spells=names,
            )
        case "construction":
            return plural_message(
                "{spells} is an available spell of construction",
                "{spells} are available spells of construction",
                count=count,
                spells=names,
            )
        case _:
            assert_never(family)


def _one_action(family: Family) -> Message:
    """BS-SPL-3: the one action that spells of a family make together."""
    match family:
        case "movement":
            return message("together they make one move")
        case "recruitment":
            return message("together they make one recruitment")
        case "construction":
            return message("together they make one construction")
        case _:
            assert_never(family)


def _round_scored(state: SorceryState, data: RoundScored) -> Iterator[Reason]:
    """`RoundScored`: BS-MYS-5."""
    standings = data["standings"]
    yield from explain_standings(standings)
    imprints = [
        message(
            "{player}'s imprints are worth {points}",
            player=PlayerAt(entry["seat"]),
            points=counted(entry["imprint_points"], POINT),
        )
        for entry in standings
        if entry["imprint_points"]
    ]
    if imprints:
        yield "BS-MYS-5", semicolon_list(imprints)


def _game_finished(state: SorceryState, data: Ranked) -> Iterator[Reason]:
    """`GameFinished`: BS-MYS-5."""
    scores, *others = base_explain_ranking(state, data)
    yield scores
    imprints = [
        message(
            "{player} has {points} for {imprints}",
            player=PlayerAt(seat),
            points=counted(imprint_points(state, seat), POINT),
            imprints=counted(len(state.imprints[seat]), IMPRINT),
        )
        for entry in data["ranking"]
        if state.imprints[seat := entry["seat"]]
    ]
    if imprints:
        yield "BS-MYS-5", semicolon_list(imprints)
    yield from others


SORCERY_EXPLAINERS: Final[Mapping[str, Explainer[SorceryState]]] = {
    **EXPLAINERS,
    "CityPlaced": _city_placed,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
    "TurnPassed": partial(explain_pass, generators=SORCERY_GENERATORS),
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type."""


def explain(state: SorceryState | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """The clauses by which this event followed from this state; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    return explain_with(state, event, _explain_start, SORCERY_EXPLAINERS, apply)
