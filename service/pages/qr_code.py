"""QR codes of links, which somebody opens with the camera of a phone."""

from functools import lru_cache
from typing import Final

import segno

from replay.render.markup import Markup, element

_QUIET_ZONE: Final = 4
"""Modules around the code that have to be light."""


@lru_cache(maxsize=256)
def qr_code_svg(link: str, title: str) -> Markup:
    """Return the QR code of a link as SVG, with a title for those who cannot see it.

    It is dark on light in every theme: not every camera reads it the other way round.
    """
    rows = segno.make_qr(link, error="m").matrix
    size = len(rows) + 2 * _QUIET_ZONE
    modules = "".join(
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(rows, _QUIET_ZONE)
        for x, is_dark in enumerate(row, _QUIET_ZONE)
        if is_dark
    )
    return element(
        "svg",
        element("title", title),
        element("rect", width=size, height=size, fill="#fff"),
        element("path", d=modules, fill="#000", shape_rendering="crispEdges"),
        class_="qr-code",
        role="img",
        viewBox=f"0 0 {size} {size}",
    )
