"""The JSON, options and clauses of the token game (tests/support/token_game.py), as the contract requires."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict, cast

from domain import event
from domain.contract import OwnOptions, Position, ResignJson
from domain.errors import Malformed
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, ObjectType, PositiveCount, Range, Seat
from domain.messages import Text, message
from domain.option_fields import NumberField, OptionField


class OwnStonesOptions(OwnOptions):
    """The number of stones, and of rounds at most."""

    stones: Annotated[int, Range(1, 1000)]
    round_limit: PositiveCount | None


class StonesOptions(Options, OwnStonesOptions):
    """All options of the game."""


class TakeJson(TypedDict):
    """Take stones."""

    type: Literal["take"]
    stones: PositiveCount


class Then(TypedDict):
    """The turn order after an event."""

    phase: Literal["play", "scoring"]
    round: PositiveCount
    turn: PositiveCount
    to_act: Seat | None


class SetUp(TypedDict):
    """The number of stones."""

    stones: PositiveCount


class GameCreated(event.GameSettings):
    """A player opens a game."""

    options: StonesOptions


class GameStarted(event.GameStarted, SetUp):
    """All places are taken, and the values are drawn."""


class StonesTaken(TypedDict):
    """A seat took stones of these values."""

    seat: Seat
    values: list[PositiveCount]
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


class StonesStanding(Standing):
    """The points of a seat at the end of a round."""


class RoundScored(TypedDict):
    """A round has ended."""

    round: PositiveCount
    standings: list[StonesStanding]


class PlayerJson(TypedDict):
    """A seat; `lucky` is null for a viewer who may not see it."""

    seat: Seat
    status: Literal["active", "out"]
    points: Count
    lucky: int | None


class StonesPosition(Position):
    """A position of the game."""

    rules: Literal["stones"]
    phase: Literal["play", "scoring", "finished"]
    stones: Count
    players: list[PlayerJson]


OPTIONS: Final[type] = StonesOptions
POSITION: Final[type] = StonesPosition
STANDING: Final[type] = StonesStanding
ACTIONS: Final[Mapping[str, ObjectType]] = {"take": TakeJson, "resign": ResignJson}
EVENTS: Final[Mapping[str, ObjectType]] = {
    **LIFE_CYCLE_EVENTS,
    "GameCreated": GameCreated,
    "GameStarted": GameStarted,
    "StonesTaken": StonesTaken,
    "TurnForfeited": TurnForfeited,
    "PlayerResigned": PlayerResigned,
    "PlayerRemoved": PlayerRemoved,
    "RoundScored": RoundScored,
    "GameFinished": event.GameFinished,
}

DESCRIPTION: Final[Text] = message("Players take stones, whose values they do not know.")
OPTION_FIELDS: Final[Sequence[OptionField]] = (
    NumberField(
        "stones", message("stones"), message("The game ends with the last stone."), 1, 1000, 12
    ),
    NumberField(
        "round_limit", message("rounds"), message("The game ends after this round."), 1, 99
    ),
)
CLAUSES: Final[Mapping[str, Text]] = {
    "ST-TURN": message("Seats take stones in turn; seats that are out are skipped."),
    "ST-TAKE": message("A seat takes one to three stones, and no more than there are."),
    "ST-END": message(
        "The game ends with the last stone, after the last round, or when one seat is left."
    ),
}


def check_options(seats: int, options: Mapping[str, object]) -> OwnStonesOptions:
    """`stones`, 12 by default, and `round_limit`. Raises Malformed."""
    errors: dict[str, Text] = {
        f"options.{name}": message("unknown") for name in options.keys() - {"stones", "round_limit"}
    }
    stones = options.get("stones", 12)
    if type(stones) is not int or not 1 <= stones <= 1000:
        errors["options.stones"] = message("must be 1 to 1000")
    if not 2 <= seats <= 5:
        errors["seats"] = message("must be 2 to 5")
    if errors:
        raise Malformed(errors)
    own = {"stones": stones, "round_limit": options.get("round_limit")}
    return cast("OwnStonesOptions", own)
