"""`scene` with Sorcery: the base game's picture, with imprints, magic, spells and what a cast changed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from domain.barony.scene import scene as base_scene
from domain.barony.sorcery.components import (
    CONSTRUCTION,
    COST,
    FAMILY,
    MOVEMENT,
    POINTS_AN_IMPRINT,
    RECRUITMENT,
)
from domain.barony.sorcery.event_text import event_text
from domain.contract import Json
from domain.hexes import Hex, hex_of
from domain.phrases import counted
from domain.scene import Arrow, Panel, Piece, Scene

_FAMILIES: Final = (
    (MOVEMENT, "movement"),
    (RECRUITMENT, "recruitment"),
    (CONSTRUCTION, "construction"),
)


def scene(position: Json, event: Json | None) -> Scene:
    """The picture of a position; `event` is the one that led to it, if there is one to show."""
    drawn = base_scene(position, event, "Barony: Sorcery", event_text)
    marks: dict[Hex, list[int]] = {}
    for player in position["players"]:
        for at in player["imprints"]:
            marks.setdefault(hex_of(at), []).append(player["seat"])
    cast = event["data"] if event and event["type"] == "SpellsCast" else {}
    changed, gone = _changed(cast), _gone(cast)
    return replace(
        drawn,
        cells=tuple(
            replace(
                cell,
                changed=cell.changed or cell.at in changed,
                gone=(*cell.gone, *gone.get(cell.at, ())),
                marks=tuple(marks.get(cell.at, ())),
            )
            for cell in drawn.cells
        ),
        panels=tuple(
            _panel(panel, player)
            for panel, player in zip(drawn.panels, position["players"], strict=True)
        ),
        arrows=(*drawn.arrows, *_arrows(cast)),
        common=(*drawn.common, *_open_spells(position)),
    )


def _changed(cast: Json) -> set[Hex]:
    """The hexes that a cast changed."""
    changed = {hex_of(step[end]) for step in cast.get("moves", ()) for end in ("from", "to")}
    changed |= {hex_of(entry["at"]) for entry in cast.get("recruits", ())}
    return changed | ({hex_of(cast["at"])} if "at" in cast else set())


def _gone(cast: Json) -> dict[Hex, list[Piece]]:
    """The pieces that a cast destroyed, by hex, in the order in which they fell."""
    gone: dict[Hex, list[Piece]] = {}
    for step in cast.get("moves", ()):
        for field, end in (("left", "from"), ("destroyed", "to"), ("swept", "to")):
            for fallen in step.get(field, ()):
                there = gone.setdefault(hex_of(step[end]), [])
                there.append(Piece(fallen["pawn"], fallen["seat"]))
    return gone


def _arrows(cast: Json) -> Iterator[Arrow]:
    for step in cast.get("moves", ()):
        yield Arrow(cast["seat"], hex_of(step["from"]), hex_of(step["to"]))


def _panel(panel: Panel, player: Json) -> Panel:
    """With what a seat has to cast with, and what its imprints count at the end (BS-MYS-5)."""
    imprints = len(player["imprints"])
    worth = f"{imprints}, {POINTS_AN_IMPRINT * imprints} points" if imprints else "none"
    magic = counted(player["magic"], "token") if player["magic"] else "none"
    return replace(panel, facts=(*panel.facts, ("magic", magic), ("imprints", worth)))


def _open_spells(position: Json) -> Iterator[tuple[str, str]]:
    """What lies open, each family in a row (BS-SPL-1), with the costs."""
    for family, name in _FAMILIES:
        own = [spell for spell in position["spells"] if FAMILY[spell] == family]
        if own:
            yield f"{name} spells", ", ".join(f"{spell} {COST[spell]}" for spell in own)
