"""Times on pages, in the language of the visitor. Servers do not know time zones, so they are in UTC."""

from datetime import UTC, datetime

from babel.dates import format_datetime
from markupsafe import Markup

from service.http.language import locale_of, request_language


def moment(timestamp: str) -> Markup:
    """Return a timestamp as a `<time>` element, such as `22 Nov 2026, 10:53:00 UTC`."""
    at = datetime.fromisoformat(timestamp).astimezone(UTC)
    text = format_datetime(at, "medium", locale=locale_of(request_language()))
    return Markup('<time datetime="{}">{} UTC</time>').format(timestamp, text)
