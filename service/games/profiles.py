"""Profiles: the games and results of a player, as far as a viewer may see them."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.game import Status
from service.accounts.account_reader import AccountReader, Player
from service.clubs.clubs import Clubs
from service.clubs.model import Club
from service.errors import Forbidden, NotFound
from service.games.game_filter import GameFilter
from service.games.listings import Listings
from service.games.player_statistics import HeadToHead, PlayerStatistics, Statistics
from service.games.queries import GameQueries
from service.games.summary import Summary


@dataclass(frozen=True, slots=True)
class PrivateGames:
    """The numbers of private games of a player, which only the player sees."""

    playing: int
    finished: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as a viewer sees them. `statistics` are None if the player does not show them.

    `shows_games` is True if the list of games is shown. `private` is None on the profiles of others. `clubs`
    are the clubs that the viewer may see, none if the player shows nothing.
    """

    player: Player
    statistics: PlayerStatistics | None
    shows_games: bool
    private: PrivateGames | None = None
    clubs: Sequence[Club] = ()


@dataclass(eq=False, repr=False)
class Profiles:
    """Shows players to viewers, who are players or None. Thread-safe.

    Methods raise NotFound if no player has the handle, including after an erasure, and Unavailable.
    """

    _accounts: AccountReader
    _statistics: Statistics
    _listings: Listings
    _queries: GameQueries
    _clubs: Clubs

    def profile(self, handle: str, viewer: str | None) -> Profile:
        """Return the profile of the player with a handle."""
        player = self.player(handle)
        is_own = player.id == viewer
        statistics = None
        clubs: Sequence[Club] = ()
        if is_own or player.profile != "nothing":
            clubs = self._clubs.shown_on_profile(player.id, viewer)
            statistics = self._statistics.of([player.id])[player.id]
        private = None
        if is_own:
            counts = (
                self._listings.count_private_games(player.id, status)
                for status in ("playing", "finished")
            )
            private = PrivateGames(*counts)
        return Profile(player, statistics, _shows_games(player, viewer), private, clubs)

    def games(
        self,
        player: Player,
        viewer: str | None,
        statuses: Sequence[Status],
        game_filter: GameFilter,
        opponent: str | None,
        cursor: str | None,
        limit: int,
    ) -> tuple[list[Summary], str | None]:
        """Return a page of the games of a player, newest first, and the cursor of the next page.

        `opponent` is the id of a player who has a place in them. Private games are among them if the viewer
        may see them. Raises Forbidden if the player shows no list of games, Malformed (cursor).
        """
        if not _shows_games(player, viewer):
            raise Forbidden.with_message(
                "{handle} does not show a list of games", handle=player.handle
            )
        return self._queries.filtered_summaries(
            lambda after, count: self._listings.page(
                statuses, player.id, after, count, viewer, game_filter.kinds, opponent
            ),
            game_filter,
            cursor,
            limit,
        )

    def head_to_head(
        self, handle: str, other: str, viewer: str | None
    ) -> tuple[Player, Player, list[HeadToHead]]:
        """Return two players, and the results of the first against the second by rule system.

        Raises Forbidden if one of them shows no results and the viewer is neither of them.
        """
        players = self.player(handle), self.player(other)
        if viewer not in [player.id for player in players]:
            for player in players:
                if player.profile == "nothing":
                    raise Forbidden.with_message("{handle} shows no results", handle=player.handle)
        first, second = players
        return first, second, self._statistics.head_to_head(first.id, second.id)

    def player(self, handle: str) -> Player:
        """Return the player with a handle."""
        player = self._accounts.by_handle(handle)
        if player is None:
            raise NotFound.with_message("no player has the handle {handle}", handle=handle[:64])
        return player


def _shows_games(player: Player, viewer: str | None) -> bool:
    """Return whether a viewer may see the list of the games of a player."""
    return player.id == viewer or player.profile == "everything"
