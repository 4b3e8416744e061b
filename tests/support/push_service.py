"""A push service with a browser behind it, which decrypts what the service gets as a browser would."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import http_ece  # type: ignore[import-untyped] # has no annotations
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from typing_extensions import override

AUTH = b"0123456789abcdef"
"""The secret of the browser's subscription."""


@dataclass
class PushService:
    """A push service with one browser behind it."""

    url: str = ""
    browser: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    headers: list[dict[str, str]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    @property
    def p256dh(self) -> str:
        point = self.browser.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return encode(point)


def encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@contextmanager
def running_push_service() -> Iterator[PushService]:
    """A push service that listens on this machine."""
    push = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            push.headers.append({name.lower(): value for name, value in self.headers.items()})
            text = http_ece.decrypt(
                body, private_key=push.browser, auth_secret=AUTH, version="aes128gcm"
            )
            push.messages.append(json.loads(text))
            self.send_response(push.statuses.pop(0) if push.statuses else 201)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        push.url = f"http://127.0.0.1:{server.server_address[1]}/push/abc"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield push
        finally:
            server.shutdown()
            thread.join()
