"""Addresses of servers, games, tournaments and invitations, as people copy them from a browser."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from domain.errors import CartularyError


class InvalidAddress(CartularyError):
    """The URL is not that of a server, or of a game, a tournament or an invitation on it."""


@dataclass(frozen=True, slots=True)
class Address:
    """The URL of a server, and the id of a game or of a tournament or the token of an invitation, if the URL
    has one.
    """

    server: str
    game: str | None = None
    tournament: str | None = None
    invitation: str | None = None

    @classmethod
    def parse(cls, url: str) -> "Address":
        """Return the parts of a URL; `http://` may be left out. Raises InvalidAddress.

        The address of a game or of a tournament may be one of its pages, or of the HTTP interface.
        """
        full = url if "://" in url else f"http://{url}"
        try:
            parts = urlsplit(full)
            is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            raise _invalid(url) from None
        if not is_valid or parts.username is not None:
            raise _invalid(url)
        server = f"{parts.scheme}://{parts.netloc}"
        match parts.path.strip("/").split("/"):
            case [""]:
                return cls(server)
            case ["games", game, *_] | ["api", "v1", "games", game, *_]:
                return cls(server, game=unquote(game))
            case ["tournaments", id, *_] | ["api", "v1", "tournaments", id, *_]:
                return cls(server, tournament=unquote(id))
            case ["invitations", token]:
                return cls(server, invitation=token)
            case _:
                raise _invalid(url)


def _invalid(url: str) -> InvalidAddress:
    return InvalidAddress.with_message(
        "{url} is not the address of a server, such as http://127.0.0.1:8000, or of a game, a tournament or"
        " an invitation on it",
        url=url,
    )
