"""What Sorcery changes and adds in the JSON of Barony, as docs/formats.md defines it."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict, final

from domain.barony import formats
from domain.barony.actions import CastRecruitJson
from domain.barony.components import Resource, Spell
from domain.barony.formats import ACTIONS, OPTIONS, POSITION, BaronyStanding, Destroyed, Step, Then
from domain.json_types import Count, HexJson, Length, ObjectType, PositiveCount, Range, Seat

__all__ = ["ACTIONS", "EVENTS", "OPTIONS", "POSITION", "STANDING"]

Magic: TypeAlias = Annotated[
    int, Range(1, 3), "The magic tokens that an arrival gained with an imprint."
]


class MovedStep(Step):
    """A knight's step by a move, with what its arrival destroyed and gained."""

    magic: NotRequired[Magic]


class CastStep(MovedStep):
    """A knight's step by spells. Tornado destroyed `left` on the hex where the first step starts and `swept`
    on the hex where the last step ends.
    """

    left: NotRequired[Annotated[list[Destroyed], Length(1)]]
    swept: NotRequired[Annotated[list[Destroyed], Length(1)]]


class KnightsMoved(TypedDict):
    """One or two knights moved, one after the other."""

    seat: Seat
    moves: Annotated[list[MovedStep], Length(1, 2)]
    then: Then


class ExpeditionSent(formats.ExpeditionSent):
    """One knight of the reserve was removed from the game, another placed on an edge hex."""

    magic: NotRequired[Magic]


@final
class MovementCast(TypedDict):
    """Spells of movement: one knight made one step or two."""

    seat: Seat
    spells: Annotated[list[Spell], Length(1)]
    cost: PositiveCount
    moves: Annotated[list[CastStep], Length(1, 2)]
    then: Then


@final
class RecruitmentCast(TypedDict):
    """Spells of recruitment. `returned` is how many of the knights expeditions had removed from the game."""

    seat: Seat
    spells: Annotated[list[Spell], Length(1)]
    cost: PositiveCount
    recruits: Annotated[list[CastRecruitJson], Length(1)]
    returned: NotRequired[PositiveCount]
    then: Then


@final
class ConstructionCast(TypedDict):
    """Spells of construction: a city replaced a pawn, for `points` on the score track. `token`, only with
    Abundance, is the kind of token gained, or null where the bank had none.
    """

    seat: Seat
    spells: Annotated[list[Spell], Length(1)]
    cost: PositiveCount
    at: HexJson
    replaced: Literal["knight", "village"]
    points: PositiveCount
    token: NotRequired[Resource | None]
    then: Then


SpellsCast: TypeAlias = MovementCast | RecruitmentCast | ConstructionCast
"""Spells were cast: `cost` is what they cost together, in magic tokens."""


class SorceryStanding(BaronyStanding):
    """A standing whose `final_score` includes the points of imprints."""

    imprint_points: Count


class RoundScored(TypedDict):
    """A round has ended. `standings` is in order of seats."""

    round: PositiveCount
    standings: list[SorceryStanding]


STANDING: Final[type] = SorceryStanding
EVENTS: Final[Mapping[str, ObjectType]] = {
    **formats.EVENTS,
    "KnightsMoved": KnightsMoved,
    "ExpeditionSent": ExpeditionSent,
    "SpellsCast": SpellsCast,
    "RoundScored": RoundScored,
}
