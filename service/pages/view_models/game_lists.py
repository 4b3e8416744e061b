"""The lists of games: on the first page, and on separate pages with a form that filters them.

A page of a list may have few games, even none, and still a next one: the visitor's own games are left out of
the lists of games of others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from urllib.parse import quote, urlencode

from flask import g
from markupsafe import Markup

from domain.clock.messages import time_amount
from domain.errors import CartularyError
from domain.game import Game, Status
from domain.lifecycle import seat_counts
from domain.messages import Amount, Text, message_in
from domain.registry import rule_systems
from replay.render.embedded_map import emblem_svg
from service import wall_clock
from service.accounts.names import AccountNames
from service.entered_text import trim
from service.games import listings
from service.games.game_filter import PACES, RESULTS, GameFilter, Pace
from service.games.listings import GamesOfClub
from service.games.profiles import Profile
from service.games.summary import Summary, summarize
from service.http.context import service
from service.http.language import request_renderer
from service.http.validation import whole_number
from service.pages.session import current_player
from service.pages.view_models.alert_lines import read_badges

FIRST_PAGE_GAMES: Final = 6
"""Games of each list on the first page."""
LAST_GAMES: Final = 4
"""Finished games of one's own on the first page."""
PAGE_GAMES: Final = 24
MOST_PLAYED_WITH: Final = 8
"""People that `played_with` returns."""
_DAY: Final = 24 * 3600
_MANY: Final = 2
"""From so many of a unit of time on, smaller units are left out."""


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """A player in a list of games. `seat` and `score` are None before the start."""

    id: str
    seat: int | None
    score: int | None
    is_to_act: bool
    is_winner: bool

    @property
    def emblem(self) -> Markup:
        """The emblem of the player's pieces; empty before the start."""
        return Markup("" if self.seat is None else emblem_svg(self.seat))  # noqa: S704 # the drawing contains no text


