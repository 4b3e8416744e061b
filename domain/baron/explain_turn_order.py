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
from domain.baron.state import State
from domain.baron.terms import BARONY, HONOUR, KEEP, TILE, players
from domain.contract import Reason
from domain.event import RankingEntry
from domain.messages import (
    Message,
    PlayerAt,
    counted,
    hex_at,
    listing,
    message,
    plural_reason,
    reason,
)

Cause: TypeAlias = Literal["tile", "keep", "departure", "end"]
"""The kind of event by which seats go out."""


def explain_departure(state: State, data: PlayerResigned) -> Iterator[Reason]:
    """BN-END-4: `PlayerResigned`, `PlayerRemoved`."""
    seat = data["seat"]
    yield reason(
        "BN-END-4",
        "{player} leaves the game and is out, with {honour}",
        player=PlayerAt(seat),
        honour=counted(state.players[seat].honour, HONOUR),
    )


def explain_standings(state: State, data: RoundScored) -> Iterator[Reason]:
    """BN-END-3, BN-BAR-1: `RoundScored`."""
    for entry in data["standings"]:
        player, honour = PlayerAt(entry["seat"]), counted(entry["score"], HONOUR)
        values = entry["baronies"]
        if values:
            yield reason(
                "BN-END-3",
                "{player} has {honour}, and {baronies} worth {values}",
                player=player,
                honour=honour,
                baronies=counted(len(values), BARONY),
                values=listing(values),
            )
        else:
            yield reason("BN-END-3", "{player} has {honour}", player=player, honour=honour)


def explain_ranking(state: State, data: Result) -> Iterator[Reason]:
    """BN-END-2, 3, BN-OUB-3, 4: `GameFinished`."""
    playing = state.in_game()
    if playing[1:]:
        if not data.get("baronies"):
            yield reason(
                "BN-END-2",
                "no keep is left on its knight side, so nobody tries to establish a barony",
            )
    elif playing:
        yield reason(
            "BN-OUB-3",
            "only {player} is left, so no knight tries to establish a barony",
            player=PlayerAt(playing[0]),
        )
    else:
        yield reason("BN-OUB-3", "nobody is left, so no knight tries to establish a barony")
    ranking = sorted(data["ranking"], key=lambda entry: (entry["place"], entry["seat"]))
    for place, sharing in groupby(ranking, key=lambda entry: entry["place"]):
        yield from _place(state, place, [*sharing])


def _place(state: State, place: int, sharing: list[RankingEntry]) -> Iterator[Reason]:
    """BN-END-3, BN-OUB-4: the seats that share a place, and why."""
    seats = [entry["seat"] for entry in sharing]
    moment = state.players[seats[0]].out
    if moment is None:
        yield plural_reason(
            "BN-END-3",
            "{players} has {honour} and is on place {place}",
            "{players} have {honour} and share place {place}",
            count=len(seats),
            players=players(seats),
            honour=counted(sharing[0]["score"], HONOUR),
            place=place,
        )
        return
    yield plural_reason(
        "BN-END-3",
        "{players} went out at moment {moment}, and ranks behind players who stayed longer: place "
        "{place}",
        "{players} went out at moment {moment}, and rank behind players who stayed longer: place "
        "{place}",
        count=len(seats),
        players=players(seats),
        moment=moment,
        place=place,
    )
    if seats[1:]:
        yield reason(
            "BN-OUB-4",
            "{players} went out together, and share place {place}",
            players=players(seats),
            place=place,
        )


def explain_honour(
    state: State, after: State, data: TileConsequences, seat: int
) -> Iterator[Reason]:
    """BN-OUB-4: changes of one seat's honour that happen together; `seat` has earned the bonus."""
    changes: dict[int, list[Message]] = {}
    if "bonus" in data:
        changes[seat] = [message("{change:signed} for the tile", change=data["bonus"])]
    for result in data.get("baronies", ()):
        if result["result"] == "established":
            gain = _change_for(result["gain"], result["at"])
            changes.setdefault(result["seat"], []).append(gain)
        for beaten in result["beaten"]:
            loss = _change_for(-beaten["loss"], beaten["at"])
            changes.setdefault(beaten["seat"], []).append(loss)
    for changed, parts in sorted(changes.items()):
        player = state.players[changed]
        if parts[1:] and player.out is None:
            yield reason(
                "BN-OUB-4",
                "{player}'s honour goes from {honour} to {other} in one step: {changes}",
                player=PlayerAt(changed),
                honour=player.honour,
                other=after.players[changed].honour,
                changes=listing(parts),
            )


