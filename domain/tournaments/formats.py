"""The formats of tournaments: who plays in the next round, when it is over, and the order of the players.

docs/tournaments.md describes each format with its tie-breaks. All functions are pure: anybody who has the
settings, the draw of lots and the results gets the same tables and the same standings.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from typing import Final, Protocol, TypeVar

from domain.messages import Message, message, message_in
from domain.tournaments.events import TOURNAMENT_VERSION, PairingMethod
from domain.tournaments.format_settings import Format, FormatSettings
from domain.tournaments.pairing import (
    MAX_TABLE,
    MIN_TABLE,
    Pair,
    Player,
    Table,
    arrange,
    drawn_orders,
    meetings,
    pair,
    round_robin,
    seated,
    swiss,
    table_sizes,
)
from domain.tournaments.standings import (
    ARENA,
    ELIMINATION,
    EVERYBODY_MEETS,
    NO_PLACE,
    OPPONENTS_DIFFER,
    OPPONENTS_DIFFER_BEFORE_VERSION_3,
    Result,
    Standing,
    TieBreak,
    half_point_bye,
    rank,
)

T = TypeVar("T")

TIE_BREAKS: Final[Mapping[Format, tuple[TieBreak, ...]]] = {
    "single_group": OPPONENTS_DIFFER,
    "round_robin": EVERYBODY_MEETS,
    "swiss": OPPONENTS_DIFFER,
    "knockout": ELIMINATION,
    "league": EVERYBODY_MEETS,
    "ladder": (),
    "arena": ARENA,
}
"""What decides the places in each format, after which the lots do; in a ladder, the ladder alone."""


def tie_breaks_of(settings: FormatSettings, version: int) -> tuple[TieBreak, ...]:
    """Return what decides the places in a format, in tournaments of a version.

    Where teams have points for who has won a match, those at the boards come next.
    """
    tie_breaks = TIE_BREAKS[settings.format]
    if version < 3 and tie_breaks is OPPONENTS_DIFFER:
        return OPPONENTS_DIFFER_BEFORE_VERSION_3
    if settings.boards and settings.scoring == "boards" and "points" in tie_breaks:
        after = tie_breaks.index("points") + 1
        return (*tie_breaks[:after], "board_points", *tie_breaks[after:])
    return tie_breaks


class Draw(Protocol):
    """The draw of lots: choices that follow from the revealed seed of a tournament and a label."""

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        """Return the items in an order that depends on the seed and the label alone."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of which the tables are drawn."""

    tables: tuple[Table, ...]
    results: tuple[Result | None, ...]
    """The result of each table, None while it plays; a bye has a result from the start."""
    half_points: tuple[Player, ...] = ()
    """The players with half a point in it without a table."""

    @property
    def known_results(self) -> tuple[Result, ...]:
        """The results that there are, with those of half-point byes."""
        of_tables = (result for result in self.results if result is not None)
        return (*of_tables, *map(half_point_bye, self.half_points))


@dataclass(frozen=True, slots=True)
class Group:
    """Players who compete for the same places: a division of a league, or all."""

    standings: tuple[Standing, ...]
    """The best first."""


@dataclass(frozen=True, slots=True)
class Season:
    """A season of a league."""

    divisions: tuple[tuple[Player, ...], ...]
    """The players of each division, the first division first, in the order of the season before or of the
    lots.
    """
    start: int
    """The number of rounds before it."""
    length: int
    """The number of its rounds."""