@dataclass(frozen=True)
class ListedGame:
    """A game in a list, as its viewer sees it: `is_viewers_turn` is whether the viewer is to act."""

    summary: Summary
    is_viewers_turn: bool

    @property
    def picture(self) -> str:
        """The address of the picture of its board, which it has from its start on."""
        return f"/games/{self.summary.id}/thumbnail.svg?seq={self.summary.seq}"

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of its players, in order."""
        return tuple(player for player, _ in self.summary.players)

    @cached_property
    def seats(self) -> list[ListedPlayer]:
        """Its players, by seat or in the order of joining."""
        scores = self.summary.scores
        return [
            ListedPlayer(
                player,
                seat,
                scores[seat] if seat is not None and seat < len(scores) else None,
                is_to_act=seat is not None and seat == self.summary.to_act,
                is_winner=seat in self.summary.winners,
            )
            for player, seat in self.summary.players
        ]

    @property
    def winners(self) -> tuple[str, ...]:
        """The ids of the players in the first place; none until the game is finished."""
        return tuple(player.id for player in self.seats if player.is_winner)

    @property
    def player_to_act(self) -> str | None:
        """The id of the player whose turn it is; None when no turn is in progress."""
        return _player_to_act(self.summary)

    @property
    def has_clock_stopped(self) -> bool:
        """Whether a pause or a dispute stops the clock."""
        until = (self.summary.timing or {}).get("clock_stopped_until")
        return until is not None and wall_clock.format(wall_clock.now()) < until

    @property
    def time_left(self) -> Amount | None:
        """The time until the deadline, rounded down.

        None without a deadline, after it, and while a dispute or a pause stops the clock.
        """
        if self.summary.deadline is None or self.has_clock_stopped:
            return None
        seconds = (wall_clock.parse(self.summary.deadline) - wall_clock.now()).total_seconds()
        return None if seconds <= 0 else rounded_time(seconds)

    @property
    def age(self) -> Amount | None:
        """The time since the game was created or, when it has ended, since its end."""
        has_ended = self.summary.status in ("finished", "abandoned")
        since = self.summary.at if has_ended else self.summary.created
        # Summaries that were stored before a version had these fields have no times.
        return (
            rounded_time((wall_clock.now() - wall_clock.parse(since)).total_seconds())
            if since
            else None
        )


def rounded_time(seconds: float) -> Amount:
    """Return a time in whole days, hours or minutes, rounded down; at least one minute."""
    for unit in (_DAY, 3600):
        if seconds >= _MANY * unit:
            return time_amount(int(seconds // unit) * unit)
    minutes = max(1, int(seconds // 60))
    return time_amount(minutes * 60)


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
    listed = [ListedGame(summarize(game), is_viewers_turn=True) for game in games]
    return GameList("turn", sorted(listed, key=_urgency), next_cursor)


def games_to_act_in(player: str, besides: str | None) -> list[str]:
    """Return the ids of the games in which it is a player's turn, that with the nearest deadline first.

    The game `besides` is left out. Of many games, only the newest MAX_EXAMINED_GAMES are examined.
    """
    games, _ = service().games.queries.games_waiting_for(player)
    listed = [ListedGame(summarize(game), is_viewers_turn=True) for game in games]
    ids = [game.summary.id for game in sorted(listed, key=_urgency)]
    return [id for id in ids if id != besides]


def _invitations(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    if viewer is None:
        return GameList("invitations", (), None)
    summaries, next_cursor = service().games.received_invitations.page(viewer, cursor, limit)
    return GameList("invitations", _listed(summaries, viewer), next_cursor)


def _games_of_others_turn(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    if viewer is None:
        return GameList("waiting", (), None)
    page = service().games.listings.page(("open", "playing"), viewer, cursor, limit, viewer)
    summaries = service().games.queries.summaries(page.games)
    games = [game for game in _listed(summaries, viewer) if not game.is_viewers_turn]
    return GameList("waiting", sorted(games, key=_urgency), page.first(len(summaries)).next)


def _urgency(game: ListedGame) -> tuple[bool, bool, str]:
    """Return what sorts the games of a page: those with the nearest deadline first, open ones last."""
    deadline = game.summary.deadline
    return game.summary.status == "open", deadline is None, deadline or ""


def _games_with_vacant_seats(viewer: str | None, cursor: str | None, limit: int) -> GameList:
    page = service().games.listings.vacant(viewer, cursor, limit)
    summaries = service().games.queries.summaries(page.games)
    return GameList("vacant", _listed(summaries, viewer), page.first(len(summaries)).next)


def read_recaps(lists: Sequence[GameList], viewer: str | None) -> None:
    """Read what has happened in the viewer's games since their last turns, for `recap_of`.

    The games are read in one round trip. A recap is cached, and costs a bounded number of events.
    """
    own = dict.fromkeys(
        game.summary.id
        for game_list in lists
        for game in game_list.games
        if game.summary.status == "playing" and viewer in game.players
    )
    g.recaps = recaps = {}
    if viewer is None or not own:
        return
    for head in service().games.queries.games([*own]):
        sentence = None if head is None else _recap(head, viewer)
        if head is not None and sentence is not None:
            recaps[head.id] = sentence


def read_reliabilities(lists: Sequence[GameList]) -> None:
    """Read the reliability of those who have created the open games of lists, for `reliability_of`.

    They are read in few round trips. It is None for a player of whom nothing is known, or who shows nothing.
    """
    creators = dict.fromkeys(
        game.summary.creator
        for game_list in lists
        for game in game_list.games
        if game.summary.status == "open" and game.summary.creator
    )
    accounts = service().accounts.players.get([*creators]) if creators else []
    shown = [it.id for it in accounts if it is not None and it.profile != "nothing"]
    statistics = service().games.statistics.of(shown) if shown else {}
    g.reliabilities = {id: each.reliability.percent for id, each in statistics.items()}


def reliability_of(player: str) -> int | None:
    """Return the reliability of a creator in percent, after `read_reliabilities`; None if none is shown."""
    reliabilities: Mapping[str, int | None] = g.get("reliabilities", {})
    return reliabilities.get(player)


def _recap(head: Game, viewer: str) -> str | None:
    """Return a sentence in the language of the request; None if nothing has happened, or none can be made."""
    try:
        sentence = service().games.recaps.sentence(head, viewer)
    except CartularyError:
        # The list shows the game all the same.
        return None
    if sentence is None:
        return None
    names = AccountNames(service().accounts.players, lambda: head.players)
    return request_renderer().with_names(names).sentence(sentence)


def recap_of(game_id: str) -> str | None:
    """Return what has happened in a game since the viewer's last turn, after `read_recaps`."""
    recaps: Mapping[str, str] = g.get("recaps", {})
    return recaps.get(game_id)


STATUSES: Final[Mapping[str, Sequence[Status]]] = {
    "open": ("open",),
    "watch": ("playing",),
    "finished": ("finished",),
    "all": ("open", "playing", "finished"),
}
"""By the name of a list that can be filtered, the statuses of its games."""


def filtered_list(
    name: str,
    viewer: str | None,
    cursor: str | None,
    limit: int,
    game_filter: GameFilter,
    player: str | None = None,
    club: GamesOfClub | None = None,
) -> GameList:
    """Return a page of a list of STATUSES: the games that pass a filter, with `player` those of that player.

    With `club`, only games of that club.

    Without them, the lists of open games and of games to watch have only games of others, and none that
    wait for the viewer's answer to an invitation. Raises Malformed for an invalid cursor.
    """
    summaries, next_cursor = service().games.queries.filtered_summaries(
        lambda after, count: service().games.listings.page(
            STATUSES[name], player, after, count, viewer, game_filter.kinds, club=club
        ),
        game_filter,
        cursor,
        limit,
    )
    games = _listed(summaries, viewer)
    if player is None and club is None and name in ("open", "watch"):
        games = [game for game in games if viewer not in (*game.players, *game.summary.awaited)]
    return GameList(name, games, next_cursor)


