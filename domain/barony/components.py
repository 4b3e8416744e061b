"""The components of the game (BY-MAT): tiles, names, numbers and values, each in one place."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Terrain: TypeAlias = Literal["mountain", "forest", "plain", "field", "lake", "mysterious_place"]
Resource: TypeAlias = Literal["mountain", "forest", "plain", "field"]
"""A kind of resource token, named after the terrain that gives it (BY-MAT-2)."""
Building: TypeAlias = Literal["village", "stronghold", "city"]
Rank: TypeAlias = Literal["baron", "viscount", "count", "marquis", "duke"]
Phase: TypeAlias = Literal["setup", "play", "scoring", "finished"]

MOUNTAIN, FOREST, PLAIN, FIELD, LAKE, MYSTERIOUS_PLACE = range(6)
"""Terrains as small integers. The first four are also the kinds of resource token."""
TERRAINS: Final[tuple[Terrain, ...]] = (
    "mountain",
    "forest",
    "plain",
    "field",
    "lake",
    "mysterious_place",
)
RESOURCES: Final[tuple[Resource, ...]] = ("mountain", "forest", "plain", "field")
KIND: Final[Mapping[Resource, int]] = {name: kind for kind, name in enumerate(RESOURCES)}
"""The number of each kind of resource token."""

RESOURCE_POINTS: Final = (2, 3, 4, 5)
"""What a token is worth when it is spent on a title, by kind (BY-MAT-3)."""
VICTORY_POINTS: Final = (0, 1, 2, 3)
"""What an unused token is worth at the end, by kind (BY-MAT-3)."""

BANK_OF_EACH: Final = 20
"""Tokens of each kind in the bank of the base game (BY-MAT-4)."""

KNIGHTS, VILLAGES, STRONGHOLDS, CITIES = 7, 14, 2, 5
"""Pawns of a player (BY-MAT-1)."""

MOST_ROUNDS: Final = 10_000
"""The greatest round limit (BY-END-5)."""

FIRST_CITIES: Final = 3
"""Cities that a seat places in set-up (BY-SET-3)."""

NO_BUILDING, VILLAGE, STRONGHOLD, CITY = range(4)
"""Buildings as small integers."""
BUILDINGS: Final[tuple[Building | None, ...]] = (None, "village", "stronghold", "city")

RANKS: Final[tuple[Rank, ...]] = ("baron", "viscount", "count", "marquis", "duke")
DUKE: Final = len(RANKS) - 1
POINTS_A_RANK: Final = 15
POINTS_A_CITY: Final = 10
TITLE_PRICE: Final = 15
"""Resource points for one rank (BY-TTL-1)."""

RECRUITS: Final = 2
RECRUITS_BY_A_LAKE: Final = 3
"""The greatest number of knights in one recruitment (BY-REC-1)."""

TILES_A_PLAYER: Final = 9
MOST_SEATS: Final = 4
RADIUS: Final = {2: 5, 3: 6, 4: 7}
"""The greatest distance of a hex from the middle one, by the number of players (BY-SET-2)."""

Spell: TypeAlias = Literal[
    "abundance",
    "celerity",
    "charm",
    "illusion",
    "petrification",
    "portal",
    "sanctuary",
    "teleportation",
    "tornado",
]
Family: TypeAlias = Literal["movement", "recruitment", "construction"]

FAMILY: Final[Mapping[Spell, Family]] = {
    "abundance": "construction",
    "celerity": "movement",
    "charm": "recruitment",
    "illusion": "recruitment",
    "petrification": "construction",
    "portal": "recruitment",
    "sanctuary": "construction",
    "teleportation": "movement",
    "tornado": "movement",
}
"""The nine spells of Sorcery in alphabetical order, each with its family.

They are here because the form of a cast is checked in every game of Barony; what spells cost and do is in
`domain.barony.sorcery`.
"""
SPELLS: Final[tuple[Spell, ...]] = tuple(FAMILY)


Tile: TypeAlias = str
"""Three letters, one for each hex."""

LETTERS: Final = "MFPDLS"
"""The letter of each terrain, at the terrain's number."""

BASE_TILES: Final[tuple[Tile, ...]] = (
    *("DDD", "DDF", "DDL", "DDL", "DDM", "DDP", "DFF", "DFL", "DFM", "DFP", "DLM", "DLM"),
    *("DLM", "DLP", "DMP", "DMP", "DPP", "FFF", "FFL", "FFM", "FFP", "FLM", "FLM", "FLP"),
    *("FLP", "FMM", "FMM", "FMP", "FPP", "FPP", "LMM", "LMP", "LPP", "MMP", "MPP", "PPP"),
)
