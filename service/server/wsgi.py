"""The WSGI side of a request (PEP 3333): its environ, and the response of the application."""

import io
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from flask import Flask

from service.server.http_request import HttpRequest

_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding", b"content-type"})


@dataclass(frozen=True, slots=True)
class AppResponse:
    """The response of the application. `parts` must be closed if it has a method `close`."""

    status: int
    headers: list[tuple[str, str]]
    parts: Iterable[bytes]

    @property
    def is_paged(self) -> bool:
        """Whether the body is produced while it is sent: its length is not known."""
        has_body = self.status not in (204, 304)
        return has_body and not any(name.lower() == "content-length" for name, _ in self.headers)

    def close(self) -> None:
        """Release the resources that the application holds for the body."""
        close = getattr(self.parts, "close", None)
        if close is not None:
            close()


def wsgi_environ(request: HttpRequest, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the WSGI environ of a request (PEP 3333), with additional keys."""
    path = request.raw_path
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1"),
        "QUERY_STRING": request.query.decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{request.http_version}",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "REMOTE_ADDR": request.address,
        "CONTENT_LENGTH": str(len(request.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": request.scheme,
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        **extra,
    }
    for name, value in request.headers:
        if name == b"content-type":
            environ["CONTENT_TYPE"] = value.decode("latin-1")
        elif name not in _BODY_HEADERS and b"_" not in name:
            # The body is complete, however it was transferred. Names with an underscore are left out, since
            # they would be mistaken for names with a hyphen.
            variable = "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
            text = value.decode("latin-1")
            environ[variable] = f"{environ[variable]},{text}" if variable in environ else text
    return environ


def call_app(app: Flask, environ: dict[str, Any]) -> AppResponse:
    """Call the application with a request, and return its response, which must be closed."""
    starts: list[tuple[int, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], error: object = None
    ) -> Callable[[bytes], object]:
        starts.append((int(status[:3]), headers))
        return _refuse_write

    parts = app.wsgi_app(environ, start_response)
    status, headers = starts[-1]
    return AppResponse(status, headers, parts)


def _refuse_write(data: bytes) -> object:
    raise NotImplementedError("the application returns its responses and does not write them")