def games_over(player: str | None) -> GameList:
    """Return the last finished games of a player, for the first page; no games for None."""
    if player is None:
        return GameList("finished", (), None)
    return filtered_list("finished", player, None, LAST_GAMES, GameFilter(), player)


def games_of_profile(
    profile: Profile, viewer: str | None, values: Mapping[str, str], cursor: str | None
) -> GameList:
    """Return a page of the games of a player, whose list the viewer may see; those that pass a form.

    An opponent whom nobody is has no games. Raises Malformed for an invalid cursor.
    """
    statuses = [status for status in listings.STATUSES if status == values.get("status")]
    result = next((result for result in RESULTS if result == values.get("result")), None)
    game_filter = replace(
        filter_of(values), result=None if result is None else (profile.player.id, result)
    )
    opponent = None
    if handle := values.get("opponent"):
        account = service().accounts.players.by_handle(handle)
        if account is None:
            return GameList("all", (), None)
        opponent = account.id
    summaries, next_cursor = service().games.profiles.games(
        profile.player, viewer, statuses, game_filter, opponent, cursor, PAGE_GAMES
    )
    return GameList("all", _listed(summaries, viewer), next_cursor)


def _unfiltered(name: str) -> Callable[[str | None, str | None, int], GameList]:
    return lambda viewer, cursor, limit: filtered_list(name, viewer, cursor, limit, GameFilter())


LISTS: Final[Mapping[str, Callable[[str | None, str | None, int], GameList]]] = {
    "invitations": _invitations,
    "turn": _games_of_turn,
    "waiting": _games_of_others_turn,
    "open": _unfiltered("open"),
    "vacant": _games_with_vacant_seats,
    "watch": _unfiltered("watch"),
    "finished": _unfiltered("finished"),
}
"""By name, in the order of the first page, the functions that return a page of a list.

Their arguments are the viewer (the id of a player, or None), a cursor (None: the first page), and the most
games of the page. They raise Malformed for an invalid cursor.
"""


def played_with(player: str) -> list[str]:
    """Return the ids of the people with whom a player has played last, those of the latest game first."""
    page = service().games.listings.page(("playing", "finished"), player, None, PAGE_GAMES, player)
    others = dict.fromkeys(
        other
        for summary in service().games.queries.summaries(page.games)
        if summary is not None
        for other, _ in summary.players
        if other != player and other not in summary.bots
    )
    # An account that was erased has no handle.
    handles = service().accounts.players.handles(others)
    return [other for other in others if other in handles][:MOST_PLAYED_WITH]


def _listed(summaries: Sequence[Summary | None], viewer: str | None) -> list[ListedGame]:
    return [
        ListedGame(summary, viewer is not None and _player_to_act(summary) == viewer)
        for summary in summaries
        if summary is not None
    ]


def _player_to_act(summary: Summary) -> str | None:
    return next(
        (player for player, seat in summary.players if seat is not None and seat == summary.to_act),
        None,
    )


PLAYER: Final = "player"
"""The field with the handle of a player."""
CLUB: Final = "club"
"""The field with the id of a club, which links from its page have."""
_FIELDS: Final = ("rules", "seats", PLAYER, CLUB)
_FIELDS_OF_OPEN_GAMES: Final = (*_FIELDS, "free", "clock")
"""The names of the fields, as parameters of the address. `rules` is the own name of a rule system."""
PACE_LABELS: Final[Mapping[Pace, Text]] = {
    "none": message_in("filter", "no time limit"),
    "hour": message_in("filter", "at most an hour for each turn"),
    "day": message_in("filter", "at most a day for each turn"),
    "slow": message_in("filter", "more than a day for each turn"),
}


def chosen_values(name: str, arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the form of a list that an address has; empty ones are left out."""
    fields = _FIELDS_OF_OPEN_GAMES if name == "open" else _FIELDS
    return {name: value for name in fields if (value := trim(arguments.get(name, "")))}


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


def profile_address(player: str) -> str | None:
    """Return the address of the profile of a player; None for a player whose account was erased."""
    handle = service().accounts.players.handles([player]).get(player)
    return None if handle is None else f"/players/{quote(handle, safe='')}"


def all_seat_counts() -> list[int]:
    """Return the numbers of seats that any game allows, in order."""
    return sorted(
        {seats for entry in rule_systems().values() for seats in seat_counts(entry.system)}
    )


def read_lists(*lists: GameList) -> None:
    """Read together the handles of all players of some lists, and the news for the viewer in their games.

    Showing a name then finds it in the cache.
    """
    games = [game for game_list in lists for game in game_list.games]
    service().accounts.players.handles({player for game in games for player in game.players})
    read_badges(game.summary for game in games)
    read_recaps(lists, current_player())
    read_reliabilities(lists)
