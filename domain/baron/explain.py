"""`explain`: the clauses that let a fact come of a state, each with a sentence about this very board.

It judges nothing: of a recorded fact it says what holds on the board it came of.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from domain.baron.apply import apply
from domain.baron.facts import barony_text, tile_text
from domain.baron.state import State
from domain.contract import Fact, Json
from domain.notation import hex_text
from domain.wording import counted, listing

Reason: TypeAlias = tuple[str, str]
"""A clause's id and a sentence about this board."""


def _started(state: None, data: Json) -> Iterator[Reason]:
    seats = len(data.get("players", ()))
    if seats:
        yield (
            "BN-SET-1",
            f"{counted(seats, 'seat')} begin with two tiles each, which they alone know",
        )
    if data["removed"]:
        yield "BN-SET-3", f"{listing(map(tile_text, data['removed']))} are taken out"
    yield "BN-SET-4", f"{tile_text(data['start'])} is the start tile, on 0,0"


def _drawn(state: State, data: Json) -> Iterator[Reason]:
    slot, cost, honour = data["slot"], data["cost"], state.players[data["seat"]].honour
    yield "BN-DRW-1", f"slot {slot} costs {cost} honour"
    if cost:
        yield "BN-DRW-3", f"of {honour} honour {honour - cost} is left"


def _placed(state: State, data: Json) -> Iterator[Reason]:
    here, touches = hex_text(data["at"]), data["touches"]
    yield "BN-LAY-1", f"{here} was empty, and is adjacent to {counted(touches, 'tile')}"
    yield "BN-LAY-2", f"{tile_text(data['tile'])} may lie beside them"
    if "bonus" in data:
        yield "BN-LAY-3", f"laid against {touches} it earns {data['bonus']} honour"


def _discarded(state: State, data: Json) -> Iterator[Reason]:
    yield "BN-LAY-4", f"no tile that seat {data['seat']} has can be laid anywhere"


def _keep(state: State, data: Json) -> Iterator[Reason]:
    held = state.players[data["seat"]].keeps
    yield "BN-KEP-1", f"{hex_text(data['at'])} is a meadow without a keep"
    yield "BN-MAT-2", f"of {counted(held, 'keep')} {held - 1} are left"


def _ended(state: State, data: Json) -> Iterator[Reason]:
    yield "BN-KEP-1", f"seat {data['seat']} need not put down a keep"


def _forfeited(state: State, data: Json) -> Iterator[Reason]:
    yield "BN-TRN-4", f"seat {data['seat']} let its turn lapse"


def _departed(state: State, data: Json) -> Iterator[Reason]:
    yield (
        "BN-END-4",
        f"seat {data['seat']} is out, with {state.players[data['seat']].honour} honour",
    )


def _scored(state: State, data: Json) -> Iterator[Reason]:
    scores = [f"seat {entry['seat']} has {entry['score']} honour" for entry in data["standings"]]
    yield "BN-END-3", listing(scores)


def _finished(state: State, data: Json) -> Iterator[Reason]:
    ranks = [
        f"seat {entry['seat']} is on place {entry['place']} with {entry['score']}"
        for entry in data["ranking"]
    ]
    yield "BN-END-3", listing(ranks)
    if len(state.in_game()) <= 1:
        yield "BN-OUB-3", "no knight tries to establish, since the game ended before its time"


REASONS: Final[Mapping[str, Callable[[Any, Json], Iterator[Reason]]]] = {
    "GameStarted": _started,
    "TileDrawn": _drawn,
    "TilePlaced": _placed,
    "TileDiscarded": _discarded,
    "KeepPlaced": _keep,
    "TurnEnded": _ended,
    "TurnForfeited": _forfeited,
    "PlayerResigned": _departed,
    "PlayerRemoved": _departed,
    "RoundScored": _scored,
    "GameFinished": _finished,
}
"""What explains each type of fact."""


def explain(state: Any, seat: int | None, fact: Fact) -> list[Reason]:
    """The clauses that let this fact come of this state, and what they did; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    if fact.type not in REASONS or (state is None and fact.type != "GameStarted"):
        return []
    why = [*REASONS[fact.type](state, fact.data)]
    return why if state is None else [*why, *_baronies(fact), *_course(state, fact)]


def _baronies(fact: Fact) -> Iterator[Reason]:
    """What the baronies came to."""
    for barony in fact.data.get("baronies", ()):
        if fact.type == "GameFinished":
            clause = "BN-END-2"
        elif barony["result"] == "returned":
            clause = "BN-FGT-4"
        else:
            clause = "BN-FGT-5" if "fight" in barony else "BN-BAR-3"
        yield clause, barony_text(barony)


def _course(state: State, fact: Fact) -> Iterator[Reason]:
    """What followed for the seats and for the course of the game."""
    then = fact.data.get("then")
    if then is None:
        return
    after = state.copy()
    apply(after, fact.type, fact.data)
    fallen = set(state.in_game()) - set(after.in_game())
    for seat in sorted(fallen) if "baronies" in fact.data else ():
        yield "BN-OUB-1", f"seat {seat} has {after.players[seat].honour} honour, and is out"
    if len(after.in_game()) <= 1 and then["phase"] == "scoring":
        yield "BN-OUB-3", f"{counted(len(after.in_game()), 'seat')} left: the game ends at once"
    elif then["phase"] == "scoring":
        yield "BN-END-1", "the last turns are over"
    elif state.turns_left is None and after.turns_left is not None:
        yield "BN-END-1", "there is nothing left to draw: every seat has two more turns"
    if fact.type in ("TilePlaced", "TileDiscarded") and then["turn"] > state.turn:
        yield "BN-KEP-4", "no keep can be put down: the turn ends by itself"
    if then["round"] > state.round:
        who = f"seat {then['to_act']} begins round {then['round']}"
        yield "BN-TRN-1", f"round {state.round} is over, and {who}"
