"""The features of Sorcery that the explorer counts: those of Barony, and which spells a seat has cast."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from domain.barony.components import SPELLS
from domain.barony.features import TABLES
from domain.barony.features import observe as base_observe
from domain.barony.sorcery.components import SPELL_NAMES
from domain.barony.sorcery.formats import SpellsCast
from domain.event import EventData
from domain.features import Feature, FeatureModel, FeatureTable, PlayedEvent
from domain.messages import message

_SPELLS: Final = FeatureTable(
    "spells_cast",
    message("Spells that were cast at least once"),
    {spell: SPELL_NAMES[spell] for spell in SPELLS},
    is_multiple=True,
)


def _observe(start: EventData, events: Sequence[PlayedEvent]) -> Iterator[Feature]:
    yield from base_observe(start, events)
    before: set[tuple[int, str]] = set()
    for event in events:
        if event.type != "SpellsCast":
            continue
        cast_spells = cast("SpellsCast", event.data)
        for spell in cast_spells["spells"]:
            pair = cast_spells["seat"], spell
            if pair not in before:
                before.add(pair)
                yield Feature(cast_spells["seat"], _SPELLS.name, spell, event.seq)


FEATURES: Final[FeatureModel | None] = FeatureModel((*TABLES, _SPELLS), _observe)
