"""The state of a game with Sorcery: the base game's, with magic tokens, imprints and open spells.

Also `apply`, which writes recorded events into it, and never refuses and never decides; the position, the
standings and the ranking. There are no secrets.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Self

from typing_extensions import override

from domain.barony.board import Board
from domain.barony.components import CITY, KIND, MYSTERIOUS_PLACE, Spell
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.components import BANK_OF_EACH, POINTS_AN_IMPRINT
from domain.barony.sorcery.formats import (
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    MovedStep,
    MovementCast,
    RecruitmentCast,
    SorceryStanding,
    SpellsCast,
)
from domain.barony.state import (
    EVENT_APPLIERS,
    EventApplier,
    State,
    apply_destroyed,
    apply_expedition,
    apply_new_city,
    replaced,
    with_position,
)
from domain.barony.state import apply as base_apply
from domain.barony.state import apply_steps as base_apply_steps
from domain.barony.state import position as base_position
from domain.barony.turn_order import final_score, finish_with
from domain.barony.turn_order import score_changes as base_score_changes
from domain.barony.turn_order import standings as base_standings
from domain.contract import DomainEvent, ScoreChange
from domain.hexes import hex_of
from domain.messages import Text, message_in

_IMPRINTS: Final[Text] = message_in("points", "imprints")


class SorceryBoard(Board):
    """A board with mysterious places."""

    @cached_property
    @override
    def can_be_settled(self) -> tuple[bool, ...]:
        """Whether the terrain of the hex and around it allows a first city (BY-SET-4, BS-SET-3)."""
        return tuple(
            allowed and not is_by_a_place
            for allowed, is_by_a_place in zip(super().can_be_settled, self.by_a_place, strict=True)
        )

    @cached_property
    def by_a_place(self) -> tuple[bool, ...]:
        """Whether the hex is a mysterious place or adjacent to one (BS-SET-3)."""
        return tuple(
            MYSTERIOUS_PLACE in (self.terrain[hex], *(self.terrain[at] for at in near))
            for hex, near in enumerate(self.neighbours)
        )


class SorceryState(State):
    """One position of Barony with Sorcery."""

    __slots__ = ("imprints", "magic", "spells")

    def __init__(self, board: SorceryBoard, seats: int) -> None:
        super().__init__(board, seats)
        self.bank = [BANK_OF_EACH] * 4
        self.spells: tuple[Spell, ...] = ()
        """The open spells, in alphabetical order."""
        self.magic = [0] * seats
        """Magic tokens by seat."""
        self.imprints: list[tuple[int, ...]] = [()] * seats
        """By seat, the hexes with an imprint of the seat, sorted."""

    @override
    def copy(self) -> Self:
        """A state that may be changed without changing this one; they share only what never changes."""
        duplicate = State.copy(self)
        duplicate.spells = self.spells
        duplicate.magic = self.magic.copy()
        duplicate.imprints = self.imprints.copy()
        return duplicate


def apply_steps(state: SorceryState, seat: int, steps: Sequence[MovedStep]) -> None:
    """Steps of knights from hex to hex, with what their arrivals destroyed and gained."""
    base_apply_steps(state, seat, steps)
    for step in steps:
        if "magic" in step:
            _apply_imprint(state, seat, step["to"], step["magic"])


def _apply_imprint(state: SorceryState, seat: int, at: list[int], magic: int) -> None:
    """The seat places an imprint on a mysterious place and gains magic tokens."""
    q, r = at
    state.imprints[seat] = tuple(sorted((*state.imprints[seat], state.board.index[q, r])))
    state.magic[seat] += magic


def _knights_moved(state: SorceryState, data: KnightsMoved) -> None:
    apply_steps(state, data["seat"], data["moves"])


def _expedition_sent(state: SorceryState, data: ExpeditionSent) -> None:
    apply_expedition(state, data)
    if "magic" in data:
        _apply_imprint(state, data["seat"], data["to"], data["magic"])


def _spells_cast(state: SorceryState, data: SpellsCast) -> None:
    state.magic[data["seat"]] -= data["cost"]
    if "moves" in data:
        _apply_movement(state, data)
    elif "recruits" in data:
        _apply_recruitment(state, data)
    elif "replaced" in data:
        _apply_construction(state, data)


def _apply_movement(state: SorceryState, data: MovementCast) -> None:
    index, seat = state.board.index, data["seat"]
    for step in data["moves"]:
        if "left" in step:
            q, r = step["from"]
            apply_destroyed(state, seat, index[q, r], step["left"])
        apply_steps(state, seat, (step,))
        if "swept" in step:
            q, r = step["to"]
            apply_destroyed(state, seat, index[q, r], step["swept"])


def _apply_recruitment(state: SorceryState, data: RecruitmentCast) -> None:
    seat, returned = data["seat"], data.get("returned", 0)
    knights = state.knights_to_change(seat)
    removed = state.removed_knights[seat] - returned
    state.removed_knights = replaced(state.removed_knights, seat, removed)
    state.reserve_knights[seat] += returned
    for recruits in data["recruits"]:
        q, r = recruits["at"]
        knights[state.board.index[q, r]] += recruits["knights"]
        state.reserve_knights[seat] -= recruits["knights"]


def _apply_construction(state: SorceryState, data: ConstructionCast) -> None:
    q, r = data["at"]
    seat, hex = data["seat"], state.board.index[q, r]
    if data["replaced"] == "knight":
        state.knights_to_change(seat)[hex] -= 1
        state.reserve_knights[seat] += 1
    else:
        state.reserve_villages[seat] += 1
    state.building[hex], state.owner[hex] = CITY, seat
    apply_new_city(state, seat, data["points"])
    token = data.get("token")
    if token is not None:
        state.bank[KIND[token]] -= 1
        state.add_tokens(seat, KIND[token], 1)


SORCERY_APPLIERS: Final[Mapping[str, EventApplier[SorceryState]]] = {
    **EVENT_APPLIERS,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
}


def apply(state: SorceryState, type: str, data: Any) -> None:
    """Write an event into a state that the caller owns, by the applier of its type."""
    base_apply(state, type, data, SORCERY_APPLIERS)


def position(state: SorceryState, viewer: int | None) -> BaronyPosition:
    """The whole state, the same for every viewer."""
    whole = base_position(state, viewer)
    whole["sorcery"] = True
    whole["spells"] = list(state.spells)
    hexes = state.board.hexes
    for seat, player in enumerate(whole["players"]):
        player["magic"] = state.magic[seat]
        player["imprints"] = [list(hexes[hex]) for hex in state.imprints[seat]]
    return whole


def from_position(position: BaronyPosition) -> SorceryState:
    """The state that a position shows; the number of turns is not part of a position."""
    board = SorceryBoard.from_json(position["board"])
    state = with_position(SorceryState(board, len(position["players"])), position)
    state.spells = tuple(position["spells"])
    state.magic = [player["magic"] for player in position["players"]]
    state.imprints = [
        tuple(board.index[hex_of(at)] for at in player["imprints"])
        for player in position["players"]
    ]
    return state


def imprint_points(state: SorceryState, seat: int) -> int:
    """BS-MYS-5: the victory points of the seat's imprints."""
    return POINTS_AN_IMPRINT * len(state.imprints[seat])


def standings(state: SorceryState) -> list[SorceryStanding]:
    """BS-MYS-5: the base game's standings, with the points of imprints in the final scores."""
    return [
        {
            **standing,
            "final_score": standing["final_score"] + imprint_points(state, seat),
            "imprint_points": imprint_points(state, seat),
        }
        for seat, standing in enumerate(base_standings(state))
    ]


def score_changes(state: SorceryState, type: str, data: Any) -> list[ScoreChange]:
    """BS-MYS-5: what an event adds to the scores of seats: at the end also the points of imprints."""
    changes = base_score_changes(state, type, data)
    if type == "GameFinished":
        points = ((seat, imprint_points(state, seat)) for seat in range(state.seats))
        changes += [(seat, _IMPRINTS, count) for seat, count in points if count]
    return changes


def finish(state: SorceryState) -> DomainEvent:
    """BS-MYS-5: `GameFinished`, with the points of imprints. Raises NotNow before play is over."""
    scores = [final_score(state, seat) + imprint_points(state, seat) for seat in range(state.seats)]
    return finish_with(state, scores)
