"""What happens at a deadline, as the clock of a game says in its field `on_deadline`.

Everything about time, such as when the deadline is, is in ledger/turn_clock.py.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from domain.json_fields import is_integer, one_of
from domain.messages import Text, message

Placement = Literal["bot", "remove"]
Turn = Literal["forfeit", "bot"]

PLACEMENTS: Final = get_args(Placement)
TURNS: Final = get_args(Turn)
MOST_EXCUSED: Final = 10
MOST_MISSES: Final = 20
"""The greatest number of misses after which a seat is removed, or a game is abandoned."""
ABANDON_AFTER: Final = 2
"""After how many misses in a row of every seat a game is abandoned, unless its clock has another number."""
_FIELDS: Final = ("placement", "turn", "excused", "remove_after", "abandon_after")


def on_deadline_faults(raw: object) -> dict[str, Text]:
    """Return what is wrong with the field `on_deadline` of a clock, by field; {} if it is valid."""
    if not isinstance(raw, Mapping):
        return {"clock.on_deadline": message("must be an object")}
    faults: dict[str, Text] = {
        f"clock.on_deadline.{name}": message("unknown field") for name in raw if name not in _FIELDS
    }
    for name, words in (("placement", PLACEMENTS), ("turn", TURNS)):
        if name in raw and raw[name] not in words:
            faults[f"clock.on_deadline.{name}"] = one_of(words)
    for name, least, most in (
        ("excused", 0, MOST_EXCUSED),
        ("remove_after", 1, MOST_MISSES),
        ("abandon_after", 1, MOST_MISSES),
    ):
        if name not in raw or (name == "remove_after" and raw[name] is None):
            continue
        value: Any = raw[name]
        if not is_integer(value) or not least <= value <= most:
            faults[f"clock.on_deadline.{name}"] = message(
                "must be a whole number from {least} to {most}", least=least, most=most
            )
    return faults
