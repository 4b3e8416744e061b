"""Checks the settings of a new game: the rules' own checks, its clock, and its bots."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.contract import AnyRuleSystem
from domain.errors import Malformed
from domain.json_fields import is_integer, one_of
from domain.lifecycle import check_options
from domain.messages import Message, Text, message, plural_message
from domain.options import range_faults
from domain.registry import rule_system_for
from ledger.clock.settings import clock_faults
from replay.bots.playout import bot_names

DEFAULT_BOT: Final = "sensible"
"""The bot that every rule system has (`RuleSystem.BOTS`)."""
MAX_BOTS: Final = 16
"""The most bots of a new game whose names are checked. The number of places depends on the game."""


def settings_faults(
    rules: object, seats: object, options: object, clock: object, bots: object, least_seconds: int
) -> dict[str, Text]:
    """Return the faults of the settings of a new game, by field. The arguments can have any type.

    `least_seconds` is the least time for each turn that this server allows.
    """
    known_options = options if isinstance(options, Mapping) else {}
    faults: dict[str, Text] = {}
    try:
        check_options(rules, seats, known_options)
    except Malformed as error:
        faults |= error.fields
    faults = {**range_faults(known_options), **faults}
    faults |= _short_turn_faults(clock, least_seconds) | clock_faults(clock)
    if bots and known_options.get("rated") is True:
        faults.setdefault("options.rated", message("a game with bots is not rated"))
    if isinstance(bots, list | tuple):
        faults |= _bot_faults(rules, seats, known_options, bots[:MAX_BOTS])
    return faults


def bot_fault(rules: AnyRuleSystem, bot: object) -> Message | None:
    """Return the fault of the name of a bot for these rules; None if the bot exists."""
    names = bot_names(rules)
    return None if bot in names else one_of(names)


def _bot_faults(
    rules: object, seats: object, options: Mapping[str, object], bots: Sequence[object]
) -> dict[str, Text]:
    """Return the faults of the bots of a new game, by field.

    There are none if rules, seats or options are unknown, which is another fault.
    """
    try:
        system = rule_system_for(rules, options)
    except Malformed:
        return {}
    faults: dict[str, Text] = {}
    if isinstance(seats, int) and len(bots) >= max(seats, 1):
        faults["bots"] = plural_message(
            "must name at most one bot", "must name at most {count} bots", count=max(seats, 1) - 1
        )
    for index, bot in enumerate(bots):
        if fault := bot_fault(system, bot):
            faults[f"bots.{index}"] = fault
    return faults


def _short_turn_faults(clock: object, least: int) -> dict[str, Text]:
    """Return the faults of a clock that leaves less than `least` seconds for a turn, by field.

    The least time of a turn is the time for each turn plus the increment, when the time bank is used up.
    A clock that is invalid in another way has no fault here.
    """
    if least <= 1 or not isinstance(clock, Mapping):
        return {}
    per_turn, increment = clock.get("per_turn", 0), clock.get("increment", 0)
    if not is_integer(per_turn) or not is_integer(increment) or per_turn + increment >= least:
        return {}
    return {
        "clock.per_turn": message(
            "must leave at least {least} seconds for each turn on this server", least=least
        )
    }
