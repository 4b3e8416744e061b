"""The clauses by id, each in one short sentence; docs/rules.md has them whole."""

from collections.abc import Mapping
from typing import Final

from domain.barony.clauses import CLAUSES as BASE_CLAUSES

CLAUSES: Final[Mapping[str, str]] = {
    **BASE_CLAUSES,
    "BS-MAT-1": "A fifth player, 25 tokens of each kind, 30 magic tokens, 5 imprints a player.",
    "BS-MAT-2": "Nine more tiles, five of them with a mysterious place.",
    "BS-SET-1": "With 2, 3, 4, 5 players there are 3, 4, 5, 5 mysterious places.",
    "BS-SET-2": "Two mysterious places lie at least three steps apart.",
    "BS-SET-3": "A first city keeps off mysterious places and the hexes beside them.",
    "BS-SET-4": "Five of the nine spells lie open for everyone.",
    "BS-MYS-1": "A mysterious place gives no token, and nothing is ever built on it.",
    "BS-MYS-2": "Arriving there places an imprint and gains 3, 2 or 1 magic tokens.",
    "BS-MYS-3": "Three imprints a place at most, and one of each player.",
    "BS-MYS-4": "Every way of arriving counts.",
    "BS-MYS-5": "At the end each imprint is worth 3 points.",
    "BS-SPL-2": "The cost of all spells is paid in magic tokens before anything happens.",
    "BS-SPL-3": "Spells cast together make one move, one recruitment or one construction.",
    "BS-SPL-4": "No spell twice in one action; spells stay available.",
    "BS-SPL-5": "A pawn is isolated when it is the only one of its colour on its hex.",
    "BS-SPL-6": "Every construction cast earns 10 points and takes a city of the reserve.",
    "BS-SPL-7": "A cast need not be useful.",
    "BS-CEL-1": "Celerity: the knight makes two steps, no fewer.",
    "BS-CEL-2": "Each step of Celerity is a move of its own, with all that an arrival does.",
    "BS-TEL-1": "Teleportation: a step onto a mountain with an opponent's isolated village.",
    "BS-TEL-2": "Exactly one step of the move is a teleportation.",
    "BS-TEL-3": "The knight that teleports shares the hex, or destroys by BY-CON-1.",
    "BS-TOR-1": "Tornado destroys opposing isolated villages and knights where the move starts and ends.",
    "BS-TOR-2": "The start is swept when the knight has left, the end after its arrival.",
    "BS-TOR-3": "Tornado lifts no bar, and may be cast where it destroys nothing.",
    "BS-CHA-1": "Charm: up to one knight in each own city, one at least.",
    "BS-ILL-1": "Illusion: recruit in one own stronghold as if it were a city.",
    "BS-ILL-2": "Charm with Illusion: up to one knight in each own city and stronghold.",
    "BS-POR-1": "Portal: a recruitment for which removed knights may come back.",
    "BS-POR-2": "With Portal removed knights are used first, then the reserve.",
    "BS-POR-3": "Portal alone recruits in a city, with Illusion in a stronghold.",
    "BS-ABU-1": "Abundance: the city also gains a token of its terrain.",
    "BS-PET-1": "Petrification: a city in a forest or beside own cities, never beside opponents' ones.",
    "BS-SAN-1": "Sanctuary: the city replaces an own knight where no opposing pawn is.",
    "BS-SAN-2": "Sanctuary takes a hex without a building.",
}
