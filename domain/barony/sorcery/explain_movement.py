"""Explanations of the movement family and of arrivals on mysterious places: a part of `explain`."""

from collections.abc import Iterator, Sequence

from domain.barony.apply import apply_destroyed
from domain.barony.components import MYSTERIOUS_PLACE
from domain.barony.event_messages import pawns
from domain.barony.explain_board import number_of
from domain.barony.explain_movement import explain_arrival as base_explain_arrival
from domain.barony.explain_movement import explain_entry, explain_step, explain_tokens
from domain.barony.formats import Destroyed
from domain.barony.sorcery.apply import apply_steps
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.barony.sorcery.formats import CastStep, MovedStep, MovementCast
from domain.barony.sorcery.movement import is_teleportation, isolated_pawns
from domain.barony.sorcery.state import SorceryState
from domain.contract import Reason
from domain.hex_text import hex_text
from domain.messages import hex_at, message
from domain.phrases import counted, listing


def explain_arrival(state: SorceryState, seat: int, step: MovedStep) -> Iterator[Reason]:
    """BY-CON, BS-MYS-2, 3: what the arrival of a knight destroyed and gained."""
    yield from base_explain_arrival(state, seat, step)
    yield from explain_imprint(state, seat, step["to"], step.get("magic", 0))


def explain_imprint(
    state: SorceryState, seat: int, at: Sequence[int], magic: int
) -> Iterator[Reason]:
    """BS-MYS-2, 3: an imprint that gained magic tokens, or why there was none (`magic` is 0)."""
    hex, here = number_of(state, at), hex_text(at)
    if state.board.terrain[hex] != MYSTERIOUS_PLACE:
        return
    imprints = sum(hex in places for places in state.imprints)
    if magic:
        others = f"with {counted(imprints, 'other')} there"
        gain = f"gains {counted(magic, 'magic token')}"
        yield "BS-MYS-2", f"seat {seat} places an imprint on {here}, {others}, and {gain}"
    elif hex in state.imprints[seat]:
        yield "BS-MYS-3", f"seat {seat} already has an imprint on {here} and gains nothing"
    elif imprints >= len(MAGIC_OF_A_VISIT):
        yield "BS-MYS-3", f"{here} already has {imprints} imprints, and no more is placed"


def explain_movement(state: SorceryState, data: MovementCast) -> Iterator[Reason]:
    """BS-CEL, BS-TEL, BS-TOR, with BY-MOV and BY-CON, step by step."""
    seat, spells, moves = data["seat"], data["spells"], data["moves"]
    first, last = moves[0], moves[-1]
    trial = state.copy()
    if "celerity" in spells:
        path = [first["from"], *(step["to"] for step in moves)]
        yield "BS-CEL-1", f"the knight makes two steps: {' > '.join(map(hex_text, path))}"
    for step in moves:
        start, end = number_of(trial, step["from"]), number_of(trial, step["to"])
        left, swept = step.get("left", []), step.get("swept", [])
        yield explain_step(seat, step) if step is first else _second_step(step)
        yield from _sweep(trial, seat, step["from"], left, "after the knight has left")
        apply_destroyed(trial, seat, start, left)
        if is_teleportation(trial, seat, end):
            yield from _teleportation(trial, step, end, with_celerity="celerity" in spells)
        else:
            yield from explain_entry(trial, seat, step["to"])
        yield from explain_arrival(trial, seat, step)
        if "magic" in step and step is not last:
            yield "BS-MYS-4", "a step of Celerity counts as an arrival"
        apply_steps(trial, seat, (step,))
        yield from _sweep(trial, seat, step["to"], swept, "after the arrival")
        if "tornado" in spells and step is not last and isolated_pawns(trial, seat, end):
            yield "BS-TOR-2", f"{hex_text(step['to'])}, the hex between, is not swept"
    if "tornado" in spells and not any("left" in step or "swept" in step for step in moves):
        hexes = listing(dict.fromkeys([hex_text(first["from"]), hex_text(last["to"])]))
        yield "BS-TOR-3", f"Tornado found no isolated pawn on {hexes}"


def _second_step(step: CastStep) -> Reason:
    """BS-CEL-2: the second step."""
    start, end = hex_text(step["from"]), hex_text(step["to"])
    return "BS-CEL-2", f"from {start} the knight goes on to {end}, which is adjacent to it"


def _sweep(
    state: SorceryState, seat: int, at: Sequence[int], destroyed: Sequence[Destroyed], moment: str
) -> Iterator[Reason]:
    """BS-TOR-1, 2, BS-SPL-5, BY-CON-2, 3: what Tornado destroyed on a hex."""
    if destroyed:
        here = hex_text(at)
        yield (
            "BS-TOR-1",
            message(
                "{moment}, Tornado destroys {pawns} on {hex}",
                moment=moment,
                pawns=pawns(destroyed),
                hex=hex_at(at),
            ),
        )
        each_was = "each was" if destroyed[1:] else "it was"
        yield "BS-SPL-5", f"{each_was} the only pawn of its seat on {here}"
        yield from explain_tokens(state, seat, destroyed)


def _teleportation(
    state: SorceryState, step: CastStep, end: int, *, with_celerity: bool
) -> Iterator[Reason]:
    """BS-TEL-1, 2, 3: a step onto a mountain that an opponent's village bars to other knights."""
    here = hex_text(step["to"])
    village = f"seat {state.owner[end]}'s isolated village"
    yield "BS-TEL-1", f"{here} is a mountain with {village}: Teleportation lifts BY-MOV-6"
    if with_celerity:
        yield "BS-TEL-2", f"of the two steps, the one onto {here} is the teleportation"
    if "destroyed" not in step:
        yield "BS-TEL-3", "the village stays, and the knight shares its hex"
