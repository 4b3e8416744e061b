"""Draws the icons of the application from static/icon.svg: `python -m service.pages.draw_icons` (make icons).

A maskable icon fills its square, with the drawing in the circle in the middle that no platform cuts off: its
diameter is 80 % of the width (W3C Application Manifest, "Maskable icons").
"""

import re
from collections.abc import Iterator
from typing import Final

import resvg_py

from service.pages.assets import FOLDER

ICONS: Final = FOLDER / "icons"
_PAPER: Final = "#fffaf0"
_SCALE: Final = 0.7
_VIEW_BOX: Final = 32


def icons() -> Iterator[tuple[str, bytes]]:
    """Yield the names of the files, and their contents."""
    drawing = (FOLDER / "icon.svg").read_text()
    for size in (192, 512):
        yield f"icon-{size}.png", _png(drawing, size)
    yield "maskable-512.png", _png(_maskable(drawing), 512)


def _maskable(drawing: str) -> str:
    """Return the drawing on a background, with a margin."""
    content = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", drawing)
    margin = _VIEW_BOX * (1 - _SCALE) / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_VIEW_BOX} {_VIEW_BOX}">'
        f'<rect width="{_VIEW_BOX}" height="{_VIEW_BOX}" fill="{_PAPER}"/>'
        f'<g transform="translate({margin:g} {margin:g}) scale({_SCALE:g})">{content}</g></svg>'
    )


def _png(svg: str, size: int) -> bytes:
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size))


if __name__ == "__main__":
    ICONS.mkdir(exist_ok=True)
    for name, data in icons():
        (ICONS / name).write_bytes(data)
