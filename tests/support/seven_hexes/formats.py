"""The JSON of Seven Hexes: actions, events, positions and standings."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias, TypedDict

from domain import event
from domain.contract import Position, ResignJson
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, HexJson, Length, ObjectType, PositiveCount, Seat

Phase: TypeAlias = Literal["play", "scoring", "finished"]
Card: TypeAlias = Literal["field", "forest", "mountain"]


class SevenHexesOptions(Options):
    """All options of a game of Seven Hexes, which has none of its own."""


class ClaimJson(TypedDict):
    """Claim a free hex with a card."""

    type: Literal["claim"]
    card: Card
    at: HexJson


class PassJson(TypedDict):
    """Claim nothing in this turn."""

    type: Literal["pass"]


class Then(TypedDict):
    """The turn order after an event."""

    phase: Phase
    round: PositiveCount
    turn: PositiveCount
    to_act: Seat | None


class GameCreated(event.GameSettings):
    """A player opens a game."""

    options: SevenHexesOptions


class SetUp(TypedDict):
    """The set-up draws nothing."""


class GameStarted(event.GameStarted, SetUp):
    """All places are taken."""


class HexClaimed(TypedDict):
    """A seat has claimed a hex. `points` is what the seat scores for it."""

    seat: Seat
    card: Card
    at: HexJson
    points: PositiveCount
    then: Then


class TurnPassed(TypedDict):
    """A seat has claimed nothing in its turn."""

    seat: Seat
    then: Then


class TurnForfeited(event.TurnForfeited):
    """The time for a turn has run out."""

    then: Then


class PlayerResigned(event.PlayerResigned):
    """A player left the game."""

    then: Then


class PlayerRemoved(event.PlayerRemoved):
    """An arbiter removed a player."""

    then: Then


class SevenHexesStanding(Standing):
    """The points of a seat at the end of a round."""


class RoundScored(TypedDict):
    """A round has ended."""

    round: PositiveCount
    standings: list[SevenHexesStanding]


class BoardHex(TypedDict):
    """A hex of the board; `seat` and `card` are null until it is claimed."""

    at: HexJson
    seat: Seat | None
    card: Card | None


class PlayerJson(TypedDict):
    """A seat with the cards that it has left."""

    seat: Seat
    status: Literal["active", "out"]
    points: Count
    cards: list[Card]


class SevenHexesPosition(Position):
    """A position of Seven Hexes."""

    rules: Literal["seven_hexes"]
    phase: Phase
    board: Annotated[list[BoardHex], Length(7, 7)]
    players: list[PlayerJson]


OPTIONS: Final[type] = SevenHexesOptions
POSITION: Final[type] = SevenHexesPosition
STANDING: Final[type] = SevenHexesStanding
ACTIONS: Final[Mapping[str, ObjectType]] = {
    "claim": ClaimJson,
    "pass": PassJson,
    "resign": ResignJson,
}
EVENTS: Final[Mapping[str, ObjectType]] = {
    **LIFE_CYCLE_EVENTS,
    "GameCreated": GameCreated,
    "GameStarted": GameStarted,
    "HexClaimed": HexClaimed,
    "TurnPassed": TurnPassed,
    "TurnForfeited": TurnForfeited,
    "PlayerResigned": PlayerResigned,
    "PlayerRemoved": PlayerRemoved,
    "RoundScored": RoundScored,
    "GameFinished": event.GameFinished,
}
