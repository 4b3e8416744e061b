"""`explain` with Sorcery: what spells lifted and did, and what arrivals on mysterious places gained.

Clauses of the base game are explained by its own `explain`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final, assert_never

from domain.barony.components import (
    BUILDINGS,
    FAMILY,
    MYSTERIOUS_PLACE,
    SPELLS,
    Building,
    Family,
    Spell,
)
from domain.barony.construction import explain_sites
from domain.barony.event_messages import pawns
from domain.barony.explain import (
    EXPLAINERS,
    Explainer,
    explain_city_gain,
    explain_entry,
    explain_gain,
    explain_moves,
    explain_pass,
    explain_reserve,
    explain_site,
    explain_step,
    explain_tokens,
    explain_with,
)
from domain.barony.explain import explain_arrival as base_explain_arrival
from domain.barony.explain import explain_start as base_explain_start
from domain.barony.explain_turn_order import number_of
from domain.barony.formats import CityPlaced, Destroyed, GameStarted
from domain.barony.sorcery.components import (
    COST,
    IMPRINT,
    MAGIC_OF_A_VISIT,
    MAGIC_TOKEN,
    PLACES,
    PLACES_APART,
    SPELL_NAMES,
)
from domain.barony.sorcery.construction import cast_clauses
from domain.barony.sorcery.decide import SORCERY_GENERATORS
from domain.barony.sorcery.formats import (
    CastStep,
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    MovedStep,
    MovementCast,
    RecruitmentCast,
    RoundScored,
    SpellsCast,
)
from domain.barony.sorcery.movement import is_teleportation, isolated_pawns
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.state import (
    SorceryBoard,
    SorceryState,
    apply,
    apply_steps,
    imprint_points,
)
from domain.barony.state import apply_destroyed
from domain.barony.terms import KNIGHT, PAWNS, POINT, TERRAINS
from domain.contract import DomainEvent, Reason
from domain.event import Ranked
from domain.hexes import distance, hex_of
from domain.messages import (
    HexAt,
    Message,
    PlayerAt,
    counted,
    hex_at,
    hex_path,
    listing,
    message,
    plural_message,
    plural_reason,
    reason,
    semicolon_list,
)


def explain_construction(state: SorceryState, data: ConstructionCast) -> Iterator[Reason]:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6."""
    seat, hex = data["seat"], number_of(state, data["at"])
    yield from explain_sites(state, seat, [hex], cast_clauses(data["spells"]))
    if "token" in data:
        yield explain_gain(state, hex, data["token"], state.bank[:], "BS-ABU-1")
    yield reason(
        "BS-SPL-6",
        "a city founded by spells earns {points} like any other",
        points=counted(data["points"], POINT),
    )
    yield from explain_city_gain(state, seat, data["points"])


def explain_arrival(state: SorceryState, seat: int, step: MovedStep) -> Iterator[Reason]:
    """BY-CON, BS-MYS-2, 3: what the arrival of a knight destroyed and gained."""
    yield from base_explain_arrival(state, seat, step)
    yield from explain_imprint(state, seat, step["to"], step.get("magic", 0))


def explain_imprint(
    state: SorceryState, seat: int, at: Sequence[int], magic: int
) -> Iterator[Reason]:
    """BS-MYS-2, 3: an imprint that gained magic tokens, or why there was none (`magic` is 0)."""
    hex, here, player = number_of(state, at), hex_at(at), PlayerAt(seat)
    if state.board.terrain[hex] != MYSTERIOUS_PLACE:
        return
    imprints = sum(hex in places for places in state.imprints)
    if magic:
        yield "BS-MYS-2", _imprint_placed(player, here, imprints, magic)
    elif hex in state.imprints[seat]:
        yield reason(
            "BS-MYS-3",
            "{player} already has an imprint on {hex} and gains nothing",
            player=player,
            hex=here,
        )
    elif imprints >= len(MAGIC_OF_A_VISIT):
        yield reason(
            "BS-MYS-3",
            "{hex} already has {imprints}, and no more is placed",
            hex=here,
            imprints=counted(imprints, IMPRINT),
        )


