"""The error of a command that needs the server's dependencies where they are not installed.

The commands that read records work without them: the extra `server` in pyproject.toml contains them.
"""

from typing import Final

from domain.errors import CartularyError
from domain.messages import message

INSTALL_COMMAND: Final = "python -m pip install 'cartulary[server]'"
_OWN_PACKAGES: Final = frozenset(
    {"cartulary", "client", "domain", "ledger", "replay", "service", "workers"}
)


class ServerExtraMissing(CartularyError):
    """A package that only the server needs is not installed."""


def server_extra_missing(error: ModuleNotFoundError) -> ServerExtraMissing:
    """Return the error to raise in place of the error of an import.

    Raises the error of the import itself if the module that it lacks is one of our own.
    """
    package = (error.name or "").partition(".")[0]
    if not package or package in _OWN_PACKAGES:
        raise error
    return ServerExtraMissing(
        message(
            "the server's dependencies are not installed (there is no {package}): run {command}",
            package=package,
            command=INSTALL_COMMAND,
        )
    )
