"""The turn order, scoring and ranking: whose turn comes next, when a round ends, when play is over, who wins.

An event carries its consequences for the turn order in the field `then`, so that applying it needs no rule.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from domain.barony.components import CITIES, CITY, DUKE, FIRST_CITIES, RANKS, VICTORY_POINTS, Phase
from domain.barony.formats import BaronyStanding, Then
from domain.barony.state import State, replaced, tokens_to_json
from domain.contract import DomainEvent, ScoreChange
from domain.errors import NotNow
from domain.event import Ranked, RankingEntry
from domain.messages import Text, message, message_in

SOURCES: Final[Mapping[str, Text]] = {
    "TitleBought": message_in("points", "noble titles"),
    "CityFounded": message_in("points", "new cities"),
    "SpellsCast": message_in("points", "cities by spells"),
}
"""The source of points, by the type of the event that yields them."""
_TOKENS_LEFT: Final = message_in("points", "tokens left")


@cache
def placements(seats: int) -> tuple[int, ...]:
    """BY-SET-3: the seats in the order in which they place their first cities."""
    last = seats - 1
    forwards = list(range(last))
    backwards = [seat for seat in reversed(forwards) for _ in range(FIRST_CITIES - 1)]
    return (*forwards, *[last] * FIRST_CITIES, *backwards)


def cities_placed(state: State, seat: int) -> int:
    """How many cities the seat has placed. For set-up, when none is founded yet."""
    return CITIES - state.reserve_cities[seat]


def can_hold_first_city(state: State, hex: int) -> bool:
    """BY-SET-4: whether a first city could be placed on this hex of the board, by anyone."""
    board, building = state.board, state.building
    if not board.can_be_settled[hex] or building[hex] == CITY:
        return False
    for near in board.neighbours[hex]:  # noqa: SIM110 # any() would take twice as long
        if building[near] == CITY:
            return False
    return True


def _has_room(state: State) -> bool:
    """BY-SET-5: whether a first city could be placed on any hex of the board."""
    for hex in range(len(state.board.hexes)):  # noqa: SIM110 # any() would take twice as long
        if can_hold_first_city(state, hex):
            return True
    return False


def after_placement(after: State) -> Then:
    """BY-SET-3, 5, 6: the turn order after a placement, or a departure in set-up, that `after` contains."""
    placed = [CITIES - cities for cities in after.reserve_cities]
    for seat in placements(after.seats) if _has_room(after) else ():
        if placed[seat]:
            placed[seat] -= 1
        elif not after.is_out[seat]:
            return _then("setup", 0, after.turn + 1, seat)
    return _then("play", 1, after.turn + 1, after.in_game()[0])


def after_turn(
    state: State,
    *,
    has_passed: bool = False,
    becomes_duke: bool = False,
    departing: int | None = None,
) -> Then:
    """BY-TURN-1, 4, BY-END-2, 5: the turn order when the turn of `to_act` is over.

    `state` is the state before the turn. In the turn, the seat passed, or became duke, or the seat
    `departing` left the game; by default it did something else, or let its time run out.
    """
    seat, is_out, passed = state.to_act, state.is_out, state.passed
    assert seat is not None
    following = seat + 1
    if (
        following < len(is_out)
        and not (is_out[following] or passed or has_passed)
        and departing is None
    ):  # nearly every turn
        return {"phase": "play", "round": state.round, "turn": state.turn + 1, "to_act": following}
    staying = state.in_game()
    if departing is not None:
        staying.remove(departing)
    if has_passed:
        passed = tuple(sorted({*passed, seat}))
    if departing in passed:
        passed = tuple(other for other in passed if other != departing)
    if seat < staying[-1]:
        following = next(other for other in staying if other > seat)
        return _then("play", state.round, state.turn + 1, following, passed)
    is_over = (
        becomes_duke
        or DUKE in state.rank
        or state.round == state.round_limit
        or is_end_agreed(state, departing)
        or list(passed) == staying
    )
    if is_over:
        return _then("scoring", state.round, state.turn, None)
    return _then("play", state.round + 1, state.turn + 1, staying[0])


def after_departure(state: State, departing: int) -> Then:
    """BY-END-6: the turn order when a seat leaves the game; `state` is the state before that."""
    staying = [seat for seat in state.in_game() if seat != departing]
    if len(staying) == 1:
        return _then("scoring", state.round, state.turn, None)
    if departing == state.to_act:
        if state.phase == "play":
            return after_turn(state, departing=departing)
        after = state.copy()
        after.is_out = replaced(after.is_out, departing, value=True)
        return after_placement(after)
    passed = tuple(seat for seat in state.passed if seat != departing)
    return _then(state.phase, state.round, state.turn, state.to_act, passed)


def is_end_agreed(state: State, departing: int | None = None) -> bool:
    """BY-END-5: whether all seats in the game, except one that leaves it, have asked for the end."""
    return state.end_by_agreement and all(
        seat in state.end_agreed_by for seat in state.in_game() if seat != departing
    )


def _then(
    phase: Phase, round: int, turn: int, to_act: int | None, passed: tuple[int, ...] = ()
) -> Then:
    """`passed` is left out when empty, as it is except in the last rounds of a blocked game."""
    then: Then = {"phase": phase, "round": round, "turn": turn, "to_act": to_act}
    if passed:
        then["passed"] = list(passed)
    return then


def token_points(state: State, seat: int) -> int:
    """BY-END-3: the victory points of the seat's unused tokens."""
    tokens = zip(state.resources[seat], VICTORY_POINTS, strict=True)
    return sum(count * points for count, points in tokens)


