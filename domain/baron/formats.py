"""The JSON of Baron as docs/formats.md defines it: options, actions, events, positions and standings.

Every TypedDict of event data has the name of the event type.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict

from domain import event
from domain.contract import Position, ResignJson
from domain.event import LIFE_CYCLE_EVENTS, Options, Standing
from domain.json_types import Count, HexJson, Length, ObjectType, PositiveCount, Range, Seat

Phase: TypeAlias = Literal["draw", "lay", "keep", "scoring", "finished"]
Tile: TypeAlias = Literal[
    "meadow", "village", "field", "forest", "vineyard", "quarry", "pond", "marsh", "cursed_place"
]
Side: TypeAlias = Literal["knight", "baron"]
DefeatReason: TypeAlias = Literal["lost_battle", "carnage", "weaker_rival", "lost_fight"]
Slot: TypeAlias = Annotated[int, Range(1, 3), "A slot of the market."]


class BaronOptions(Options):
    """All options of a game of Baron, which has none of its own."""


# Actions


class DrawJson(TypedDict):
    """Take the tile of a market slot."""

    type: Literal["draw"]
    slot: Slot


class PlaceTileJson(TypedDict):
    """Lay a tile of the reserve."""

    type: Literal["place_tile"]
    tile: Tile
    at: HexJson


class DiscardTileJson(TypedDict):
    """Give up a tile of the reserve, where none of them can be laid."""

    type: Literal["discard_tile"]
    tile: Tile


class PlaceKeepJson(TypedDict):
    """Put a keep on a meadow."""

    type: Literal["place_keep"]
    at: HexJson


class EndTurnJson(TypedDict):
    """End the turn without putting down a keep."""

    type: Literal["end_turn"]


BaronActionJson: TypeAlias = (
    DrawJson | PlaceTileJson | DiscardTileJson | PlaceKeepJson | EndTurnJson | ResignJson
)


# Parts of events


class KeepCount(TypedDict):
    """A number of keeps of a seat."""

    seat: Seat
    keeps: PositiveCount


class Then(TypedDict):
    """The turn order after an event."""

    phase: Phase
    round: PositiveCount
    turn: Annotated[PositiveCount, "How many turns have begun."]
    to_act: Seat | None
    turns_left: NotRequired[Annotated[list[Count], "By seat, once they are counted."]]
    rested: NotRequired[Annotated[list[KeepCount], "Keeps that can be put down again, by seat."]]


class EventOfPlay(TypedDict, total=False):
    """The field that the data of every event of play have, and of no other event."""

    then: Then


class Beaten(TypedDict):
    """A baron that lost a fight, and what that costs its owner."""

    at: HexJson
    seat: Seat
    loss: int
    tiles: list[HexJson]


class Opponent(TypedDict):
    """A knight of another owner in a battle, or a baron in a fight."""

    at: HexJson
    seat: Seat
    strength: int


class Rival(TypedDict):
    """Another knight of the same owner in a battle."""

    at: HexJson
    strength: int
    value: int


class Battle(TypedDict):
    """The knight among the other knights of the moment. `unhalved`: only at the end of the game."""

    battlefield: list[HexJson]
    strength: int
    unhalved: NotRequired[int]
    value: int
    opponents: list[Opponent]
    rivals: list[Rival]


class Fight(TypedDict):
    """The knight against the barons that he faces. `unhalved`: only at the end of the game."""

    battlefield: list[HexJson]
    strength: int
    unhalved: NotRequired[int]
    barons: list[Opponent]


class EstablishedBarony(TypedDict):
    """The knight's barony is established; `beaten` are the barons that lost to him."""

    at: HexJson
    seat: Seat
    result: Literal["established"]
    value: int
    gain: int
    beaten: list[Beaten]
    unhalved: NotRequired[Annotated[int, "The gain before it was halved, at the end of the game."]]
    counted_before: NotRequired[list[HexJson]]
    battle: NotRequired[Battle]
    fight: NotRequired[Fight]


class ReturnedKnight(TypedDict):
    """The knight's keep goes back to its owner."""

    at: HexJson
    seat: Seat
    result: Literal["returned"]
    why: DefeatReason
    gain: Literal[0]
    beaten: Annotated[list[Beaten], Length(0, 0)]
    battle: NotRequired[Battle]
    fight: NotRequired[Fight]


BaronyResult: TypeAlias = EstablishedBarony | ReturnedKnight
"""What became of a knight that tried to be established."""


class HonourChange(TypedDict):
    """By how much the honour of a seat changed."""

    seat: Seat
    change: int


class GoingOut(TypedDict):
    """The seats that go out together, and the moment at which they do, counted from 1."""

    seats: Annotated[list[Seat], Length(1)]
    moment: PositiveCount


