"""Times on pages, in the language of the visitor. Servers do not know time zones, so they are in UTC."""

from datetime import UTC, datetime
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_datetime
from markupsafe import Markup

from replay.language.catalogue import ENGLISH
from service.http.language import request_language


def moment(timestamp: str) -> Markup:
    """Return a timestamp as a `<time>` element, such as `22 Nov 2026, 10:53:00 UTC`."""
    at = datetime.fromisoformat(timestamp).astimezone(UTC)
    text = format_datetime(at, "medium", locale=_locale(request_language()))
    return Markup('<time datetime="{}">{} UTC</time>').format(timestamp, text)


@lru_cache(maxsize=32)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language)
    except UnknownLocaleError:
        return Locale.parse(ENGLISH)
