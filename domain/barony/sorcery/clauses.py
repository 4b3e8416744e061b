"""A one-sentence summary of each clause, by id. docs/rules.md contains the full text of the clauses."""

from collections.abc import Mapping
from typing import Final

from domain.barony.clauses import CLAUSES as BASE_CLAUSES

CLAUSES: Final[Mapping[str, str]] = {
    **BASE_CLAUSES,
    "BS-MAT-1": "The bank has 25 tokens of each kind; there are 30 magic tokens and 5 imprints a player.",
    "BS-MAT-2": "Sorcery adds nine tiles; five of them have a mysterious place.",
    "BS-SET-1": "Games of 2, 3, 4 and 5 players use 3, 4, 5 and 5 tiles with a mysterious place.",
    "BS-SET-2": "The distance between two mysterious places is at least three.",
    "BS-SET-3": "A first city cannot be on or beside a mysterious place.",
    "BS-SET-4": "Five of the nine spells are available to all players.",
    "BS-MYS-1": "A mysterious place yields no token, and nothing can be built on it.",
    "BS-MYS-2": "A knight that arrives on a mysterious place earns an imprint and 3, 2 or 1 magic tokens.",
    "BS-MYS-3": "A place holds at most three imprints, and at most one of each player.",
    "BS-MYS-4": "Moves, steps of Celerity and expeditions all count as arrivals.",
    "BS-MYS-5": "Each imprint is worth 3 victory points at the end.",
    "BS-SPL-2": "A seat pays the total cost of its spells in magic tokens before they take effect.",
    "BS-SPL-3": "Spells cast together produce a single move, recruitment or construction.",
    "BS-SPL-4": "An action cannot contain the same spell twice; spells are not used up.",
    "BS-SPL-5": "A pawn is isolated if its hex holds no other pawn of its colour.",
    "BS-SPL-6": "A city built by a cast scores 10 points and requires a city in reserve.",
    "BS-SPL-7": "A cast is legal even if it has no useful effect.",
    "BS-CEL-1": "With Celerity, the knight makes exactly two steps.",
    "BS-CEL-2": "Each step of Celerity is a separate move, and each arrival has its full effect.",
    "BS-TEL-1": "With Teleportation, a knight steps onto a mountain with an opponent's isolated village.",
    "BS-TEL-2": "Exactly one step of the move must be a teleportation.",
    "BS-TEL-3": "After a teleportation the pawns share the hex, unless BY-CON-1 applies.",
    "BS-TOR-1": "Tornado destroys opponents' isolated villages and knights where the move starts and ends.",
    "BS-TOR-2": "Tornado takes effect on the first hex after the knight left, on the last after it arrived.",
    "BS-TOR-3": "Tornado does not open blocked hexes, and may be cast if there is nothing to destroy.",
    "BS-CHA-1": "Charm recruits up to one knight in each of the player's cities, and at least one.",
    "BS-ILL-1": "Illusion recruits in one of the player's strongholds as if it were a city.",
    "BS-ILL-2": "Charm with Illusion recruits up to one knight in each own city and stronghold.",
    "BS-POR-1": "Portal is a recruitment that can bring back removed knights.",
    "BS-POR-2": "Portal uses removed knights first, then those in reserve.",
    "BS-POR-3": "Portal recruits in one city, or with Illusion in one stronghold.",
    "BS-ABU-1": "With Abundance, the new city also yields a token of its terrain.",
    "BS-PET-1": "Petrification allows a city in a forest or beside own cities, not beside opponents' ones.",
    "BS-SAN-1": "With Sanctuary, the city replaces an own knight on a hex without opponents' pawns.",
    "BS-SAN-2": "Sanctuary requires a hex without a building.",
}
