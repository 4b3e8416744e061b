"""Receivers of webhooks: a real HTTP server that keeps its requests, and one that breaks the protocol."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from typing_extensions import override


@dataclass
class ReceivedRequest:
    """A request: its headers, with names in lower case, and its decoded body."""

    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class WebhookReceiver:
    """A receiver: the `requests` that it got, and the `statuses` of its next responses; after those, 204."""

    url: str = ""
    """The URL, which contains a user name and a password."""
    requests: list[ReceivedRequest] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    location: str = ""
    """The target of redirects."""
    delay: float = 0.0
    """Seconds before each response."""
    slow_headers: int = 0
    """How many further headers to send, one every tenth of a second."""


@contextmanager
def webhook_receiver() -> Iterator[WebhookReceiver]:
    """A receiver that listens on this machine."""
    receiver = WebhookReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.requests.append(ReceivedRequest(headers, json.loads(body)))
            time.sleep(receiver.delay)
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
            if receiver.location:
                self.send_header("Location", receiver.location)
            for number in range(receiver.slow_headers):
                self.send_header(f"X-{number}", "slow")
                self.flush_headers()
                time.sleep(0.1)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        @override
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore clients that hang up."""

    with Server(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://somebody:secret-word@127.0.0.1:{server.server_address[1]}/notes"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def raw_receiver(respond: Callable[[socket.socket], None]) -> Iterator[str]:
    """A receiver that writes anything as its response; the value is its URL.

    `respond` is called with the connection when a request has begun to arrive. It is stopped by an error
    when the client disconnects.
    """

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    respond(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield f"http://somebody:secret-word@127.0.0.1:{listener.getsockname()[1]}/notes"
        finally:
            # Closing the listener would not end `accept`.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
