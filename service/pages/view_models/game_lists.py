"""The lists of games on the first page, which continue on pages of their own, and the filter of open games.

A page of a list may have few games, even none, and still a next one: the visitor's own games are left out of
the lists of games of others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from domain.contract import AnyRuleSystem
from domain.game import Status
from domain.lifecycle import seat_counts
from domain.messages import Text, message_in
from domain.registry import rule_system_for, rule_systems
from service.games.game_filter import PACES, GameFilter, Pace
from service.games.summary import Summary, summarize
from service.http.context import service
from service.http.schemas.fields import whole_number

FIRST_PAGE_GAMES: Final = 6
"""Games of each list on the first page."""
PAGE_GAMES: Final = 30


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a list, as its viewer sees it: `is_viewers_turn` is whether the viewer is to act."""

    summary: Summary
    is_viewers_turn: bool

    @property
    def rules(self) -> AnyRuleSystem:
        """The rule system of the game."""
        return rule_system_for(self.summary.rules, self.summary.options)

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of its players, in order."""
        return tuple(player for player, _ in self.summary.players)

    @property
    def winners(self) -> tuple[str, ...]:
        """The ids of the players in the first place; none until the game is finished."""
        return tuple(
            player for player, seat in self.summary.players if seat in self.summary.winners
        )

    @property
    def player_to_act(self) -> str | None:
        """The id of the player whose turn it is; None when no turn is in progress."""
        return _player_to_act(self.summary)


@dataclass(frozen=True, slots=True)
class GameList:
    """A page of a list. `next` is the cursor of the next page; None on the last one."""

    name: str
    games: Sequence[ListedGame]
    next: str | None


def _games_of_turn(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    if viewer is None:
        return GameList("turn", (), None)
    games, next_cursor = service().games.queries.games_waiting_for(viewer, cursor, limit)
    return GameList(
        "turn", [ListedGame(summarize(game), is_viewers_turn=True) for game in games], next_cursor
    )


def _invitations(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    if viewer is None:
        return GameList("invitations", (), None)
    summaries, next_cursor = service().games.received_invitations.page(viewer, cursor, limit)
    games = [ListedGame(summary, is_viewers_turn=False) for summary in summaries]
    return GameList("invitations", games, next_cursor)


def _games_of_others_turn(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    if viewer is None:
        return GameList("waiting", (), None)
    return _page(
        "waiting",
        ("open", "playing"),
        viewer,
        cursor,
        limit,
        player=viewer,
        is_listed=lambda game: not game.is_viewers_turn,
    )


def _open_games(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    return open_games(viewer, cursor, limit, GameFilter())


def open_games(
    viewer: str | None, cursor: str | None, limit: int, game_filter: GameFilter
) -> GameList:
    """Return a page of the open games that pass a filter and that the viewer can join.

    Games that wait for the viewer's answer to an invitation have a list of their own. Raises Malformed for
    an invalid cursor.
    """
    listings = service().games.listings
    summaries, next_cursor = service().games.queries.filtered_summaries(
        lambda after, count: listings.page(("open",), None, after, count, viewer),
        game_filter,
        cursor,
        limit,
    )
    games = [ListedGame(summary, is_viewers_turn=False) for summary in summaries]
    others = [game for game in games if viewer not in (*game.players, *game.summary.awaited)]
    return GameList("open", others, next_cursor)


def _games_with_vacant_seats(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    page = service().games.listings.vacant(viewer, cursor, limit)
    summaries = service().games.queries.summaries(page.games)
    games = [
        ListedGame(summary, is_viewers_turn=False) for summary in summaries if summary is not None
    ]
    return GameList("vacant", games, page.first(len(summaries)).next)


def _games_in_progress(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    return _games_of_others("watch", "playing", viewer, cursor, limit)


def _finished_games(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    return _page("finished", ("finished",), viewer, cursor, limit)


LISTS: Final[Mapping[str, Callable[[str | None, str | None, int], GameList]]] = {
    "invitations": _invitations,
    "turn": _games_of_turn,
    "waiting": _games_of_others_turn,
    "open": _open_games,
    "vacant": _games_with_vacant_seats,
    "watch": _games_in_progress,
    "finished": _finished_games,
}
"""By name, in the order of the first page, the functions that return a page of a list.

Their arguments are the viewer (the id of a player, or None), a cursor (None: the first page), and the most
games of the page. They raise Malformed for an invalid cursor.
"""


def _games_of_others(
    name: str, status: Status, viewer: str | None, cursor: str | None, limit: int
) -> GameList:
    return _page(
        name,
        (status,),
        viewer,
        cursor,
        limit,
        is_listed=lambda game: viewer not in game.players,
    )


def _page(
    name: str,
    statuses: Sequence[Status],
    viewer: str | None,
    cursor: str | None,
    limit: int,
    *,
    player: str | None = None,
    is_listed: Callable[[ListedGame], bool] = lambda _: True,
) -> GameList:
    page = service().games.listings.page(statuses, player, cursor, limit, viewer)
    summaries = service().games.queries.summaries(page.games)
    games = [
        ListedGame(summary, viewer is not None and _player_to_act(summary) == viewer)
        for summary in summaries
        if summary is not None
    ]
    return GameList(name, list(filter(is_listed, games)), page.first(len(summaries)).next)


def _player_to_act(summary: Summary) -> str | None:
    return next(
        (player for player, seat in summary.players if seat is not None and seat == summary.to_act),
        None,
    )


FIELDS: Final = ("rules", "seats", "free", "clock")
"""The names of the fields, as parameters of the address. `rules` is the own name of a rule system."""
PACE_LABELS: Final[Mapping[Pace, Text]] = {
    "none": message_in("filter", "no time limit"),
    "hour": message_in("filter", "at most an hour for each turn"),
    "day": message_in("filter", "at most a day for each turn"),
    "slow": message_in("filter", "more than a day for each turn"),
}


def chosen_values(arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the form that an address has; empty ones are left out."""
    return {name: value for name in FIELDS if (value := arguments.get(name, ""))}


def filter_of(values: Mapping[str, str]) -> GameFilter:
    """Return the filter that the values of the form stand for. A value that is none is no condition."""
    entry = rule_systems().get(values.get("rules", ""))
    pace = next((pace for pace in PACES if pace == values.get("clock")), None)
    return GameFilter(
        rules=None if entry is None else entry.rules,
        expansions={} if entry is None else entry.options,
        seats=whole_number(values.get("seats", "")),
        pace=pace,
        free=whole_number(values.get("free", "")),
    )


def filter_query(values: Mapping[str, str]) -> str:
    """Return the values of the form as the end of a query, such as `&rules=baron`."""
    return "".join(f"&{urlencode({name: value})}" for name, value in values.items())


def all_seat_counts() -> list[int]:
    """Return the numbers of seats that any game allows, in order."""
    return sorted(
        {seats for entry in rule_systems().values() for seats in seat_counts(entry.system)}
    )
