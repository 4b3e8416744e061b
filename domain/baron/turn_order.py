"""The turn order, the standings and the final ranking: whose turn comes next, and when a round and play end.

Every event has the turn order that follows it under `then`, so that applying it needs no rule. The functions
take the state with everything else that the event does applied already.
"""

from collections.abc import Iterator
from typing import Any, Final

from domain.baron.components import LAST_TURNS
from domain.baron.consequences import consequences_of_end
from domain.baron.formats import BaronStanding, Consequences, KeepCount, Phase, Result, Then
from domain.baron.legal import free_meadows
from domain.baron.state import State, apply_consequences
from domain.contract import DomainEvent, ScoreChange
from domain.errors import NotNow
from domain.event import RankingEntry
from domain.messages import Text, message, message_in

_TILES_PAID: Final[Text] = message_in("points", "paid for tiles")
_TILES_LAID: Final[Text] = message_in("points", "tiles laid")
_ESTABLISHED: Final[Text] = message_in("points", "baronies established")
_LOST: Final[Text] = message_in("points", "baronies lost")


def is_decided(after: State) -> bool:
    """BN-OUB-3: whether at most one seat is left."""
    return len(after.in_game()) <= 1


def same_turn(after: State, phase: Phase) -> Then:
    """BN-TRN-3: the same turn goes on with this part of it."""
    return _then(after, phase, after.round, after.turn, after.to_act, after.turns_left)


def after_laying(after: State) -> Then:
    """BN-KEP-1, 4: on to the keep, if one can be put down; otherwise the turn ends."""
    seat = after.to_act
    assert seat is not None
    player = after.players[seat]
    if not is_decided(after) and player.out is None and player.keeps and free_meadows(after):
        return same_turn(after, "keep")
    return after_turn(after)


def after_turn(after: State) -> Then:
    """BN-TRN-1, BN-END-1, BN-OUB-3: the turn of `to_act` is over, by itself or with the game."""
    seat = after.to_act
    assert seat is not None
    left = _turns_left_after_turn(after, seat)
    playing = [other for other in after.in_game() if left is None or left[other]]
    if is_decided(after) or not playing:
        then = _then(after, "scoring", after.round, after.turn, None, left)
    else:
        later = [other for other in playing if other > seat]
        then = _then(
            after,
            "draw" if after.market else "lay",
            after.round if later else after.round + 1,
            after.turn + 1,
            (later or playing)[0],
            left,
        )
    return _with_rested_keeps(after, then)


def after_departure(after: State, leaver: int) -> Then:
    """BN-END-4: the turn order when a seat has left the game."""
    if leaver == after.to_act or is_decided(after):
        return after_turn(after)
    return same_turn(after, after.phase)


def after_end(after: State) -> Then:
    """BN-END-2: the game is over."""
    then = _then(after, "finished", after.round, after.turn, None, after.turns_left)
    return _with_rested_keeps(after, then)


def _turns_left_after_turn(after: State, seat: int) -> tuple[int, ...] | None:
    """BN-END-1: by seat, the turns left after the turn of `seat`; None if they do not count yet.

    They count from the end of the turn in which the last tile was taken, even if the game ends with it.
    """
    if after.turns_left is not None:
        return tuple(turns - (other == seat) for other, turns in enumerate(after.turns_left))
    if not after.market and not after.pile_left:
        return (LAST_TURNS,) * len(after.players)
    return None


def _with_rested_keeps(after: State, then: Then) -> Then:
    """BN-KEP-2: the turn is over, and the keeps that came back in it can be put down again."""
    rested: list[KeepCount] = [
        {"seat": seat, "keeps": player.resting}
        for seat, player in enumerate(after.players)
        if player.resting
    ]
    if rested:
        then["rested"] = rested
    return then


def _then(
    after: State,
    phase: Phase,
    round: int,
    turn: int,
    to_act: int | None,
    left: tuple[int, ...] | None,
) -> Then:
    """`turns_left` is left out until the turns count; a seat that is out has none left."""
    then: Then = {"phase": phase, "round": round, "turn": turn, "to_act": to_act}
    if left is not None:
        then["turns_left"] = [
            turns if player.out is None else 0
            for turns, player in zip(left, after.players, strict=True)
        ]
    return then


def standings(state: State) -> list[BaronStanding]:
    """The entries of `RoundScored.standings` in order of seats: honour, and the values of the baronies."""
    baronies: dict[int, list[int]] = {seat: [] for seat in range(len(state.players))}
    for at, value in sorted(state.values.items()):
        baronies[state.keeps[at][0]].append(value)
    return [
        {"seat": seat, "score": player.honour, "baronies": baronies[seat]}
        for seat, player in enumerate(state.players)
    ]


def score_changes(state: State, type: str, data: Any) -> list[ScoreChange]:
    """BN-DRW-2, BN-LAY-3, BN-BAR-4, BN-FGT-5: what an event adds to the honour of seats."""
    return [change for change in _honour_changes(data) if change[2]]


def _honour_changes(data: Any) -> Iterator[ScoreChange]:
    if "cost" in data:
        yield data["seat"], _TILES_PAID, -data["cost"]
    if "bonus" in data:
        yield data["seat"], _TILES_LAID, data["bonus"]
    for result in data.get("baronies", ()):
        if result["result"] == "established":
            yield result["seat"], _ESTABLISHED, result["gain"]
            for beaten in result["beaten"]:
                yield beaten["seat"], _LOST, -beaten["loss"]


def ranking(state: State) -> list[RankingEntry]:
    """BN-END-3: the most honour first; seats that are out come last, the latest to go out first.

    Seats with the same honour share a place, and so do seats that went out together (BN-OUB-4).
    """
    ranks = {seat: _rank(state, seat) for seat in range(len(state.players))}
    return [
        {
            "seat": seat,
            "score": state.players[seat].honour,
            "place": 1 + sum(rank > ranks[seat] for rank in ranks.values()),
        }
        for seat in sorted(ranks, key=lambda seat: ranks[seat], reverse=True)
    ]


def _rank(state: State, seat: int) -> tuple[bool, int]:
    """A value that is greater for a seat that is ranked higher."""
    player = state.players[seat]
    return (True, player.honour) if player.out is None else (False, player.out)


def finish(state: State) -> DomainEvent:
    """`GameFinished`: what the knights still on the board come to, and the ranking. Raises NotNow.

    BN-OUB-3: if at most one seat is left, the knights come to nothing more.
    """
    if state.phase != "scoring":
        raise NotNow("BN-END-1", message("the game is not being scored"))
    consequences: Consequences = {} if is_decided(state) else consequences_of_end(state)
    after = state.copy()
    apply_consequences(after, consequences)
    data: Result = {"ranking": ranking(after), **consequences, "then": after_end(after)}
    return DomainEvent("GameFinished", data)
