"""The features of Baron that the explorer counts: when a seat places its first keep, and how many it has."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from domain.baron.formats import KeepPlaced
from domain.event import EventData
from domain.features import (
    SPANS_OF_ROUNDS,
    Feature,
    FeatureModel,
    FeatureTable,
    PlayedEvent,
    span_of_rounds,
)
from domain.messages import message, plural_message

_MOST: Final = 15
"""Seats that place more keeps are counted together."""

_FIRST_KEEP: Final = FeatureTable(
    "first_keep", message("When the first keep was placed"), SPANS_OF_ROUNDS
)
_KEEPS: Final = FeatureTable(
    "keeps_placed",
    message("Keeps that were placed"),
    {
        **{
            str(count): plural_message("{count} keep", "{count} keeps", count=count)
            for count in range(1, _MOST)
        },
        str(_MOST): message("{count} keeps or more", count=_MOST),
    },
)


def _observe(start: EventData, events: Sequence[PlayedEvent]) -> Iterator[Feature]:
    keeps: dict[int, int] = {}
    last: dict[int, int] = {}
    for event in events:
        if event.type != "KeepPlaced":
            continue
        seat = cast("KeepPlaced", event.data)["seat"]
        if seat not in keeps:
            yield Feature(seat, _FIRST_KEEP.name, span_of_rounds(event.round), event.seq)
        keeps[seat] = keeps.get(seat, 0) + 1
        last[seat] = event.seq
    for seat, count in keeps.items():
        yield Feature(seat, _KEEPS.name, str(min(count, _MOST)), last[seat])


FEATURES: Final[FeatureModel | None] = FeatureModel((_FIRST_KEEP, _KEEPS), _observe)
