"""The time zones of the IANA database, as the package `tzdata` has them.

They are not taken from the operating system: so every process of a service, and everybody who audits a record
with the same version of `tzdata`, counts time in the same way.
"""

from functools import cache, lru_cache
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo

UTC_NAME: Final = "UTC"
_CACHED_ZONES: Final = 700
"""More than the database has."""


@cache
def time_zone_names() -> frozenset[str]:
    """Return the names of all time zones, such as `Europe/Paris`."""
    names = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return frozenset(names.split())


def is_time_zone(value: object) -> bool:
    """Return whether the value is the name of a time zone."""
    return isinstance(value, str) and value in time_zone_names()


@lru_cache(_CACHED_ZONES)
def time_zone(name: str) -> ZoneInfo:
    """Return the time zone with this name. Raises ValueError if there is none."""
    if name not in time_zone_names():
        raise ValueError(f"there is no time zone {name!r}")
    *folders, file = name.split("/")
    path = resources.files("tzdata").joinpath("zoneinfo", *folders, file)
    with path.open("rb") as stream:
        return ZoneInfo.from_file(stream, key=name)
