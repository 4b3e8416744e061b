"""A one-sentence summary of each clause, by id. docs/rules.md contains the full text of the clauses."""

from collections.abc import Mapping
from typing import Final

from domain.barony.clauses import CLAUSES as BASE_CLAUSES
from domain.barony.clauses import EXPLAINED_BY as EXPLAINED_BY_BASE_CLAUSES
from domain.messages import Text, message

CLAUSES: Final[Mapping[str, Text]] = {
    **BASE_CLAUSES,
    "BS-MAT-1": message(
        "The bank has 25 tokens of each kind; there are 30 magic tokens, and 5 imprints for each player."
    ),
    "BS-MAT-2": message("Sorcery adds nine tiles; five of them have a mysterious place."),
    "BS-SET-1": message(
        "Games of 2, 3, 4 and 5 players use 3, 4, 5 and 5 tiles with a mysterious place."
    ),
    "BS-SET-2": message("The distance between two mysterious places is at least three."),
    "BS-SET-3": message("A first city cannot be on or beside a mysterious place."),
    "BS-SET-4": message("Five of the nine spells are available to all players."),
    "BS-MYS-1": message("A mysterious place yields no token, and nothing can be built on it."),
    "BS-MYS-2": message(
        "A knight that arrives on a mysterious place earns an imprint and 3, 2 or 1 magic tokens."
    ),
    "BS-MYS-3": message("A place holds at most three imprints, and at most one of each player."),
    "BS-MYS-4": message("Moves, steps of Celerity and expeditions all count as arrivals."),
    "BS-MYS-5": message("Each imprint is worth 3 victory points at the end."),
    "BS-SPL-2": message(
        "A player pays the total cost of the spells in magic tokens before they take effect."
    ),
    "BS-SPL-3": message("Spells cast together produce a single move, recruitment or construction."),
    "BS-SPL-4": message("An action cannot contain the same spell twice; spells are not used up."),
    "BS-SPL-5": message("A pawn is isolated if its hex holds no other pawn of its colour."),
    "BS-SPL-6": message("A city built by a cast scores 10 points and requires a city in reserve."),
    "BS-SPL-7": message("A cast is legal even if it has no useful effect."),
    "BS-CEL-1": message("With Celerity, the knight makes exactly two steps."),
    "BS-CEL-2": message(
        "Each step of Celerity is a separate move, and each arrival has its full effect."
    ),
    "BS-TEL-1": message(
        "With Teleportation, a knight steps onto a mountain with an opponent's isolated village."
    ),
    "BS-TEL-2": message("Exactly one step of the move must be a teleportation."),
    "BS-TEL-3": message("After a teleportation the pawns share the hex, unless BY-CON-1 applies."),
    "BS-TOR-1": message(
        "Tornado destroys opponents' isolated villages and knights where the move starts and ends."
    ),
    "BS-TOR-2": message(
        "Tornado takes effect on the first hex after the knight left, on the last after it arrived."
    ),
    "BS-TOR-3": message(
        "Tornado does not open blocked hexes, and may be cast if there is nothing to destroy."
    ),
    "BS-CHA-1": message(
        "Charm recruits up to one knight in each of the player's cities, and at least one."
    ),
    "BS-ILL-1": message(
        "Illusion recruits in one of the player's strongholds as if it were a city."
    ),
    "BS-ILL-2": message(
        "Charm with Illusion recruits up to one knight in each of the player's cities and strongholds."
    ),
    "BS-POR-1": message("Portal is a recruitment that can bring back removed knights."),
    "BS-POR-2": message("Portal uses removed knights first, then those in reserve."),
    "BS-POR-3": message("Portal recruits in one city, or with Illusion in one stronghold."),
    "BS-ABU-1": message("With Abundance, the new city also yields a token of its terrain."),
    "BS-PET-1": message(
        "Petrification allows a city in a forest or beside own cities, but not beside opponents' cities."
    ),
    "BS-SAN-1": message(
        "With Sanctuary, the city replaces one of the player's knights on a hex without opponents' pawns."
    ),
    "BS-SAN-2": message("Sanctuary requires a hex without a building."),
}

EXPLAINED_BY: Final[Mapping[str, str]] = {
    **EXPLAINED_BY_BASE_CLAUSES,
    "mysterious_place": "BS-MYS-2",
    "bank": "BS-MAT-1",
    "magic tokens": "BS-MYS-2",
    "imprints": "BS-MYS-5",
    "movement spells": "BS-SPL-1",
    "recruitment spells": "BS-SPL-1",
    "construction spells": "BS-SPL-6",
    # Spells
    "abundance": "BS-ABU-1",
    "celerity": "BS-CEL-1",
    "charm": "BS-CHA-1",
    "illusion": "BS-ILL-1",
    "petrification": "BS-PET-1",
    "portal": "BS-POR-1",
    "sanctuary": "BS-SAN-1",
    "teleportation": "BS-TEL-1",
    "tornado": "BS-TOR-1",
}
"""The clause that explains a word of a page."""
