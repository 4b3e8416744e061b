"""What clauses did to seats and to the course of the game: honour, who is out, whose turn comes, the end.

A part of `explain`; the actions themselves are explained there.
"""

from collections.abc import Iterator
from itertools import groupby

from domain.baron.apply import apply
from domain.baron.explain_fights import Reason
from domain.baron.phrases import seats_text
from domain.baron.resolution import ESTABLISHED
from domain.baron.state import State
from domain.contract import DomainEvent, Json, untyped_data
from domain.hex_text import hex_text
from domain.phrases import counted, listing


def explain_departure(state: State, data: Json) -> Iterator[Reason]:
    """`PlayerResigned`, `PlayerRemoved`: BN-END-4."""
    seat = data["seat"]
    honour = state.players[seat].honour
    yield "BN-END-4", f"seat {seat} leaves the game and is out, with the {honour} honour it has"


def explain_standings(state: State, data: Json) -> Iterator[Reason]:
    """`RoundScored`: BN-END-3, BN-BAR-1."""
    for entry in data["standings"]:
        worth = entry["baronies"]
        said = f"seat {entry['seat']} has {entry['score']} honour"
        if worth:
            said += f", and {counted(len(worth), 'barony')} worth {listing(map(str, worth))}"
        yield "BN-END-3", said


def explain_ranking(state: State, data: Json) -> Iterator[Reason]:
    """`GameFinished`: BN-END-2, 3, BN-OUB-3, 4."""
    playing = state.in_game()
    if len(playing) <= 1:
        left = f"only seat {playing[0]} is left" if playing else "nobody is left"
        yield "BN-OUB-3", f"{left}, so no knight tries to establish any more"
    elif not data.get("baronies"):
        yield "BN-END-2", "no keep is left on its knight side, so nobody tries to establish"
    ranking = sorted(data["ranking"], key=lambda entry: (entry["place"], entry["seat"]))
    for place, sharing in groupby(ranking, key=lambda entry: entry["place"]):
        yield from _place(state, place, [*sharing])


def _place(state: State, place: int, sharing: list[Json]) -> Iterator[Reason]:
    """Who has a place, and why."""
    seats = [entry["seat"] for entry in sharing]
    score = sharing[0]["score"]
    out = state.players[seats[0]].out
    who, several = seats_text(seats), bool(seats[1:])
    if out is None:
        honour = f"{'have' if several else 'has'} {score} honour"
        shares = f"share place {place}" if several else f"is on place {place}"
        yield "BN-END-3", f"{who} {honour} and {shares}"
        return
    went = f"went out at moment {out}, and rank{'' if several else 's'} behind who stayed longer"
    yield "BN-END-3", f"{who} {went}: place {place}"
    if several:
        yield "BN-OUB-4", f"{who} went out together, and share place {place}"


def explain_course(state: State, fact: DomainEvent) -> Iterator[Reason]:
    """What followed from a fact that says so, under `out` and `then`."""
    then = untyped_data(fact).get("then")
    if then is None:
        return
    after = state.copy()
    apply(after, fact.type, untyped_data(fact))
    yield from _honour(state, after, untyped_data(fact))
    for seat in untyped_data(fact).get("out", {"seats": ()})["seats"]:
        yield from _gone_out(state, after, fact, seat)
    if then["phase"] == "finished":
        return
    yield from _turn_over(state, after, fact)
    if then["phase"] == "scoring":
        yield from _end_of_play(after)
    elif then["round"] > state.round:
        who = f"seat {then['to_act']} begins round {then['round']}"
        yield "BN-TRN-1", f"round {state.round} is over, and {who}"


def _honour(state: State, after: State, data: Json) -> Iterator[Reason]:
    """BN-OUB-4: changes of one seat's honour that come about together."""
    changes: dict[int, list[str]] = {}
    if "bonus" in data:
        changes[data["seat"]] = [f"{data['bonus']:+} for the tile"]
    for entry in data.get("baronies", ()):
        if entry["result"] == ESTABLISHED:
            said = f"{entry['gain']:+} for {hex_text(entry['at'])}"
            changes.setdefault(entry["seat"], []).append(said)
        for beaten in entry["beaten"]:
            said = f"{-beaten['loss']:+} for {hex_text(beaten['at'])}"
            changes.setdefault(beaten["seat"], []).append(said)
    for seat, parts in sorted(changes.items()):
        player = state.players[seat]
        if parts[1:] and player.out is None:
            ends = f"from {player.honour} to {after.players[seat].honour}"
            yield "BN-OUB-4", f"seat {seat}'s honour goes {ends} at once: {listing(parts)}"


def _gone_out(state: State, after: State, fact: DomainEvent, seat: int) -> Iterator[Reason]:
    """BN-OUB-1, 2: what going out means to a seat."""
    player, data = state.players[seat], untyped_data(fact)
    tiles = player.reserve_size - (fact.type == "TilePlaced" and data["seat"] == seat)
    on_board = sum(owner == seat for owner, _ in after.keeps.values())
    before = sum(owner == seat for owner, _ in state.keeps.values())
    placed = fact.type == "KeepPlaced" and data["seat"] == seat
    # All keeps that were not on the board, or came off it, are gone with the reserve.
    keeps = player.keeps + player.resting + before - on_board
    left = f"{counted(tiles, 'tile')} and {counted(keeps, 'keep')} leave the game"
    stay = f"{counted(on_board, 'keep')} of its own {'stays' if on_board == 1 else 'stay'}"
    honour = after.players[seat].honour
    reason = "" if fact.type.startswith("Player") else f" is at {honour} honour, so it"
    yield "BN-OUB-1", f"seat {seat}{reason} is out: {left}, and {stay} on the board"
    if seat == state.to_act and not placed and len(after.in_game()) > 1:
        yield "BN-OUB-2", f"it was seat {seat}'s turn, which is over with that"


def _turn_over(state: State, after: State, fact: DomainEvent) -> Iterator[Reason]:
    """BN-KEP-2, 4, BN-END-1: why a turn ended by itself, who may use keeps again, and what turns are left."""
    data, then = untyped_data(fact), untyped_data(fact)["then"]
    seat = state.to_act
    ended = seat is not None and (then["turn"] > state.turn or then["phase"] == "scoring")
    if not ended or seat is None:
        return
    if fact.type in ("TilePlaced", "TileDiscarded") and after.players[seat].out is None:
        yield from _no_keep(state, after, data, seat)
    for entry in then.get("rested", ()):
        back = counted(entry["keeps"], "keep")
        yield (
            "BN-KEP-2",
            f"the turn is over: {back} that came back to seat {entry['seat']} can be put down again",
        )
    if state.turns_left is None and after.turns_left is not None:
        turns = max(after.turns_left)
        yield "BN-END-1", f"there is nothing left to draw: each seat has {turns} more turns"
    elif after.turns_left is not None and after.players[seat].out is None:
        left = counted(after.turns_left[seat], "turn")
        yield "BN-END-1", f"seat {seat} has {left} left"


def _no_keep(state: State, after: State, data: Json, seat: int) -> Iterator[Reason]:
    """BN-KEP-4: what there was to prevent a keep, unless the game was over with the tile."""
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
    """BN-OUB-3, BN-END-1: what play is over with."""
    playing = after.in_game()
    if len(playing) <= 1:
        left = f"only seat {playing[0]} is left" if playing else "nobody is left"
        yield "BN-OUB-3", f"{left}: the game ends at once"
    else:
        yield "BN-END-1", "every seat has had its last turns: play is over"
