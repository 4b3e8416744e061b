"""The symbols of the icons on the page of a game: those that it shows, and those that a choice may add.

They are part of the page, so that the icons are there with the words. A browser would draw those of a file of
their own later, each time that it opens a page.
"""

import re
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Final

from flask import render_template
from markupsafe import Markup

_SYMBOL: Final = re.compile(r'<symbol id="i-([^"]+)".*?</symbol>', re.DOTALL)
_USE: Final = re.compile(r'<use href="#i-([^"]+)"')
_SIGNS_OF_CHOICES: Final = frozenset({"back", "check", "fwd", "menu", "turn", "undo", "x"})
"""The signs of the pages that the answer to a choice may show, which replaces a part of the page only."""


def symbols_of_page(content: str, drawings: str, optional: Collection[str]) -> Markup:
    """Return the symbols of a page with this content.

    `drawings` are all symbols of its game, and `optional` the names of those that only a page needs that
    shows them. No choice makes the page show others of them.
    """
    shown = set(_USE.findall(content))
    signs = _symbols(render_signs())
    kept = [signs[name] for name in signs if name in shown or name in _SIGNS_OF_CHOICES]
    for name, symbol in _symbols(drawings).items():
        if name in shown or name not in optional:
            kept.append(symbol)
    return Markup("\n").join(map(Markup, kept))


@cache
def render_signs() -> str:
    """Return the symbols of all signs of the pages."""
    return render_template("icon_sprite.html")


@lru_cache(maxsize=64)
def _symbols(markup: str) -> dict[str, str]:
    """Return the symbols in a text by their names."""
    return {match[1]: match[0] for match in _SYMBOL.finditer(markup)}
