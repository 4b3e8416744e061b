"""`decide`: checks an action against the rules and returns the event that it leads to.

Whose turn it is, set-up, passing, departures and the end by agreement are decided here; each of the actions
A to F is decided in its own file. `legal_actions` lists, for every outcome that an action could have, at
least one action.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from domain.barony.action_text import action_text
from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.components import FOREST, LAKE
from domain.barony.construction import decide_build, decide_new_city, legal_builds, legal_new_cities
from domain.barony.formats import CityPlaced, Departure, EndAgreed, TurnForfeited, TurnPassed
from domain.barony.movement import decide_move, legal_moves
from domain.barony.recruitment import (
    decide_expedition,
    decide_recruit,
    legal_expeditions,
    legal_recruits,
)
from domain.barony.state import State, StateT, apply_first_city
from domain.barony.titles import decide_title, legal_titles
from domain.barony.turn_order import (
    after_departure,
    after_placement,
    after_turn,
    can_hold_first_city,
    is_end_agreed,
)
from domain.choices import Preview
from domain.contract import DomainEvent, Resign
from domain.errors import NotNow, Refused, refusal
from domain.life_cycle_messages import ENDED_PHASES
from domain.messages import HexAt, Message, PlayerAt, hex_at, message

ActionGenerator: TypeAlias = Callable[[StateT, int], Sequence[Action]]
"""Returns the legal actions of one kind that a seat has in a state."""

ACTION_GENERATORS: Final[tuple[ActionGenerator[State], ...]] = (
    legal_recruits,
    legal_moves,
    legal_builds,
    legal_new_cities,
    legal_expeditions,
    legal_titles,
)
"""One for each of the actions A to F."""


def legal_actions(
    state: StateT, seat: int, generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS
) -> Sequence[Action]:
    """The legal actions of the seat, without `resign` and `agree_to_end`; [] when it is not its turn."""
    if seat != state.to_act:
        return []
    if state.phase == "setup":
        hexes = state.board.hexes
        return [PlaceCity(at) for hex, at in enumerate(hexes) if can_hold_first_city(state, hex)]
    actions: list[Action] = []
    for generator in generators:
        actions += generator(state, seat)
    return actions or [Pass()]


def some_action(
    state: StateT, seat: int, generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS
) -> Action | None:
    """BY-TURN-2: a legal action of the seat in its turn, or None when it must pass."""
    for generator in generators:
        actions = generator(state, seat)
        if actions:
            return actions[0]
    return None


def decide_pass(
    state: StateT,
    seat: int,
    action: Pass,
    generators: Sequence[ActionGenerator[StateT]] = ACTION_GENERATORS,
) -> DomainEvent:
    """BY-TURN-2: pass, where no other action is legal. Raises Refused."""
    other = some_action(state, seat, generators)
    if other is not None:
        raise refusal("BY-TURN-2", "another action is legal: {action}", action=action_text(other))
    data: TurnPassed = {"seat": seat, "then": after_turn(state, has_passed=True)}
    return DomainEvent("TurnPassed", data)


def decide_first_city(state: State, seat: int, action: PlaceCity) -> DomainEvent:
    """BY-SET-3, 4, 6: place a city and a knight in set-up. Raises Refused."""
    if state.phase != "setup":
        raise refusal("BY-SET-6", "first cities are placed only in set-up")
    hex = state.board.index.get(action.at)
    if hex is None:
        raise refusal("BY-SET-4", "{hex} is not on the board", hex=hex_at(action.at))
    if not can_hold_first_city(state, hex):
        raise Refused("BY-SET-4", _no_first_city(hex_at(action.at), state.board.terrain[hex]))
    after = state.copy()
    apply_first_city(after, seat, hex)
    data: CityPlaced = {"seat": seat, "at": list(action.at), "then": after_placement(after)}
    return DomainEvent("CityPlaced", data)


def _no_first_city(hex: HexAt, terrain: int) -> Message:
    """BY-SET-4: why a hex of this terrain cannot have a first city."""
    if terrain == LAKE:
        return message("{hex} is a lake", hex=hex)
    if terrain == FOREST:
        return message("{hex} is a forest", hex=hex)
    return message("there is a city on {hex} or adjacent to it", hex=hex)


def _decide_agreement(state: State, seat: int, action: AgreeToEnd) -> DomainEvent:
    """BY-END-5: ask for the end, or withdraw that. Raises Refused."""
    if not state.end_by_agreement:
        raise refusal("BY-END-5", "this game has no end by agreement")
    if state.phase != "play":
        raise refusal("BY-END-5", "the end can only be asked for in play, not in set-up")
    has_asked = seat in state.end_agreed_by
    if action.agree and has_asked:
        raise refusal("BY-END-5", "{player} has already asked for the end", player=PlayerAt(seat))
    if not action.agree and not has_asked:
        raise refusal("BY-END-5", "{player} has not asked for the end", player=PlayerAt(seat))
    if is_end_agreed(state):
        raise refusal(
            "BY-END-5", "all players have asked for the end; this can no longer be withdrawn"
        )
    seats = {*state.end_agreed_by, seat} if action.agree else {*state.end_agreed_by} - {seat}
    data: EndAgreed = {"seat": seat, "agree": action.agree, "end_agreed_by": sorted(seats)}
    return DomainEvent("EndAgreed", data)


def _decide_departure(state: State, seat: int, type: str) -> DomainEvent:
    """BY-END-6: the seat leaves the game, and its pawns stay. `type` is that of the event."""
    data: Departure = {"seat": seat, "then": after_departure(state, seat)}
    asking = [other for other in state.end_agreed_by if other != seat]
    if asking:
        data["end_agreed_by"] = asking
    return DomainEvent(type, data)


def forfeit(state: State) -> DomainEvent:
    """BY-TURN-5: the turn of `to_act` is over; BY-SET-6: in set-up the seat is removed instead."""
    seat = state.to_act
    if seat is None:
        raise NotNow("BY-TURN-3", message("nobody is to act"))
    if state.phase == "setup":
        return _decide_departure(state, seat, "PlayerRemoved")
    data: TurnForfeited = {"seat": seat, "then": after_turn(state)}
    return DomainEvent("TurnForfeited", data)


def remove(state: State, seat: int) -> DomainEvent:
    """BY-END-6: as if the seat had resigned. Raises Refused when it is out, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("BY-TURN-3", ENDED_PHASES[state.phase])
    if state.is_out[seat]:
        raise refusal("BY-TURN-3", "{player} is out of the game", player=PlayerAt(seat))
    return _decide_departure(state, seat, "PlayerRemoved")


