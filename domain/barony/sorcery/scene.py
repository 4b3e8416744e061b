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
    changes_at,
    changes_by_steps,
    scene_with,
)
from domain.barony.sorcery.components import COST, POINTS_AN_IMPRINT
from domain.barony.sorcery.event_messages import event_message
from domain.barony.sorcery.formats import CastStep, SpellsCast
from domain.event import Event
from domain.hexes import Hex, hex_of
from domain.phrases import counted
from domain.scene import LegendEntry, Panel, Scene

SORCERY_LEGEND: Final = (
    *LEGEND,
    LegendEntry("terrain", "mysterious place", kind="mysterious_place"),
    LegendEntry("mark", "imprint of a seat"),
)


def scene(position: BaronyPosition, event: Event | None) -> Scene:
    """The scene of a position. `event` is the event that led to it; None draws the position alone."""
    base = scene_with(position, event, "Barony: Sorcery", event_message, SORCERY_CHANGES)
    marks: dict[Hex, list[int]] = {}
    for player in position["players"]:
        for at in player["imprints"]:
            marks.setdefault(hex_of(at), []).append(player["seat"])
    return replace(
        base,
        cells=tuple(replace(cell, marks=tuple(marks.get(cell.at, ()))) for cell in base.cells),
        panels=tuple(
            _panel(panel, player)
            for panel, player in zip(base.panels, position["players"], strict=True)
        ),
        common_rows=(*base.common_rows, *_open_spells(position)),
        legend=SORCERY_LEGEND,
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
    worth = f"{imprints}, {POINTS_AN_IMPRINT * imprints} points" if imprints else "none"
    magic = counted(player["magic"], "token") if player["magic"] else "none"
    return replace(panel, rows=(*panel.rows, ("magic", magic), ("imprints", worth)))


def _open_spells(position: BaronyPosition) -> Iterator[tuple[str, str]]:
    """The open spells with their costs, a row for each family (BS-SPL-1)."""
    for family in get_args(Family):
        spells = [spell for spell in position["spells"] if FAMILY[spell] == family]
        if spells:
            yield f"{family} spells", ", ".join(f"{spell} {COST[spell]}" for spell in spells)
