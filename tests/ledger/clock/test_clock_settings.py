"""The settings of a clock that determine which time counts: the valid ones, and the faults of others."""

from typing import Any

import pytest

from ledger.clock.settings import MAX_SECONDS, time_faults
from replay.language.renderer import english

SECONDS = "must be a whole number of seconds, 1 to 31536000"
TIMES = "must be a list of two local times, such as 22:00 and 08:00"
BOOLEAN = "must be true or false"


@pytest.mark.parametrize(
    "clock",
    [
        {"per_turn": 1},
        {"per_turn": MAX_SECONDS, "bank": MAX_SECONDS, "increment": MAX_SECONDS},
        {"bank": 60},
        {"bank": 60, "increment": 0},
        {"per_turn": 60, "time_zone": "Australia/Lord_Howe", "weekends": True, "holidays": False},
        {"per_turn": 60, "nights": ["22:00", "08:00"]},
        {"per_turn": 60, "nights": ["00:00", "23:00"]},
    ],
)
def test_valid_settings_have_no_faults(clock: dict[str, Any]) -> None:
    assert time_faults(clock) == {}


@pytest.mark.parametrize(
    ("clock", "field", "fault"),
    [
        ({}, "per_turn", "is missing: a clock needs a time for each turn, or a time bank"),
        ({"per_turn": 0}, "per_turn", SECONDS),
        ({"per_turn": True}, "per_turn", SECONDS),
        ({"per_turn": 60.0}, "per_turn", SECONDS),
        ({"per_turn": None, "bank": 5}, "per_turn", SECONDS),
        ({"per_turn": MAX_SECONDS + 1}, "per_turn", SECONDS),
        ({"bank": 0}, "bank", SECONDS),
        ({"bank": "1"}, "bank", SECONDS),
        (
            {"bank": 9, "increment": -1},
            "increment",
            "must be a whole number of seconds, 0 to 31536000",
        ),
        ({"per_turn": 9, "increment": 1}, "increment", "is only possible with a time bank"),
        (
            {"per_turn": 9, "time_zone": "Europe/Paname"},
            "time_zone",
            "must be the name of a time zone, such as Europe/Paris",
        ),
        (
            {"per_turn": 9, "time_zone": ["UTC"]},
            "time_zone",
            "must be the name of a time zone, such as Europe/Paris",
        ),
        ({"per_turn": 9, "nights": "22:00-08:00"}, "nights", TIMES),
        ({"per_turn": 9, "nights": ["22:00"]}, "nights", TIMES),
        ({"per_turn": 9, "nights": ["22:00", "24:00"]}, "nights", TIMES),
        ({"per_turn": 9, "nights": ["22:00", 8]}, "nights", TIMES),
        ({"per_turn": 9, "nights": ["22:00", "8:00"]}, "nights", TIMES),
        ({"per_turn": 9, "nights": None}, "nights", TIMES),
        (
            {"per_turn": 9, "nights": ["22:00", "22:00"]},
            "nights",
            "must be two different times: no time would ever count",
        ),
        (
            {"per_turn": 9, "nights": ["08:00", "07:01"]},
            "nights",
            "must leave at least one hour of each day",
        ),
        ({"per_turn": 9, "weekends": 1}, "weekends", BOOLEAN),
        ({"per_turn": 9, "holidays": "yes"}, "holidays", BOOLEAN),
    ],
)
def test_wrong_settings_are_named(clock: dict[str, Any], field: str, fault: str) -> None:
    faults = time_faults(clock)
    assert {name: english(text) for name, text in faults.items()} == {f"clock.{field}": fault}


def test_all_wrong_settings_are_named_together() -> None:
    clock = {"per_turn": 0, "increment": 1, "time_zone": 1, "nights": [], "weekends": 0}
    assert time_faults(clock).keys() == {
        *("clock.per_turn", "clock.increment", "clock.time_zone", "clock.nights", "clock.weekends")
    }