def _change_for(change: int, at: Sequence[int]) -> Message:
    return message("{change:signed} for {hex}", change=change, hex=hex_at(at))


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
        yield plural_reason(
            "BN-OUB-1",
            "{departure}: {tiles} and {keeps} leave the game, and {count} keep stays on the board",
            "{departure}: {tiles} and {keeps} leave the game, and {count} keeps stay on the board",
            count=on_board,
            departure=_departure(after, seat, cause),
            tiles=counted(tiles, TILE),
            keeps=counted(keeps, KEEP),
        )
        if seat == state.to_act and cause != "keep" and len(after.in_game()) > 1:
            yield reason(
                "BN-OUB-2", "it was {player}'s turn, which is over with that", player=PlayerAt(seat)
            )


def _departure(after: State, seat: int, cause: Cause) -> Message:
    if cause == "departure":
        return message("{player} is out", player=PlayerAt(seat))
    return message(
        "{player} is at {honour} and therefore out",
        player=PlayerAt(seat),
        honour=counted(after.players[seat].honour, HONOUR),
    )


def is_turn_over(state: State, then: Then) -> bool:
    """Whether an event has ended the turn in progress."""
    return state.to_act is not None and (then["turn"] > state.turn or then["phase"] == "scoring")


def explain_turn_order(state: State, after: State, then: Then) -> Iterator[Reason]:
    """BN-KEP-2, BN-END-1, BN-TRN-1, BN-OUB-3: rested keeps, the turns that are left, what comes next."""
    if is_turn_over(state, then):
        yield from _end_of_turn(state, after, then)
    if then["phase"] == "scoring":
        yield from _end_of_play(after)
    elif then["round"] > state.round and then["to_act"] is not None:
        yield reason(
            "BN-TRN-1",
            "round {round} is over, and {player} begins round {next}",
            round=state.round,
            player=PlayerAt(then["to_act"]),
            next=then["round"],
        )


def _end_of_turn(state: State, after: State, then: Then) -> Iterator[Reason]:
    """BN-KEP-2, BN-END-1."""
    seat, left = state.to_act, after.turns_left
    for entry in then.get("rested", ()):
        yield plural_reason(
            "BN-KEP-2",
            "the turn is over: {count} keep that came back to {player} can be put down again",
            "the turn is over: {count} keeps that came back to {player} can be put down again",
            count=entry["keeps"],
            player=PlayerAt(entry["seat"]),
        )
    if seat is None or left is None:
        return
    if state.turns_left is None and then["phase"] != "scoring":
        yield plural_reason(
            "BN-END-1",
            "there is nothing left to draw: each player has {count} more turn",
            "there is nothing left to draw: each player has {count} more turns",
            count=max(left),
        )
    elif state.turns_left is not None and after.players[seat].out is None:
        yield plural_reason(
            "BN-END-1",
            "{player} has {count} turn left",
            "{player} has {count} turns left",
            count=left[seat],
            player=PlayerAt(seat),
        )


def explain_no_keep(state: State, after: State, data: Consequences, seat: int) -> Iterator[Reason]:
    """BN-KEP-4: why no keep can be put down, unless the game is over with the tile."""
    if len(after.in_game()) <= 1:
        return
    back = sum(entry["keeps"] for entry in data.get("returned", ()) if entry["seat"] == seat)
    if state.players[seat].keeps:
        yield reason("BN-KEP-4", "no meadow is free: the turn ends by itself")
    elif back:
        yield reason(
            "BN-KEP-4",
            "{player} has no keep but what came back in this turn: the turn ends by itself",
            player=PlayerAt(seat),
        )
    else:
        yield reason(
            "BN-KEP-4",
            "{player} has no keep in reserve: the turn ends by itself",
            player=PlayerAt(seat),
        )


def _end_of_play(after: State) -> Iterator[Reason]:
    """BN-OUB-3, BN-END-1: why play is over."""
    playing = after.in_game()
    if playing[1:]:
        yield reason("BN-END-1", "every player has had the last turns: play is over")
    elif playing:
        yield reason(
            "BN-OUB-3",
            "only {player} is left: the game ends immediately",
            player=PlayerAt(playing[0]),
        )
    else:
        yield reason("BN-OUB-3", "nobody is left: the game ends immediately")
