"""Explains what an event means for seats and the turn order: honour, seats that go out, turns, the end.

A part of `explain`; the actions themselves are explained there.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from domain.baron.formats import (
    Consequences,
    PlayerResigned,
    Result,
    RoundScored,
    Then,
    TileConsequences,
)
from domain.baron.phrases import seats_text
from domain.baron.state import State
from domain.contract import Reason
from domain.event import RankingEntry
from domain.hex_text import hex_text
from domain.phrases import counted, listing

Cause: TypeAlias = Literal["tile", "keep", "departure", "end"]
"""The kind of event by which seats go out."""


def explain_departure(state: State, data: PlayerResigned) -> Iterator[Reason]:
    """BN-END-4: `PlayerResigned`, `PlayerRemoved`."""
    seat = data["seat"]
    honour = state.players[seat].honour
    yield "BN-END-4", f"seat {seat} leaves the game and is out, with the {honour} honour it has"


def explain_standings(state: State, data: RoundScored) -> Iterator[Reason]:
    """BN-END-3, BN-BAR-1: `RoundScored`."""
    for entry in data["standings"]:
        text = f"seat {entry['seat']} has {entry['score']} honour"
        values = entry["baronies"]
        if values:
            baronies = counted(len(values), "barony")
            text += f", and {baronies} worth {listing(map(str, values))}"
        yield "BN-END-3", text


def explain_ranking(state: State, data: Result) -> Iterator[Reason]:
    """BN-END-2, 3, BN-OUB-3, 4: `GameFinished`."""
    playing = state.in_game()
    if len(playing) <= 1:
        left = f"only seat {playing[0]} is left" if playing else "nobody is left"
        yield "BN-OUB-3", f"{left}, so no knight tries to establish any more"
    elif not data.get("baronies"):
        yield "BN-END-2", "no keep is left on its knight side, so nobody tries to establish"
    ranking = sorted(data["ranking"], key=lambda entry: (entry["place"], entry["seat"]))
    for place, sharing in groupby(ranking, key=lambda entry: entry["place"]):
        yield from _place(state, place, [*sharing])


def _place(state: State, place: int, sharing: list[RankingEntry]) -> Iterator[Reason]:
    """BN-END-3, BN-OUB-4: the seats that share a place, and why."""
    seats = [entry["seat"] for entry in sharing]
    score = sharing[0]["score"]
    moment = state.players[seats[0]].out
    text, are_several = seats_text(seats), bool(seats[1:])
    if moment is None:
        honour = f"{'have' if are_several else 'has'} {score} honour"
        shares = f"share place {place}" if are_several else f"is on place {place}"
        yield "BN-END-3", f"{text} {honour} and {shares}"
        return
    verb = "rank" if are_several else "ranks"
    out = f"went out at moment {moment}, and {verb} behind seats that stayed longer"
    yield "BN-END-3", f"{text} {out}: place {place}"
    if are_several:
        yield "BN-OUB-4", f"{text} went out together, and share place {place}"


def explain_honour(
    state: State, after: State, data: TileConsequences, seat: int
) -> Iterator[Reason]:
    """BN-OUB-4: changes of one seat's honour that happen together; `seat` has earned the bonus."""
    changes: dict[int, list[str]] = {}
    if "bonus" in data:
        changes[seat] = [f"{data['bonus']:+} for the tile"]
    for result in data.get("baronies", ()):
        if result["result"] == "established":
            gain = f"{result['gain']:+} for {hex_text(result['at'])}"
            changes.setdefault(result["seat"], []).append(gain)
        for beaten in result["beaten"]:
            loss = f"{-beaten['loss']:+} for {hex_text(beaten['at'])}"
            changes.setdefault(beaten["seat"], []).append(loss)
    for changed, parts in sorted(changes.items()):
        player = state.players[changed]
        if parts[1:] and player.out is None:
            ends = f"from {player.honour} to {after.players[changed].honour}"
            yield "BN-OUB-4", f"seat {changed}'s honour goes {ends} at once: {listing(parts)}"


