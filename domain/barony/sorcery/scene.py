"""The scene of a position with Sorcery: the base game's, with imprints, magic, spells and casts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, get_args

from domain.barony.components import FAMILY, Family
from domain.barony.formats import BaronyPosition, Destroyed, PlayerJson
from domain.barony.scene import (
    CHANGES,
    LEGEND,
    Changes,
    ChangesOf,
    bank_shelf,
    changes_at,
    changes_by_steps,
    scene_with,
)
from domain.barony.sorcery.components import (
    COST,
    IMPRINT,
    MAGIC_TOKEN,
    POINTS_AN_IMPRINT,
    SPELL_NAMES,
    TITLE,
)
from domain.barony.sorcery.event_messages import event_message
from domain.barony.sorcery.formats import CastStep, SpellsCast
from domain.barony.terms import LABELS as BASE_LABELS
from domain.barony.terms import TERRAINS
from domain.event import Event
from domain.hexes import Hex, hex_of
from domain.messages import Message, Text, comma_list, message, message_in
from domain.scene import Card, Count, CountGroup, LegendEntry, Panel, Row, Scene, Shelf, Sound

SORCERY_LEGEND: Final = (
    *LEGEND,
    LegendEntry("terrain", TERRAINS["mysterious_place"], kind="mysterious_place"),
    LegendEntry("mark", message("imprint of a player")),
)
_SOUNDS: Final[Mapping[str, Sound]] = {"cast": "spell"}


def scene(position: BaronyPosition, event: Event | None) -> Scene:
    """The scene of a position. `event` is the event that led to it; None draws the position alone."""
    base = scene_with(position, event, TITLE, event_message, SORCERY_CHANGES)
    marks: dict[Hex, list[int]] = {}
    for player in position["players"]:
        for at in player["imprints"]:
            marks.setdefault(hex_of(at), []).append(player["seat"])
    return replace(
        base,
        cells=tuple(
            replace(cell, marks=tuple(marks[cell.at])) if cell.at in marks else cell
            for cell in base.cells
        ),
        panels=tuple(
            _panel(panel, player)
            for panel, player in zip(base.panels, position["players"], strict=True)
        ),
        common_rows=(*base.common_rows, *_open_spells(position)),
        legend=SORCERY_LEGEND,
        shelves=(_spell_shelf(position), bank_shelf(position)),
        sounds=_SOUNDS,
    )


def _spells_cast(data: SpellsCast) -> Changes:
    if "moves" in data:
        destroyed = [pawns for step in data["moves"] for pawns in _destroyed(step)]
        return changes_by_steps(data["seat"], data["moves"], destroyed)
    if "recruits" in data:
        return Changes(frozenset(hex_of(entry["at"]) for entry in data["recruits"]))
    return changes_at(data["at"])


def _destroyed(step: CastStep) -> Iterator[tuple[Sequence[int], Sequence[Destroyed]]]:
    """The pawns that a step of a cast destroyed, with their hexes, in the order of destruction."""
    yield step["from"], step.get("left", ())
    yield step["to"], step.get("destroyed", ())
    yield step["to"], step.get("swept", ())


SORCERY_CHANGES: Final[Mapping[str, ChangesOf]] = {**CHANGES, "SpellsCast": _spells_cast}


def _panel(panel: Panel, player: PlayerJson) -> Panel:
    """The base game's panel with the seat's magic tokens, and its imprints' points (BS-MYS-5)."""
    imprints = len(player["imprints"])
    worth = message(
        "{imprints} ({points} points)", imprints=imprints, points=POINTS_AN_IMPRINT * imprints
    )
    rows: tuple[Row, ...] = (
        (message_in("label", "magic tokens"), player["magic"]),
        (message_in("label", "imprints"), worth if imprints else 0),
    )
    counts = (Count("imprint", IMPRINT, imprints), Count("magic", MAGIC_TOKEN, player["magic"]))
    group = CountGroup(message_in("label", "magic"), counts)
    return replace(panel, rows=(*panel.rows, *rows), groups=(*panel.groups, group))


def _spell_shelf(position: BaronyPosition) -> Shelf:
    """The open spells with their costs (BS-SPL-1)."""
    cards = (
        Card(
            spell,
            SPELL_NAMES[spell],
            ("cast", spell),
            price=COST[spell],
            currency="magic",
            family=FAMILY[spell],
        )
        for family in get_args(Family)
        for spell in position["spells"]
        if FAMILY[spell] == family
    )
    return Shelf(message_in("label", "spells"), cards=tuple(cards))


LABELS: Final[Mapping[str, Text]] = {**BASE_LABELS, **dict(SPELL_NAMES.items())}

_FAMILY_LABELS: Final[Mapping[Family, Message]] = {
    "movement": message_in("label", "movement spells"),
    "recruitment": message_in("label", "recruitment spells"),
    "construction": message_in("label", "construction spells"),
}


def _open_spells(position: BaronyPosition) -> Iterator[Row]:
    """The open spells with their costs, a row for each family (BS-SPL-1)."""
    for family in get_args(Family):
        spells = [spell for spell in position["spells"] if FAMILY[spell] == family]
        if spells:
            costs = (
                message("{spell} {cost}", spell=SPELL_NAMES[spell], cost=COST[spell])
                for spell in spells
            )
            yield _FAMILY_LABELS[family], comma_list(costs)