def next_round(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
    draw: Draw,
    version: int = TOURNAMENT_VERSION,
    prohibited: Collection[Pair] = frozenset(),
    *,
    is_seeded: bool = False,
    half_points: frozenset[Player] = frozenset(),
) -> tuple[Table, ...] | None:
    """Return the tables of the next round, after all `rounds` have their results; None if it is over. A round
    of a league has no tables if everybody who would sit in it is absent.

    `players` are all players in the order of the lots, and `absent` those of them who do not play in the
    next round. `version` is that of the tournament. In a Swiss tournament and a single group, `prohibited`
    pairs do not meet; raises NoPairing if no such round is found. If the players are seeded, they are in the
    order of the seeds. Those with `half_points` have no table, though they are not absent.
    """
    if len(set(players) - absent) < MIN_TABLE and settings.format != "knockout":
        return None
    match settings.format:
        case "single_group" | "swiss":
            return _round_of_rounds(
                settings,
                players,
                rounds,
                absent | half_points,
                draw,
                version,
                prohibited,
                is_seeded=is_seeded,
            )
        case "round_robin":
            schedule = _schedule(settings, len(players))
            if len(rounds) == len(schedule):
                return None
            return _scheduled(settings, schedule[len(rounds)], players, rounds, absent)
        case "knockout":
            return _knockout(settings, players, rounds, absent, is_seeded=is_seeded)
        case "league":
            return _league(settings, players, rounds, absent, draw)
        case "ladder":
            return _ladder_round(settings, players, rounds, absent)
        case "arena":
            raise ValueError("an arena has no rounds of all players")


def pairing_method(settings: FormatSettings) -> PairingMethod:
    """Return how the tables of a round are found, in tournaments of version 2 and later."""
    match settings.format:
        case "round_robin" | "league":
            return "schedule"
        case "arena":
            return "exact" if settings.table_size == MIN_TABLE else "order"
        case "swiss" | "single_group":
            return "exact" if settings.table_size == MIN_TABLE else "search"
        case "knockout":
            # Nobody meets again at tables of two, so that there is nothing to search for.
            return "order" if settings.table_size == MIN_TABLE else "search"
        case "ladder":
            return "order"


def in_play(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round]
) -> frozenset[Player]:
    """Return the players who may still have a table in a round that follows, whether they are absent or not.

    While a table of the last round has no result, everybody counts who may have one. Nobody does when the
    last round of the tournament is drawn.
    """
    match settings.format:
        case "single_group" | "swiss" | "ladder" | "arena":
            return frozenset(players if settings.is_arena or len(rounds) < settings.rounds else ())
        case "round_robin":
            count = len(_schedule(settings, len(players)))
            return frozenset(players if len(rounds) < count else ())
        case "knockout":
            if not rounds:
                return frozenset(players)
            if len(rounds[-1].tables) <= 1:
                return frozenset()
            if None in rounds[-1].results:
                return frozenset(player for table in rounds[-1].tables for player in table)
            return frozenset(_qualified(settings, players, rounds))
        case "league":
            all_seasons = seasons(settings, players, rounds)
            season = all_seasons[-1]
            is_played = len(rounds) - season.start >= season.length
            has_results = all(None not in round.results for round in rounds[-1:])
            if is_played and (has_results or len(all_seasons) == settings.seasons):
                return frozenset()
            return frozenset(player for division in season.divisions for player in division)


def standings(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    version: int = TOURNAMENT_VERSION,
) -> list[Group]:
    """Return the standings after the results that there are; in a league, one group for each division of its
    season.

    `players` are all players in the order of the lots, and `version` is that of the tournament.
    """
    tie_breaks = tie_breaks_of(settings, version)
    if settings.format == "league":
        season = seasons(settings, players, rounds)[-1]
        results = _results(rounds[season.start :])
        return [_ranked(tie_breaks, division, results) for division in season.divisions]
    if settings.format == "ladder":
        rows = {row.player: row for row in rank(players, _results(rounds), ())}
        return [Group(tuple(rows[player] for player in ladder(players, rounds)))]
    reached = Counter(player for table in _tables(rounds) for player in table)
    return [_ranked(tie_breaks, players, _results(rounds), reached)]


def _ranked(
    tie_breaks: Sequence[TieBreak],
    players: Sequence[Player],
    results: Sequence[Result],
    reached: Mapping[Player, int] | None = None,
) -> Group:
    members = set(players)
    own = [result for result in results if members.intersection(result.table)]
    return Group(tuple(rank(players, own, tie_breaks, reached or {})))


def _results(rounds: Iterable[Round]) -> list[Result]:
    return [result for round in rounds for result in round.known_results]


