"""The least time for a turn that a server allows in the clocks of its games (a setting)."""

from collections.abc import Mapping

from domain.json_fields import is_integer
from domain.messages import Text, message


def short_turn_faults(clock: object, least: int) -> dict[str, Text]:
    """Return why a clock leaves less than `least` seconds for a turn, by field; {} if it does not.

    What a turn has at least is the time for each turn and the increment, when the time bank is used up. A
    clock that is invalid otherwise has no fault here.
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
