"""Requests to the transparency log of a server, with bounds on what it may answer."""

from collections.abc import Sequence
from typing import Any, Final, Self

import httpx

from domain.errors import CartularyError, Unreadable
from domain.messages import Message, message
from ledger.canonical import decode_any, unhex
from ledger.merkle import HASH_BYTES, MAX_PATH
from ledger.signed_note import SignedNote
from replay.http_errors import request_error_reason

PREFIX: Final = "/api/v1"
SECONDS: Final = 20.0
MAX_RESPONSE_BYTES: Final = 1 << 20
PAGE_LEAVES: Final = 2_048
_MAX_KEYS: Final = 1_000
_MAX_EPOCHS: Final = 1_000


class ServerUnreachable(CartularyError):
    """The server does not respond, or says that it cannot respond now."""


class ServerRefused(CartularyError):
    """The server responded with something else than what was asked for."""


class LogClient:
    """Reads the log of the server at a URL. Every method raises ServerUnreachable and ServerRefused."""

    def __init__(
        self, url: str, transport: httpx.BaseTransport | None = None, *, language: str = "en"
    ) -> None:
        """Prepare for requests to a server, whose problems are to be in this language."""
        self._http = httpx.Client(
            base_url=url.rstrip("/") + PREFIX,
            headers={"Accept-Language": language},
            timeout=SECONDS,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def checkpoint(self) -> SignedNote:
        """Return the latest checkpoint; its signatures are not checked."""
        body = self._request("GET", "/log/checkpoint")
        try:
            return SignedNote.parse(body)
        except Unreadable as error:
            raise ServerRefused(
                message("the server's checkpoint cannot be read: {reason}", reason=error.why)
            ) from None

    def public_keys(self) -> list[bytes]:
        """Return all public keys that the server publishes."""
        entries = self._json("/keys").get("keys")
        if not isinstance(entries, list) or len(entries) > _MAX_KEYS:
            raise ServerRefused(message("the server's list of keys cannot be read"))
        return _hashes([entry.get("public") for entry in entries if isinstance(entry, dict)])

    def consistency_path(self, first: int, second: int) -> list[bytes]:
        """Return the consistency path between two sizes of the log; it is not checked."""
        answer = self._json("/log/proofs/consistency", **{"from": first, "to": second})
        path = answer.get("path")
        if not isinstance(path, list) or len(path) > MAX_PATH:
            raise ServerRefused(message("the server's consistency proof cannot be read"))
        return _hashes(path)

    def leaf_hashes(self, after: int, count: int) -> list[bytes]:
        """Return the hashes of at most `count` leaves from leaf `after` on; they are not checked."""
        leaves = self._json("/log/leaves", after=after, limit=min(count, PAGE_LEAVES)).get("leaves")
        if not isinstance(leaves, list) or not 0 < len(leaves) <= count:
            raise ServerRefused(
                message("the server does not show leaf {leaf} of its log", leaf=after)
            )
        return _hashes(leaves)

    def epochs(self) -> list[SignedNote]:
        """Return the declarations of new epochs of the log; they are not checked."""
        epochs = self._json("/log/epochs").get("epochs")
        if not isinstance(epochs, list) or len(epochs) > _MAX_EPOCHS:
            raise ServerRefused(message("the server's list of epochs cannot be read"))
        try:
            return [SignedNote.parse(str(note)) for note in epochs]
        except Unreadable as error:
            raise ServerRefused(
                message("the server's list of epochs cannot be read: {reason}", reason=error.why)
            ) from None

    def submit(self, note: SignedNote) -> None:
        """Submit the cosignatures of a checkpoint."""
        self._request("POST", "/log/cosignatures", json={"checkpoint": str(note)})

    def _json(self, path: str, **params: int) -> dict[str, Any]:
        try:
            answer = decode_any(self._request("GET", path, params=params))
        except Unreadable as error:
            raise ServerRefused(
                message("the server's response cannot be read: {reason}", reason=error.message)
            ) from None
        if not isinstance(answer, dict):
            raise ServerRefused(message("the server's response is not a JSON object"))
        return answer

    def _request(self, method: str, path: str, **options: Any) -> bytes:
        """Return the body of a response of at most MAX_RESPONSE_BYTES."""
        body = bytearray()
        try:
            with self._http.stream(method, path, **options) as response:
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise ServerRefused(message("the server's response is too long"))
                status = response.status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerUnreachable(
                message("the server does not respond: {reason}", reason=request_error_reason(error))
            ) from None
        if status == 429 or status >= 500:
            raise ServerUnreachable(_refusal(status, body))
        if status != 200:
            raise ServerRefused(_refusal(status, body))
        return bytes(body)


def _hashes(values: Sequence[object]) -> list[bytes]:
    """Return values of a response that must be 32 bytes each. Raises ServerRefused."""
    try:
        hashes = [unhex(value) for value in values]
    except ValueError:
        hashes = [b""]
    if any(len(hash) != HASH_BYTES for hash in hashes):
        raise ServerRefused(
            message("the server's response contains a hash that is not 32 bytes in hex")
        )
    return hashes


def _refusal(status: int, body: bytes | bytearray) -> Message:
    """Return the status of a response and the sentence of its problem, cut to a line."""
    try:
        answer = decode_any(bytes(body))
    except Unreadable:
        answer = None
    detail = answer.get("detail") if isinstance(answer, dict) else None
    if not isinstance(detail, str):
        return message("the server responds with {status}", status=status)
    return message(
        "the server responds with {status}: {detail}", status=status, detail=detail[:200]
    )
