"""Gets a player's receipts from a server, and checks each before it is kept."""

from collections.abc import Iterator
from typing import Any, Final, Self

import httpx

from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import decode_any
from ledger.envelope import is_game_id, is_hash, is_positive, is_timestamp, is_word
from ledger.keys import BadSignature, check_statement
from replay.http_errors import request_error_reason

PREFIX: Final = "/api/v1"
SECONDS: Final = 30.0
PAGE_SIZE: Final = 500
MAX_RESPONSE_BYTES: Final = 1 << 22
MAX_PAGES: Final = 100_000
_FIELDS: Final = {
    "game": is_game_id,
    "seq": is_positive,
    "hash": is_hash,
    "at": is_timestamp,
    "key": is_word,
    "signature": is_word,
}


class ReceiptsError(CartularyError):
    """A server does not respond, refuses the request, or responds with something else than receipts."""


def receipt_fault(receipt: object) -> Message | None:
    """Return why a value does not have the form of a receipt; None if it has.

    The signature is not checked.
    """
    if not isinstance(receipt, dict):
        return message("it is not a JSON object")
    for name, is_valid in _FIELDS.items():
        if not is_valid(receipt.get(name)):
            return message("its field {field} is missing or invalid", field=name)
    if unknown := receipt.keys() - _FIELDS.keys():
        return message("it has an unknown field {field}", field=min(unknown))
    return None


class ReceiptClient:
    """Reads the receipts of one player. Every method raises ReceiptsError."""

    def __init__(self, url: str, token: str, transport: httpx.BaseTransport | None = None) -> None:
        """Prepare for requests to the server at a URL, with the player's token."""
        headers = {"Authorization": f"Bearer {token}"}
        base_url = url.rstrip("/") + PREFIX
        try:
            self._http = httpx.Client(
                base_url=base_url, headers=headers, timeout=SECONDS, transport=transport
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise ReceiptsError(
                message(
                    "the URL or the token cannot be sent: {reason}",
                    reason=request_error_reason(error),
                )
            ) from None
        self.left_out = 0
        """Actions without a receipt on the pages so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def pages(self, game: str | None = None) -> Iterator[list[JsonObject]]:
        """Yield the player's receipts of one game or of all, page by page; their signatures are valid.

        A receipt that the server's published keys have not signed raises ReceiptsError.
        """
        keys = self._keys()
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params: dict[str, str | int] = {"limit": PAGE_SIZE}
            params |= {} if game is None else {"game": game}
            params |= {} if cursor is None else {"cursor": cursor}
            page = self._get("/me/receipts", params)
            receipts, left_out, cursor = (
                page.get("receipts"),
                page.get("left_out"),
                page.get("next"),
            )
            if not isinstance(receipts, list) or type(left_out) is not int:
                raise ReceiptsError(message("the server's response is not a page of receipts"))
            self.left_out += left_out
            yield [_checked(receipt, keys) for receipt in receipts]
            if cursor is None:
                return
            if not isinstance(cursor, str):
                raise ReceiptsError(message("the server's response is not a page of receipts"))
        raise ReceiptsError(
            message("the server has more than {limit} pages of receipts", limit=MAX_PAGES)
        )

    def _keys(self) -> list[JsonObject]:
        entries = self._get("/keys", {}).get("keys")
        if not isinstance(entries, list) or not all(
            isinstance(entry, dict) and is_word(entry.get("key")) and is_word(entry.get("public"))
            for entry in entries
        ):
            raise ReceiptsError(message("the server's list of keys cannot be read"))
        return entries

    def _get(self, path: str, params: dict[str, str | int]) -> dict[str, Any]:
        """Return the JSON object of a response of at most MAX_RESPONSE_BYTES."""
        body = bytearray()
        try:
            with self._http.stream("GET", path, params=params) as response:
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise ReceiptsError(message("the server's response is too long"))
                status = response.status_code
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ReceiptsError(
                message("the server does not respond: {reason}", reason=request_error_reason(error))
            ) from None
        if status == 401:
            raise ReceiptsError(message("the server does not accept the token"))
        if status == 404 and "game" in params:
            raise ReceiptsError(
                message(
                    "the server has no game {game} that the player may see", game=params["game"]
                )
            )
        if status != 200:
            raise ReceiptsError(
                message(
                    "the server responds to GET {path} with status {status}",
                    path=PREFIX + path,
                    status=status,
                )
            )
        try:
            value = decode_any(bytes(body))
        except Unreadable as error:
            raise ReceiptsError(
                message("the server's response cannot be read: {reason}", reason=error.why)
            ) from None
        if not isinstance(value, dict):
            raise ReceiptsError(message("the server's response is not a JSON object"))
        return value


def _checked(receipt: object, keys: list[JsonObject]) -> JsonObject:
    if (fault := receipt_fault(receipt)) is not None:
        raise ReceiptsError(
            message("the server returned something that is not a receipt: {reason}", reason=fault)
        )
    assert isinstance(receipt, dict), "receipt_fault has checked it"
    try:
        check_statement(receipt, keys)
    except BadSignature as bad:
        raise ReceiptsError(
            message(
                "the server returned a receipt for event {seq} of game {game} that is not valid: {reason}",
                seq=receipt["seq"],
                game=receipt["game"],
                reason=bad.message,
            )
        ) from None
    return receipt
