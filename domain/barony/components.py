"""What is in the box (BY-MAT): numbers and values, each in one place so that a correction is one line."""

from collections.abc import Mapping
from typing import Final

MOUNTAIN, FOREST, PLAIN, FIELD, LAKE, MYSTERIOUS_PLACE = range(6)
"""Terrains as small integers; the first four are also the kinds of resource token (BY-MAT-2)."""

TERRAINS: Final = ("mountain", "forest", "plain", "field", "lake", "mysterious_place")
RESOURCES: Final = TERRAINS[:4]

RESOURCE_POINTS: Final = (2, 3, 4, 5)
"""Gold, spent on titles, by kind of token (BY-MAT-3)."""
VICTORY_POINTS: Final = (0, 1, 2, 3)
"""Silver, counted at the end, by kind of token (BY-MAT-3)."""

BANK_OF_EACH: Final = 20
"""Tokens of each kind in the bank of the base game (BY-MAT-4)."""

KNIGHTS, VILLAGES, STRONGHOLDS, CITIES = 7, 14, 2, 5
"""Pawns of a player (BY-MAT-1)."""

FIRST_CITIES: Final = 3
"""Cities that a seat places in set-up (BY-SET-3)."""

NO_BUILDING, VILLAGE, STRONGHOLD, CITY = range(4)
"""Buildings as small integers."""
BUILDINGS: Final = (None, "village", "stronghold", "city")

RANKS: Final = ("baron", "viscount", "count", "marquis", "duke")
DUKE: Final = len(RANKS) - 1
POINTS_A_RANK: Final = 15
POINTS_A_CITY: Final = 10
TITLE_PRICE: Final = 15
"""Resource points for one rank (BY-TTL-1)."""

RECRUITS: Final = 2
RECRUITS_BY_A_LAKE: Final = 3
"""Knights at most in one recruitment (BY-REC-1)."""

TILES_A_PLAYER: Final = 9
MOST_SEATS: Final = 4
RADIUS: Final = {2: 5, 3: 6, 4: 7}
"""How far the hexes may lie from the middle one, by the number of players (BY-SET-2)."""

MOVEMENT, RECRUITMENT, CONSTRUCTION = "path", "recruits", "at"
"""The families of spells, each named by the field that a cast of the family needs."""

FAMILY: Final[Mapping[str, str]] = {
    "abundance": CONSTRUCTION,
    "celerity": MOVEMENT,
    "charm": RECRUITMENT,
    "illusion": RECRUITMENT,
    "petrification": CONSTRUCTION,
    "portal": RECRUITMENT,
    "sanctuary": CONSTRUCTION,
    "teleportation": MOVEMENT,
    "tornado": MOVEMENT,
}
"""The nine spells of Sorcery in alphabetical order, each with its family.

They are here because the form of a cast is checked in every game of Barony; what spells cost and do is in
`domain.barony.sorcery`.
"""
SPELLS: Final = tuple(FAMILY)
