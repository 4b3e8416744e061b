"""The options that every game has, whatever its rules are: which values they can have, and their defaults."""

import re
from collections.abc import Mapping
from typing import Final

from domain.event import Options
from domain.game_names import name_fault
from domain.json_fields import one_of
from domain.json_types import GAME_ID
from domain.messages import Text, message

SEATINGS: Final = ("drawn", "joined")
COMMON_OPTIONS: Final = (
    *("seating", "private", "takebacks", "substitutes", "tutorial"),
    *("name", "rematch_of"),
)
"""The options of every game."""


def check_common_options(options: Mapping[str, object]) -> tuple[Options, dict[str, Text]]:
    """The common ones of some options with their defaults, and what is wrong with them, by field.

    An option that a game can do without is left out: `takebacks`, `substitutes` and `tutorial` if they are
    false, `name` and `rematch_of` if they are missing or null.
    """
    faults: dict[str, Text] = {}
    seating = options.get("seating", "drawn")
    private = options.get("private", False)
    takebacks = options.get("takebacks", False)
    substitutes = options.get("substitutes", False)
    tutorial = options.get("tutorial", False)
    name, rematch_of = options.get("name"), options.get("rematch_of")
    if seating not in SEATINGS:
        faults["options.seating"] = one_of(SEATINGS)
    if not isinstance(private, bool):
        faults["options.private"] = message("must be true or false")
    if not isinstance(takebacks, bool):
        faults["options.takebacks"] = message("must be true or false")
    if not isinstance(substitutes, bool):
        faults["options.substitutes"] = message("must be true or false")
    if not isinstance(tutorial, bool):
        faults["options.tutorial"] = message("must be true or false")
    if name is not None and (fault := name_fault(name)) is not None:
        faults["options.name"] = fault
    if rematch_of is not None and not _is_game_id(rematch_of):
        faults["options.rematch_of"] = message("must be the id of a game")
    checked: Options = {
        "seating": "joined" if seating == "joined" else "drawn",
        "private": private is True,
    }
    if takebacks is True:
        checked["takebacks"] = True
    if substitutes is True:
        checked["substitutes"] = True
    if tutorial is True:
        checked["tutorial"] = True
    if isinstance(name, str):
        checked["name"] = name
    if isinstance(rematch_of, str):
        checked["rematch_of"] = rematch_of
    return checked, faults


def _is_game_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(GAME_ID, value) is not None
