"""Building SVG: elements whose texts and attribute values are always escaped.

`element` returns `Markup`, a string that is known to be well-formed. A plain `str` passed as content is
text from outside and is escaped, so a name with `<` or `&` in it can never become markup.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


class Markup(str):
    """A string of well-formed SVG."""

    __slots__ = ()


def element(name: str, /, *content: Markup | str, **attributes: str | float | None) -> Markup:
    """Return an element with its content and attributes.

    In names of attributes `_` stands for `-`, and one at the end is left out (`class_`). Numbers are
    rounded to a tenth, and an attribute that is None is left out. Content that is not `Markup` is
    escaped.
    """
    start = f"<{name}"
    for key, value in attributes.items():
        if value is not None:
            text = escaped(value) if isinstance(value, str) else number(value)
            start += f' {_attribute_name(key)}="{text}"'
    if not content:
        return Markup(f"{start}/>")
    inside = "".join(part if isinstance(part, Markup) else escaped(part) for part in content)
    return Markup(f"{start}>{inside}</{name}>")


@lru_cache(maxsize=256)
def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def bold_text(
    text: str, x: float | None, y: float, size: float, fill: str, **attributes: str | float
) -> Markup:
    """Return a bold text with its middle at x (None: 0) and its baseline at y."""
    return element(
        "text",
        text,
        x=x,
        y=y,
        font_size=size,
        font_weight="bold",
        text_anchor="middle",
        fill=fill,
        **attributes,
    )


def language_attributes(language: str) -> dict[str, str]:
    """Return the attributes of a root element that name the language of its texts."""
    return {"lang": language, "xml:lang": language}


def escaped(text: str) -> str:
    """Return text from outside as content or as the value of an attribute."""
    return escape(text) if _SPECIAL.search(text) else text


_SPECIAL = re.compile("[&<>\"']")


def joined(*parts: Markup) -> Markup:
    """Return elements one after the other."""
    return Markup("".join(parts))


def on_lines(*parts: Markup) -> Markup:
    """Return elements, each on its own line, so that pictures can be compared line by line."""
    return Markup("\n".join(parts))


def moved(markup: Markup, x: float, y: float, scale: float = 1) -> Markup:
    """Return markup in a group with its origin at (x, y)."""
    return element("g", markup, transform=translation(x, y, scale))


def translation(x: float, y: float, scale: float = 1) -> str:
    """Return the value of a `transform` attribute that moves the origin to (x, y)."""
    at = f"translate({number(x)} {number(y)})"
    return at if scale == 1 else f"{at} scale({scale:.4g})"


def number(value: float) -> str:
    """Return a number as SVG, rounded to a tenth and without trailing zeros: `12`, `-3.5`."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path_data(points: Iterable[Point], *, closed: bool = True) -> str:
    """Return the `d` attribute of a path of straight lines through the points."""
    body = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f"M{body}{'Z' if closed else ''}"


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of the elements that a picture defines, all with one prefix."""

    prefix: str

    def terrain(self, name: str, *, is_occupied: bool) -> str:
        """Return the id of a terrain's drawing; there is another one for hexes with pieces."""
        return f"{self.prefix}{'o' if is_occupied else 't'}-{_id_safe(name)}"

    def piece(self, kind: str, seat: int, *, is_removed: bool = False) -> str:
        """Return the id of a piece's drawing; there is another one for removed pieces."""
        return f"{self.prefix}{'x' if is_removed else 'p'}-{_id_safe(kind)}-{seat}"

    def hatching(self, seat: int) -> str:
        """Return the id of a seat's pattern."""
        return f"{self.prefix}h-{seat}"

    def of(self, name: str) -> str:
        """Return the id of an element that a picture has once, such as `title`."""
        return f"{self.prefix}{name}"


@lru_cache(maxsize=1024)
def _id_safe(name: str) -> str:
    """Return a name as part of an id. Different names have different ids."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)
