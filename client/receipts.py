"""A player's receipts: read from a server, and kept in a folder.

The folder has one file for each game, `GAME.receipts`, with a receipt as JSON in each line. The folder in
which `evidence` keeps receipts and nonces has such a folder for each server.

A receipt is never overwritten. If a server issues a second receipt for an event, with another hash, both are
proof that it has signed two histories: the new one goes into the file `GAME.conflicts.receipts`.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeVar

import platformdirs

from client.calls import server_keys
from client.errors import InvalidResponse
from client.requests import Call, call, reader
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import canonical, decode_any
from ledger.envelope import is_game_id, is_hash, is_positive, is_timestamp, is_word
from ledger.files.durable_files import replace_file
from ledger.files.os_errors import cannot_read, cannot_write
from ledger.keys import BadSignature, check_signed
from ledger.record import MAX_LINE_BYTES

T = TypeVar("T")

VARIABLE: Final = "CARTULARY_EVIDENCE"
SUFFIX: Final = ".receipts"
NONCES: Final = ".nonces"
CONFLICTS: Final = ".conflicts"
MAX_FILE_BYTES: Final = 1 << 24
PAGE_SIZE: Final = 500
MAX_PAGES: Final = 100_000
_FIELDS: Final = {
    "game": is_game_id,
    "seq": is_positive,
    "hash": is_hash,
    "at": is_timestamp,
    "key": is_word,
    "signature": is_word,
}


def user_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder in which the programs of this user keep evidence."""
    name = environ.get(VARIABLE)
    return (
        Path(name)
        if name
        else platformdirs.user_data_path("cartulary", appauthor=False) / "evidence"
    )


class ReceiptFileError(CartularyError):
    """A file of receipts cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A receipt that contradicts one that was kept before; `path` is the file that has the new one."""

    game: str
    seq: int
    path: Path


@dataclass(frozen=True, slots=True)
class Addition:
    """What `ReceiptFolder.add` did: how many receipts are new, how many were there, and the conflicts."""

    new: int
    existing: int
    conflicts: Sequence[Conflict]


class ReceiptFolder:
    """The receipts of one player on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, receipts: Iterable[JsonObject]) -> Addition:
        """Keep receipts, of one or several games. The caller has checked their form. Raises ReceiptFileError.

        Several programs may do this at the same time.
        """
        with locked(self.path):
            return self._add(receipts)

    def _add(self, receipts: Iterable[JsonObject]) -> Addition:
        by_game: dict[str, list[JsonObject]] = {}
        for receipt in receipts:
            by_game.setdefault(receipt["game"], []).append(receipt)
        new = existing = 0
        conflicts: list[Conflict] = []
        for game, of_game in by_game.items():
            path = self.path / f"{game}{SUFFIX}"
            by_seq = _by_seq(read_receipts(path))
            added: list[JsonObject] = []
            contradictory: list[JsonObject] = []
            for receipt in of_game:
                before = by_seq.setdefault(receipt["seq"], receipt)
                if before is receipt:
                    added.append(receipt)
                elif (before["hash"], before["at"]) == (receipt["hash"], receipt["at"]):
                    existing += 1
                else:
                    contradictory.append(receipt)
            new += len(added)
            append_lines(path, map(_line, added))
            conflicts += self._keep_conflicts(game, contradictory)
        return Addition(new, existing, conflicts)

    def _keep_conflicts(self, game: str, receipts: Sequence[JsonObject]) -> list[Conflict]:
        path = self.path / f"{game}{CONFLICTS}{SUFFIX}"
        existing = read_receipts(path) if receipts else []
        append_lines(path, [_line(receipt) for receipt in receipts if receipt not in existing])
        return [Conflict(game, receipt["seq"], path) for receipt in receipts]


def receipts_by_game(path: Path) -> dict[str, list[JsonObject]]:
    """Return all receipts in a folder or a file, by the game that they are for. Raises ReceiptFileError."""
    by_game: dict[str, list[JsonObject]] = {}
    for file in receipt_files(path) if path.is_dir() else [path]:
        for receipt in read_receipts(file):
            by_game.setdefault(str(receipt.get("game")), []).append(receipt)
    return by_game


def receipt_files(folder: Path) -> list[Path]:
    """Return the files of receipts in a folder, in order of their names."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def read_receipts(path: Path) -> list[JsonObject]:
    """Return the receipts in a file; none if there is no file. Raises ReceiptFileError."""
    try:
        with path.open("rb") as file:
            return list(receipts_in(file, str(path)))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ReceiptFileError(cannot_read(path, error)) from None


def receipts_in(file: BinaryIO, name: str) -> Iterator[JsonObject]:
    """Yield the receipts in a file: one in each line, or a single one as JSON, or a response to an action.

    Raises ReceiptFileError, which names the first line that is not a receipt.
    """
    text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise ReceiptFileError.with_message(
            "{file} has more than {limit} bytes", file=name, limit=MAX_FILE_BYTES
        )
    whole = _decode(text)
    no_receipt = message("{file} contains no receipt", file=name)
    if whole is not None:
        yield _receipt(whole, no_receipt)
        return
    if not text.strip():
        raise ReceiptFileError(no_receipt)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            no_receipt = message("{file}, line {line}, contains no receipt", file=name, line=number)
            yield _receipt(_decode(line), no_receipt)


