"""The lessons of Baron, in the order in which they matter in a usual game."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from domain.baron.actions import Action, PlaceTile
from domain.baron.components import MEADOW, SLOT_COSTS
from domain.baron.formats import BaronPosition
from domain.baron.legal import can_pay
from domain.hexes import Hex, hex_of, neighbours
from domain.lessons import Lesson
from domain.lessons import Moment as AnyMoment
from domain.messages import message

Moment: TypeAlias = AnyMoment[Action, BaronPosition]

_BONUS_TILES: Final = 4
"""The number of tiles beside a new one from which it earns honour (BN-LAY-3)."""


def _tiles(moment: Moment) -> set[Hex]:
    return {hex_of(tile["at"]) for tile in moment.position["tiles"]}


def _keeps(moment: Moment, *, own: bool, side: str | None = None) -> list[Hex]:
    """The hexes of the seat's keeps, or of the opponents' keeps, on this side."""
    return [
        hex_of(keep["at"])
        for keep in moment.position["keeps"]
        if (keep["seat"] == moment.seat) == own and side in {None, keep["side"]}
    ]


def _gaps(at: Hex, tiles: set[Hex]) -> list[Hex]:
    """BN-BAR-1: the hexes around a keep that have no tile yet."""
    return [hex for hex in neighbours(at) if hex not in tiles]


def _can_earn_honour(moment: Moment) -> bool:
    tiles = _tiles(moment)
    return any(
        len(tiles.intersection(neighbours(action.at))) >= _BONUS_TILES
        for action in moment.actions
        if isinstance(action, PlaceTile)
    )


def _can_complete(moment: Moment) -> bool:
    """BN-BAR-2: whether one tile is missing around one of the seat's knights, and can be laid."""
    tiles = _tiles(moment)
    last_hexes = {
        gaps[0]
        for at in _keeps(moment, own=True, side="knight")
        if len(gaps := _gaps(at, tiles)) == 1
    }
    return any(
        action.at in last_hexes for action in moment.actions if isinstance(action, PlaceTile)
    )


def _can_fight(moment: Moment) -> bool:
    """BN-FGT-1: whether a knight of the seat that can be completed shares a tile with an opposing baron."""
    tiles = _tiles(moment)
    counting = {hex_of(tile["at"]) for tile in moment.position["tiles"] if tile["tile"] != MEADOW}
    barons = [
        counting.intersection(neighbours(at)) for at in _keeps(moment, own=False, side="baron")
    ]
    places = {action.at for action in moment.actions if isinstance(action, PlaceTile)}
    return any(
        len(gaps := _gaps(at, tiles)) == 1
        and gaps[0] in places
        and any(not shared.isdisjoint(neighbours(at)) for shared in barons)
        for at in _keeps(moment, own=True, side="knight")
    )


def _can_complete_two(moment: Moment) -> bool:
    """BN-SIM-1: whether one tile completes baronies of both the seat and an opponent."""
    tiles = _tiles(moment)
    places = {
        action.at
        for action in moment.actions
        if isinstance(action, PlaceTile) and action.tile != MEADOW
    }
    last = [
        {
            gaps[0]
            for at in _keeps(moment, own=own, side="knight")
            if len(gaps := _gaps(at, tiles)) == 1
        }
        for own in (True, False)
    ]
    return not places.isdisjoint(last[0] & last[1])


def _can_hardly_pay(moment: Moment) -> bool:
    """BN-DRW-3: whether the seat cannot pay for a slot of the market, or its honour is negative."""
    honour = moment.position["players"][moment.seat]["honour"]
    slots = SLOT_COSTS[: len(moment.position["market"])]
    return moment.can("draw") and (honour < 0 or not all(can_pay(honour, cost) for cost in slots))


LESSONS: Final[Sequence[Lesson[Action, BaronPosition]]] = (
    Lesson(
        "draw",
        ("BN-TRN-3", "BN-DRW-1", "BN-DRW-2"),
        message(
            "Each turn begins with a tile from the market. The first slot is free; the others cost honour."
        ),
        lambda moment: moment.can("draw"),
    ),
    Lesson(
        "laying",
        ("BN-LAY-1", "BN-LAY-2", "BN-SET-1"),
        message(
            "Now lay a tile of your reserve, which only you see, beside any other tile. Equal tiles cannot be"
            " adjacent, except for meadows."
        ),
        lambda moment: moment.can("place_tile"),
    ),
    Lesson(
        "keep",
        ("BN-KEP-1", "BN-BAR-1", "BN-MAT-2"),
        message(
            "You can put one of your keeps on a meadow, or end the turn without one. The six tiles around it"
            " will be its barony, and their values its value."
        ),
        lambda moment: moment.can("place_keep"),
    ),
    Lesson(
        "honour",
        ("BN-LAY-3", "BN-BAR-4"),
        message(
            "There are hexes between many tiles: a tile beside four, five or six others earns you 1, 3 or 9"
            " honour at once."
        ),
        _can_earn_honour,
        after=("laying",),
    ),
    Lesson(
        "barony",
        ("BN-BAR-2", "BN-BAR-3"),
        message(
            "A single tile is missing around one of your keeps. When it is laid, the keep becomes a baron,"
            " unless somebody opposes it, and you gain the value of the barony."
        ),
        _can_complete,
        after=("keep",),
    ),
    Lesson(
        "price",
        ("BN-DRW-3", "BN-OUB-1"),
        message("Watch your honour: you cannot pay below -4, and at -5 you are out of the game."),
        _can_hardly_pay,
        after=("draw",),
    ),
    Lesson(
        "fight",
        ("BN-FGT-1", "BN-FGT-2", "BN-FGT-3", "BN-FGT-5"),
        message(
            "Your keep shares tiles with a baron of an opponent. When your barony is complete they fight:"
            " shared tiles count for nobody, and you win only if the rest of yours is worth more."
        ),
        _can_fight,
        after=("barony",),
    ),
    Lesson(
        "battle",
        ("BN-SIM-1", "BN-SIM-2", "BN-SIM-3"),
        message(
            "One tile can complete a barony of yours and one of an opponent at the same time. Then the two"
            " knights fight each other first, and the weaker one returns."
        ),
        _can_complete_two,
        after=("barony",),
    ),
    Lesson(
        "discard",
        ("BN-LAY-4",),
        message("None of your tiles fits anywhere, so one of them leaves the game."),
        lambda moment: moment.can("discard_tile"),
    ),
    Lesson(
        "last_turns",
        ("BN-END-1", "BN-END-2", "BN-END-3"),
        message(
            "No tile is left to draw: everybody has two more turns. At the end, knights try to become"
            " barons with half their strength, and the most honour wins."
        ),
        lambda moment: not moment.position["pile"] and not moment.position["market"],
    ),
)
