"""The file of trusted keys: the keys of servers that the user of this machine has accepted, or made here.

The file `trusted-keys.jsonl` is in the folder `cartulary` of the user's configuration, unless
CARTULARY_TRUSTED_KEYS names another file. Each line is a JSON object with `public`, `source` and, where they
are known, `origin`, `from`, `until` and `log`. A later line about the same key completes an earlier one, so
that programs which add keys at the same time only append.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import platformdirs

from cartulary.terminal import print_message
from domain.errors import CartularyError, Unreadable
from domain.messages import message
from ledger.canonical import canonical, decode_any
from ledger.envelope import is_timestamp
from ledger.files.os_errors import os_reason
from ledger.keys import PUBLIC_BYTES
from replay.audit.trusted_keys import TrustedKey, TrustedKeys

VARIABLE: Final = "CARTULARY_TRUSTED_KEYS"
SERVICE: Final = "service"
"""The `source` of the key of a service on this machine."""
MAX_FILE_BYTES: Final = 1 << 24
"""Size of the file of trusted keys that is still read."""


class TrustedKeysError(CartularyError):
    """The file of trusted keys cannot be read or written."""


class TrustedKeysFile:
    """The file of trusted keys of one user."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """The file that an environment names."""
        name = environ.get(VARIABLE)
        folder = platformdirs.user_config_path("cartulary", appauthor=False)
        self.path = Path(name) if name else folder / "trusted-keys.jsonl"

    def load(self) -> TrustedKeys:
        """Return all trusted keys. Raises TrustedKeysError, which names a line that is not an entry."""
        return TrustedKeys.of(self._entries())

    def add(self, keys: Iterable[TrustedKey]) -> None:
        """Add keys, or what is new about keys that are trusted already. Raises TrustedKeysError."""
        trusted = self.load()
        new = [key for key in keys if not _is_known(trusted.find(key.public), key)]
        if not new:
            return
        with self._errors_of_writing():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "ab", buffering=0) as file:
                file.write(_lines(new))

    def remove(self, name: str) -> tuple[TrustedKey, ...]:
        """Remove the keys with this id, public key or origin, and return them. Raises TrustedKeysError."""
        keys = self.load().keys
        removed = tuple(key for key in keys if name in (key.id, key.public, key.origin))
        if removed:
            self._write([key for key in keys if key not in removed])
        return removed

    def _entries(self) -> list[TrustedKey]:
        try:
            if self.path.stat().st_size > MAX_FILE_BYTES:
                raise TrustedKeysError.with_message(
                    "{file} has more than {limit} bytes", file=str(self.path), limit=MAX_FILE_BYTES
                )
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TrustedKeysError.with_message(
                "cannot read {path}: {reason}", path=str(self.path), reason=os_reason(error)
            ) from None
        return [self._entry(number, line) for number, line in enumerate(lines, 1) if line.strip()]

    def _entry(self, number: int, line: bytes) -> TrustedKey:
        try:
            value = decode_any(line)
        except Unreadable:
            value = None
        if not _is_entry(value):
            raise TrustedKeysError.with_message(
                "{file}, line {line}: not an entry of a trusted key",
                file=str(self.path),
                line=number,
            )
        return TrustedKey(
            value["public"],
            value["source"],
            value.get("origin"),
            value.get("from"),
            value.get("until"),
            value.get("log"),
        )

    def _write(self, keys: Iterable[TrustedKey]) -> None:
        with self._errors_of_writing():
            descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(_lines(keys))
            os.replace(name, self.path)  # noqa: PTH105 # the target is a path already

    @contextmanager
    def _errors_of_writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TrustedKeysError.with_message(
                "cannot write {path}: {reason}", path=str(self.path), reason=os_reason(error)
            ) from None


def trust_own_key(
    environ: Mapping[str, str], public: str, source: str, origin: str | None = None
) -> None:
    """Remember a key that this machine made itself; a file that cannot be written is only reported."""
    try:
        TrustedKeysFile(environ).add([TrustedKey(public, source, origin)])
    except TrustedKeysError as error:
        sentence = message(
            "{reason}; records signed by this machine have to be accepted with --key",
            reason=error.message,
        )
        print_message(sentence)


def is_public_key(value: object) -> bool:
    """Return whether a value is a public key in lowercase hex."""
    if not isinstance(value, str) or len(value) != 2 * PUBLIC_BYTES or value != value.lower():
        return False
    try:
        return len(bytes.fromhex(value)) == PUBLIC_BYTES
    except ValueError:
        return False


def _is_known(entry: TrustedKey | None, key: TrustedKey) -> bool:
    """Whether an entry adds nothing to what is known about its key."""
    return entry is not None and all(
        getattr(key, name) in (None, getattr(entry, name))
        for name in ("origin", "since", "until", "log")
    )


def _is_entry(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and is_public_key(value.get("public"))
        and isinstance(value.get("source"), str)
        and all(isinstance(value.get(name), str | None) for name in ("origin", "log"))
        and all(value.get(name) is None or is_timestamp(value[name]) for name in ("from", "until"))
    )


def _lines(keys: Iterable[TrustedKey]) -> bytes:
    return b"".join(canonical(_as_json(key)) + b"\n" for key in keys)


def _as_json(key: TrustedKey) -> dict[str, str]:
    fields = {
        "public": key.public,
        "source": key.source,
        "origin": key.origin,
        "from": key.since,
        "until": key.until,
        "log": key.log,
    }
    return {name: value for name, value in fields.items() if value is not None}
