"""The choices of Sorcery in words: those of Barony, casts, and what mysterious places yield."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.barony.choice_messages import FIXED_MESSAGES as BASE_MESSAGES
from domain.barony.choice_messages import choice_message as base_choice_message
from domain.barony.choice_messages import terrain_at
from domain.barony.choices import DONE
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.choices import spells_of
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT, cost_of
from domain.barony.sorcery.terms import MAGIC_TOKEN, SPELL_NAMES
from domain.choices import Choice
from domain.hexes import Hex
from domain.messages import Message, Text, counted, hex_at, listing, message

SORCERY_MESSAGES: Final[Mapping[tuple[str, str], Message]] = {
    **BASE_MESSAGES,
    ("next_recruitment_site", DONE): message("no other knight is recruited"),
}
"""By question and value."""


def choice_message(position: BaronyPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice after those of `path` in words."""
    if choice.question == "spells":
        spells = spells_of(choice.value)
        return message(
            "{spells}, for {price}",
            spells=listing(SPELL_NAMES[spell] for spell in spells),
            price=counted(cost_of(spells), MAGIC_TOKEN),
        )
    if choice.at is not None and choice.question in ("destination", "way", "edge"):
        has_explored = any(
            earlier.at == choice.at for earlier in path if earlier.question == "destination"
        )
        magic = 0 if has_explored else _magic_of_arrival(position, choice.at)
        if magic:
            return message(
                "the mysterious place on {hex}, which yields {tokens}",
                hex=hex_at(choice.at),
                tokens=counted(magic, MAGIC_TOKEN),
            )
    return base_choice_message(position, choice, path, SORCERY_MESSAGES)


def _magic_of_arrival(position: BaronyPosition, at: Hex) -> int:
    """BS-MYS-2, 3: the magic tokens that the seat to act gains on the hex; 0 if it places no imprint."""
    imprinted = {player["seat"] for player in position["players"] if [*at] in player["imprints"]}
    if position["to_act"] in imprinted or terrain_at(position, at) != "mysterious_place":
        return 0
    return dict(enumerate(MAGIC_OF_A_VISIT)).get(len(imprinted), 0)
