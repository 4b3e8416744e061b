"""Feeds of a player's games and deadlines.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, read_text, reader, segment


class FeedEntry(TypedDict):
    """An address of feeds, without its token."""

    id: str
    created: str


class FeedList(TypedDict):
    """All feeds of a player, the oldest first."""

    feeds: list[FeedEntry]
    next: str | None


class NewFeeds(TypedDict):
    """New feeds. The addresses contain a token, and are shown only in this response."""

    id: str
    created: str
    atom: str
    calendar: str


def list_feeds() -> Call[FeedList]:
    """List the player's feeds, without their addresses."""
    return call("GET", "/me/feeds", reader(FeedList))


def create_feeds() -> Call[NewFeeds]:
    """Create the secret addresses of two feeds.

    `atom` is an Atom feed of what happened in the player's games, `calendar` a calendar of their
    deadlines. Everybody who knows an address can read the feed, without a token. If the player has
    too many of them, the response is a 409.
    """
    return call("POST", "/me/feeds", reader(NewFeeds))


def revoke_feeds(feed: str, /) -> Call[None]:
    """Revoke the two addresses of feeds."""
    return call("DELETE", f"/me/feeds/{segment(feed)}", read_nothing)


def get_atom_feed(token: str, /) -> Call[str]:
    """Get the Atom feed of what happened in a player's games, in the language of the account.

    It has the last events of the games that were created last, at most 100.
    """
    return call("GET", f"/feeds/{segment(token)}/games.atom", read_text, sends_token=False)


def get_calendar(token: str, /) -> Call[str]:
    """Get the calendar of a player's deadlines: one event for each turn that waits for the
    player.

    The UID of a turn stays the same when its deadline moves.
    """
    return call("GET", f"/feeds/{segment(token)}/deadlines.ics", read_text, sends_token=False)


class FeedsCalls(Group[C_co]):
    """Feeds of a player's games and deadlines."""

    list = Method(list_feeds)
    create = Method(create_feeds)
    revoke = Method(revoke_feeds)
    read_atom = Method(get_atom_feed)
    read_calendar = Method(get_calendar)
