"""The scene of a position with Sorcery: the base game's, with imprints, magic, spells and casts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from domain.barony.components import CONSTRUCTION, FAMILY, MOVEMENT, RECRUITMENT
from domain.barony.scene import LEGEND as BASE_LEGEND
from domain.barony.scene import scene as base_scene
from domain.barony.sorcery.components import COST, POINTS_AN_IMPRINT
from domain.barony.sorcery.event_text import event_text
from domain.contract import Json
from domain.hexes import Hex, hex_of
from domain.phrases import counted
from domain.scene import Arrow, LegendEntry, Panel, Piece, Scene

_FAMILIES: Final = (
    (MOVEMENT, "movement"),
    (RECRUITMENT, "recruitment"),
    (CONSTRUCTION, "construction"),
)

LEGEND: Final = (
    *BASE_LEGEND,
    LegendEntry("terrain", "mysterious place", kind="mysterious_place"),
    LegendEntry("mark", "imprint of a seat"),
)


def scene(position: Any, event: Any) -> Scene:
    """The scene of a position.

    `event` is the event that led to the position; None draws the position alone.
    """
    base = base_scene(position, event, "Barony: Sorcery", event_text)
    marks: dict[Hex, list[int]] = {}
    for player in position["players"]:
        for at in player["imprints"]:
            marks.setdefault(hex_of(at), []).append(player["seat"])
    cast = event["data"] if event and event["type"] == "SpellsCast" else {}
    changed, removed = _changed(cast), _removed(cast)
    return replace(
        base,
        cells=tuple(
            replace(
                cell,
                is_changed=cell.is_changed or cell.at in changed,
                removed=(*cell.removed, *removed.get(cell.at, ())),
                marks=tuple(marks.get(cell.at, ())),
            )
            for cell in base.cells
        ),
        panels=tuple(
            _panel(panel, player)
            for panel, player in zip(base.panels, position["players"], strict=True)
        ),
        arrows=(*base.arrows, *_arrows(cast)),
        common_rows=(*base.common_rows, *_open_spells(position)),
        legend=LEGEND,
    )


def _changed(cast: Json) -> set[Hex]:
    """The hexes that a cast changed."""
    changed = {hex_of(step[end]) for step in cast.get("moves", ()) for end in ("from", "to")}
    changed |= {hex_of(entry["at"]) for entry in cast.get("recruits", ())}
    return changed | ({hex_of(cast["at"])} if "at" in cast else set())


def _removed(cast: Json) -> dict[Hex, list[Piece]]:
    """The pieces that a cast destroyed, by hex, in the order in which they were destroyed."""
    removed: dict[Hex, list[Piece]] = {}
    for step in cast.get("moves", ()):
        for field, end in (("left", "from"), ("destroyed", "to"), ("swept", "to")):
            for pawn in step.get(field, ()):
                on_hex = removed.setdefault(hex_of(step[end]), [])
                on_hex.append(Piece(pawn["pawn"], pawn["seat"]))
    return removed


def _arrows(cast: Json) -> Iterator[Arrow]:
    for step in cast.get("moves", ()):
        yield Arrow(cast["seat"], hex_of(step["from"]), hex_of(step["to"]))


def _panel(panel: Panel, player: Json) -> Panel:
    """The base game's panel with the seat's magic tokens, and its imprints' points (BS-MYS-5)."""
    imprints = len(player["imprints"])
    worth = f"{imprints}, {POINTS_AN_IMPRINT * imprints} points" if imprints else "none"
    magic = counted(player["magic"], "token") if player["magic"] else "none"
    return replace(panel, rows=(*panel.rows, ("magic", magic), ("imprints", worth)))


def _open_spells(position: Json) -> Iterator[tuple[str, str]]:
    """The open spells with their costs, a row for each family (BS-SPL-1)."""
    for family, name in _FAMILIES:
        own = [spell for spell in position["spells"] if FAMILY[spell] == family]
        if own:
            yield f"{name} spells", ", ".join(f"{spell} {COST[spell]}" for spell in own)
