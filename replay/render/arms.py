"""Coats of arms of players and clubs, which follow from their ids.

A coat has a division, a field and a charge. SHA-256 of the id chooses them: byte 0 the division,
byte 1 the charge, byte 2 whether the field is of metal or of colour, bytes 3 to 5 the tinctures. A charge of
metal lies on colour, and one of colour on metal, so that it can be told apart at any size. Seats keep colours
of their own: those of the arms say who a player is, and not which pieces are theirs.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final

from replay.render.markup import Markup, element, translation

METALS: Final = {"or": "#f0c44c", "argent": "#f4f1e6"}
COLOURS: Final = {
    "gules": "#b3282d",
    "azure": "#2a5aa8",
    "vert": "#2c7a4b",
    "purpure": "#6d3a86",
    "sable": "#2b2926",
    "murrey": "#8a2f55",
}
TINCTURES: Final = METALS | COLOURS
"""The fills of all tinctures, by the names that heraldry has for them."""
WIDTH: Final = 48
HEIGHT: Final = 58
SHIELD: Final = "M3 3H45V27C45 41 35 49 24 55C13 49 3 41 3 27Z"
"""The outline, as the `d` attribute of a path in a box of `WIDTH` by `HEIGHT`."""
_RIGHT_HALF: Final = "M24 3H45V27C45 41 35 49 24 55Z"
_LINE: Final = "#2a1f14"


@dataclass(frozen=True, slots=True)
class Division:
    """A part of the shield that has a second tincture, and where the charge lies.

    `part` is the `d` attribute of its path, within the shield. `bears_charge` is whether the charge lies on
    it as well as on the field: then it is of the same class as the field, else of the other one.
    """

    part: str
    bears_charge: bool = True
    charge_y: float = 26
    charge_scale: float = 1


DIVISIONS: Final = {
    "plain": Division(""),
    "pale": Division(_RIGHT_HALF),
    "fess": Division("M3 27H45C45 41 35 49 24 55C13 49 3 41 3 27Z"),
    "bend": Division("M3 3.25 39.6 42.9C35.6 47.9 30 51.8 24 55C13 49 3 41 3 27Z"),
    "quarterly": Division("M24 3H45V27H24ZM3 27H24V55C13 49 3 41 3 27Z"),
    "chevron": Division(
        "M24 26 38.6 44C34.8 48.5 29.5 52 24 55C18.5 52 13.2 48.5 9.4 44Z",
        charge_y=23,
        charge_scale=0.92,
    ),
    "chief": Division("M3 3H45V15H3Z", bears_charge=False, charge_y=32, charge_scale=0.82),
    "bordure": Division(
        SHIELD + "M9 9V27C9 37 16 43.8 24 48.4C32 43.8 39 37 39 27V9Z",
        bears_charge=False,
        charge_y=26,
        charge_scale=0.82,
    ),
}
CHARGES: Final = {
    "fleur-de-lis": "M0-14C4-9 5-5 2.4 1H3C5-5 12-6 12-.5 12 3 8 4 7.5 1.5 5.5 2 5 4 4.5 5.5H6V8.5"
    "H3.5L5.5 13H-5.5L-3.5 8.5H-6V5.5H-4.5C-5 4-5.5 2-7.5 1.5-8 4-12 3-12-.5-12-6-5-5-3 1H-2.4C-5"
    "-5-4-9 0-14Z",
    "tower": "M-9 13V-3H-11V-13H-6V-9.5H-2.5V-13H2.5V-9.5H6V-13H11V-3H9V13ZM-3 13H3V6A3 3 0 0 0-3 6Z",
    "crescent": "M-11-9A12.5 12.5 0 1 0 11-9A9.5 9.5 0 1 1-11-9Z",
    "mullet": "M0-14 3.7-4.8 13.3-4.3 5.9 1.9 8.3 11.3 0 6-8.3 11.3-5.9 1.9-13.3-4.3-3.7-4.8Z",
    "key": "M0-14A6 6 0 0 1 1.7-2.2V3.5H7V6.5H4.5V9H7V12H1.7V14H-1.7V-2.2A6 6 0 0 1 0-14Z"
    "M0-11A3 3 0 1 0 0-5A3 3 0 1 0 0-11Z",
    "oak-leaf": "M0-14C3.5-13 5-10 3.8-7.5 7.5-8.5 9.5-4.5 6.5-2 10.5-1.5 10.5 4 6 4.5 8 8 4"
    " 10 1.2 8.5L1.2 14H-1.2L-1.2 8.5C-4 10-8 8-6 4.5-10.5 4-10.5-1.5-6.5-2-9.5-4.5-7.5-8.5-3.8"
    "-7.5-5-10-3.5-13 0-14Z",
    "garb": "M0-14C2.5-11 2.5-8 .9-5 2-9 5-11.5 8-11.5 8.5-8 6.5-4 3.5-2 7-4.5 10.5-4.5 12"
    "-3 10.5.5 6.5 2.5 3 2.5H4.5V5.5H3L7.5 13H-7.5L-3 5.5H-4.5V2.5H-3C-6.5 2.5-10.5.5-12-3-10.5"
    "-4.5-7-4.5-3.5-2-6.5-4-8.5-8-8-11.5-5-11.5-2-9-.9-5-2.5-8-2.5-11 0-14Z",
    "fish": "M-14 0C-9-8 1-9 7-2.5L13-8C11.5-3 11.5 3 13 8L7 2.5C1 9-9 8-14 0ZM-8.5-2.2"
    "A1.5 1.5 0 1 0-8.5.8A1.5 1.5 0 1 0-8.5-2.2Z",
    "martlet": "M-12.5-6.5L-8.5-9.5C-5-11.5-1-9.5 0-6 4-7.5 9-7 14-10 12.5-3 8 3 3.5 5L9 11C4"
    " 11 0 9-2.5 6.5-8 6-10 2-9-5Z",
    "rose": "M0-13C4.5-13 6-9 4.8-6.2 7.5-8 12-6.2 12.4-2.5 12.8 1.2 9 3 6.3 2.5 8.8 4.5"
    " 8.5 9 5 10.7 1.8 12.3-.8 9.5-1 6.8-2 9.5-5.2 12.3-8.2 10.5-11.3 8.5-10.3 4.5-6.3 2.5-9 3"
    "-12.8 1.2-12.4-2.5-12-6.2-7.5-8-4.8-6.2-6-9-4.5-13 0-13ZM0-3.2A3.2 3.2 0 1 0 0 3.2A3.2 3.2 0"
    " 1 0 0-3.2Z",
    "sword": "M0-15 2-12V4H7.5V7H2V10A2.6 2.6 0 1 1-2 10V7H-7.5V4H-2V-12Z",
    "crown": "M-12 9.5-13.5-7-6.5 0 0-11 6.5 0 13.5-7 12 9.5ZM-12 11H12V14H-12Z",
}


@dataclass(frozen=True, slots=True)
class CoatOfArms:
    """The names of what a coat of arms is made of; `second` is the tincture of its division."""

    division: str
    field: str
    second: str
    charge: str
    charge_tincture: str


def arms_of(id: str) -> CoatOfArms:
    """Return the coat of arms of a player or club, which is always the same for the same id."""
    which_division, which_charge, which_class, *which = sha256(id.encode()).digest()[:6]
    division = list(DIVISIONS)[which_division % len(DIVISIONS)]
    own, other = (list(METALS), list(COLOURS))[:: -1 if which_class % 2 else 1]
    field = own.pop(which[0] % len(own))
    seconds = own if DIVISIONS[division].bears_charge else other
    return CoatOfArms(
        division,
        field,
        seconds[which[1] % len(seconds)],
        list(CHARGES)[which_charge % len(CHARGES)],
        other[which[2] % len(other)],
    )


@lru_cache(maxsize=1024)
def arms_svg(id: str, width: int) -> Markup:
    """Return the picture of the coat of arms of a player or club, `width` pixels wide.

    It is hidden from screen readers: it stands beside a name, or in something that has one.
    """
    arms = arms_of(id)
    division = DIVISIONS[arms.division]
    parts = [element("path", d=SHIELD, fill=TINCTURES[arms.field])]
    if division.part:
        parts.append(
            element("path", d=division.part, fill=TINCTURES[arms.second], fill_rule="evenodd")
        )
    parts.append(
        element(
            "path",
            d=CHARGES[arms.charge],
            transform=translation(WIDTH / 2, division.charge_y, division.charge_scale),
            fill=TINCTURES[arms.charge_tincture],
            fill_rule="evenodd",
            stroke="#1c1610",
            stroke_opacity="0.55",
        )
    )
    parts.append(element("path", d=_RIGHT_HALF, opacity="0.09"))
    return _shield(
        width,
        *parts,
        element("path", class_="rim", d=SHIELD, fill="none", stroke=_LINE, stroke_width=2.4),
    )


def arms_document(id: str) -> str:
    """Return the picture of `arms_svg` as an SVG document of its own, such as for a PNG picture."""
    return arms_svg(id, WIDTH).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


@lru_cache(maxsize=16)
def empty_shield_svg(width: int) -> Markup:
    """Return the picture of a place at the table that nobody has taken, `width` pixels wide."""
    return _shield(
        width,
        element(
            "path",
            d=SHIELD,
            fill="none",
            stroke="currentColor",
            stroke_width=2,
            stroke_dasharray="4",
        ),
    )


def _shield(width: int, *parts: Markup) -> Markup:
    return element(
        "svg",
        *parts,
        class_="arms",
        width=width,
        height=round(width * HEIGHT / WIDTH),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        aria_hidden="true",
    )
