"""The words of Barony: the terms of messages, the labels of fields, types and options.

The catalogues of translations have the forms and genders of the terms.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from domain.barony.components import MOST_ROUNDS, Building, Rank, Resource, Terrain
from domain.messages import Term, Text, message, message_in, term
from domain.option_fields import FlagField, NumberField, OptionField
from domain.position_labels import COMMON_LABELS

Pawn: TypeAlias = Building | Literal["knight"]

TITLE: Final = term("Barony")
DESCRIPTION: Final[Text] = message(
    "Knights spread across a land of hexes and are replaced by villages and strongholds, which yield tokens."
    " Tokens buy noble titles, and the last round begins when a player becomes duke."
)
KNIGHT: Final = term("knight; plural: knights; a: a knight; the: the knight")
VILLAGE: Final = term("village; plural: villages; a: a village; the: the village")
STRONGHOLD: Final = term("stronghold; plural: strongholds; a: a stronghold; the: the stronghold")
CITY: Final = term("city; plural: cities; a: a city; the: the city")
NEW_CITY: Final = term("new city; plural: new cities; a: a new city; the: the new city")
BUILDING: Final = term("building; plural: buildings; a: a building; the: the building")
TILE: Final = term("tile; plural: tiles; a: a tile; the: the tile")
HEX: Final = term("hex; plural: hexes; a: a hex; the: the hex")
ROUND: Final = term("round; plural: rounds; a: a round; the: the round")
POINT: Final = term("point; plural: points; a: a point; the: the point")
RESOURCE_POINT: Final = term(
    "resource point; plural: resource points; a: a resource point; the: the resource point"
)

PAWNS: Final[Mapping[Pawn, Term]] = {
    "knight": KNIGHT,
    "village": VILLAGE,
    "stronghold": STRONGHOLD,
    "city": CITY,
}

TERRAINS: Final[Mapping[Terrain, Term]] = {
    "mountain": term("mountain; plural: mountains; a: a mountain; the: the mountain"),
    "forest": term("forest; plural: forests; a: a forest; the: the forest"),
    "plain": term("plain; plural: plains; a: a plain; the: the plain"),
    "field": term("field; plural: fields; a: a field; the: the field"),
    "lake": term("lake; plural: lakes; a: a lake; the: the lake"),
    "mysterious_place": term(
        "mysterious place; plural: mysterious places; a: a mysterious place; the: the mysterious place"
    ),
}

TOKENS: Final[Mapping[Resource, Term]] = {
    "mountain": term(
        "mountain token; plural: mountain tokens; a: a mountain token; the: the mountain token"
    ),
    "forest": term("forest token; plural: forest tokens; a: a forest token; the: the forest token"),
    "plain": term("plain token; plural: plain tokens; a: a plain token; the: the plain token"),
    "field": term("field token; plural: field tokens; a: a field token; the: the field token"),
}

RANKS: Final[Mapping[Rank, Term]] = {
    "baron": term("baron; plural: barons; a: a baron; the: the baron"),
    "viscount": term("viscount; plural: viscounts; a: a viscount; the: the viscount"),
    "count": term("count; plural: counts; a: a count; the: the count"),
    "marquis": term("marquis; plural: marquises; a: a marquis; the: the marquis"),
    "duke": term("duke; plural: dukes; a: a duke; the: the duke"),
}


VERBS: Final[Mapping[str, Text]] = {
    "place_city": message_in("button", "Place"),
    "recruit": message_in("button", "Recruit"),
    "move": message_in("button", "Move"),
    "build": message_in("button", "Build"),
    "new_city": message_in("button", "City"),
    "expedition": message_in("button", "Expedition"),
    "noble_title": message_in("button", "Title"),
    "cast": message_in("button", "Cast"),
    "pass": message_in("button", "Pass"),
}
"""What the buttons of actions say: one word, of about ten letters at most."""

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


OPTION_FIELDS: Final[Sequence[OptionField]] = (
    NumberField(
        "round_limit",
        message_in("label", "last round"),
        message(
            "The game ends when this round is complete; without a number, it goes on until there is a duke."
        ),
        1,
        MOST_ROUNDS,
    ),
    FlagField(
        "end_by_agreement",
        message_in("label", "end by agreement"),
        message(
            "The game ends after the current round if all players who are still in it ask for it."
        ),
    ),
)
