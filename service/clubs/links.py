"""The invitation links of clubs. A player who opens the link of a club may join it."""

import hmac
from typing import Final

from service import wall_clock
from service.clubs.model import Club
from service.entered_text import trim_code
from service.errors import NotFound

LINK_DAYS: Final = 30


def token_of_link(club: Club) -> str | None:
    """Return the token of the invitation link of a club; None if there is none, or it has expired."""
    if club.link is None:
        return None
    ends, _, secret = club.link.partition(" ")
    return f"{club.id}-{secret}" if wall_clock.format(wall_clock.now()) < ends else None


def is_valid_link(club: Club, token: str) -> bool:
    """Return whether a token is that of the invitation link of a club, and has not expired."""
    expected = token_of_link(club)
    return expected is not None and hmac.compare_digest(
        expected.encode(), trim_code(token).encode("utf-8", "surrogatepass")
    )


def club_of_token(token: str) -> str:
    """Return the id of the club that a token names. Neither the token nor the club is checked."""
    return trim_code(token).partition("-")[0]


def link_not_valid() -> NotFound:
    """Return the error for any invalid link. It does not reveal whether the club exists."""
    return NotFound.with_message("this invitation is not, or no longer, valid")
