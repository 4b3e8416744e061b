"""The terms of Barony, as values of messages. The catalogues of translations have their forms and genders."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from domain.barony.components import Building, Rank, Resource, Terrain
from domain.messages import Term, Text, message, term

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
