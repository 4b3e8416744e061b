"""Why knights could go where spells led them, and what they met there: a part of `explain`."""

from collections.abc import Iterator

from domain.barony.apply import fell
from domain.barony.components import MYSTERIOUS_PLACE
from domain.barony.event_text import fallen_text
from domain.barony.explain import explain_arrival as base_explain_arrival
from domain.barony.explain import explain_entry, explain_step, explain_tokens, number_of
from domain.barony.explain_turn_order import Reason
from domain.barony.sorcery.apply import come
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.barony.sorcery.event_text import magic_text
from domain.barony.sorcery.movement import is_teleport, isolated_pawns
from domain.barony.sorcery.state import SorceryState
from domain.contract import Json
from domain.hex_text import hex_text
from domain.phrases import counted, listing


def explain_arrival(state: SorceryState, seat: int, step: Json) -> Iterator[Reason]:
    """BY-CON, BS-MYS-2, 3: whom a knight met, and what it explored."""
    yield from base_explain_arrival(state, seat, step)
    yield from explain_visit(state, seat, step)


def explain_visit(state: SorceryState, seat: int, arrival: Json) -> Iterator[Reason]:
    """BS-MYS-2, 3: an imprint, or why there was none."""
    hex, here = number_of(state, arrival["to"]), hex_text(arrival["to"])
    if state.board.terrain[hex] != MYSTERIOUS_PLACE:
        return
    there = sum(hex in places for places in state.imprints)
    if "magic" in arrival:
        before = f"with {counted(there, 'other')} there"
        gain = f"gains {magic_text(arrival['magic'])}"
        yield "BS-MYS-2", f"seat {seat} places an imprint on {here}, {before}, and {gain}"
    elif hex in state.imprints[seat]:
        yield "BS-MYS-3", f"seat {seat} has an imprint on {here} already, and gains nothing"
    elif there >= len(MAGIC_OF_A_VISIT):
        yield "BS-MYS-3", f"{there} imprints are on {here}, and no more is placed"


def explain_movement(state: SorceryState, data: Json) -> Iterator[Reason]:
    """The moves of `SpellsCast`: BS-CEL, BS-TEL, BS-TOR, step by step with BY-MOV and BY-CON."""
    seat, spells, moves = data["seat"], data["spells"], data["moves"]
    first, last = moves[0], moves[-1]
    trial = state.copy()
    if "celerity" in spells:
        way = [first["from"], *(step["to"] for step in moves)]
        yield "BS-CEL-1", f"the knight makes two steps: {' > '.join(map(hex_text, way))}"
    for step in moves:
        start, end = number_of(trial, step["from"]), number_of(trial, step["to"])
        left, swept = step.get("left", []), step.get("swept", [])
        if step is first:
            yield explain_step(seat, step)
        else:
            yield "BS-CEL-2", _second_step(step)
        yield from _sweep(trial, seat, step["from"], left, "once the knight has left")
        fell(trial, seat, start, left)
        if is_teleport(trial, seat, end):
            yield from _teleport(trial, seat, step, with_celerity="celerity" in spells)
        else:
            yield from explain_entry(trial, seat, step["to"])
        yield from explain_arrival(trial, seat, step)
        if "magic" in step and step is not last:
            yield "BS-MYS-4", "a step of Celerity counts as an arrival"
        come(trial, seat, step)
        yield from _sweep(trial, seat, step["to"], swept, "after the arrival")
        if "tornado" in spells and step is not last and isolated_pawns(trial, seat, end):
            yield "BS-TOR-2", f"{hex_text(step['to'])}, the hex between, is not swept"
    if "tornado" in spells and not any("left" in step or "swept" in step for step in moves):
        where = listing(dict.fromkeys([hex_text(first["from"]), hex_text(last["to"])]))
        yield "BS-TOR-3", f"Tornado found no pawn alone of its colour on {where}"


def _second_step(step: Json) -> str:
    start, end = hex_text(step["from"]), hex_text(step["to"])
    return f"from {start} the knight goes on to {end}, which is adjacent to it"


def _sweep(
    state: SorceryState, seat: int, at: list[int], destroyed: list[Json], moment: str
) -> Iterator[Reason]:
    """BS-TOR-1, 2, BS-SPL-5, BY-CON-2, 3: what Tornado destroys on a hex."""
    if destroyed:
        here = hex_text(at)
        yield "BS-TOR-1", f"{moment}, Tornado destroys {fallen_text(destroyed)} on {here}"
        alone = "each was" if destroyed[1:] else "it was"
        yield "BS-SPL-5", f"{alone} the only pawn of its seat on {here}"
        yield from explain_tokens(state, seat, destroyed)


def _teleport(
    state: SorceryState, seat: int, step: Json, *, with_celerity: bool
) -> Iterator[Reason]:
    """BS-TEL-1, 2, 3: a step onto a mountain that an opponent's village bars to others."""
    end = hex_text(step["to"])
    owner = state.owner[number_of(state, step["to"])]
    yield (
        "BS-TEL-1",
        f"{end} is a mountain with seat {owner}'s village alone: Teleportation lifts BY-MOV-6",
    )
    if with_celerity:
        yield "BS-TEL-2", f"the step onto {end} is the one of the two that needs it"
    if "destroyed" not in step:
        yield "BS-TEL-3", "the village stays, and the knight shares its hex"
