"""The pictures of the rules: positions after events of recorded games, drawn in each language.

pictures.json has them: the clause that a picture belongs to, the rule system, the position, the event
that led to it, and whether the picture shows the whole board or the part that the event was about.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from domain.messages import message, message_in
from domain.registry import rule_systems
from domain.scene import Scene
from replay.language.renderer import Names, Renderer, renderer
from replay.render.descriptions import describe_cell, piece_names, terrain_names
from replay.render.embedded_map import board_svg, detail

SOURCE: Final = Path(__file__).with_name("pictures.json")
_REACH: Final = 1
"""Steps around the hexes of an event that its picture shows."""
_HEX_PIXELS: Final = 64
_HEX_UNITS: Final = 173.2
_COLOURS: Final = (
    message_in("player", "Blue"),
    message_in("player", "Yellow"),
    message_in("player", "Green"),
    message_in("player", "Red"),
    message_in("player", "Purple"),
)
"""What the players are called, by seat: their pieces have these colours."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in one language. `caption` says what happened, `description` also what is on the hexes."""

    address: str
    caption: str
    description: str
    width: int
    height: int
    svg: str


def pictures_by_clause(language: str) -> Mapping[str, Sequence[Picture]]:
    """Return the pictures of the rules in a language by the clause that they belong to."""
    result: dict[str, list[Picture]] = {}
    for name, entry in _sources().items():
        result.setdefault(entry["clause"], []).append(_picture(name, language))
    return result


def picture(name: str, language: str) -> Picture:
    """Return a picture of the rules in a language. Raises KeyError if there is none of this name."""
    return _picture(name, language)


def picture_svg(name: str, language: str) -> str | None:
    """Return a picture as an SVG document; None if there is none of this name."""
    return _picture(name, language).svg if name in _sources() else None


@lru_cache(maxsize=1)
def _sources() -> Mapping[str, Any]:
    entries: Mapping[str, Any] = json.loads(SOURCE.read_text(encoding="utf-8"))
    return entries


@lru_cache(maxsize=256)
def _picture(name: str, language: str) -> Picture:
    entry = _sources()[name]
    render = _renderer(language)
    scene: Scene = rule_systems()[entry["rules"]].system.scene(entry["position"], entry["event"])
    part = scene if entry["whole"] else detail(scene, _REACH)
    svg = board_svg(part, render)
    view = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', svg)
    assert view is not None
    scale = _HEX_PIXELS / _HEX_UNITS * (0.6 if entry["whole"] else 1)
    width, height = (round(float(length) * scale) for length in view.groups())
    caption = "" if scene.caption is None else render.sentence(scene.caption)
    return Picture(
        f"/rules/pictures/{name}/{language}.svg",
        caption,
        _description(part, render),
        width,
        height,
        svg,
    )


def _renderer(language: str) -> Renderer:
    """Return a renderer in which players have the names of the colours of their pieces."""
    plain = renderer(language)
    players = tuple(map(str, range(len(_COLOURS))))
    names = Names(dict(zip(players, map(plain, _COLOURS), strict=True)), players)
    return plain.with_names(names)


def _description(scene: Scene, render: Renderer) -> str:
    """Return the hexes with pieces, as a text instead of the picture."""
    pieces, terrains = piece_names(scene), terrain_names(scene)
    hexes = [
        render.sentence(message("{hex}.", hex=describe_cell(cell, pieces, terrains)))
        for cell in scene.cells
        if cell.pieces or cell.removed or cell.is_changed
    ]
    return " ".join(hexes)