def final_score(state: State, seat: int) -> int:
    """BY-END-3: the final score of the seat if the game ended now."""
    return state.score[seat] + token_points(state, seat)


def standings(state: State) -> list[BaronyStanding]:
    """BY-END-1, 3: the entries of `RoundScored.standings` in order of seats, with the parts of the scores."""
    return [
        {
            "seat": seat,
            "score": state.score[seat],
            "final_score": final_score(state, seat),
            "rank": RANKS[state.rank[seat]],
            "new_cities": state.new_cities[seat],
            "resources": tokens_to_json(state.resources[seat]),
            "token_points": token_points(state, seat),
        }
        for seat in range(state.seats)
    ]


def score_changes(state: State, type: str, data: Any) -> list[ScoreChange]:
    """BY-TTL-1, BY-CTY-4, BY-END-3: what an event adds to the scores of seats."""
    if type == "GameFinished":
        seats = range(state.seats)
        return [
            (seat, _TOKENS_LEFT, points) for seat in seats if (points := token_points(state, seat))
        ]
    if type in SOURCES and "points" in data:
        return [(data["seat"], SOURCES[type], data["points"])]
    return []


def ranking(state: State, scores: Sequence[int]) -> list[RankingEntry]:
    """BY-END-4, 6: the seats, best first, by their final scores (in order of seats).

    Among equals the highest seat comes first; seats that are out come after all others.
    """
    order = sorted(
        range(state.seats),
        key=lambda seat: (not state.is_out[seat], scores[seat], seat),
        reverse=True,
    )
    return [
        {"seat": seat, "score": scores[seat], "place": place}
        for place, seat in enumerate(order, start=1)
    ]


def finish(state: State) -> DomainEvent:
    """BY-END-3, 4: `GameFinished` with the ranking. Raises NotNow before play is over."""
    return finish_with(state, [final_score(state, seat) for seat in range(state.seats)])


def finish_with(state: State, scores: Sequence[int]) -> DomainEvent:
    """BY-END-4: `GameFinished` with the ranking by these final scores. Raises NotNow before play is over."""
    if state.phase != "scoring":
        raise NotNow("BY-END-2", message("play is not over"))
    data: Ranked = {"ranking": ranking(state, scores)}
    return DomainEvent("GameFinished", data)