Decider: TypeAlias = Callable[[StateT, int, Any], DomainEvent]
"""Decides an action of a seat in its turn. Raises Refused. The action is `Any` in this table alone: its class
is the key.
"""

DECIDERS: Final[Mapping[type[Action], Decider[State]]] = {
    PlaceCity: decide_first_city,
    Recruit: decide_recruit,
    Move: decide_move,
    Build: decide_build,
    NewCity: decide_new_city,
    Expedition: decide_expedition,
    NobleTitle: decide_title,
    Pass: decide_pass,
}


def decide(
    state: StateT,
    seat: int,
    action: Action,
    deciders: Mapping[type[Action], Decider[StateT]] = DECIDERS,
) -> DomainEvent:
    """The event that an action of the seat leads to, by the decider of its class.

    Raises Refused with the clause, NotNow when play is over.
    """
    decider = deciders.get(type(action))
    if decider is not None and seat == state.to_act and state.phase == "play":
        return decider(state, seat, action)
    return _decide_other(state, seat, action, decider)


def _decide_other(
    state: StateT, seat: int, action: Action, decider: Decider[StateT] | None
) -> DomainEvent:
    """BY-TURN-3, BY-SET-6, BY-END-5, 6, BS-SPL-1: every action but A to F in the seat's own turn of play."""
    if state.to_act is None:
        raise NotNow(
            "BY-TURN-3",
            message("no more actions are possible: {reason}", reason=ENDED_PHASES[state.phase]),
        )
    if state.is_out[seat]:
        raise refusal("BY-TURN-3", "{player} is out of the game", player=PlayerAt(seat))
    if isinstance(action, Resign):
        return _decide_departure(state, seat, "PlayerResigned")
    if isinstance(action, AgreeToEnd):
        return _decide_agreement(state, seat, action)
    if seat != state.to_act:
        raise refusal(
            "BY-TURN-3",
            "it is the turn of {active}, not of {player}",
            active=PlayerAt(state.to_act),
            player=PlayerAt(seat),
        )
    if isinstance(action, Cast) and state.phase == "play":
        raise refusal("BS-SPL-1", "this game is played without Sorcery")
    if isinstance(action, PlaceCity) and decider is not None:
        return decider(state, seat, action)
    raise refusal("BY-SET-6", "only first cities are placed in set-up")


def actions_at_any_time(state: State, seat: int) -> Sequence[Action]:
    """BY-END-5, 6: resigning, and asking for the end or withdrawing that, where they are possible."""
    if state.to_act is None or state.is_out[seat]:
        return []
    if not state.end_by_agreement or state.phase != "play" or is_end_agreed(state):
        return [Resign()]
    return [AgreeToEnd(agree=seat not in state.end_agreed_by), Resign()]


def preview(state: State, seat: int, action: Action) -> Preview:
    """All that the action leads to, because nothing is hidden. Raises what `decide` raises."""
    return Preview(decide(state, seat, action))
