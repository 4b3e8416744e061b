"""A receiver of webhooks: a real HTTP server that keeps what is posted to it and answers as it is told."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from typing_extensions import override


class Receiver:
    """What came in: (headers in lower case, decoded body) each. `statuses` are answered in turn, then 204."""

    def __init__(self) -> None:
        self.posts: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.statuses: list[int] = []
        self.delay = 0.0
        self.url = ""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A receiver that listens on this machine."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.posts.append(
                ({name.lower(): value for name, value in self.headers.items()}, json.loads(body))
            )
            time.sleep(state.delay)
            self.send_response(state.statuses.pop(0) if state.statuses else 204)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://somebody:secret-word@127.0.0.1:{server.server_address[1]}/notes"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
