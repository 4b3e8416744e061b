"""Teams of a tournament: who plays at which board, and the result of a match (docs/tournaments.md, Teams).

In a team tournament, the entrants are teams, and the tables of a format are matches. Each board of a match
is a table with a game of its own, at which each team has one player.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from typing_extensions import override

from domain.tournaments.format_settings import FormatSettings, Scoring
from domain.tournaments.pairing import Player, Table
from domain.tournaments.standings import NO_PLACE, Result

TeamNumber: TypeAlias = Player
"""The number of a team in the draw of lots."""
MAX_PLAYERS_PER_BOARD: Final = 2
"""How many players a team may name, at most, for each board: as many substitutes as players."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A team was handed on to another captain. `author` is the player who did so; None for the server."""

    at: str
    author: str | None
    former: str
    captain: str


@dataclass(frozen=True, slots=True)
class Team:
    """A team. Its captain registers it, and stands for it where the tournament names entrants."""

    captain: str
    name: str
    roster: tuple[str, ...]
    """Those whom the captain has named, in the order of the boards; the last ones are substitutes."""
    joined: frozenset[str]
    """Those of them who have agreed, and have not left."""
    line_ups: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By round, the players at the boards, as they were set."""
    changes: int = 0
    """How often the team or its line-up was changed."""
    named: frozenset[str] = frozenset()
    """Those whom the captain has ever named, also for teams that were withdrawn."""
    former_changes: int = 0
    """How often the teams were changed that the captain has withdrawn before."""
    handovers: tuple[Handover, ...] = ()
    """In the order of the log."""

    @property
    def all_changes(self) -> int:
        """How often the captain's teams were changed, those included that were withdrawn."""
        return self.former_changes + self.changes

    @property
    def players(self) -> tuple[str, ...]:
        """The players who take part, in the order of the boards."""
        return tuple(player for player in self.roster if player in self.joined)

    def line_up(self, round: int, boards: int) -> tuple[str, ...]:
        """Return who plays at the boards in a round, at most `boards` players.

        They are those of the last line-up that was set up to this round. Instead of players who have left,
        the next ones move up, and the others follow in the order of the roster.
        """
        set_rounds = [number for number in self.line_ups if number <= round]
        chosen = self.line_ups[max(set_rounds)] if set_rounds else ()
        first = [player for player in chosen if player in self.joined]
        others = [player for player in self.players if player not in first]
        return tuple([*first, *others][:boards])


@dataclass(frozen=True, slots=True)
class MatchResult(Result):
    """The result of a match. `table` are the teams, and `places` theirs; a match of one team is a bye."""

    boards: tuple[Result, ...] = ()
    """Those of its tables, in the order of the boards."""
    board_count: int = 0
    """How many boards a complete match has."""
    scoring: Scoring = "boards"

    @override
    def points(self) -> dict[Player, Fraction]:
        """Return the points of the teams: those of their places, or the sums of those at the boards."""
        if self.scoring == "sums":
            return self.board_points()
        # super() does not work in a dataclass with slots before Python 3.14.
        return Result.points(self)

    @override
    def board_points(self) -> dict[Player, Fraction]:
        """Return the sums of the points at the boards, by team; a bye counts like a victory at each board."""
        if len(self.table) == 1:
            return {self.table[0]: Fraction(self.board_count)}
        totals = dict.fromkeys(self.table, Fraction(0))
        for board in self.boards:
            for team, points in board.points().items():
                totals[team] += points
        return totals

    @override
    def score(self, player: Player, other: Player) -> Fraction:
        """Return what a team has scored against another one: by their places, or at the boards together."""
        if self.scoring == "boards":
            return Result.score(self, player, other)
        total = Fraction(0)
        for board in self.boards:
            if player in board.table and other in board.table:
                total += board.score(player, other)
            elif player in board.table and board.place(player) != NO_PLACE:
                total += 1
        return total


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a round."""

    teams: Table
    tables: tuple[int, ...]
    """The numbers of its tables, counted from 1, in the order of the boards; none for a bye."""

    def result(
        self, results: Sequence[Result | None], settings: FormatSettings
    ) -> MatchResult | None:
        """Return the result from those of the tables of the round; None while a board has none."""
        boards = [results[table - 1] for table in self.tables]
        known = tuple(board for board in boards if board is not None)
        if len(known) < len(boards):
            return None
        match = MatchResult(
            self.teams,
            (1,) * len(self.teams),
            boards=known,
            board_count=settings.boards,
            scoring=settings.scoring,
        )
        if len(self.teams) == 1:
            return match
        totals = match.board_points()
        # A team that has forfeited every board, or had nobody for it, has no place.
        played = {
            team
            for board in known
            for team, place in zip(board.table, board.places, strict=True)
            if place != NO_PLACE
        }
        places = tuple(
            1 + sum(total > totals[team] for total in totals.values())
            if team in played
            else NO_PLACE
            for team in self.teams
        )
        return MatchResult(
            self.teams, places, boards=known, board_count=settings.boards, scoring=settings.scoring
        )


def board_tables(
    matches: Sequence[Table], line_ups: Mapping[TeamNumber, Sequence[str]]
) -> tuple[list[Match], tuple[Table, ...], list[tuple[str, ...]]]:
    """Return the matches of a round, and its tables with the teams and with the players by seat.

    `matches` are the teams that meet. The seats rotate from board to board: at tables of two, a team has the
    first seat at every second board. At a board for which a team has nobody, the others play without it.
    """
    drawn: list[Match] = []
    tables: list[Table] = []
    players: list[tuple[str, ...]] = []
    for teams in matches:
        numbers: list[int] = []
        boards = max(len(line_ups[team]) for team in teams) if len(teams) > 1 else 0
        for board in range(boards):
            first = board % len(teams)
            seated = [team for team in teams[first:] + teams[:first] if board < len(line_ups[team])]
            tables.append(tuple(seated))
            players.append(tuple(line_ups[team][board] for team in seated))
            numbers.append(len(tables))
        drawn.append(Match(teams, tuple(numbers)))
    return drawn, tuple(tables), players


@dataclass(frozen=True, slots=True)
class Individual:
    """What a player of a team has scored at boards with opponents."""

    player: str
    team: TeamNumber
    points: Fraction
    played: int
    wins: int


def individuals(boards: Sequence[tuple[Result, tuple[str, ...]]]) -> list[Individual]:
    """Return the results of the players of all teams, the best first, from results and the players by seat.

    Points decide, then fewer games, then first places; the others are in the order of their teams and of
    their first games.
    """
    rows: dict[tuple[TeamNumber, str], Individual] = {}
    for result, players in boards:
        if len(players) == 1:
            continue
        points = result.points()
        for team, player, place in zip(result.table, players, result.places, strict=True):
            row = rows.get((team, player), Individual(player, team, Fraction(0), 0, 0))
            rows[team, player] = Individual(
                player, team, row.points + points[team], row.played + 1, row.wins + (place == 1)
            )
    return sorted(rows.values(), key=lambda row: (-row.points, row.played, -row.wins, row.team))