def _decode(text: bytes) -> object:
    """Return the value of a JSON text that is not too long; None if the text is not JSON."""
    if len(text) > MAX_LINE_BYTES:
        return None
    try:
        value: object = decode_any(text)
    except Unreadable:
        return None
    return value


def _receipt(value: object, fault: Message) -> JsonObject:
    if isinstance(value, dict) and isinstance(value.get("receipt"), dict):
        value = value["receipt"]
    if not isinstance(value, dict) or "signature" not in value:
        raise ReceiptFileError(fault)
    return value


def kept_receipts(folder: Path) -> Iterator[tuple[Path, list[JsonObject]]]:
    """Yield the files of receipts of all servers, each with its receipts. Raises ReceiptFileError."""
    for path in sorted(folder.glob(f"*/*{SUFFIX}")):
        yield path, read_receipts(path)


def receipts_of_game(folder: Path, game: str) -> list[JsonObject]:
    """Return the receipts that are kept for a game, including contradictory ones. Raises ReceiptFileError."""
    paths = [*folder.glob(f"*/{game}{SUFFIX}"), *folder.glob(f"*/{game}{CONFLICTS}{SUFFIX}")]
    return [receipt for path in sorted(paths) for receipt in read_receipts(path)]


def nonces_of_game(folder: Path, game: str) -> list[JsonObject]:
    """Return the nonces that were sent in a game, as `{"game", "seq", "nonce", "commitment"}`.

    A line that cannot be read is left out. Raises ReceiptFileError.
    """
    entries = []
    for path in sorted(folder.glob(f"*/{game}{NONCES}")):
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise ReceiptFileError(cannot_read(path, error)) from None
        for line in lines:
            with suppress(Unreadable):
                if _is_nonce_entry(entry := decode_any(line), game):
                    entries.append(entry)
    return entries


def _is_nonce_entry(value: Any, game: str) -> bool:
    return (
        isinstance(value, dict)
        and value.get("game") == game
        and is_positive(value.get("seq"))
        and isinstance(value.get("nonce"), str)
        and (value.get("commitment") is None or is_hash(value["commitment"]))
    )


def _by_seq(receipts: Iterable[JsonObject]) -> dict[int, JsonObject]:
    return {receipt["seq"]: receipt for receipt in receipts if type(receipt.get("seq")) is int}


def _line(receipt: JsonObject) -> bytes:
    return canonical({"receipt": receipt})


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other writers, and create it if it does not exist. Raises ReceiptFileError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ReceiptFileError(cannot_write(folder, error)) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Add lines to a file atomically: a longer file replaces it.

    Raises ReceiptFileError.
    """
    added = b"".join(line + b"\n" for line in lines)
    if not added:
        return
    try:
        before = path.read_bytes() if path.exists() else b""
        separator = b"\n" if before and not before.endswith(b"\n") else b""
        replace_file(path, before + separator + added)
    except OSError as error:
        raise ReceiptFileError(cannot_write(path, error)) from None


@dataclass(frozen=True, slots=True)
class ReceiptPage:
    """A page of a player's receipts; `left_out` counts the actions on it that have none."""

    receipts: tuple[JsonObject, ...]
    left_out: int
    next: str | None


def receipt_page(game: str | None = None, cursor: str | None = None) -> Call[ReceiptPage]:
    """Return a page of the player's receipts, for one game or for all; they are not checked."""
    params = {"limit": PAGE_SIZE, "game": game, "cursor": cursor}
    return call("GET", "/me/receipts", reader(ReceiptPage), params=params)


class _Client(Protocol):
    def run(self, call: Call[T]) -> T: ...


def receipt_pages(client: _Client, game: str | None = None) -> Iterator[ReceiptPage]:
    """Yield the pages of the player's receipts, for one game or for all, with their signatures checked.

    Raises ClientError, also if a receipt is not signed by one of the server's published keys.
    """
    keys = [{"key": key.key, "public": key.public} for key in client.run(server_keys()).keys]
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = client.run(receipt_page(game, cursor))
        for receipt in page.receipts:
            check_receipt(receipt, keys)
        yield page
        cursor = page.next
        if cursor is None:
            return
    raise InvalidResponse.with_message(
        "the server has more than {limit} pages of receipts", limit=MAX_PAGES
    )


def check_receipt(receipt: JsonObject, keys: Sequence[JsonObject]) -> None:
    """Raise InvalidResponse unless this is a receipt, without further fields, that one of the keys signed."""
    fault: Message | None = None
    for name, is_valid in _FIELDS.items():
        if not is_valid(receipt.get(name)):
            fault = message("its field {field} is missing or invalid", field=name)
            break
    else:
        if unknown := receipt.keys() - _FIELDS.keys():
            fault = message("it has an unknown field {field}", field=min(unknown))
    if fault is not None:
        raise InvalidResponse.with_message(
            "the server returned something that is not a receipt: {reason}", reason=fault
        )
    try:
        check_signed(receipt, keys)
    except BadSignature as bad:
        raise InvalidResponse.with_message(
            "the server returned a receipt for event {seq} of game {game} that is not valid: {reason}",
            seq=receipt["seq"],
            game=receipt["game"],
            reason=bad.message,
        ) from None