def _tables(rounds: Iterable[Round]) -> list[Table]:
    return [table for round in rounds for table in round.tables]


# Single group and Swiss.


def _round_of_rounds(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
    draw: Draw,
    version: int,
    prohibited: Collection[Pair],
    *,
    is_seeded: bool,
) -> tuple[Table, ...] | None:
    if len(rounds) == settings.rounds:
        return None
    number = len(rounds) + 1
    present = [player for player in players if player not in absent]
    attempts = drawn_orders(len(present), settings.table_size, version)
    orders: Iterator[list[Player]] = (
        draw.shuffle(present, f"round/{number}/{attempt}") for attempt in range(1, attempts + 1)
    )
    before = _tables(rounds)
    byes = Counter(table[0] for table in before if len(table) == 1)
    if settings.format == "swiss" and rounds:
        (group,) = standings(settings, players, rounds, version)
        rows = [row for row in group.standings if row.player not in absent]
        if is_seeded and number <= settings.accelerated:
            ahead = points_in_advance(settings, players, number)
            rows.sort(key=lambda row: -(row.points + ahead.get(row.player, 0)))
        orders = chain([[row.player for row in rows]], orders)
    elif settings.format == "swiss" and is_seeded:
        ahead = points_in_advance(settings, players, number)
        halves = (
            [player for player in present if player in ahead],
            [player for player in present if player not in ahead],
        )
        dealt = [_dealt_seeds(half, settings.table_size) for half in halves]
        orders = chain([[player for half in dealt for player in half]], orders)
    tables = swiss(orders, settings.table_size, meetings(before), byes, version, prohibited)
    return seated(tables, before)


def points_in_advance(
    settings: FormatSettings, players: Sequence[Player], number: int
) -> dict[Player, Fraction]:
    """Return the points that players have for the pairing of a round, counted from 1, and for nothing else.

    In accelerated rounds, the first half of the starting order has one point, and half a point in the second
    half of these rounds: the Baku system, which chess uses (FIDE Handbook, part C.04.5.1). The number of
    these players is even.
    """
    if number > settings.accelerated:
        return {}
    first = -(-len(players) // 4) * 2
    points = Fraction(1) if number <= -(-settings.accelerated // 2) else Fraction(1, 2)
    return dict.fromkeys(players[:first], points)


def _dealt_seeds(seeds: Sequence[Player], size: int) -> list[Player]:
    """Return seeds in an order whose tables have players of all strengths: at tables of two, the first of the
    upper half meets the first of the lower half, and so on. A player who is left over is the last seed.
    """
    full = len(seeds) - (len(seeds) % MIN_TABLE if size == MIN_TABLE else 0)
    count = len(table_sizes(full, size))
    dealt = (seeds[table:full:count] for table in range(count))
    return [*(player for table in dealt for player in table), *seeds[full:]]


# Round robin, and the divisions of a league.


def _schedule(settings: FormatSettings, players: int) -> list[tuple[Table, ...]]:
    """Return the rounds of all cycles; every second cycle of tables for two has the seats exchanged."""
    once = round_robin(players, settings.table_size)
    return [
        tuple(table[::-1] if cycle % 2 else table for table in tables)
        for cycle in range(settings.cycles)
        for tables in once
    ]


def _scheduled(
    settings: FormatSettings,
    tables: Iterable[Table],
    players: Sequence[Player],
    before: Sequence[Round],
    absent: frozenset[Player],
) -> tuple[Table, ...]:
    """Return the tables of a schedule without those who are absent."""
    present = (
        tuple(players[place] for place in table if players[place] not in absent) for table in tables
    )
    some = [table for table in present if table]
    return tuple(some) if settings.table_size == MIN_TABLE else seated(some, _tables(before))


# League.


def seasons(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round]
) -> list[Season]:
    """Return the seasons of a league up to the current one, or the next once that has all results."""
    all_seasons: list[Season] = []
    order = [list(players)]
    while True:
        start = all_seasons[-1].start + all_seasons[-1].length if all_seasons else 0
        divisions = _divisions(settings, [player for division in order for player in division])
        length = max((len(_schedule(settings, len(some))) for some in divisions), default=0)
        all_seasons.append(Season(divisions, start, length))
        played = rounds[start : start + length]
        is_complete = len(played) == length and all(
            None not in round.results for round in played[-1:]
        )
        if not length or not is_complete or len(all_seasons) == settings.seasons:
            return all_seasons
        order = _order_after(settings, all_seasons[-1], played)
        if sum(map(len, order)) < MIN_TABLE:
            return all_seasons


def round_title(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round], number: int
) -> Message:
    """Return what a round, counted from 1, is called: in a league, by its season."""
    if settings.is_arena:
        return message("Draw {number}", number=number)
    if settings.format == "league":
        for count, season in enumerate(seasons(settings, players, rounds), start=1):
            if number <= season.start + season.length:
                return message(
                    "Season {season}, round {round}", season=count, round=number - season.start
                )
    return message_in("tournament", "Round {round}", round=number)


