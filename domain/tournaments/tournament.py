"""A tournament as its log records it; `domain.tournaments.folding` applies the events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Literal, TypeAlias

from domain.event import ZEROS, Clock
from domain.json_types import JsonObject
from domain.messages import Message, message
from domain.tournaments import formats
from domain.tournaments.arena import ArenaState
from domain.tournaments.draws import TournamentDraw, draw_seed
from domain.tournaments.entry_rules import NO_ENTRY_RULES, EntryRules
from domain.tournaments.events import PairingMethod, Seeding, TournamentBy
from domain.tournaments.format_settings import FormatSettings
from domain.tournaments.formats import Group, Round
from domain.tournaments.pairing import Pair, Table, pair
from domain.tournaments.standings import Result, TieBreak
from domain.tournaments.teams import Individual, Match, Team, board_tables, individuals

TournamentStatus: TypeAlias = Literal["open", "running", "finished", "cancelled"]
TOURNAMENT_STATUSES: Final[tuple[TournamentStatus, ...]] = (
    "open",
    "running",
    "finished",
    "cancelled",
)
STATUS_CLAUSES: Final[Mapping[TournamentStatus, Message]] = {
    "open": message("the tournament has not begun"),
    "running": message("the tournament is in progress"),
    "finished": message("the tournament is over"),
    "cancelled": message("the tournament was cancelled"),
}
"""What a tournament of each status is, as a clause."""


@dataclass(frozen=True, slots=True)
class DrawnRound:
    """A round. `players` are those who sit at the tables: substitutes of later rounds do not change them."""

    number: int
    tables: tuple[Table, ...]
    players: tuple[tuple[str, ...], ...]
    nonces: tuple[tuple[str, ...], ...]
    """Those of the players, in hex, at the time of the draw: later registrations do not change them."""
    games: tuple[str | None, ...]
    absent: frozenset[int]
    half_points: frozenset[int]
    """The entrants with half a point in it without a table: who has asked for that, or entered late."""
    drawn_at: str
    ends: str
    results: tuple[Result | None, ...]
    hash: str
    """That of the event `RoundDrawn`, which the games of the round name."""
    title: str = ""
    """The name of the tournament at the time of the draw, which the games have."""
    rulings: Mapping[int, int] = field(default_factory=dict)
    """By table, counted from 1, the seq of the event by which an organiser has decided its result."""
    replays: Mapping[int, str] = field(default_factory=dict)
    """By table that plays again, the hash of the event that says so, which its game names."""
    former_games: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By table that plays again, its games that count no more."""
    is_closed: bool = False
    pairing: PairingMethod | None = None
    """How its tables were found; None in tournaments of version 1."""
    matches: tuple[Match, ...] = ()
    """The matches of teams, to which the tables belong; () if single players take part."""

    @property
    def open_tables(self) -> tuple[int, ...]:
        """The tables without a result, counted from 1."""
        return tuple(number for number, result in enumerate(self.results, 1) if result is None)

    @property
    def all_games(self) -> tuple[str, ...]:
        """The games of all tables, also those that count no more."""
        former = (game for games in self.former_games.values() for game in games)
        return (*(game for game in self.games if game is not None), *former)

    def is_waiting_for(self, player: str) -> bool:
        """Return whether a player sits at a table that has no result yet."""
        return any(player in self.players[table - 1] for table in self.open_tables)

    def as_round(self, settings: FormatSettings) -> Round:
        """Return the round as a format takes it: the tables of teams are their matches."""
        if settings.boards:
            matches = tuple(match.teams for match in self.matches)
            return Round(
                matches, tuple(match.result(self.results, settings) for match in self.matches)
            )
        return Round(self.tables, self.results, tuple(sorted(self.half_points)))

    def match_of(self, table: int) -> Match | None:
        """Return the match to which a table, counted from 1, belongs; None if there are no teams."""
        return next((match for match in self.matches if table in match.tables), None)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A substitute who took the place of another player, with its points."""

    number: int
    """That of the entrant in the draw of lots."""
    player: str
    replaces: str
    round: int
    """The first round of the substitute, counted from 1."""


@dataclass(frozen=True, slots=True)
class Release:
    """The release of a round by an organiser."""

    round: int
    tables: tuple[tuple[str, ...], ...] | None
    """The players at each table, if they are paired by hand."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What an organiser has said, to all players or to those of a table."""

    seq: int
    at: str
    player: str
    """Its author."""
    text: str
    round: int | None
    table: int | None


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A change by an organiser, as the log has it."""

    seq: int
    type: str
    at: str
    by: TournamentBy
    data: JsonObject


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that the log of a tournament records up to `seq`."""

    id: str
    creator: str
    name: str
    description: str
    format: FormatSettings
    rules: str
    options: JsonObject
    clock: Clock
    private: bool
    least: int
    most: int
    closes: str
    round_seconds: int
    commitment: str
    games_commitment: str
    created_at: str
    version: int
    """The version of the rules by which it is held: `v` of its events."""
    status: TournamentStatus = "open"
    entry_rules: EntryRules = NO_ENTRY_RULES
    contact: str = ""
    """How players reach the organiser."""
    named: tuple[str, ...] = ()
    """The organisers besides the creator."""
    prohibitions: tuple[tuple[str, ...], ...] = ()
    """Groups of players of whom no two meet."""
    seeding: Seeding = "lots"
    seeds: tuple[str, ...] = ()
    """The players whom the organiser has put at the top, if the seeding is by hand."""
    review: bool = False
    """Whether each round waits for its release by an organiser."""
    released: "Release | None" = None
    """The next round, if an organiser has released it."""
    has_no_pairing: bool = False
    """Whether no pairing of the next round was found, and nothing has changed since."""
    paused_at: str | None = None
    """When the pause began; None if the tournament is not paused."""
    changes: tuple[RecordedChange, ...] = ()
    """All changes by organisers, in the order of the log."""
    announcements: tuple[Announcement, ...] = ()
    """In the order of the log."""
    invited: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()
    """The players who have registered and not withdrawn before the draw, in the order of the log."""
    registrations: tuple[tuple[str, str], ...] = ()
    """All registrations ever, with their nonces in hex, in the order of the log."""
    nonces: Mapping[str, str] = field(default_factory=dict)
    """By player, the last nonce in hex."""
    entrants: tuple[str, ...] = ()
    """By number in the draw of lots, the player who plays now; () before the draw."""
    lots: tuple[str, ...] = ()
    """By number, the player who was drawn."""
    places: Mapping[str, int] = field(default_factory=dict)
    """By player, the number of the only entrant as whom they have played, even if somebody else does now."""
    teams: Mapping[str, Team] = field(default_factory=dict)
    """By captain, the teams that were entered and not withdrawn before the draw."""
    former_teams: Mapping[str, Team] = field(default_factory=dict)
    """By captain, the last team that was withdrawn before the draw."""
    withdrawn: frozenset[int] = frozenset()
    """The entrants without a player."""
    excluded: frozenset[str] = frozenset()
    """The players whom somebody else has withdrawn."""
    replacements: tuple[Replacement, ...] = ()
    """In the order of the log, without players who got their own place back."""
    volunteers: tuple[str, ...] = ()
    """The players who are ready to take the place of one who withdraws, in the order of the log."""
    volunteer_counts: Mapping[str, int] = field(default_factory=dict)
    """By player, how often they registered as a substitute, or entered an arena that had begun."""
    members: tuple[str, ...] = ()
    """All players who ever registered or volunteered."""
    requested_byes: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """By player, the rounds to come for which they have asked for half a point instead of a table."""
    late: Mapping[int, int] = field(default_factory=dict)
    """By the number of an entrant who has entered late, the first round that they could play in."""
    arena: ArenaState | None = None
    """Who is free in an arena that has begun; None in other formats."""
    secret: str | None = None
    games_secret: str | None = None
    rounds: tuple[DrawnRound, ...] = ()
    final_standings: list[list[JsonObject]] | None = None
    final_individuals: list[JsonObject] | None = None
    cancel_reason: str | None = None
    seq: int = 0
    hash: str = ZEROS
    at: str = ""

    @property
    def club(self) -> str | None:
        """The id of the club whose members take part; None for a tournament of no club."""
        club: str | None = self.options.get("club")
        return club

    @property
    def clubs(self) -> Mapping[str, str]:
        """The names of the clubs whose members take part, by id, in a match of two clubs; else none."""
        return self.entry_rules.clubs

    @property
    def viewers(self) -> frozenset[str]:
        """Those who see it if it is private: organisers, those who are invited, or named for a team, and all
        who ever took part.

        One of a club, or of two, is seen, besides the members, by those only who take part or have had a
        place.
        """
        if self.club is not None or self.clubs:
            joined = (player for team in self.teams.values() for player in team.joined)
            playing = (*self.registered, *self.places, *self.volunteers, *joined)
            return frozenset((*self.organisers, *playing))
        named = (player for team in self.teams.values() for player in team.roster)
        return frozenset((*self.organisers, *self.invited, *self.members, *named))

    @property
    def organisers(self) -> tuple[str, ...]:
        """The players who decide in the tournament."""
        return (self.creator, *self.named)

    def has_closed(self, at: str) -> bool:
        """Return whether registration has closed by a time, or because all places are taken; it does not
        close in a pause.
        """
        is_full = self.entry_rules.starts_when_full and len(self.ready) >= self.most
        return self.status != "open" or (self.paused_at is None and (is_full or at >= self.closes))

    @property
    def current_round(self) -> DrawnRound | None:
        """The last round that was drawn."""
        return self.rounds[-1] if self.rounds else None

    @property
    def open_rounds(self) -> tuple[DrawnRound, ...]:
        """The rounds that have begun and are not closed; more than one in an arena only."""
        return tuple(drawn for drawn in self.rounds if not drawn.is_closed)

    def open_round(self, number: object) -> DrawnRound | None:
        """Return the round with a number if its tables get results now."""
        return next((drawn for drawn in self.open_rounds if drawn.number == number), None)

    @property
    def is_over(self) -> bool:
        """Whether no round follows."""
        return self.status in ("finished", "cancelled")

    @property
    def draw(self) -> TournamentDraw:
        """The draw of lots and tables, once the secret is published."""
        if self.secret is None:
            raise ValueError("the secret of the draw is not published yet")
        nonces = (bytes.fromhex(nonce) for _, nonce in self.registrations)
        return TournamentDraw(draw_seed(bytes.fromhex(self.secret), nonces))

    @property
    def ready(self) -> tuple[str, ...]:
        """The entrants for whom lots would be drawn: the players, or the captains of complete teams."""
        if not self.format.boards:
            return self.registered
        return tuple(
            captain
            for captain in self.registered
            if len(self.teams[captain].players) >= self.format.boards
        )

    def number_of(self, player: str) -> int | None:
        """Return the number of the entrant as whom, or for whose team, a player plays now."""
        number = self.places.get(player)
        if number is None or number in self.withdrawn:
            return None
        plays = self.entrants[number] == player
        if self.format.boards:
            plays = player in self.teams[self.entrants[number]].joined
        return number if plays else None

    def team_of(self, player: str) -> Team | None:
        """Return the team for which a player has agreed to play, and which takes part; None without one."""
        if self.status == "open":
            return next((team for team in self.teams.values() if player in team.joined), None)
        number = self.number_of(player)
        return None if number is None else self.teams.get(self.entrants[number])

    def teams_that_ask(self, player: str) -> tuple[Team, ...]:
        """Return the teams that have named a player who has not agreed, while registration is open; none for
        one who was excluded.
        """
        if self.status != "open" or player in self.excluded:
            return ()
        return tuple(
            team
            for team in self.teams.values()
            if player in team.roster and player not in team.joined
        )

    def team_at(self, number: int) -> Team | None:
        """Return the team with a number in the draw of lots; None if single players take part."""
        return self.teams.get(self.entrants[number]) if self.format.boards else None

    def half_points_of(self, player: str) -> int:
        """Return in how many rounds so far the place of a player had half a point without a table."""
        number = self.number_of(player)
        return sum(number in drawn.half_points for drawn in self.rounds)

    def next_half_points(self) -> frozenset[int]:
        """Return the entrants who have asked for half a point in the next round instead of a table."""
        next = len(self.rounds) + 1
        asked = (
            self.number_of(player)
            for player, rounds in self.requested_byes.items()
            if next in rounds
        )
        return frozenset(number for number in asked if number is not None)

    def addressees(self, announcement: Announcement) -> frozenset[str]:
        """Return whom an announcement is for, without its author: the players of its table, or all who take
        part now.
        """
        players = self.members
        if announcement.round is not None and announcement.table is not None:
            players = self.rounds[announcement.round - 1].players[announcement.table - 1]
        else:
            players = tuple(player for player in players if self.takes_part(player))
        return frozenset(players) - {announcement.player}

    def takes_part(self, player: str) -> bool:
        """Return whether a player has registered, or is an entrant, or a substitute who waits."""
        if self.format.boards:
            return self.team_of(player) is not None
        if self.status == "open":
            return player in self.registered
        return self.number_of(player) is not None or player in self.volunteers

    def as_rounds(self) -> list[Round]:
        """Return the rounds as the format takes them."""
        return [drawn.as_round(self.format) for drawn in self.rounds]

    def standings(self) -> list[Group]:
        """Return the standings after the results that there are; none before the draw."""
        if not self.entrants:
            return []
        numbers = range(len(self.entrants))
        return formats.standings(self.format, numbers, self.as_rounds(), self.version)

    def individuals(self) -> list[Individual]:
        """Return the results of the players of teams, the best first; none if single players take part."""
        if not self.format.boards:
            return []
        return individuals(
            [
                (result, players)
                for drawn in self.rounds
                for result, players in zip(drawn.results, drawn.players, strict=True)
                if result is not None
            ]
        )

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """What decides the places, in turn."""
        return formats.tie_breaks_of(self.format, self.version)

    def numbers_in_play(self) -> frozenset[int]:
        """Return the entrants who may still have a table in a round that follows; see `formats.in_play`."""
        return formats.in_play(self.format, range(len(self.entrants)), self.as_rounds())

    def with_round(self, drawn: DrawnRound) -> "Tournament":
        """Return the tournament with another state of a round."""
        rounds = list(self.rounds)
        if self.format.is_arena:
            # Nobody waits for the other tables of a draw, so no event says that all have results.
            drawn = replace(drawn, is_closed=not drawn.open_tables)
        rounds[drawn.number - 1] = drawn
        return replace(self, rounds=tuple(rounds))

    def next_tables(self) -> tuple[Table, ...] | None:
        """Return the tables of the next round as they are drawn, of teams the matches, None if there is none.
        All tables must have results. Raises NoPairing.
        """
        numbers = range(len(self.entrants))
        return formats.next_round(
            self.format,
            numbers,
            self.as_rounds(),
            self.withdrawn,
            self.draw,
            self.version,
            self.prohibited_pairs(),
            is_seeded=self.seeding != "lots",
            half_points=self.next_half_points(),
        )

    def boards_of(
        self, matches: Sequence[Table]
    ) -> tuple[list[Match], tuple[Table, ...], list[tuple[str, ...]]]:
        """Return the matches of the next round, and its tables with the teams and the players by seat."""
        number, boards = len(self.rounds) + 1, self.format.boards
        line_ups = {
            team: self.teams[self.entrants[team]].line_up(number, boards)
            for match in matches
            for team in match
        }
        return board_tables(matches, line_ups)

    def prohibited_pairs(self) -> frozenset[Pair]:
        """Return the pairs of entrants, by their numbers, who do not meet."""
        groups = (map(self.number_of, group) for group in self.prohibitions)
        playing = ({number for number in group if number is not None} for group in groups)
        return frozenset(pair(*two) for group in playing for two in combinations(group, 2))

    @property
    def waits_for_draw(self) -> bool:
        """Whether the next round, or the end, follows as soon as nothing holds it up."""
        return (
            self.status == "running"
            and not self.format.is_arena
            and all(drawn.is_closed for drawn in self.rounds)
        )


