"""The features of Barony that the explorer counts: where first cities are, and when titles are bought."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, cast

from domain.barony.components import FIRST_CITIES, RANKS
from domain.barony.formats import CityPlaced, SetUp, TitleBought
from domain.barony.terms import RANKS as RANK_TERMS
from domain.event import EventData
from domain.features import (
    SPANS_OF_ROUNDS,
    Feature,
    FeatureModel,
    FeatureTable,
    PlayedEvent,
    span_of_rounds,
)
from domain.hexes import Hex, distance, hex_of, neighbours
from domain.messages import message, plural_message

_FARTHEST: Final = 7
"""First cities that are farther apart are counted together."""

_DISTANCES: Final = FeatureTable(
    "first_city_distance",
    message("Distance between the two closest first cities"),
    {
        **{
            str(steps): plural_message("{count} hex", "{count} hexes", count=steps)
            for steps in range(1, _FARTHEST)
        },
        str(_FARTHEST): message("{count} hexes or more", count=_FARTHEST),
    },
)
_LAKES: Final = FeatureTable(
    "first_cities_by_a_lake",
    message("First cities beside a lake"),
    {
        str(count): plural_message("{count} city", "{count} cities", count=count)
        for count in range(FIRST_CITIES + 1)
    },
)
_TITLES: Final = tuple(
    FeatureTable(
        f"{rank}_bought",
        message("When the title {rank} was bought", rank=RANK_TERMS[rank]),
        SPANS_OF_ROUNDS,
    )
    for rank in RANKS[1:]
)
TABLES: Final[Sequence[FeatureTable]] = (*_TITLES, _LAKES, _DISTANCES)


def observe(start: EventData, events: Sequence[PlayedEvent]) -> Iterator[Feature]:
    """Yield the features of a game: see `FeatureModel`."""
    board = cast("SetUp", start)["board"]
    lakes = {hex_of(cell["at"]) for cell in board if cell["terrain"] == "lake"}
    cities: dict[int, list[Hex]] = defaultdict(list)
    for event in events:
        if event.type == "CityPlaced":
            placed = cast("CityPlaced", event.data)
            own = cities[placed["seat"]]
            own.append(hex_of(placed["at"]))
            if len(own) == FIRST_CITIES:
                yield from _of_first_cities(placed["seat"], own, lakes, event.seq)
        elif event.type == "TitleBought":
            bought = cast("TitleBought", event.data)
            span = span_of_rounds(event.round)
            yield Feature(bought["seat"], f"{bought['rank']}_bought", span, event.seq)


def _of_first_cities(
    seat: int, cities: Sequence[Hex], lakes: set[Hex], seq: int
) -> Iterator[Feature]:
    closest = min(distance(one, other) for one, other in combinations(cities, 2))
    yield Feature(seat, _DISTANCES.name, str(min(closest, _FARTHEST)), seq)
    by_a_lake = sum(not lakes.isdisjoint(neighbours(city)) for city in cities)
    yield Feature(seat, _LAKES.name, str(by_a_lake), seq)


FEATURES: Final[FeatureModel | None] = FeatureModel(TABLES, observe)
