"""Explanations of the construction family (BS-ABU, BS-PET, BS-SAN): a part of `explain`."""

from collections.abc import Iterator

from domain.barony.components import CITY, FOREST
from domain.barony.explain_board import number_of
from domain.barony.explain_construction import (
    explain_city_gain,
    explain_city_site,
    explain_gain,
    explain_no_opposing_knight,
    explain_replaced_village,
)
from domain.barony.sorcery.formats import ConstructionCast
from domain.barony.sorcery.state import SorceryState
from domain.barony.terms import POINT
from domain.contract import Reason
from domain.messages import PlayerAt, counted, hex_at, listing, message, plural_message


def explain_construction(state: SorceryState, data: ConstructionCast) -> Iterator[Reason]:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6."""
    seat, spells, at = data["seat"], data["spells"], data["at"]
    hex = number_of(state, at)
    if data["replaced"] == "knight":
        yield (
            "BS-SAN-1",
            message(
                "{player}'s knight on {hex} makes room for a city; no opposing pawn stood there",
                player=PlayerAt(seat),
                hex=hex_at(at),
            ),
        )
        yield "BS-SAN-2", message("there was no building on {hexes}", hexes=hex_at(at))
    else:
        yield explain_replaced_village(seat, at)
        yield from explain_no_opposing_knight(state, seat, at)
    if "petrification" in spells:
        yield from _explain_petrification(state, seat, hex)
    else:
        yield from explain_city_site(state, at)
    if "token" in data:
        yield explain_gain(state, hex, data["token"], state.bank[:], "BS-ABU-1")
    yield (
        "BS-SPL-6",
        message(
            "a city founded by spells earns {points} like any other",
            points=counted(data["points"], POINT),
        ),
    )
    yield from explain_city_gain(state, seat, data["points"])


def _explain_petrification(state: SorceryState, seat: int, hex: int) -> Iterator[Reason]:
    """BS-PET-1, BY-CTY-3: what Petrification lifted, and what it left in force."""
    hexes, here = state.board.hexes, hex_at(state.board.hexes[hex])
    near = [at for at in state.board.neighbours[hex] if state.building[at] == CITY]
    own = [hex_at(hexes[at]) for at in near if state.owner[at] == seat]
    if state.board.terrain[hex] == FOREST:
        yield "BS-PET-1", message("{hex} is a forest: BY-CTY-2 is lifted", hex=here)
    if own:
        yield (
            "BS-PET-1",
            plural_message(
                "{hex} is adjacent to {player}'s own city on {cities}: BY-CTY-3 is lifted",
                "{hex} is adjacent to {player}'s own cities on {cities}: BY-CTY-3 is lifted",
                count=len(own),
                hex=here,
                player=PlayerAt(seat),
                cities=listing(own),
            ),
        )
    if len(own) == len(near):
        yield "BY-CTY-3", message("no hex adjacent to {hex} had an opponent's city", hex=here)
