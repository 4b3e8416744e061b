"""The JSON of the token game (tests/support/token_game.py) as types, as the contract of rule systems asks."""

from collections.abc import Mapping
from typing import Final, Literal, TypedDict

from domain import event
from domain.contract import Position, ResignJson
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, ObjectType, PositiveCount, Seat


class StonesOptions(Options):
    """How many stones there are, and how many rounds at most."""

    stones: PositiveCount
    round_limit: PositiveCount | None


class TakeJson(TypedDict):
    """Take stones."""

    type: Literal["take"]
    stones: int


class Course(TypedDict):
    """What an event means for the course of the game."""

    phase: Literal["play", "scoring", "finished"]
    round: PositiveCount
    turn: PositiveCount
    to_act: Seat | None


class StonesCreated(event.GameSettings):
    """A player opens a game of stones."""

    options: StonesOptions


class StonesStarted(event.GameStarted):
    """All stones are there."""

    stones: PositiveCount


class StonesTaken(TypedDict):
    """A seat takes stones, whose values everybody sees then."""

    seat: Seat
    values: list[int]
    then: Course


class StonesForfeited(event.TurnForfeited):
    """The time for a turn has run out."""

    then: Course


class StonesResigned(event.PlayerResigned):
    """A player leaves the game for good."""

    then: Course


class StonesRemoved(event.PlayerRemoved):
    """A player is removed from the game."""

    then: Course


class StonesStanding(Standing):
    """What a seat has at the end of a round."""


class StonesScored(TypedDict):
    """A round has ended."""

    round: PositiveCount
    standings: list[StonesStanding]


class StonesFinished(event.GameFinished):
    """The last stone is taken, or one seat is left."""


class TakerJson(TypedDict):
    """A seat in a position."""

    seat: Seat
    status: Literal["active", "out"]
    points: Count
    lucky: int | None


class StonesPosition(Position):
    """A position of the token game."""

    rules: Literal["stones"]
    phase: Literal["play", "scoring", "finished"]
    stones: Count
    players: list[TakerJson]


OPTIONS: Final[type] = StonesOptions
POSITION: Final[type] = StonesPosition
STANDING: Final[type] = StonesStanding
ACTIONS: Final[Mapping[str, ObjectType]] = {"take": TakeJson, "resign": ResignJson}
EVENTS: Final[Mapping[str, ObjectType]] = {
    **LIFE_CYCLE_EVENTS,
    "GameCreated": StonesCreated,
    "GameStarted": StonesStarted,
    "StonesTaken": StonesTaken,
    "TurnForfeited": StonesForfeited,
    "PlayerResigned": StonesResigned,
    "PlayerRemoved": StonesRemoved,
    "RoundScored": StonesScored,
    "GameFinished": StonesFinished,
}
