"""The page of a game whose parts arrive one after the other, as from a slow network."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import sleep

import httpx
import pytest
from playwright.sync_api import ViewportSize
from typing_extensions import override

from tests.support.browsing import Visitors

PAUSE_SECONDS = 1.0
END_OF_BOARD = b'<div class="rail">'
END_OF_BOARD_IN_REPLAY = b'<div id="step"'
OBSERVE = """() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shift += value;
    }).observe({ type: "layout-shift", buffered: true });
}"""


@contextmanager
def _pausing(site: str, marker: bytes) -> Iterator[str]:
    """Pass requests on to a site; pages pause before the marker. Yields the address."""
    paused = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            response = httpx.get(f"{site}{self.path}", headers={"Accept-Language": "en"})
            self.send_response(response.status_code)
            for name in ("content-type", "content-security-policy"):
                if name in response.headers:
                    self.send_header(name, response.headers[name])
            self.end_headers()
            first, separator, second = response.content.partition(marker)
            # The browser leaves what it no longer needs.
            with suppress(BrokenPipeError):
                self.wfile.write(first)
                if separator:
                    paused.set()
                    sleep(PAUSE_SECONDS)
                    self.wfile.write(separator + second)

        @override
        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
        assert paused.is_set()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("query", "marker"), [("", END_OF_BOARD), ("?seq=4", END_OF_BOARD_IN_REPLAY)]
)
def test_the_table_moves_nothing_while_its_page_arrives(
    visitors: Visitors, query: str, marker: bytes
) -> None:
    game, _ = visitors.accounts.start_game()
    visitor = visitors.new(phone=True, fresh=True)
    visitor.page.set_viewport_size(ViewportSize(width=390, height=844))
    with _pausing(visitors.site.url, marker) as address:
        # Only pages and their files are passed on.
        visitor.leave()
        # The styles are kept by the browser, so that nothing else holds the first picture back.
        visitor.page.goto(f"{address}/games/{game}{query}")
        visitor.page.goto(f"{address}/games/{game}{query}", wait_until="load")
        visitor.page.evaluate(OBSERVE)
        visitor.page.wait_for_timeout(300)
        assert visitor.page.evaluate("window.shift") == 0
