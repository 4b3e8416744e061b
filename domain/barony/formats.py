"""The JSON of Barony as docs/formats.md defines it: options, actions, events, positions and standings.

The expansion's `formats` extends these by casts, magic and spells.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict

from domain.contract import OwnOptions, Position, ResignJson
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, HexJson, Length, PositiveCount, Range, Seat

Phase: TypeAlias = Literal["setup", "play", "scoring", "finished"]
Terrain: TypeAlias = Literal["mountain", "forest", "plain", "field", "lake", "mysterious_place"]
Token: TypeAlias = Literal["mountain", "forest", "plain", "field"]
Rank: TypeAlias = Literal["baron", "viscount", "count", "marquis", "duke"]
Building: TypeAlias = Literal["village", "stronghold", "city"]


class OwnBaronyOptions(OwnOptions):
    """The options that only Barony has."""

    sorcery: bool
    round_limit: Annotated[int, Range(1, 10_000)] | None
    end_by_agreement: bool


class BaronyOptions(Options, OwnBaronyOptions):
    """All options of a game of Barony."""


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
    """B. Movement: one or two moves, [from, to] each."""

    type: Literal["move"]
    moves: Annotated[list[Annotated[list[HexJson], Length(2, 2)]], Length(1, 2)]
    takes: NotRequired[list[Token]]


class BuildSiteJson(TypedDict):
    """A site of a construction."""

    at: HexJson
    building: Literal["village", "stronghold"]


class BuildJson(TypedDict):
    """C. Construction, on any number of sites."""

    type: Literal["build"]
    builds: Annotated[list[BuildSiteJson], Length(1)]


class NewCityJson(TypedDict):
    """D. New city."""

    type: Literal["new_city"]
    at: HexJson


class ExpeditionJson(TypedDict):
    """E. Expedition."""

    type: Literal["expedition"]
    to: HexJson


class Discard(TypedDict, total=False):
    """Tokens to discard, at least one in all."""

    mountain: PositiveCount
    forest: PositiveCount
    plain: PositiveCount
    field: PositiveCount


class NobleTitleJson(TypedDict):
    """F. Noble title."""

    type: Literal["noble_title"]
    discard: Discard


class PassJson(TypedDict):
    """Pass, where no other action is possible."""

    type: Literal["pass"]


class AgreeToEndJson(TypedDict):
    """Ask for the end by agreement, or take that back; whether or not it is one's turn."""

    type: Literal["agree_to_end"]
    agree: bool


class Cell(TypedDict):
    """A hex of the board."""

    at: HexJson
    terrain: Terrain


class Pawns(TypedDict):
    """The pawns of one seat on one hex."""

    at: HexJson
    seat: Seat
    knights: Count
    building: Building | None


class Reserve(TypedDict):
    """The pawns of a seat that are not on the board."""

    knights: Count
    villages: Count
    strongholds: Count
    cities: Count


class Tokens(TypedDict):
    """Resource tokens by kind."""

    mountain: Count
    forest: Count
    plain: Count
    field: Count


class PlayerJson(TypedDict):
    """What a seat has beside the board."""

    seat: Seat
    status: Literal["active", "out"]
    rank: Rank
    new_cities: Count
    reserve: Reserve
    removed_knights: Count
    resources: Tokens
    magic: Count
    imprints: list[HexJson]
    score: int


class BaronyPosition(Position):
    """A position of Barony, with or without Sorcery."""

    rules: Literal["barony"]
    sorcery: bool
    phase: Phase
    round_limit: PositiveCount | None
    end_agreed_by: list[Seat]
    passed: list[Seat]
    board: list[Cell]
    pawns: list[Pawns]
    players: list[PlayerJson]
    bank: Tokens
    spells: list[str]


class BaronyStanding(Standing):
    """What a seat has at the end of a round, and what makes up its score."""

    final_score: int
    rank: Rank
    new_cities: Count
    resources: Tokens
    token_points: Count


OPTIONS: Final[type] = BaronyOptions
POSITION: Final[type] = BaronyPosition
STANDING: Final[type] = BaronyStanding
ACTIONS: Final[Mapping[str, type]] = {
    "place_city": PlaceCityJson,
    "recruit": RecruitJson,
    "move": MoveJson,
    "build": BuildJson,
    "new_city": NewCityJson,
    "expedition": ExpeditionJson,
    "noble_title": NobleTitleJson,
    "pass": PassJson,
    "agree_to_end": AgreeToEndJson,
    "resign": ResignJson,
}
EVENTS: Final[Mapping[str, type]] = {**LIFE_CYCLE_EVENTS}
