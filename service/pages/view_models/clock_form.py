"""The part of the form for a new game that is about its clock.

The names of the fields are `clock` (seconds for each turn) and `clock-NAME`, where NAME is a field of the
clock or of `on_deadline`; the night has the two fields `clock-night_from` and `clock-night_to`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.clock.messages import time_amount
from domain.json_types import JsonObject
from domain.messages import Amount
from domain.option_fields import entered_number
from ledger.clock.settings import MOST_EXCUSED, MOST_MISSED
from ledger.clock.time_zones import time_zone_names

CLOCK: Final = "clock"
FIELD: Final = "clock-"
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
BANKS: Final = (_HOUR, 8 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY)
"""The time banks that the form offers, in seconds."""
INCREMENTS: Final = (60, 600, _HOUR, 4 * _HOUR, 8 * _HOUR, _DAY)
"""The increments of a time bank that the form offers, in seconds."""
USUAL_EXCUSED: Final = 1
USUAL_REMOVE_AFTER: Final = 3
"""What the form proposes for missed turns: one is excused, and the third in a row costs the seat."""


@dataclass(frozen=True, slots=True)
class ClockForm:
    """What the template of the fields needs."""

    time_zone: str
    """The time zone that is chosen at first."""
    banks: tuple[int, ...] = BANKS
    increments: tuple[int, ...] = INCREMENTS
    usual_excused: int = USUAL_EXCUSED
    usual_remove_after: int = USUAL_REMOVE_AFTER
    most_excused: int = MOST_EXCUSED
    most_missed: int = MOST_MISSED

    @property
    def time_zones(self) -> list[str]:
        """The names of all time zones."""
        return sorted(time_zone_names())

    @staticmethod
    def amount(seconds: int) -> Amount:
        """Return a time in words."""
        return time_amount(seconds)


def clock_of(values: Mapping[str, str]) -> JsonObject | None:
    """Return the clock that the values of the form stand for; None without a time for turns and a time bank.

    What is not a number is left as it was entered, for the checks of the API to refuse it.
    """
    clock: JsonObject = {}
    for name, field in (("per_turn", CLOCK), ("bank", f"{FIELD}bank")):
        if text := values.get(field, ""):
            clock[name] = entered_number(text)
    if not clock:
        return None
    if "bank" in clock and (text := values.get(f"{FIELD}increment", "")):
        clock["increment"] = entered_number(text)
    night = [values.get(f"{FIELD}night_{end}", "") for end in ("from", "to")]
    if any(night):
        clock["nights"] = night
    for name in ("weekends", "holidays"):
        if values.get(FIELD + name):
            clock[name] = True
    if ("nights" in clock or "weekends" in clock) and (zone := values.get(f"{FIELD}time_zone", "")):
        clock["time_zone"] = zone
    on_deadline = _on_deadline(values)
    return {**clock, "on_deadline": on_deadline} if on_deadline else clock


def _on_deadline(values: Mapping[str, str]) -> JsonObject:
    """Return the settings for a deadline that differ from the defaults of the API."""
    chosen: JsonObject = {}
    for name, default in (("placement", "bot"), ("turn", "forfeit")):
        if (text := values.get(FIELD + name, default)) != default:
            chosen[name] = text
    for name in ("excused", "remove_after"):
        if text := values.get(FIELD + name, ""):
            chosen[name] = entered_number(text)
    return chosen


def field_of_fault(path: str) -> str:
    """Return the name of the field of the form that a fault of the clock is about, by its path."""
    match path.split(".")[1:]:
        case ["on_deadline", name]:
            return FIELD + name
        case ["nights"]:
            return f"{FIELD}night_from"
        case ["bank" | "increment" | "time_zone" as name]:
            return FIELD + name
        case _:
            return CLOCK
