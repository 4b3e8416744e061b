"""Explains the set-up (BN-SET): what each player was dealt, the market and the start tile.

A part of `explain`.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from domain.baron.components import KEEPS, SLOT_COSTS, VALUES
from domain.baron.formats import GameStarted, Tile
from domain.baron.phrases import kinds
from domain.baron.terms import HONOUR, KEEP, TILE_TERMS
from domain.contract import Reason
from domain.messages import PlayerAt, PlayerWithId, counted, hex_at, listing, message


def explain_set_up(data: GameStarted, secrets: Mapping[str, object]) -> Iterator[Reason]:
    """BN-SET. Before the players are seated, and unless secrets are known, less can be explained."""
    reserves = {
        int(name.split("/")[1]): cast("list[Tile]", tiles)
        for name, tiles in secrets.items()
        if name.startswith("reserve/")
    }
    seats = len(data.get("players", ())) or len(reserves)
    if seats in KEEPS:
        yield (
            "BN-MAT-2",
            message(
                "with {seats} players each has {keeps}",
                seats=seats,
                keeps=counted(KEEPS[seats], KEEP),
            ),
        )
        yield (
            "BN-SET-1",
            message(
                "each of {seats} players starts with 0 honour and two tiles that nobody else knows: a "
                "meadow and one of value 1",
                seats=seats,
            ),
        )
    for seat, tiles in sorted(reserves.items()):
        yield (
            "BN-SET-2",
            message("{player} was dealt {tiles}", player=PlayerAt(seat), tiles=kinds(tiles)),
        )
    if data["removed"]:
        yield (
            "BN-SET-3",
            message("with five players {tiles} are taken out", tiles=kinds(data["removed"])),
        )
    market = [
        message("{tile:a} for {honour}", tile=TILE_TERMS[kind], honour=counted(cost, HONOUR))
        for cost, kind in zip(SLOT_COSTS, data["market"], strict=False)
    ]
    yield (
        "BN-SET-4",
        message("the first tiles of the pile lie open: {tiles}", tiles=listing(market)),
    )
    yield (
        "BN-SET-4",
        message(
            "{tile:a} is the start tile, on {hex}: it is worth {value}",
            tile=TILE_TERMS[data["start"]],
            hex=hex_at((0, 0)),
            value=VALUES[data["start"]],
        ),
    )
    if data.get("players"):
        yield (
            "BN-SET-5",
            message(
                "by the game's seating {player} is the first player",
                player=PlayerWithId(data["players"][0]),
            ),
        )