def can_see_tournament(tournament: Tournament, player: str | None) -> bool:
    """Return whether a player (None: nobody who is logged in) may see the tournament.

    A private one is visible to its `viewers`. That of a club is also visible to its members, which the log
    does not know.
    """
    if not tournament.private:
        return True
    return player is not None and player in tournament.viewers


def standings_as_json(tournament: Tournament) -> list[list[JsonObject]]:
    """Return the standings of each group, the best first.

    What decides the places in the format is in `tie_breaks`, in its order; fractions are texts such as `7/2`.
    """
    tie_breaks = tournament.tie_breaks
    return [
        [
            {
                "entrant": standing.player,
                "player": tournament.entrants[standing.player],
                "tie_breaks": {name: str(standing.value(name)) for name in tie_breaks},
                "points": str(standing.points),
                "wins": standing.wins,
                "played": standing.played,
            }
            for standing in group.standings
        ]
        for group in tournament.standings()
    ]


def individuals_as_json(tournament: Tournament) -> list[JsonObject]:
    """Return the results of the players of teams, the best first, with the numbers of their teams."""
    return [
        {
            "player": row.player,
            "entrant": row.team,
            "points": str(row.points),
            "played": row.played,
            "wins": row.wins,
        }
        for row in tournament.individuals()
    ]