def _divisions(
    settings: FormatSettings, players: Sequence[Player]
) -> tuple[tuple[Player, ...], ...]:
    """Return the divisions of players in this order: as equal as possible, with two players at least."""
    count = max(1, min(settings.divisions, len(players) // MIN_TABLE))
    least, larger = divmod(len(players), count)
    divisions = []
    start = 0
    for number in range(count):
        size = least + (number < larger)
        divisions.append(tuple(players[start : start + size]))
        start += size
    return tuple(divisions)


def _order_after(
    settings: FormatSettings, season: Season, played: Sequence[Round]
) -> list[list[Player]]:
    """Return the players of each division for the next season, but for those absent from all of this."""
    results = _results(played)
    tie_breaks = tie_breaks_of(settings, TOURNAMENT_VERSION)
    took_part = {player for table in _tables(played) for player in table}
    order = [
        [
            row.player
            for row in _ranked(tie_breaks, division, results).standings
            if row.player in took_part
        ]
        for division in season.divisions
    ]
    # Nobody can go both up and down, so at most half of a division move in each direction.
    for upper, lower in pairwise(order):
        count = min(settings.promoted, len(upper) // 2, len(lower) // 2)
        if count:
            upper[-count:], lower[:count] = lower[:count], upper[-count:]
    return order


def _league(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
    draw: Draw,
) -> tuple[Table, ...] | None:
    all_seasons = seasons(settings, players, rounds)
    season = all_seasons[-1]
    number = len(rounds) - season.start
    if number >= season.length:
        return None
    tables: list[Table] = []
    for division, members in enumerate(season.divisions, start=1):
        order = draw.shuffle(members, f"season/{len(all_seasons)}/{division}")
        schedule = _schedule(settings, len(members))
        if number < len(schedule):
            tables += _scheduled(settings, schedule[number], order, rounds, absent)
    return tuple(tables)


# Knockout.


def _knockout(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
    *,
    is_seeded: bool,
) -> tuple[Table, ...] | None:
    size = settings.table_size
    if not rounds:
        remaining = [player for player in players if player not in absent]
        if size == MIN_TABLE and len(remaining) > 1 and is_seeded:
            return _bracket(remaining)
        if size == MIN_TABLE and len(remaining) > 1:
            # As many byes that all tables of the next round are full, and so on to the final.
            byes = (1 << (len(remaining) - 1).bit_length()) - len(remaining)
            single = [(player,) for player in remaining[:byes]]
            rest = remaining[byes:]
            return (*single, *((rest[i], rest[i + 1]) for i in range(0, len(rest), 2)))
    else:
        if len(rounds[-1].tables) <= 1:
            return None
        remaining = [
            player for player in _qualified(settings, players, rounds) if player not in absent
        ]
    if not remaining:
        return None
    before = _tables(rounds)
    meeting_counts = meetings(before)
    sizes = table_sizes(len(remaining), size)
    # Dealt one by one, so that players who come from one table sit at different ones where that is possible.
    dealt = [remaining[table :: len(sizes)] for table in range(len(sizes))]
    order = [player for table in sorted(dealt, key=len, reverse=True) for player in table]
    tables = arrange([order], sizes, lambda two: meeting_counts[pair(*two)])
    return seated(tables, before)


def _bracket(seeds: Sequence[Player]) -> tuple[Table, ...]:
    """Return the first round in which the first seed can meet the second in the final only, one of the first
    four in the round before, and so on; the first seeds have the byes.
    """
    # The winner of a table meets that of the table half a round further down.
    favourites = [1]
    while 2 * len(favourites) < len(seeds):
        count = 2 * len(favourites)
        favourites += [count + 1 - seed for seed in favourites]
    last = 2 * len(favourites) + 1
    return tuple(
        tuple(seeds[seed - 1] for seed in (favourite, last - favourite) if seed <= len(seeds))
        for favourite in favourites
    )


def _qualified(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round]
) -> list[Player]:
    """Return the players who go on after the last round: by their places, and then table by table."""
    qualified: list[tuple[int, int, Player]] = []
    for number, result in enumerate(_results(rounds[-1:])):
        placed = _placed(result, players, rounds[:-1])
        count = _places_that_go_on(settings, result)
        qualified += [(place, number, player) for place, (_, player) in enumerate(placed[:count])]
    return [player for _, _, player in sorted(qualified)]


def _placed(
    result: Result, players: Sequence[Player], earlier: Sequence[Round]
) -> list[tuple[tuple[int, Fraction], Player]]:
    """Return the players of a table of a knockout in order, each with what decides it before the lots do."""
    points: dict[Player, Fraction] = dict.fromkeys(players, Fraction(0))
    for former in _results(earlier):
        for player, share in former.points().items():
            points[player] += share
    placed = [
        ((result.place(player), -points[player]), player)
        for player in players
        if player in result.table and result.place(player) != NO_PLACE
    ]
    # Equal ones stay in the order of the lots.
    return sorted(placed, key=lambda each: each[0])


def _places_that_go_on(settings: FormatSettings, result: Result) -> int:
    return max(1, min(settings.advance, len(result.table) - 1))


def is_decided_by_lot(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round], table: int
) -> bool:
    """Return whether lots decided who goes on from a table, counted from 0, of a knockout's last round."""
    result = rounds[-1].results[table]
    if settings.format != "knockout" or result is None or len(rounds[-1].tables) == 1:
        return False
    placed = _placed(result, players, rounds[:-1])
    count = _places_that_go_on(settings, result)
    return len(placed) > count and placed[count - 1][0] == placed[count][0]


# Ladder.


def ladder(players: Sequence[Player], rounds: Iterable[Round]) -> list[Player]:
    """Return the players from the top of the ladder to its bottom.

    After a game, its players stand on the rungs that they had, in the order of their places. A player who had
    neither a game nor a bye, though others further down had, changes rungs with the next of them.
    """
    order = list(players)
    for round in rounds:
        for result in _results([round]):
            rungs = sorted(order.index(player) for player in result.table)
            by_place = sorted(
                result.table,
                key=lambda player: (result.place(player) or MAX_TABLE + 1, order.index(player)),
            )
            for rung, player in zip(rungs, by_place, strict=True):
                order[rung] = player
        if None not in round.results:
            seated_players = {player for table in round.tables for player in table}
            for rung in range(len(order) - 2, -1, -1):
                if order[rung] not in seated_players and order[rung + 1] in seated_players:
                    order[rung], order[rung + 1] = order[rung + 1], order[rung]
    return order


def _ladder_round(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
) -> tuple[Table, ...] | None:
    if len(rounds) == settings.rounds:
        return None
    order = [player for player in ladder(players, rounds) if player not in absent]
    size = settings.table_size
    # In every second round, the tables begin half a table further down, so that everybody can climb.
    first = size // 2 if len(rounds) % 2 and len(order) > size else 0
    tables = [tuple(order[:first])] if first else []
    start = first
    for places in table_sizes(len(order) - first, size):
        tables.append(tuple(order[start : start + places]))
        start += places
    return seated(tables, _tables(rounds))