def _imprint_placed(player: PlayerAt, at: HexAt, before: int, magic: int) -> Message:
    """BS-MYS-2: the imprint of a player on a place that had this number of imprints before."""
    tokens = counted(magic, MAGIC_TOKEN)
    if not before:
        return message(
            "{player} places the first imprint on {hex} and gains {tokens}",
            player=player,
            hex=at,
            tokens=tokens,
        )
    if before == 1:
        return message(
            "{player} places the second imprint on {hex} and gains {tokens}",
            player=player,
            hex=at,
            tokens=tokens,
        )
    return message(
        "{player} places the third imprint on {hex} and gains {tokens}",
        player=player,
        hex=at,
        tokens=tokens,
    )


def explain_movement(state: SorceryState, data: MovementCast) -> Iterator[Reason]:
    """BS-CEL, BS-TEL, BS-TOR, with BY-MOV and BY-CON, step by step."""
    seat, spells, moves = data["seat"], data["spells"], data["moves"]
    first, last = moves[0], moves[-1]
    trial = state.copy()
    if "celerity" in spells:
        path = hex_path([first["from"], *(step["to"] for step in moves)])
        yield reason("BS-CEL-1", "the knight makes two steps: {path}", path=path)
    for step in moves:
        start, end = number_of(trial, step["from"]), number_of(trial, step["to"])
        left, swept = step.get("left", []), step.get("swept", [])
        yield explain_step(seat, step) if step is first else _second_step(step)
        if left:
            yield reason(
                "BS-TOR-1",
                "after the knight has left, Tornado destroys {pawns} on {hex}",
                pawns=pawns(left),
                hex=hex_at(step["from"]),
            )
            yield from _explain_swept(trial, seat, step["from"], left)
        apply_destroyed(trial, seat, start, left)
        if is_teleportation(trial, seat, end):
            yield from _teleportation(trial, step, end, with_celerity="celerity" in spells)
        else:
            yield from explain_entry(trial, seat, step["to"])
        yield from explain_arrival(trial, seat, step)
        if "magic" in step and step is not last:
            yield reason("BS-MYS-4", "a step of Celerity counts as an arrival")
        apply_steps(trial, seat, (step,))
        if swept:
            yield reason(
                "BS-TOR-1",
                "after the arrival, Tornado destroys {pawns} on {hex}",
                pawns=pawns(swept),
                hex=hex_at(step["to"]),
            )
            yield from _explain_swept(trial, seat, step["to"], swept)
        if "tornado" in spells and step is not last and isolated_pawns(trial, seat, end):
            between = hex_at(step["to"])
            yield reason("BS-TOR-2", "the hex between, {hex}, is not swept", hex=between)
    if "tornado" in spells and not any("left" in step or "swept" in step for step in moves):
        hexes = listing(dict.fromkeys([hex_at(first["from"]), hex_at(last["to"])]))
        yield reason("BS-TOR-3", "Tornado found no isolated pawn on {hexes}", hexes=hexes)


def _second_step(step: CastStep) -> Reason:
    """BS-CEL-2: the second step."""
    return reason(
        "BS-CEL-2",
        "from {start} the knight goes on to {end}, which is adjacent to it",
        start=hex_at(step["from"]),
        end=hex_at(step["to"]),
    )


def _explain_swept(
    state: SorceryState, seat: int, at: Sequence[int], destroyed: Sequence[Destroyed]
) -> Iterator[Reason]:
    """BS-SPL-5, BY-CON-2, 3: the pawns that Tornado destroyed, and the tokens taken for them."""
    yield plural_reason(
        "BS-SPL-5",
        "it was the only pawn of its owner on {hex}",
        "each was the only pawn of its owner on {hex}",
        count=len(destroyed),
        hex=hex_at(at),
    )
    yield from explain_tokens(state, seat, destroyed)


