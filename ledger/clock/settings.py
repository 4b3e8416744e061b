"""Validates the settings of a clock (docs/clocks.md).

Their defaults, and their effects at a deadline, are in `domain.clock.deadlines`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, get_args

from domain.json_fields import is_integer, one_of
from domain.messages import Text, message
from ledger.clock.counted_time import minutes_of_day
from ledger.clock.time_zones import is_time_zone

MAX_SECONDS: Final = 365 * 24 * 3600
"""The longest time that a clock may allow for a turn, or in a time bank."""
MAX_NIGHT_MINUTES: Final = 23 * 60
"""The longest night: at least an hour of each day counts, so that a deadline is never far away."""
TIME_FIELDS: Final = frozenset(
    {"per_turn", "bank", "increment", "time_zone", "nights", "weekends", "holidays"}
)
"""The fields of a clock that are checked here."""
_TIME_OF_DAY: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_NOT_BOOLEAN: Final = message("must be true or false")

Placement = Literal["bot", "remove"]
Turn = Literal["forfeit", "bot"]

PLACEMENTS: Final = get_args(Placement)
TURNS: Final = get_args(Turn)
MOST_EXCUSED: Final = 10
MOST_MISSED: Final = 20
"""The greatest number of missed deadlines after which a seat is removed, or a game is abandoned."""
_FIELDS: Final = ("placement", "turn", "excused", "remove_after", "abandon_after")


def clock_faults(raw: object) -> dict[str, Text]:
    """Return what is wrong with the clock settings of a request, by field; {} if they are valid."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        return {"clock": message("must be an object or null")}
    faults: dict[str, Text] = {
        f"clock.{name}": message("unknown field")
        for name in raw
        if name not in TIME_FIELDS and name != "on_deadline"
    }
    faults |= time_faults(raw)
    if "on_deadline" in raw:
        faults |= on_deadline_faults(raw["on_deadline"])
    return faults


def time_faults(raw: Mapping[str, object]) -> dict[str, Text]:
    """Return what is wrong with the TIME_FIELDS of clock settings, by field, as `clock.NAME`."""
    return {f"clock.{name}": fault for name, fault in _faults(raw)}


def _faults(raw: Mapping[str, Any]) -> Iterator[tuple[str, Text]]:
    if "per_turn" not in raw and "bank" not in raw:
        yield "per_turn", message("is missing: a clock needs a time for each turn, or a time bank")
    for name, least in (("per_turn", 1), ("bank", 1), ("increment", 0)):
        if name in raw and not _is_integer(raw[name], least):
            yield (
                name,
                message(
                    "must be a whole number of seconds, {least} to {most}",
                    least=least,
                    most=MAX_SECONDS,
                ),
            )
    if "increment" in raw and "bank" not in raw:
        yield "increment", message("is only possible with a time bank")
    if "time_zone" in raw and not is_time_zone(raw["time_zone"]):
        yield "time_zone", message("must be the name of a time zone, such as Europe/Paris")
    if "nights" in raw and (fault := _nights_fault(raw["nights"])) is not None:
        yield "nights", fault
    for name in ("weekends", "holidays"):
        if name in raw and not isinstance(raw[name], bool):
            yield name, _NOT_BOOLEAN


def _is_integer(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MAX_SECONDS


def _nights_fault(nights: object) -> Text | None:
    if not isinstance(nights, list) or len(nights) != 2:
        return message("must be a list of two local times, such as 22:00 and 08:00")
    if not all(isinstance(time, str) and _TIME_OF_DAY.fullmatch(time) for time in nights):
        return message("must be a list of two local times, such as 22:00 and 08:00")
    start, end = map(minutes_of_day, nights)
    if start == end:
        return message("must be two different times: no time would ever count")
    if (end - start) % (24 * 60) > MAX_NIGHT_MINUTES:
        return message("must leave at least one hour of each day")
    return None


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
        ("remove_after", 1, MOST_MISSED),
        ("abandon_after", 1, MOST_MISSED),
    ):
        if name not in raw or (name == "remove_after" and raw[name] is None):
            continue
        value: Any = raw[name]
        if not is_integer(value) or not least <= value <= most:
            faults[f"clock.on_deadline.{name}"] = message(
                "must be a whole number from {least} to {most}", least=least, most=most
            )
    return faults
