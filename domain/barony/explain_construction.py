"""Explanations of construction and new cities (BY-BLD, BY-CTY): a part of `explain`."""

from collections.abc import Iterator, Sequence

from domain.barony.components import CITY, FOREST, KIND, RESOURCES, Resource
from domain.barony.construction import has_opposing_knight
from domain.barony.explain_board import explain_points, number_of, reserve_change, terrain_at
from domain.barony.formats import BuildingsBuilt, CityFounded
from domain.barony.state import State
from domain.barony.terms import PAWNS, STRONGHOLD, TOKENS
from domain.contract import Reason
from domain.messages import PlayerAt, counted, hex_at, listing, message, plural_message


def explain_buildings(state: State, data: BuildingsBuilt) -> Iterator[Reason]:
    """`BuildingsBuilt`: BY-BLD."""
    seat, built, bank = data["seat"], data["built"], state.bank[:]
    sites = listing(hex_at(entry["at"]) for entry in built)
    yield (
        "BY-BLD-1",
        plural_message(
            "one knight of {player} on {hexes} goes back to the reserve",
            "one knight of {player} on each of {hexes} goes back to the reserve",
            count=len(built),
            player=PlayerAt(seat),
            hexes=sites,
        ),
    )
    hexes = [number_of(state, entry["at"]) for entry in built]
    if not any(state.building[hex] for hex in hexes):
        yield "BY-BLD-2", message("there was no building on {hexes}", hexes=sites)
    if not any(has_opposing_knight(state, seat, hex) for hex in hexes):
        yield "BY-BLD-3", message("no opponent's knight stood on {hexes}", hexes=sites)
    villages = sum(entry["building"] == "village" for entry in built)
    if villages:
        yield "BY-BLD-4", reserve_change(PAWNS["village"], state.reserve_villages[seat], villages)
    strongholds = len(built) - villages
    if strongholds:
        yield "BY-BLD-4", reserve_change(STRONGHOLD, state.reserve_strongholds[seat], strongholds)
    for hex, entry in zip(hexes, built, strict=True):
        yield explain_gain(state, hex, entry["token"], bank, "BY-BLD-5")


def explain_gain(
    state: State, hex: int, token: Resource | None, bank: list[int], clause: str
) -> Reason:
    """`clause`, which gave a token for the terrain of the hex, or BY-MAT-4. Takes the token out of `bank`."""
    here, terrain = hex_at(state.board.hexes[hex]), state.board.terrain[hex]
    if token is not None:
        bank[KIND[token]] -= 1
        return clause, plural_message(
            "{hex} is {terrain:a} and yields {token:a}, which leaves one in the bank",
            "{hex} is {terrain:a} and yields {token:a}, which leaves {count} in the bank",
            count=bank[KIND[token]],
            hex=here,
            terrain=terrain_at(state, hex),
            token=TOKENS[token],
        )
    if terrain >= len(RESOURCES):
        return "BY-MAT-2", message(
            "{hex} is {terrain:a}, which yields no token", hex=here, terrain=terrain_at(state, hex)
        )
    return "BY-MAT-4", message(
        "{hex} is {terrain:a}, and the bank had no {token} left",
        hex=here,
        terrain=terrain_at(state, hex),
        token=TOKENS[RESOURCES[terrain]],
    )


def explain_new_city(state: State, data: CityFounded) -> Iterator[Reason]:
    """`CityFounded`: BY-CTY."""
    seat, at = data["seat"], data["at"]
    yield explain_replaced_village(seat, at)
    yield from explain_city_site(state, at)
    yield from explain_no_opposing_knight(state, seat, at)
    yield from explain_city_gain(state, seat, data["points"])


def explain_replaced_village(seat: int, at: Sequence[int]) -> Reason:
    """BY-CTY-1: the village that a city replaced."""
    return "BY-CTY-1", message(
        "{player}'s village on {hex} goes back to the reserve and makes room for a city",
        player=PlayerAt(seat),
        hex=hex_at(at),
    )


def explain_city_site(state: State, at: Sequence[int]) -> Iterator[Reason]:
    """BY-CTY-2, 3: the terrain of a new city, and the hexes around it."""
    hex, here = number_of(state, at), hex_at(at)
    if state.board.terrain[hex] != FOREST:
        yield (
            "BY-CTY-2",
            message("{hex} is {terrain:a}, not a forest", hex=here, terrain=terrain_at(state, hex)),
        )
    if all(state.building[near] != CITY for near in state.board.neighbours[hex]):
        yield "BY-CTY-3", message("no hex adjacent to {hex} had a city", hex=here)


def explain_no_opposing_knight(state: State, seat: int, at: Sequence[int]) -> Iterator[Reason]:
    """BY-CTY-4: no opposing knight was on the hex of a new city."""
    if not has_opposing_knight(state, seat, number_of(state, at)):
        yield "BY-CTY-4", message("no opponent's knight stood on {hexes}", hexes=hex_at(at))


def explain_city_gain(state: State, seat: int, points: int) -> Iterator[Reason]:
    """BY-CTY-5, BY-END-1, 7: the reserve that a city came from, and its points."""
    cities = state.reserve_cities[seat]
    yield "BY-CTY-5", message("the reserve held {cities}", cities=counted(cities, PAWNS["city"]))
    yield explain_points(state, seat, points)
    if state.new_cities[seat] + cities > 2:
        yield (
            "BY-END-7",
            message("{player} did not place all cities in set-up", player=PlayerAt(seat)),
        )