def _teleportation(
    state: SorceryState, step: CastStep, end: int, *, with_celerity: bool
) -> Iterator[Reason]:
    """BS-TEL-1, 2, 3: a step onto a mountain that an opponent's village bars to other knights."""
    here = hex_at(step["to"])
    yield reason(
        "BS-TEL-1",
        "{hex} is a mountain with {player}'s isolated village: Teleportation lifts BY-MOV-6",
        hex=here,
        player=PlayerAt(state.owner[end]),
    )
    if with_celerity:
        yield reason(
            "BS-TEL-2", "of the two steps, the one onto {hex} is the teleportation", hex=here
        )
    if "destroyed" not in step:
        yield reason("BS-TEL-3", "the village stays, and the knight shares its hex")


def explain_recruitment(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-CHA, BS-ILL, BS-POR."""
    seat, spells = data["seat"], data["spells"]
    here = listing(hex_at(entry["at"]) for entry in data["recruits"])
    if "charm" in spells:
        yield _one_knight_each(state, seat, spells, [entry["at"] for entry in data["recruits"]])
    else:
        if "portal" not in spells:
            yield reason("BS-ILL-1", "the stronghold on {hex} recruits as a city would", hex=here)
        elif "illusion" in spells:
            yield reason("BS-POR-3", "with Illusion the site is a stronghold: {hex}", hex=here)
        else:
            yield reason("BS-POR-3", "without Illusion the site is a city: {hex}", hex=here)
        site: Building = "stronghold" if "illusion" in spells else "city"
        for entry in data["recruits"]:
            yield explain_site(state, seat, entry["at"], site)
    yield from _explain_available(state, data)


def _one_knight_each(
    state: SorceryState, seat: int, spells: Sequence[Spell], hexes: Sequence[Sequence[int]]
) -> Reason:
    """BS-CHA-1, BS-ILL-2: one knight at each of some sites."""
    allowed = sites(state, seat, spells)
    buildings = Counter(kind for hex in allowed if (kind := BUILDINGS[state.building[hex]]))
    return plural_reason(
        "BS-ILL-2" if "illusion" in spells else "BS-CHA-1",
        "one knight is recruited on {hexes}; {player} has {buildings} in all",
        "one knight is recruited on each of {hexes}; {player} has {buildings} in all",
        count=len(hexes),
        hexes=listing(map(hex_at, hexes)),
        player=PlayerAt(seat),
        buildings=listing(counted(count, PAWNS[kind]) for kind, count in buildings.items()),
    )


def _explain_available(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-POR-1, 2, BS-SPL-7, BY-REC-2: where the knights came from."""
    seat, returned = data["seat"], data.get("returned", 0)
    used = sum(entry["knights"] for entry in data["recruits"]) - returned
    if returned:
        yield plural_reason(
            "BS-POR-1",
            "expeditions had removed {removed}, of which {count} comes back",
            "expeditions had removed {removed}, of which {count} come back",
            count=returned,
            removed=counted(state.removed_knights[seat], KNIGHT),
        )
        yield "BS-POR-2", _after_removed_knights(used)
    elif "portal" in data["spells"]:
        yield reason(
            "BS-SPL-7", "{player} had no knight that Portal could bring back", player=PlayerAt(seat)
        )
    if used:
        yield explain_reserve(state, seat, used)


def _after_removed_knights(used: int) -> Message:
    """BS-POR-2: how many knights came from the reserve after those that had been removed."""
    if not used:
        return message("the removed knights are used first; the reserve was not needed")
    return plural_message(
        "the removed knights are used first; {count} more comes from the reserve",
        "the removed knights are used first; {count} more come from the reserve",
        count=used,
    )


def _explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BS-SET-1, 2, 4."""
    yield from base_explain_start(state, data)
    places = [hex_of(cell["at"]) for cell in data["board"] if cell["terrain"] == "mysterious_place"]
    yield reason(
        "BS-SET-1",
        "the board has {places}: {hexes}",
        places=counted(len(places), TERRAINS["mysterious_place"]),
        hexes=listing(map(hex_at, places)),
    )
    # A forged record can contain any board; more places than a set-up lays are not compared in pairs.
    if 1 < len(places) <= max(PLACES.values()):
        apart = min(distance(one, other) for one, other in combinations(places, 2))
        if apart >= PLACES_APART:
            yield reason(
                "BS-SET-2",
                "the distance between the two nearest places is {distance}",
                distance=apart,
            )
    spells = data["spells"]
    yield plural_reason(
        "BS-SET-4",
        "{count} of {total} spells is available: {spells}",
        "{count} of {total} spells are available: {spells}",
        count=len(spells),
        total=len(SPELLS),
        spells=listing(SPELL_NAMES[spell] for spell in spells),
    )


def _city_placed(state: SorceryState, data: CityPlaced) -> Iterator[Reason]:
    """`CityPlaced`: BS-SET-3."""
    board = state.board
    if isinstance(board, SorceryBoard) and not board.by_a_place[number_of(state, data["at"])]:
        yield reason(
            "BS-SET-3",
            "there is no mysterious place on {hex} or adjacent to it",
            hex=hex_at(data["at"]),
        )


def _knights_moved(state: SorceryState, data: KnightsMoved) -> Iterator[Reason]:
    return explain_moves(state, data["seat"], data["moves"], explain_arrival, apply_steps)


def _expedition_sent(state: SorceryState, data: ExpeditionSent) -> Iterator[Reason]:
    """`ExpeditionSent`: BS-MYS-2, 3, 4."""
    yield from explain_imprint(state, data["seat"], data["to"], data.get("magic", 0))
    if "magic" in data:
        yield reason("BS-MYS-4", "an expedition counts as an arrival")


def _spells_cast(state: SorceryState, data: SpellsCast) -> Iterator[Reason]:
    """`SpellsCast`: BS-SPL-1, 2, 3, then the clauses of the family."""
    seat, spells = data["seat"], data["spells"]
    family, magic = FAMILY[spells[0]], state.magic[seat]
    yield "BS-SPL-1", _spells_of_family(family, spells)
    yield reason(
        "BS-SPL-2",
        "{player} had {magic}, pays {costs}, and keeps {rest}",
        player=PlayerAt(seat),
        magic=counted(magic, MAGIC_TOKEN),
        costs=listing(map(_cost, spells)),
        rest=magic - data["cost"],
    )
    if spells[1:]:
        yield "BS-SPL-3", _ONE_ACTION[family]
    if "moves" in data:
        yield from explain_movement(state, data)
    elif "recruits" in data:
        yield from explain_recruitment(state, data)
    else:
        yield from explain_construction(state, data)


def _cost(spell: Spell) -> Message:
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


_ONE_ACTION: Final[Mapping[Family, Message]] = {
    "movement": message("together they make one move"),
    "recruitment": message("together they make one recruitment"),
    "construction": message("together they make one construction"),
}
"""BS-SPL-3: the one action that spells of a family make together."""


def _round_scored(state: SorceryState, data: RoundScored) -> Iterator[Reason]:
    """`RoundScored`: BS-MYS-5."""
    imprints = [
        message(
            "{player}'s imprints are worth {points}",
            player=PlayerAt(entry["seat"]),
            points=counted(entry["imprint_points"], POINT),
        )
        for entry in data["standings"]
        if entry["imprint_points"]
    ]
    if imprints:
        yield "BS-MYS-5", semicolon_list(imprints)


def _game_finished(state: SorceryState, data: Ranked) -> Iterator[Reason]:
    """`GameFinished`: BS-MYS-5, after the scores of the base game."""
    scores, *others = EXPLAINERS["GameFinished"](state, data)
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
    "KnightsMoved": _knights_moved,
    "SpellsCast": _spells_cast,
    "GameFinished": _game_finished,
    "TurnPassed": partial(explain_pass, generators=SORCERY_GENERATORS),
}
"""By event type."""
ADDITIONS: Final[Mapping[str, Explainer[SorceryState]]] = {
    "CityPlaced": _city_placed,
    "ExpeditionSent": _expedition_sent,
    "RoundScored": _round_scored,
}
"""By event type, what follows the explanation of the base game."""


def explain(state: SorceryState | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """The clauses by which this event followed from this state; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    return explain_with(state, event, _explain_start, SORCERY_EXPLAINERS, apply, ADDITIONS)
