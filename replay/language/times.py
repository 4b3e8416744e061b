"""Times and days as people read them: in the words of a language, in a time zone that is named."""

from datetime import date, datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

from replay.language.catalogue import ENGLISH

if TYPE_CHECKING:
    from babel import Locale


@lru_cache(maxsize=32)
def locale_of(language: str) -> "Locale":
    """Return Babel's locale of a language, and that of English for one that Babel does not know."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language)
    except UnknownLocaleError:
        return Locale.parse(ENGLISH)


def instant_text(timestamp: str, language: str, zone: tzinfo, *, is_exact: bool) -> str | None:
    """Return a moment as text: `Mon, Nov 23, 2026, 9:15 AM (Europe/Paris)`; None if this is no timestamp.

    `is_exact` adds the seconds and milliseconds.
    """
    from babel.dates import format_skeleton, format_time

    locale = locale_of(language)
    try:
        local = datetime.fromisoformat(timestamp).astimezone(zone)
    except (ValueError, OverflowError, TypeError):
        return None
    pattern = _exact_pattern(language) if is_exact else "short"
    day = format_skeleton("yMMMEd", local.date(), locale=locale)
    return f"{day}, {format_time(local.time(), pattern, locale=locale)} ({zone_name(local)})"


def clock_text(timestamp: str, language: str, zone: tzinfo) -> tuple[str, str]:
    """Return the day of a moment, and its time of day with the abbreviation of the zone, for lists.

    `("Nov 20, 2026", "09:15:00 CET")`. Raises ValueError if this is no timestamp.
    """
    local = datetime.fromisoformat(timestamp).astimezone(zone)
    return _short_day(local.date(), language), f"{local:%H:%M:%S} {local.tzname() or ''}".rstrip()


@lru_cache(maxsize=1024)
def _short_day(day: date, language: str) -> str:
    from babel.dates import format_date

    return format_date(day, "medium", locale=locale_of(language))


def day_text(day: str, language: str) -> str | None:
    """Return a day as text, such as `Fri, Nov 20, 2026`; None if this is no date."""
    from babel.dates import format_skeleton

    try:
        return format_skeleton("yMMMEd", date.fromisoformat(day), locale=locale_of(language))
    except (ValueError, TypeError):
        return None


def zone_name(local: datetime) -> str:
    """Return the name of the time zone of a local time, from the IANA database, else its abbreviation."""
    key: str | None = getattr(local.tzinfo, "key", None)
    return key or local.tzname() or "UTC"


@lru_cache(maxsize=32)
def _exact_pattern(language: str) -> str:
    locale = locale_of(language)
    point = locale.number_symbols["latn"]["decimal"]
    pattern: str = locale.time_formats["medium"].pattern
    return pattern.replace("ss", f"ss'{point}'SSS")
