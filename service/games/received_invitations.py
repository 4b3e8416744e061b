"""The invitations that wait for a player's answer."""

from service.games.queries import GameQueries
from service.games.summary import Summary
from service.listings import Listings
from service.players.mutes import Mutes


class ReceivedInvitations:
    """Reads the invitations of all players. Thread-safe; raises Unavailable if the store does not respond."""

    def __init__(self, listings: Listings, queries: GameQueries, mutes: Mutes) -> None:
        self._listings = listings
        self._queries = queries
        self._mutes = mutes

    def page(
        self, player: str, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[Summary], str | None]:
        """Return a page of the games that wait for the player's answer to an invitation, and the next cursor.

        The newest game is first. Games of creators whom the player has muted are left out, so the page may
        have fewer games than `limit`, even none, and still a next page. Raises Malformed (cursor).
        """
        page = self._listings.invitations(player, cursor, limit)
        summaries = self._queries.summaries(page.games)
        page = page.first(len(summaries))
        invitations = [
            summary for summary in summaries if summary is not None and player in summary.awaited
        ]
        muted = self._mutes.has_muted(player, [summary.creator for summary in invitations])
        return [summary for summary in invitations if summary.creator not in muted], page.next
