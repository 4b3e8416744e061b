"""The file of tokens: with which token the user of this machine plays on which server.

The file `tokens.json` is in the folder `cartulary` of the user's configuration, unless CARTULARY_TOKENS names
another file. Only the user can read it. It is a JSON object with the token by the URL of the server.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import orjson
import platformdirs

from domain.errors import CartularyError
from ledger.files.os_errors import os_reason

VARIABLE: Final = "CARTULARY_TOKENS"
MAX_FILE_BYTES: Final = 1 << 20
"""Size of the file that is still read."""


class TokensError(CartularyError):
    """The file of tokens cannot be read or written."""


class TokensFile:
    """The file of tokens of one user."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """The file that an environment names."""
        name = environ.get(VARIABLE)
        folder = platformdirs.user_config_path("cartulary", appauthor=False)
        self.path = Path(name) if name else folder / "tokens.json"

    def token(self, server: str) -> str | None:
        """Return the token for a server; None if there is none. Raises TokensError."""
        return self._load().get(server)

    def keep(self, server: str, token: str | None) -> None:
        """Keep the token for a server, or with None forget it. Raises TokensError."""
        tokens = {url: value for url, value in self._load().items() if url != server}
        if token is not None:
            tokens[server] = token
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # mkstemp makes a file that only the user can read, and replacing is atomic.
            descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(orjson.dumps(tokens, option=orjson.OPT_INDENT_2))
            Path(name).replace(self.path)
        except OSError as error:
            raise TokensError.with_message(
                "cannot write {path}: {reason}", path=str(self.path), reason=os_reason(error)
            ) from None

    def _load(self) -> dict[str, str]:
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise TokensError.with_message(
                "cannot read {path}: {reason}", path=str(self.path), reason=os_reason(error)
            ) from None
        try:
            value = orjson.loads(content[: MAX_FILE_BYTES + 1])
        except orjson.JSONDecodeError:
            value = None
        if not isinstance(value, dict) or not all(isinstance(t, str) for t in value.values()):
            raise TokensError.with_message(
                "{file} is not a file of tokens: remove it", file=str(self.path)
            )
        return value