class Consequences(TypedDict, total=False):
    """What a tile, a keep or the end of the game leads to; each field is left out when it is empty."""

    baronies: list[BaronyResult]
    honour: list[HonourChange]
    returned: list[KeepCount]
    out: GoingOut


class TileConsequences(Consequences, total=False):
    """What a tile leads to, with the honour that laying it earns."""

    bonus: PositiveCount


class BoardChange(Consequences, total=False):
    """The fields by which an event changes the board; the data of every event have some of them, or none."""

    at: HexJson


# Events


class SetUp(TypedDict):
    """What the set-up makes public: the market, the start tile, and the tiles taken out."""

    market: Annotated[list[Tile], Length(3, 3)]
    start: Tile
    removed: list[Tile]


class GameCreated(event.GameSettings):
    """A player opens a game. `invited` is left out when it is empty."""

    options: BaronOptions


class GameStarted(event.GameStarted, SetUp):
    """All places are taken, and the tiles are dealt."""


class TileDrawn(TypedDict):
    """`refill` is the tile that took the last slot of the market; null when the pile is empty."""

    seat: Seat
    slot: Slot
    tile: Tile
    cost: Count
    refill: Tile | None
    then: Then


class TilePlaced(TileConsequences):
    """A tile was laid; `touches` is the number of tiles adjacent to it."""

    seat: Seat
    tile: Tile
    at: HexJson
    touches: Annotated[int, Range(1, 6)]
    then: Then


class TileDiscarded(TypedDict):
    """A tile left the game, since none could be laid."""

    seat: Seat
    tile: Tile
    then: Then


class KeepPlaced(Consequences):
    """A keep was put on a meadow, knight side up."""

    seat: Seat
    at: HexJson
    then: Then


class TurnEnded(TypedDict):
    """The turn ended without a keep."""

    seat: Seat
    then: Then


class TurnForfeited(event.TurnForfeited):
    """The time for a turn has run out."""

    then: Then


class PlayerResigned(event.PlayerResigned):
    """A player left the game for good."""

    out: GoingOut
    then: Then


class PlayerRemoved(event.PlayerRemoved):
    """An arbiter removed a player from the game."""

    out: GoingOut
    then: Then


class BaronStanding(Standing):
    """The honour of a seat at the end of a round, and the values of its baronies in order of their hexes."""

    baronies: list[int]


class RoundScored(TypedDict):
    """A round has ended. `standings` is in order of seats."""

    round: PositiveCount
    standings: list[BaronStanding]


class Result(event.Ranked, Consequences):
    """The part of `GameFinished` that the rules decide."""

    then: Then


class GameFinished(event.GameFinished, Consequences):
    """The game is over: what the knights still on the board came to, and the ranking."""

    then: Then


# Positions


class TileJson(TypedDict):
    """A tile on the board."""

    at: HexJson
    tile: Tile


class KeepJson(TypedDict):
    """A keep on the board. `value` is that of a baron's barony when it was established; null for a knight."""

    at: HexJson
    seat: Seat
    side: Side
    value: int | None


class PlayerJson(TypedDict):
    """What a seat has beside the board. `reserve` is null for a viewer who may not see it."""

    seat: Seat
    status: Literal["active", "out"]
    out: PositiveCount | None
    honour: int
    keeps: Count
    keeps_resting: Count
    turns_left: Count | None
    reserve: list[Tile] | None
    reserve_size: Count


class BaronPosition(Position):
    """A position of Baron."""

    rules: Literal["baron"]
    phase: Phase
    tiles: list[TileJson]
    keeps: list[KeepJson]
    market: Annotated[list[Tile], Length(0, 3)]
    pile: Count
    removed: list[Tile]
    players: list[PlayerJson]


OPTIONS: Final[type] = BaronOptions
POSITION: Final[type] = BaronPosition
STANDING: Final[type] = BaronStanding
ACTIONS: Final[Mapping[str, ObjectType]] = {
    "draw": DrawJson,
    "place_tile": PlaceTileJson,
    "discard_tile": DiscardTileJson,
    "place_keep": PlaceKeepJson,
    "end_turn": EndTurnJson,
    "resign": ResignJson,
}
EVENTS: Final[Mapping[str, ObjectType]] = {
    **LIFE_CYCLE_EVENTS,
    "GameCreated": GameCreated,
    "GameStarted": GameStarted,
    "TileDrawn": TileDrawn,
    "TilePlaced": TilePlaced,
    "TileDiscarded": TileDiscarded,
    "KeepPlaced": KeepPlaced,
    "TurnEnded": TurnEnded,
    "TurnForfeited": TurnForfeited,
    "PlayerResigned": PlayerResigned,
    "PlayerRemoved": PlayerRemoved,
    "RoundScored": RoundScored,
    "GameFinished": GameFinished,
}
