"""The JSON of Barony as docs/formats.md defines it: options, events, positions and standings.

`actions` has that of the actions. Every TypedDict of event data has the name of the event type. The
expansion's `formats` has what Sorcery changes and adds.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict, final

from domain import event
from domain.barony.actions import ACTIONS, SomeTokens
from domain.barony.components import Building, Phase, Rank, Resource, Spell, Terrain
from domain.contract import OwnOptions, Position
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, HexJson, Length, ObjectType, PositiveCount, Range, Seat

__all__ = ["ACTIONS", "EVENTS", "OPTIONS", "POSITION", "STANDING"]


class OwnBaronyOptions(OwnOptions):
    """The options that only Barony has."""

    sorcery: bool
    round_limit: Annotated[int, Range(1, 10_000)] | None
    end_by_agreement: bool


class BaronyOptions(Options, OwnBaronyOptions):
    """All options of a game of Barony."""


# Parts of events


class Then(TypedDict):
    """The turn order after an event."""

    phase: Phase
    round: Count
    turn: Annotated[PositiveCount, "How many turns have begun, placements of the set-up included."]
    to_act: Seat | None
    passed: NotRequired[Annotated[list[Seat], Length(1)]]


@final
class DestroyedKnight(TypedDict):
    """A knight that went back to the reserve of its seat."""

    seat: Seat
    pawn: Literal["knight"]


@final
class DestroyedVillage(TypedDict):
    """A village that went back to the reserve of its seat. `token` is the kind of token that the attacker
    took; null where the owner had none.
    """

    seat: Seat
    pawn: Literal["village"]
    token: Resource | None


Destroyed: TypeAlias = DestroyedKnight | DestroyedVillage

Step = TypedDict(
    "Step",
    {
        "from": HexJson,
        "to": HexJson,
        "destroyed": NotRequired[Annotated[list[Destroyed], Length(1)]],
    },
)
"""A knight's step from hex to hex, with the pawns that its arrival destroyed."""


class BuiltJson(TypedDict):
    """A building, and the kind of token that it gained; null where the bank had none."""

    at: HexJson
    building: Literal["village", "stronghold"]
    token: Resource | None


# Events


class Cell(TypedDict):
    """A hex of the board."""

    at: HexJson
    terrain: Terrain


class SetUp(TypedDict):
    """What the set-up makes public: the board, and the open spells (none without Sorcery)."""

    board: list[Cell]
    spells: list[Spell]


class GameCreated(event.GameSettings):
    """A player opens a game. `invited` is left out when it is empty."""

    options: BaronyOptions


class GameStarted(event.GameStarted, SetUp):
    """All places are taken, and the board is laid."""


class CityPlaced(TypedDict):
    """Set-up: a first city was placed, with a knight."""

    seat: Seat
    at: HexJson
    then: Then


class KnightsRecruited(TypedDict):
    """Knights came from the reserve into a city."""

    seat: Seat
    at: HexJson
    knights: PositiveCount
    then: Then


class KnightsMoved(TypedDict):
    """One or two knights moved, one after the other."""

    seat: Seat
    moves: Annotated[list[Step], Length(1, 2)]
    then: Then


class BuildingsBuilt(TypedDict):
    """Knights became villages and strongholds."""

    seat: Seat
    built: Annotated[list[BuiltJson], Length(1)]
    then: Then


class CityFounded(TypedDict):
    """A village became a city, for `points` on the score track."""

    seat: Seat
    at: HexJson
    points: PositiveCount
    then: Then


class ExpeditionSent(TypedDict):
    """One knight of the reserve was removed from the game, another placed on an edge hex."""

    seat: Seat
    to: HexJson
    then: Then


class TitleBought(TypedDict):
    """Tokens went to the bank for a rank, worth `points` on the score track."""

    seat: Seat
    rank: Rank
    discarded: SomeTokens
    points: PositiveCount
    then: Then


class TurnPassed(TypedDict):
    """A seat passed, since it had no other legal action."""

    seat: Seat
    then: Then


class TurnForfeited(event.TurnForfeited):
    """The time for a turn has run out."""

    then: Then


class EndAgreed(TypedDict):
    """A seat asked for the end of the game, or withdrew that. `end_agreed_by` has all seats that now ask."""

    seat: Seat
    agree: bool
    end_agreed_by: list[Seat]


class Departure(TypedDict):
    """What a seat's departure changes. `end_agreed_by` has the other seats that ask for the end."""

    seat: Seat
    end_agreed_by: NotRequired[Annotated[list[Seat], Length(1)]]
    then: Then


class PlayerResigned(Departure):
    """A player left the game for good."""


class PlayerRemoved(Departure):
    """The clock or an arbiter removed a player from the game."""


class Tokens(TypedDict):
    """Resource tokens by kind."""

    mountain: Count
    forest: Count
    plain: Count
    field: Count


class BaronyStanding(Standing):
    """The score track of a seat at the end of a round, its final score if the game ended then, and what
    makes these up.
    """

    final_score: int
    rank: Rank
    new_cities: Count
    resources: Tokens
    token_points: Count


class RoundScored(TypedDict):
    """A round has ended. `standings` is in order of seats."""

    round: PositiveCount
    standings: list[BaronyStanding]


# Positions


class Pawns(TypedDict):
    """The pawns of one seat on one hex."""

    at: HexJson
    seat: Seat
    knights: Count
    building: Building | None


class Reserve(TypedDict):
    """The pawns of a seat that are neither on the board nor removed from the game."""

    knights: Count
    villages: Count
    strongholds: Count
    cities: Count


class PlayerJson(TypedDict):
    """What a seat has beside the board. `score` is the score track, also when the game is finished."""

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
    spells: list[Spell]


OPTIONS: Final[type] = BaronyOptions
POSITION: Final[type] = BaronyPosition
STANDING: Final[type] = BaronyStanding
EVENTS: Final[Mapping[str, ObjectType]] = {
    **LIFE_CYCLE_EVENTS,
    "GameCreated": GameCreated,
    "GameStarted": GameStarted,
    "CityPlaced": CityPlaced,
    "KnightsRecruited": KnightsRecruited,
    "KnightsMoved": KnightsMoved,
    "BuildingsBuilt": BuildingsBuilt,
    "CityFounded": CityFounded,
    "ExpeditionSent": ExpeditionSent,
    "TitleBought": TitleBought,
    "TurnPassed": TurnPassed,
    "TurnForfeited": TurnForfeited,
    "EndAgreed": EndAgreed,
    "PlayerResigned": PlayerResigned,
    "PlayerRemoved": PlayerRemoved,
    "RoundScored": RoundScored,
    "GameFinished": event.GameFinished,
}
