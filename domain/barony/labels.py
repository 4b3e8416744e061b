"""What people call the fields of a position of Barony, the words in it, and types of actions and events."""

from collections.abc import Mapping
from typing import Final

from domain.barony.terms import PAWNS, RANKS, TERRAINS
from domain.messages import Text, message_in
from domain.position_labels import COMMON_LABELS

LABELS: Final[Mapping[str, Text]] = {
    **COMMON_LABELS,
    **{name: term for terms in (TERRAINS, PAWNS, RANKS) for name, term in terms.items()},
    # Fields
    "bank": message_in("label", "bank"),
    "board": message_in("label", "board"),
    "building": message_in("label", "building"),
    "cities": message_in("label", "cities"),
    "end_agreed_by": message_in("label", "end asked for by"),
    "imprints": message_in("label", "imprints"),
    "knights": message_in("label", "knights"),
    "magic": message_in("label", "magic tokens"),
    "new_cities": message_in("label", "new cities"),
    "passed": message_in("label", "passed"),
    "pawns": message_in("label", "pawns"),
    "rank": message_in("label", "rank"),
    "removed_knights": message_in("label", "removed knights"),
    "resources": message_in("label", "resource tokens"),
    "round_limit": message_in("label", "last round"),
    "sorcery": message_in("label", "Sorcery"),
    "spells": message_in("label", "spells"),
    "strongholds": message_in("label", "strongholds"),
    "terrain": message_in("label", "terrain"),
    "villages": message_in("label", "villages"),
    # Phases
    "play": message_in("label", "play"),
    "setup": message_in("label", "set-up"),
    # Types of actions
    "agree_to_end": message_in("label", "ask for the end"),
    "build": message_in("label", "construction"),
    "cast": message_in("label", "spell"),
    "expedition": message_in("label", "expedition"),
    "move": message_in("label", "movement"),
    "new_city": message_in("label", "new city"),
    "noble_title": message_in("label", "noble title"),
    "pass": message_in("label", "pass"),
    "place_city": message_in("label", "place a city"),
    "recruit": message_in("label", "recruitment"),
    # Types of events
    "BuildingsBuilt": message_in("label", "construction"),
    "CityFounded": message_in("label", "new city"),
    "CityPlaced": message_in("label", "place a city"),
    "EndAgreed": message_in("label", "ask for the end"),
    "ExpeditionSent": message_in("label", "expedition"),
    "KnightsMoved": message_in("label", "movement"),
    "KnightsRecruited": message_in("label", "recruitment"),
    "SpellsCast": message_in("label", "spell"),
    "TitleBought": message_in("label", "noble title"),
    "TurnPassed": message_in("label", "pass"),
}
