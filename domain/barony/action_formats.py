"""The JSON of Barony's actions as docs/formats.md defines it, casts included.

A cast is a well-formed action in every game of Barony.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict

from domain.barony.components import Resource, Spell
from domain.contract import ResignJson
from domain.json_types import HexJson, Length, ObjectType, PositiveCount


class PlaceCityJson(TypedDict):
    """Set-up: a city and a knight."""

    type: Literal["place_city"]
    at: HexJson


class RecruitJson(TypedDict):
    """A. Recruitment, into the city on a hex."""

    type: Literal["recruit"]
    at: HexJson
    knights: PositiveCount


class MoveJson(TypedDict):
    """B. Movement: one or two moves, [from, to] each, in this order. `takes` names a kind of token for each
    village that is destroyed and whose owner has a token.
    """

    type: Literal["move"]
    moves: Annotated[list[Annotated[list[HexJson], Length(2, 2)]], Length(1, 2)]
    takes: NotRequired[list[Resource]]


class BuildSiteJson(TypedDict):
    """A site of a construction."""

    at: HexJson
    building: Literal["village", "stronghold"]


class BuildJson(TypedDict):
    """C. Construction, on any number of sites."""

    type: Literal["build"]
    builds: Annotated[list[BuildSiteJson], Length(1)]


class NewCityJson(TypedDict):
    """D. New city, in place of a village."""

    type: Literal["new_city"]
    at: HexJson


class ExpeditionJson(TypedDict):
    """E. Expedition, to an edge hex."""

    type: Literal["expedition"]
    to: HexJson


class SomeTokens(TypedDict, total=False):
    """Resource tokens by kind; kinds of which there are none are left out."""

    mountain: PositiveCount
    forest: PositiveCount
    plain: PositiveCount
    field: PositiveCount


class NobleTitleJson(TypedDict):
    """F. Noble title; `discard` has at least one token."""

    type: Literal["noble_title"]
    discard: SomeTokens


class PassJson(TypedDict):
    """Pass, where no other action is legal."""

    type: Literal["pass"]


class AgreeToEndJson(TypedDict):
    """Ask for the end by agreement, or withdraw that; whether or not it is one's turn."""

    type: Literal["agree_to_end"]
    agree: bool


class CastMovementJson(TypedDict):
    """Cast spells of movement: `path` has the hex where the knight starts, then the hex where each step
    ends.
    """

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    path: Annotated[list[HexJson], Length(2, 3)]
    takes: NotRequired[list[Resource]]


class CastRecruitJson(TypedDict):
    """A site of a recruitment by spells, and the number of knights."""

    at: HexJson
    knights: PositiveCount


class CastRecruitmentJson(TypedDict):
    """Cast spells of recruitment, at one or more sites."""

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    recruits: Annotated[list[CastRecruitJson], Length(1)]


class CastConstructionJson(TypedDict):
    """Cast spells of construction: a city on a hex."""

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    at: HexJson


CastJson: TypeAlias = CastMovementJson | CastRecruitmentJson | CastConstructionJson
BaronyActionJson: TypeAlias = (
    PlaceCityJson
    | RecruitJson
    | MoveJson
    | BuildJson
    | NewCityJson
    | ExpeditionJson
    | NobleTitleJson
    | PassJson
    | CastJson
    | AgreeToEndJson
    | ResignJson
)

ACTIONS: Final[Mapping[str, ObjectType]] = {
    "place_city": PlaceCityJson,
    "recruit": RecruitJson,
    "move": MoveJson,
    "build": BuildJson,
    "new_city": NewCityJson,
    "expedition": ExpeditionJson,
    "noble_title": NobleTitleJson,
    "pass": PassJson,
    "cast": CastJson,
    "agree_to_end": AgreeToEndJson,
    "resign": ResignJson,
}
