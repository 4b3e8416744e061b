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
from domain.barony.sorcery.terms import IMPRINT, MAGIC_TOKEN
from domain.contract import Reason
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
)


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
        text = message(
            "{player} already has an imprint on {hex} and gains nothing", player=player, hex=here
        )
        yield "BS-MYS-3", text
    elif imprints >= len(MAGIC_OF_A_VISIT):
        text = message(
            "{hex} already has {imprints}, and no more is placed",
            hex=here,
            imprints=counted(imprints, IMPRINT),
        )
        yield "BS-MYS-3", text


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
        yield "BS-CEL-1", message("the knight makes two steps: {path}", path=path)
    for step in moves:
        start, end = number_of(trial, step["from"]), number_of(trial, step["to"])
        left, swept = step.get("left", []), step.get("swept", [])
        yield explain_step(seat, step) if step is first else _second_step(step)
        if left:
            yield "BS-TOR-1", _swept_after_departure(step["from"], left)
            yield from _explain_swept(trial, seat, step["from"], left)
        apply_destroyed(trial, seat, start, left)
        if is_teleportation(trial, seat, end):
            yield from _teleportation(trial, step, end, with_celerity="celerity" in spells)
        else:
            yield from explain_entry(trial, seat, step["to"])
        yield from explain_arrival(trial, seat, step)
        if "magic" in step and step is not last:
            yield "BS-MYS-4", message("a step of Celerity counts as an arrival")
        apply_steps(trial, seat, (step,))
        if swept:
            yield "BS-TOR-1", _swept_after_arrival(step["to"], swept)
            yield from _explain_swept(trial, seat, step["to"], swept)
        if "tornado" in spells and step is not last and isolated_pawns(trial, seat, end):
            between = hex_at(step["to"])
            yield "BS-TOR-2", message("the hex between, {hex}, is not swept", hex=between)
    if "tornado" in spells and not any("left" in step or "swept" in step for step in moves):
        hexes = listing(dict.fromkeys([hex_at(first["from"]), hex_at(last["to"])]))
        yield "BS-TOR-3", message("Tornado found no isolated pawn on {hexes}", hexes=hexes)


def _second_step(step: CastStep) -> Reason:
    """BS-CEL-2: the second step."""
    return "BS-CEL-2", message(
        "from {start} the knight goes on to {end}, which is adjacent to it",
        start=hex_at(step["from"]),
        end=hex_at(step["to"]),
    )


def _swept_after_departure(at: Sequence[int], destroyed: Sequence[Destroyed]) -> Message:
    """BS-TOR-1, 2: what Tornado destroyed on the hex that the knight left."""
    return message(
        "after the knight has left, Tornado destroys {pawns} on {hex}",
        pawns=pawns(destroyed),
        hex=hex_at(at),
    )


def _swept_after_arrival(at: Sequence[int], destroyed: Sequence[Destroyed]) -> Message:
    """BS-TOR-1, 2: what Tornado destroyed on the hex where the move ended."""
    return message(
        "after the arrival, Tornado destroys {pawns} on {hex}",
        pawns=pawns(destroyed),
        hex=hex_at(at),
    )


def _explain_swept(
    state: SorceryState, seat: int, at: Sequence[int], destroyed: Sequence[Destroyed]
) -> Iterator[Reason]:
    """BS-SPL-5, BY-CON-2, 3: the pawns that Tornado destroyed, and the tokens taken for them."""
    yield (
        "BS-SPL-5",
        plural_message(
            "it was the only pawn of its owner on {hex}",
            "each was the only pawn of its owner on {hex}",
            count=len(destroyed),
            hex=hex_at(at),
        ),
    )
    yield from explain_tokens(state, seat, destroyed)


def _teleportation(
    state: SorceryState, step: CastStep, end: int, *, with_celerity: bool
) -> Iterator[Reason]:
    """BS-TEL-1, 2, 3: a step onto a mountain that an opponent's village bars to other knights."""
    here = hex_at(step["to"])
    yield (
        "BS-TEL-1",
        message(
            "{hex} is a mountain with {player}'s isolated village: Teleportation lifts BY-MOV-6",
            hex=here,
            player=PlayerAt(state.owner[end]),
        ),
    )
    if with_celerity:
        text = message("of the two steps, the one onto {hex} is the teleportation", hex=here)
        yield "BS-TEL-2", text
    if "destroyed" not in step:
        yield "BS-TEL-3", message("the village stays, and the knight shares its hex")