def explain_going_out(
    state: State, after: State, seats: Sequence[int], cause: Cause
) -> Iterator[Reason]:
    """BN-OUB-1, 2: what going out means for these seats."""
    for seat in seats:
        player = state.players[seat]
        tiles = player.reserve_size - (cause == "tile" and seat == state.to_act)
        on_board = sum(owner == seat for owner, _ in after.keeps.values())
        before = sum(owner == seat for owner, _ in state.keeps.values())
        # Every keep that was not on the board, or came off it, leaves the game with the reserve.
        keeps = player.keeps + player.resting + before - on_board
        leaves = f"{counted(tiles, 'tile')} and {counted(keeps, 'keep')} leave the game"
        stays = f"{counted(on_board, 'keep')} of its own {'stays' if on_board == 1 else 'stay'}"
        honour = after.players[seat].honour
        reason = "" if cause == "departure" else f" is at {honour} honour, so it"
        yield "BN-OUB-1", f"seat {seat}{reason} is out: {leaves}, and {stays} on the board"
        if seat == state.to_act and cause != "keep" and len(after.in_game()) > 1:
            yield "BN-OUB-2", f"it was seat {seat}'s turn, which is over with that"


def is_turn_over(state: State, then: Then) -> bool:
    """Whether an event has ended the turn in progress."""
    return state.to_act is not None and (then["turn"] > state.turn or then["phase"] == "scoring")


def explain_turn_order(state: State, after: State, then: Then) -> Iterator[Reason]:
    """BN-KEP-2, BN-END-1, BN-TRN-1, BN-OUB-3: rested keeps, the turns that are left, what comes next."""
    if is_turn_over(state, then):
        yield from _end_of_turn(state, after, then)
    if then["phase"] == "scoring":
        yield from _end_of_play(after)
    elif then["round"] > state.round:
        begins = f"seat {then['to_act']} begins round {then['round']}"
        yield "BN-TRN-1", f"round {state.round} is over, and {begins}"


def _end_of_turn(state: State, after: State, then: Then) -> Iterator[Reason]:
    """BN-KEP-2, BN-END-1."""
    seat, left = state.to_act, after.turns_left
    for entry in then.get("rested", ()):
        back = counted(entry["keeps"], "keep")
        yield (
            "BN-KEP-2",
            f"the turn is over: {back} that came back to seat {entry['seat']} can be put down again",
        )
    if seat is None or left is None:
        return
    if state.turns_left is None and then["phase"] != "scoring":
        yield "BN-END-1", f"there is nothing left to draw: each seat has {max(left)} more turns"
    elif state.turns_left is not None and after.players[seat].out is None:
        yield "BN-END-1", f"seat {seat} has {counted(left[seat], 'turn')} left"


def explain_no_keep(state: State, after: State, data: Consequences, seat: int) -> Iterator[Reason]:
    """BN-KEP-4: why no keep can be put down, unless the game is over with the tile."""
    if len(after.in_game()) <= 1:
        return
    back = sum(entry["keeps"] for entry in data.get("returned", ()) if entry["seat"] == seat)
    if state.players[seat].keeps:
        why = "no meadow is free"
    elif back:
        why = f"seat {seat} has no keep but what came back in this turn"
    else:
        why = f"seat {seat} has no keep in reserve"
    yield "BN-KEP-4", f"{why}: the turn ends by itself"


def _end_of_play(after: State) -> Iterator[Reason]:
    """BN-OUB-3, BN-END-1: why play is over."""
    playing = after.in_game()
    if len(playing) <= 1:
        left = f"only seat {playing[0]} is left" if playing else "nobody is left"
        yield "BN-OUB-3", f"{left}: the game ends at once"
    else:
        yield "BN-END-1", "every seat has had its last turns: play is over"
