"""The terms of Sorcery, as values of messages. `domain.barony.terms` has those of the base game."""

from collections.abc import Mapping
from typing import Final

from domain.barony.components import Spell
from domain.messages import Term, Text, message, term

TITLE: Final = term("Barony: Sorcery")
DESCRIPTION: Final[Text] = message(
    "Barony with its expansion: knights find magic in mysterious places, and players spend it on spells that"
    " bend the rules of their actions."
)
MAGIC_TOKEN: Final = term(
    "magic token; plural: magic tokens; a: a magic token; the: the magic token"
)
IMPRINT: Final = term("imprint; plural: imprints; a: an imprint; the: the imprint")

SPELL_NAMES: Final[Mapping[Spell, Term]] = {
    "abundance": term("Abundance"),
    "celerity": term("Celerity"),
    "charm": term("Charm"),
    "illusion": term("Illusion"),
    "petrification": term("Petrification"),
    "portal": term("Portal"),
    "sanctuary": term("Sanctuary"),
    "teleportation": term("Teleportation"),
    "tornado": term("Tornado"),
}
