"""The form that filters the list of open games: its fields, and the filter that they stand for."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from domain.lifecycle import seat_counts
from domain.messages import Text, message_in
from domain.registry import rule_systems
from service.games.game_filter import PACES, GameFilter, Pace
from service.http.schemas.fields import whole_number

FIELDS: Final = ("rules", "seats", "free", "clock")
"""The names of the fields, as parameters of the address. `rules` is the own name of a rule system."""
PACE_LABELS: Final[Mapping[Pace, Text]] = {
    "none": message_in("filter", "no time limit"),
    "hour": message_in("filter", "at most an hour for each turn"),
    "day": message_in("filter", "at most a day for each turn"),
    "slow": message_in("filter", "more than a day for each turn"),
}


def chosen_values(arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the form that an address has; empty ones are left out."""
    return {name: value for name in FIELDS if (value := arguments.get(name, ""))}


def filter_of(values: Mapping[str, str]) -> GameFilter:
    """Return the filter that the values of the form stand for. A value that is none is no condition."""
    entry = rule_systems().get(values.get("rules", ""))
    pace = next((pace for pace in PACES if pace == values.get("clock")), None)
    return GameFilter(
        rules=None if entry is None else entry.rules,
        expansions={} if entry is None else entry.options,
        seats=whole_number(values.get("seats", "")),
        pace=pace,
        free=whole_number(values.get("free", "")),
    )


def filter_query(values: Mapping[str, str]) -> str:
    """Return the values of the form as the end of a query, such as `&rules=baron`."""
    return "".join(f"&{urlencode({name: value})}" for name, value in values.items())


def all_seat_counts() -> list[int]:
    """Return the numbers of seats that any game allows, in order."""
    return sorted(
        {seats for entry in rule_systems().values() for seats in seat_counts(entry.system)}
    )
