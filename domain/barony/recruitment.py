"""A. Recruitment and E. Expedition (BY-REC, BY-EXP): how knights come from the reserve onto the board."""

from domain.barony.actions import Expedition, Recruit
from domain.barony.components import CITY, LAKE, RECRUITS, RECRUITS_BY_A_LAKE
from domain.barony.formats import ExpeditionSent, KnightsRecruited
from domain.barony.state import State
from domain.barony.terms import KNIGHT
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent
from domain.errors import Refused, refusal
from domain.messages import Message, PlayerAt, counted, hex_at, message


def recruits_at(state: State, hex: int) -> int:
    """BY-REC-1: the greatest number of knights that one recruitment may put on the hex of a city."""
    return RECRUITS_BY_A_LAKE if state.board.by_a_lake[hex] else RECRUITS


def decide_recruit(state: State, seat: int, action: Recruit) -> DomainEvent:
    """BY-REC-1, 2: knights come from the reserve into one city. Raises Refused."""
    hex = state.board.index.get(action.at)
    if hex is None or state.building[hex] != CITY or state.owner[hex] != seat:
        raise refusal(
            "BY-REC-1",
            "{player} has no city on {hex}",
            player=PlayerAt(seat),
            hex=hex_at(action.at),
        )
    most = recruits_at(state, hex)
    if action.knights > most:
        raise Refused("BY-REC-1", _too_many(action, most))
    reserve = state.reserve_knights[seat]
    if action.knights > reserve:
        raise refusal(
            "BY-REC-2",
            "the reserve holds {knights}, not {number}",
            knights=counted(reserve, KNIGHT),
            number=action.knights,
        )
    data: KnightsRecruited = {
        "seat": seat,
        "at": list(action.at),
        "knights": action.knights,
        "then": after_turn(state),
    }
    return DomainEvent("KnightsRecruited", data)


def _too_many(action: Recruit, most: int) -> Message:
    """BY-REC-1: why a city takes at most `most` knights."""
    hex, knights = hex_at(action.at), counted(most, KNIGHT)
    if most > RECRUITS:
        return message(
            "{hex} is adjacent to a lake and takes at most {knights}, not {number}",
            hex=hex,
            knights=knights,
            number=action.knights,
        )
    return message(
        "{hex} is not adjacent to a lake and takes at most {knights}, not {number}",
        hex=hex,
        knights=knights,
        number=action.knights,
    )


def legal_recruits(state: State, seat: int) -> list[Recruit]:
    """BY-REC: every city with every number of knights."""
    reserve = state.reserve_knights[seat]
    return [
        Recruit(state.board.hexes[hex], knights)
        for hex in state.built(seat, CITY)
        for knights in range(1, min(reserve, recruits_at(state, hex)) + 1)
    ]


def decide_expedition(state: State, seat: int, action: Expedition) -> DomainEvent:
    """BY-EXP-1..5: one knight leaves the game, another comes to the edge. Raises Refused."""
    check_expedition(state, seat, action)
    data: ExpeditionSent = {"seat": seat, "to": list(action.to), "then": after_turn(state)}
    return DomainEvent("ExpeditionSent", data)


def check_expedition(state: State, seat: int, action: Expedition) -> int:
    """BY-EXP-1..5: the number of the hex where the expedition ends. Raises Refused."""
    hex = state.board.index.get(action.to)
    reserve = state.reserve_knights[seat]
    if reserve < 2:
        raise refusal(
            "BY-EXP-5",
            "an expedition takes two knights of the reserve, which holds {knights}",
            knights=counted(reserve, KNIGHT),
        )
    if hex is None:
        raise refusal("BY-EXP-2", "{hex} is not on the board", hex=hex_at(action.to))
    if not state.board.edge[hex]:
        raise refusal("BY-EXP-2", "{hex} is not on the edge of the board", hex=hex_at(action.to))
    if state.board.terrain[hex] == LAKE:
        raise refusal("BY-EXP-3", "{hex} is a lake", hex=hex_at(action.to))
    if not is_free(state, hex):
        raise refusal("BY-EXP-4", "{hex} is not free of pawns", hex=hex_at(action.to))
    return hex


def is_free(state: State, hex: int) -> bool:
    """Whether the hex holds no pawn of any seat."""
    return not state.building[hex] and not any(knights[hex] for knights in state.knights)


def legal_expeditions(state: State, seat: int) -> list[Expedition]:
    """BY-EXP: every free hex on the edge, except lakes."""
    if state.reserve_knights[seat] < 2:
        return []
    board = state.board
    return [
        Expedition(at)
        for hex, at in enumerate(board.hexes)
        if board.edge[hex] and board.terrain[hex] != LAKE and is_free(state, hex)
    ]
