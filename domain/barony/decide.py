"""`decide`: judges an action and says all that comes of it.

Whose turn it is, set-up and departures are judged here, the actions A to F each in its file.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from domain.barony.action_text import action_text
from domain.barony.actions import (
    AgreeToEnd,
    Build,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.apply import apply
from domain.barony.components import FOREST, LAKE
from domain.barony.construction import decide_build, decide_new_city
from domain.barony.legal import ACTION_GENERATORS, ActionGenerator, some_action
from domain.barony.movement import decide_move
from domain.barony.recruitment import decide_expedition, decide_recruit
from domain.barony.state import State
from domain.barony.titles import decide_title
from domain.barony.turn_order import (
    after_departure,
    after_placement,
    after_turn,
    can_hold_first_city,
    is_end_agreed,
)
from domain.contract import DomainEvent, Json, Resign, untyped_data, untyped_event
from domain.errors import NotNow, Refused
from domain.hex_text import hex_text
from domain.phrases import ENDED_PHASES


def place_city(state: State, seat: int, action: PlaceCity) -> DomainEvent:
    """BY-SET-3, 4, 6: a city and a knight in set-up. Raises Refused."""
    if state.phase != "setup":
        raise Refused("BY-SET-6", "cities are placed in set-up only")
    here = hex_text(action.at)
    hex = state.board.index.get(action.at)
    if hex is None:
        raise Refused("BY-SET-4", f"{here} is not on the board")
    if not can_hold_first_city(state, hex):
        what = {LAKE: "is a lake", FOREST: "is a forest"}.get(state.board.terrain[hex])
        raise Refused("BY-SET-4", f"{here} {what or 'has a city on it or beside it'}")
    data: Json = {"seat": seat, "at": list(action.at)}
    after = state.copy()
    apply(after, "CityPlaced", data)
    data["then"] = after_placement(after)
    return untyped_event("CityPlaced", data)


def decide_pass(
    state: State,
    seat: int,
    action: Pass,
    generators: tuple[ActionGenerator, ...] = ACTION_GENERATORS,
) -> DomainEvent:
    """BY-TURN-2: pass, where no other action is legal. Raises Refused.

    `generators` list the actions that count as other actions.
    """
    other = some_action(state, seat, generators)
    if other is not None:
        raise Refused("BY-TURN-2", f"something can be done, for one: {action_text(other)}")
    return untyped_event("TurnPassed", {"seat": seat})


def _agree_to_end(state: State, seat: int, action: AgreeToEnd) -> DomainEvent:
    """BY-END-5: ask for the end, or take it back. Raises Refused."""
    if not state.end_by_agreement:
        raise Refused("BY-END-5", "this game is played without an end by agreement")
    if state.phase != "play":
        raise Refused("BY-END-5", "the end is asked for in play, not in set-up")
    has_asked = seat in state.end_agreed_by
    if action.agree and has_asked:
        raise Refused("BY-END-5", f"seat {seat} has asked for the end already")
    if not action.agree and not has_asked:
        raise Refused("BY-END-5", f"seat {seat} has not asked for the end")
    if is_end_agreed(state):
        raise Refused("BY-END-5", "all have asked: the end is settled")
    asked = {*state.end_agreed_by, seat} if action.agree else {*state.end_agreed_by} - {seat}
    return untyped_event(
        "EndAgreed", {"seat": seat, "agree": action.agree, "end_agreed_by": sorted(asked)}
    )


def _departed(state: State, seat: int, type: str) -> DomainEvent:
    """BY-END-6: the seat leaves the game, its pawns stay."""
    data: Json = {"seat": seat, "then": after_departure(state, seat)}
    asked = [other for other in state.end_agreed_by if other != seat]
    if asked:
        data["end_agreed_by"] = asked
    return untyped_event(type, data)


def forfeit(state: State) -> DomainEvent:
    """BY-TURN-5: the turn of `to_act` is over; BY-SET-6: in set-up the seat is removed instead."""
    seat = state.to_act
    if seat is None:
        raise NotNow("BY-TURN-3", "nobody is to act")
    if state.phase == "setup":
        return _departed(state, seat, "PlayerRemoved")
    fact = untyped_event("TurnForfeited", {"seat": seat})
    untyped_data(fact)["then"] = after_turn(state, fact)
    return fact


def remove(state: State, seat: int) -> DomainEvent:
    """BY-END-6: as if the seat had resigned. Raises Refused when it is out, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BY-TURN-3", f"the game is {ENDED_PHASES[state.phase]}")
    if state.is_out[seat]:
        raise Refused("BY-TURN-3", f"seat {seat} is out of the game already")
    return _departed(state, seat, "PlayerRemoved")


Decider: TypeAlias = Callable[[Any, int, Any], DomainEvent]
"""Judges an action of a seat in its turn. Raises Refused."""

DECIDERS: Final[Mapping[type, Decider]] = {
    PlaceCity: place_city,
    Recruit: decide_recruit,
    Move: decide_move,
    Build: decide_build,
    NewCity: decide_new_city,
    Expedition: decide_expedition,
    NobleTitle: decide_title,
    Pass: decide_pass,
}


def decide(
    state: State, seat: int, action: object, judges: Mapping[type, Decider] = DECIDERS
) -> DomainEvent:
    """What comes of an action of the seat. Raises Refused with the clause, NotNow when play is over.

    `judges`: who judges each type of action.
    """
    judge = judges.get(type(action))
    if judge is None or seat != state.to_act or state.phase != "play":
        return _decide_else(state, seat, action, judge)
    fact = judge(state, seat, action)
    untyped_data(fact)["then"] = after_turn(state, fact)
    return fact


def _decide_else(state: State, seat: int, action: object, judge: Decider | None) -> DomainEvent:
    """What is no action A to F of the seat whose turn it is: BY-TURN-3, BY-SET-6, BY-END-5, 6, BS-SPL-1."""
    if state.to_act is None:
        raise NotNow(
            "BY-TURN-3", f"the game takes no more actions: it is {ENDED_PHASES[state.phase]}"
        )
    if state.is_out[seat]:
        raise Refused("BY-TURN-3", f"seat {seat} is out of the game")
    match action:
        case Resign():
            return _departed(state, seat, "PlayerResigned")
        case AgreeToEnd():
            return _agree_to_end(state, seat, action)
        case _ if seat != state.to_act:
            raise Refused("BY-TURN-3", f"it is seat {state.to_act}'s turn, not seat {seat}'s")
        case PlaceCity() if judge is not None:
            return judge(state, seat, action)
        case _ if state.phase == "play":  # of the form, but judged by nobody: a cast
            raise Refused("BS-SPL-1", "this game is played without Sorcery")
        case _:
            raise Refused("BY-SET-6", "in set-up cities are placed, and nothing else is done")
