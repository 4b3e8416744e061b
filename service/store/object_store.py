"""The storage of archived games: a folder, or a bucket of an object store with the S3 protocol.

    file:///PATH           a folder, which is created, and which only its owner can access
    s3://BUCKET/PREFIX     a bucket; its region, endpoint and credentials come from the usual variables
                           (AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY …)

Both are used through obstore. Each operation has a time limit. After a failure, all operations of a process
fail immediately for PAUSE_SECONDS, so that a store that does not respond occupies no threads.
"""

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from domain.errors import CartularyError
from domain.messages import message
from ledger.files.durable_files import sync_folder
from service.errors import Unavailable
from service.operation.data_folder import make_private
from service.settings import archive_folder

log = logging.getLogger(__name__)

PAUSE_SECONDS: Final = 5.0
AWAY: Final = message("the archive does not respond")

_T = TypeVar("_T")


class ObjectStore:
    """Objects by name. Thread-safe. Every method raises Unavailable if the store does not respond."""

    def __init__(self, url: str, seconds: float) -> None:
        """Use the store at this URL, which has been checked. `seconds` is the time limit of an operation."""
        self._url = url
        self._seconds = seconds
        self._store: Any = None
        self._fails_until = 0.0

    @property
    def folder(self) -> Path | None:
        """The folder; None for a bucket."""
        return archive_folder(self._url)

    def put(self, name: str, data: bytes) -> None:
        """Store an object; in a folder, it is on disk when this returns."""
        self._call(lambda obstore, store: obstore.put(store, name, data))
        if self.folder is not None:
            path = self.folder / name
            with path.open("rb") as file:
                os.fsync(file.fileno())
            for folder in (path.parent, self.folder):
                sync_folder(folder)

    def get(self, name: str) -> bytes | None:
        """Return the object with a name; None if there is none."""
        try:
            return self._call(lambda obstore, store: bytes(obstore.get(store, name).bytes()))
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Return the names of all objects, in order."""

        def listing(obstore: Any, store: Any) -> list[str]:
            return [item["path"] for page in obstore.list(store) for item in page]

        if self.folder is not None and not self.folder.is_dir():
            return []
        return sorted(self._call(listing))

    def delete(self, name: str) -> None:
        """Delete the object with a name, if there is one."""
        with suppress(FileNotFoundError):
            self._call(lambda obstore, store: obstore.delete(store, name))
        if self.folder is not None:
            # A killed process may have left a part of the object.
            path = self.folder / name
            for part in path.parent.glob(f"{path.name}#*"):
                part.unlink(missing_ok=True)

    def _call(self, operation: Callable[[Any, Any], _T]) -> _T:
        """Return the result of an operation. Raises FileNotFoundError and Unavailable."""
        if time.monotonic() < self._fails_until:
            raise Unavailable(AWAY)
        # This is imported here, because most processes never use the archive.
        import obstore
        from obstore.exceptions import BaseError

        try:
            if self._store is None:
                self._store = self._open()
            return operation(obstore, self._store)
        except FileNotFoundError:
            raise
        except (BaseError, OSError, CartularyError) as error:
            self._fails_until = time.monotonic() + PAUSE_SECONDS
            reason = str(error).partition("\n")[0]
            log.warning("the archive does not respond: %s", reason)
            raise Unavailable(AWAY) from error

    def _open(self) -> Any:
        from obstore.store import LocalStore, S3Store

        folder = self.folder
        if folder is not None:
            make_private(folder)
            return LocalStore(folder)
        parts = urlsplit(self._url)
        return S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            client_options={
                "timeout": timedelta(seconds=self._seconds),
                "connect_timeout": timedelta(seconds=min(2.0, self._seconds)),
                "allow_http": os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://"),
            },
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=self._seconds)},
        )
