"""Responses with an ETag, which a server need not send again while they have not changed."""

from collections.abc import Mapping
from typing import Any, Final

from client.errors import MAX_LINE
from client.requests import Call
from client.retries import Response

MAX_RESPONSES: Final = 64
MAX_BODY_BYTES: Final = 64 << 10


class ResponseCache:
    """The latest responses with an ETag of one client, by request and token.

    At most MAX_RESPONSES with bodies of at most MAX_BODY_BYTES each are kept. Threads may share it.
    """

    def __init__(self) -> None:
        self._responses: dict[object, Response] = {}

    def headers(self, call: Call[Any], token: str | None) -> Mapping[str, str]:
        """Return the header of a request whose response is in the cache; otherwise none."""
        cached = self._responses.get(_key(call, token))
        return {} if cached is None or cached.etag is None else {"If-None-Match": cached.etag}

    def complete(self, call: Call[Any], token: str | None, response: Response) -> Response:
        """Return a response, in place of a 304 the cached one; keep one that has an ETag."""
        if call.method != "GET" or call.is_record:
            return response
        key = _key(call, token)
        if response.status == 304:
            cached = self._responses.get(key)
            return response if cached is None else cached
        is_short = len(response.body) <= MAX_BODY_BYTES and len(response.etag or "") <= MAX_LINE
        if response.status == 200 and response.etag and is_short:
            self._responses.pop(key, None)
            self._responses[key] = response
            while len(self._responses) > MAX_RESPONSES:
                self._responses.pop(next(iter([*self._responses])), None)
        return response


def _key(call: Call[Any], token: str | None) -> object:
    return call.method, call.path, tuple(sorted(call.params.items())), token
