"""Times on pages, in the language and the time zone of the visitor."""

from markupsafe import Markup

from domain.messages import Instant
from service.http.language import request_renderer


def moment(timestamp: str, *, is_exact: bool = False) -> Markup:
    """Return a timestamp as a `<time>` element, such as `Sun, Nov 22, 2026, 10:53 AM (Europe/Paris)`.

    It is shown to the minute, or to the millisecond.
    """
    text = request_renderer()(Instant(timestamp, is_exact))
    return Markup('<time datetime="{}">{}</time>').format(timestamp, text)
