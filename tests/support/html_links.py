"""The links on a page, for tests without a browser."""

import re
from html import unescape

LINK = re.compile(r'<a [^>]*href="([^"]+)"')


def links(text: str) -> list[str]:
    """Return the addresses of all links on a page."""
    return [unescape(address) for address in LINK.findall(text)]


def link_with_id(text: str, id: str) -> str | None:
    """Return the address of the link with an id; None if the page has none."""
    match = re.search(rf'<a id="{id}" [^>]*href="([^"]+)"', text)
    return None if match is None else unescape(match[1])
