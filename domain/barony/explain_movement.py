"""Explanations of movement and conflict (BY-MOV, BY-CON): a part of `explain`."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from domain.barony.components import MOUNTAIN, VILLAGE
from domain.barony.event_messages import pawn, pawns, tokens
from domain.barony.explain_board import number_of, terrain_at
from domain.barony.formats import Destroyed, DestroyedVillage, Step
from domain.barony.movement import has_own_pawn, opposing_pawns
from domain.barony.position import tokens_to_json
from domain.barony.state import State, StateT
from domain.barony.terms import KNIGHT, PAWNS, TOKENS
from domain.contract import Reason
from domain.messages import PlayerAt, counted, hex_at, listing, message, plural_message

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
        yield (
            "BY-MOV-2",
            message(
                "two knights leave {hex}, where {number} stood before", hex=start, number=knights
            ),
        )
    elif second["from"] == first["to"]:
        yield (
            "BY-MOV-2",
            message("the knight that leaves {hex} stood there before the first move", hex=start),
        )
    if opposing_pawns(state, seat, number_of(state, second["to"])):
        if second["to"] == first["to"]:
            yield (
                "BY-MOV-7",
                message("the first move has already brought a knight to {hex}", hex=end),
            )
        elif second["to"] == first["from"]:
            yield (
                "BY-MOV-7",
                message("the first move has taken a knight away from {hex}", hex=end),
            )


def explain_step(seat: int, step: Step) -> Reason:
    """BY-MOV-1: a knight's step from hex to hex."""
    return "BY-MOV-1", message(
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
        yield (
            "BY-MOV-4",
            message("the building on {hex} is a village, which does not bar the hex", hex=here),
        )
    yield (
        "BY-MOV-5",
        plural_message(
            "{players} had only one pawn on {hex}; two pawns of one player would bar the hex",
            "{players} had one pawn each on {hex}; two pawns of one player would bar the hex",
            count=len(opponents),
            players=listing(PlayerAt(owner) for owner, _ in opponents),
            hex=here,
        ),
    )
    if state.board.terrain[hex] != MOUNTAIN:
        yield (
            "BY-MOV-6",
            message(
                "{hex} is {terrain:a}; a single opposing pawn bars only a mountain",
                hex=here,
                terrain=terrain_at(state, hex),
            ),
        )


def explain_arrival(state: State, seat: int, step: Step) -> Iterator[Reason]:
    """BY-CON-1, 2, 3: what the arrival of a knight destroyed, or why nothing."""
    hex, here, player = number_of(state, step["to"]), hex_at(step["to"]), PlayerAt(seat)
    destroyed = step.get("destroyed", [])
    if destroyed and has_own_pawn(state, seat, hex):
        own = [counted(state.knights[seat][hex] + 1, KNIGHT)]
        if state.building[hex] == VILLAGE and state.owner[hex] == seat:
            own.append(counted(1, PAWNS["village"]))
        yield (
            "BY-CON-1",
            message(
                "{player} now has {own} on {hex} and destroys {pawns}",
                player=player,
                own=listing(own),
                hex=here,
                pawns=pawns(destroyed),
            ),
        )
    elif not destroyed and (opponents := opposing_pawns(state, seat, hex)):
        yield (
            "BY-CON-1",
            message(
                "{player} has only one pawn on {hex} and shares the hex with {pawns}",
                player=player,
                hex=here,
                pawns=listing(pawn(owner, kind) for owner, kind in opponents),
            ),
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
        yield "BY-CON-2", message("{owner} had no token to give for the village", owner=owner)
        return
    yield (
        "BY-CON-2",
        message(
            "{owner} gives {player} {token:a} for the village",
            owner=owner,
            player=player,
            token=TOKENS[kind],
        ),
    )
    if sum(count > 0 for count in owned) > 1:
        yield (
            "BY-CON-3",
            message(
                "{owner} had {tokens}, and {player} chose",
                owner=owner,
                tokens=tokens(tokens_to_json(owned)),
                player=player,
            ),
        )
