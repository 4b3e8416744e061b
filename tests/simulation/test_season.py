"""A season: three leagues, a Swiss tournament each month, an event of teams, and an arena.

There are absent players, byes, late entries, prohibited pairs, ruled tables, and workers that die. Every
draw, decision and standing audits.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import combinations
from typing import Final

import pytest
from freezegun import freeze_time
from typing_extensions import override

from domain.errors import NotNow
from domain.event import Clock
from domain.tournaments.team_entries import line_up_round
from domain.tournaments.tournament import Tournament
from ledger.canonical import format_timestamp
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service.settings import Settings
from tests.simulation.test_tournaments import TournamentWorld
from tests.support.service_games import take_action
from tests.support.team_tournaments import BOARDS
from tests.support.tournaments import CLOCK, DAY, START, create, register

MONTHS: Final = 2
DAYS_OF_A_MONTH: Final = 30
LEAGUE: Final = {"format": "league", "table_size": 2, "divisions": 2, "promoted": 1, "seasons": 2}
SWISS: Final = {"format": "swiss", "table_size": 2, "rounds": 5}
TEAMS: Final = {"format": "swiss", "table_size": 2, "rounds": 4, "boards": BOARDS}
ARENA: Final = {"format": "arena", "table_size": 2, "minutes": 240}
MINUTE_OF_ARENA: Final = timedelta(minutes=2)
"""The time between two acts of the players of an arena."""
PERIOD: Final = 16
"""The number of steps, of six hours each, between two decisions of an organiser in the same tournament."""


class Season(TournamentWorld):
    """The tournaments of a season, whose organiser decides much."""

    _steps = 0

    def hold(self) -> None:
        """Let the season pass."""
        self.leagues = [self._add_league() for _ in range(3)]
        self.cups = [self._add_cup()]
        self.team_event = self._add_team_event()
        self.arena = self.hold_arena()
        for month in range(MONTHS):
            self.run(DAYS_OF_A_MONTH)
            if month + 1 < MONTHS:
                self.cups.append(self._add_cup(self.cups[-1]))

    def _add_league(self) -> str:
        self.add(12, format=LEAGUE, round_seconds=2 * DAY)
        return self.ids[-1]

    def _add_cup(self, former: str | None = None) -> str:
        """Create the Swiss tournament of a month, after the first month with the settings of the last one."""
        tournaments = self.service.tournaments.tournaments
        people = self._chance.sample(self._people, 32)
        if former is None:
            id = create(
                self.service,
                self._organiser,
                format=SWISS,
                round_seconds=4 * DAY,
                clock={**CLOCK, "on_deadline": {"remove_after": None}},
                most=36,
                half_point_byes=2,
                late_rounds=2,
                late_points="1/2",
            ).id
        else:
            closes = format_timestamp(self.now + timedelta(days=1))
            name = f"Cup {len(self.cups) + 1}"
            id = tournaments.organise_again(former, self._organiser, name, closes).id
        register(self.service, id, people)
        self._absent.update(people[::8])
        for first in (1, 3):
            self._change(id, "PairingsProhibited", players=self._handles(people[first : first + 2]))
        for player in people[10:14]:
            tournaments.request_bye(id, player, 2)
        self.ids.append(id)
        return id

    def _add_team_event(self) -> str:
        """Create a tournament of eight teams of two boards and a substitute."""
        id = create(
            self.service,
            self._organiser,
            format=TEAMS,
            round_seconds=4 * DAY,
            clock={**CLOCK, "on_deadline": {"remove_after": None}},
            most=8,
        ).id
        people = self._chance.sample(self._people, 24)
        teams = self.service.tournaments.teams
        for number in range(8):
            captain, *others = people[3 * number : 3 * number + 3]
            handles = self._handles([captain, *others])
            teams.enter(id, captain, f"Team {number}", handles, captain.encode())
            for player in others:
                teams.join(id, player, handles[0], player.encode())
        self._absent.update((people[1], people[9]))
        self.ids.append(id)
        return id

    def hold_arena(self) -> str:
        """Hold an arena of twelve, who come and go and take breaks, and of whom two never act."""
        fast: Clock = {"per_turn": 300, "on_deadline": {"remove_after": 1}}
        id = create(
            self.service,
            self._organiser,
            format=ARENA,
            clock=fast,
            round_seconds=1800,
            most=16,
            options={"round_limit": 1},
        ).id
        people = self._chance.sample(
            [each for each in self._people if each not in self._absent], 18
        )
        register(self.service, id, people[:12])
        absent = {*people[:2]}
        self.now += timedelta(days=1)
        while not self.load(id).is_over:
            self._move_to(self.now)
            self._advance()
            self._play_arena(id, absent)
            self._come_and_go(id, people)
            self._harness.scheduler.sweep(is_first=True)
            self._harness.scheduler.check_deadlines()
            self._harness.work()
            self.now += MINUTE_OF_ARENA
        self.ids.append(id)
        return id

    def _play_arena(self, id: str, absent: set[str]) -> None:
        """Let players at the tables of an arena act, or give up; check that each sits at one table."""
        tournament = self.load(id)
        tables = [
            (drawn.players[table - 1], drawn.games[table - 1] or "")
            for drawn in tournament.open_rounds
            for table in drawn.open_tables
        ]
        seated = Counter(player for players, _ in tables for player in players)
        assert set(seated.values()) <= {1}, seated
        for players, game_id in tables:
            if not self.service.store.head(game_id):
                continue
            game = self.service.games.queries.game(game_id)
            if game.to_act is None or players[game.to_act] in absent:
                continue
            if self._chance.random() < 0.3:
                resign = {"type": "resign"}
                player = players[game.to_act]
                self.service.games.commands.act(game_id, player, resign, game.seq)
                self.service.games.commands.score(game_id)
            else:
                take_action(self.service, game_id, self._chance)

    def _come_and_go(self, id: str, people: Sequence[str]) -> None:
        """Let somebody do one of what players of an arena do while it runs."""
        player, breaks = self._chance.choice(people), self.service.tournaments.breaks
        tournaments = self.service.tournaments.tournaments
        commands = (tournaments.withdraw, tournaments.register, breaks.take, breaks.end, breaks.end)
        with suppress(NotNow):
            self._chance.choice(commands)(id, player)

    def _handles(self, players: Sequence[str]) -> list[str]:
        handles = self.service.accounts.players.handles({*players})
        return [handles[player] or "" for player in players]

    def _change(self, id: str, type: str, **fields: object) -> None:
        changes = self.service.tournaments.changes
        changes.make(id, self._organiser, type, "a season", fields)

    @override
    def _play(self, id: str) -> None:
        self._steps += 1
        if (self._steps // len(self.ids)) % PERIOD == PERIOD // 2:
            self._decide(id)
        super()._play(id)

    def _decide(self, id: str) -> None:
        """Rule a table of the current round, and set a line-up, or pause and go on."""
        tournament = self.load(id)
        drawn = tournament.current_round
        if tournament.status != "running" or drawn is None:
            return
        games = {table: drawn.games[table - 1] for table in drawn.open_tables}
        begun = [table for table, game in games.items() if game and self.service.store.head(game)]
        if begun and id not in self.leagues:
            places = self._chance.choice(([1, 2], [2, 1], [1, 1], [0, 1]))
            self._change(
                id,
                "TableRuled",
                round=drawn.number,
                table=self._chance.choice(begun),
                places=places,
            )
        elif begun:
            ends = format_timestamp(self.now + timedelta(days=3))
            if ends > drawn.ends:
                self._change(id, "RoundExtended", ends=ends)
        if tournament.format.boards:
            self._set_line_up(tournament)

    def _set_line_up(self, tournament: Tournament) -> None:
        """Let a captain exchange the players at the boards, or bring in the substitute."""
        round = line_up_round(tournament, format_timestamp(self.now))
        playing = [team for team in tournament.teams.values() if tournament.team_of(team.captain)]
        if round is None or not playing:
            return
        team = self._chance.choice(playing)
        count = min(BOARDS, len(team.players))
        players = self._chance.sample(team.players, count)
        try:
            self.service.tournaments.teams.set_line_up(
                tournament.id,
                team.captain,
                self._handles([team.captain])[0],
                round,
                self._handles(players),
            )
        except NotNow as error:
            raise AssertionError(error) from None

    @override
    def _change_players(self, id: str) -> None:
        tournament = self.load(id)
        if not tournament.format.boards:
            super()._change_players(id)
            return
        # A team loses a player; the others play on.
        players = [
            player
            for team in tournament.teams.values()
            for player in team.players
            if player != team.captain and tournament.takes_part(player)
        ]
        if tournament.status == "running" and len(players) > len(tournament.teams):
            self.service.tournaments.tournaments.withdraw(id, self._chance.choice(players))


def check(season: Season, id: str) -> Counter[str]:
    """Check that a tournament is over and audits, that nobody played twice in a round, and that no prohibited
    pair met. Return how many events of each type it has.
    """
    tournament = season.load(id)
    assert tournament.status == "finished", (id, tournament.status, len(tournament.rounds))
    for drawn in tournament.rounds:
        seated = Counter(player for players in drawn.players for player in players)
        assert set(seated.values()) <= {1}
        assert drawn.is_closed
        for group in tournament.prohibitions:
            for pair in combinations(group, 2):
                assert not any({*pair} <= {*players} for players in drawn.players)
    assert tournament.games_secret is not None
    record = read_tournament(b"".join(season.service.tournaments.tournaments.record(id, None)))

    def load_game(game_id: str) -> bytes:
        return b"".join(season.service.games.queries.record(game_id))

    verdict = audit_tournament(record, load_game)
    assert verdict.outcome == "sound", verdict
    return Counter(event["type"] for event in record.events)


ARENA_EVENTS: Final = frozenset(
    {
        *("RoundDrawn", "ResultRecorded", "BreakTaken", "BreakEnded", "PlayerWithdrawn"),
        "LateEntrantRegistered",
    }
)
"""What happens in the arena."""


def test_an_arena_whose_workers_die(settings: Settings) -> None:
    with freeze_time(START) as time:
        season = Season(settings, time.move_to, deaths=0.05)
        id = season.hold_arena()
        season.run(2)
        types = check(season, id)
    assert season.deaths > 3
    assert types.keys() >= ARENA_EVENTS
    assert len(season.load(id).rounds) > 20


@pytest.mark.soak
def test_a_season(settings: Settings) -> None:
    with freeze_time(START) as time:
        season = Season(settings, time.move_to, deaths=0.05)
        season.hold()
        types = {id: check(season, id) for id in season.ids}
        assert season.service.tournaments.store.due(10**12, 100) == []
    assert season.deaths > 10
    for id in season.leagues:
        assert {"TableSettled", "EntrantReplaced", "RoundExtended"} <= types[id].keys()
    assert types[season.arena].keys() >= ARENA_EVENTS
    for id in season.cups:
        asked = {"ByeRequested", "LateEntrantRegistered", "PairingsProhibited", "TableRuled"}
        assert asked <= types[id].keys()
    assert {"LineUpSet", "TableRuled", "PlayerWithdrawn"} <= types[season.team_event].keys()
