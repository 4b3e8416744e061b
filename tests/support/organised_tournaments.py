"""A tournament on a real service in which the organiser changes everything that can be changed."""

from datetime import timedelta
from typing import Any

from freezegun import freeze_time
from typing_extensions import override

from domain.tournaments.tournament import Tournament
from ledger.canonical import format_timestamp
from replay.tournaments.log import read_tournament
from service import wall_clock
from service.bootstrap import Service
from tests.support.tournaments import (
    DAY,
    START,
    SWISS,
    advance,
    create,
    end_game,
    organiser,
    register,
    register_accounts,
)
from tests.support.worker_harness import WorkerHarness


class OrganisedTournament:
    """A Swiss tournament of four, over, with its record and those of its games."""

    def __init__(self, service: Service) -> None:
        self.service = service
        with freeze_time(START) as self.time:
            self.harness = WorkerHarness(service)
            self.olga, self.players = organiser(service), register_accounts(service, 5)
            self._create()
            self._play()
            self.time.tick(timedelta(hours=2))
            advance(self.harness)
            self.harness.close()
            self.record = read_tournament(
                b"".join(service.tournaments.tournaments.record(self.id, None))
            )
            self.games = {
                game: b"".join(service.games.queries.record(game))
                for drawn in self.load().rounds
                for game in drawn.all_games
            }

    def load(self) -> Tournament:
        """Return the tournament at its head."""
        return self.service.tournaments.tournaments.load(self.id)

    def change(self, type: str, **fields: Any) -> Tournament:
        """Make a change."""
        reason = "" if type == "AnnouncementMade" else f"a test of {type}"
        return self.service.tournaments.changes.make(self.id, self.olga, type, reason, fields)

    def _create(self, rounds: int = 2, **stated: Any) -> None:
        format = {**SWISS, "rounds": rounds}
        self.id = create(self.service, self.olga, format=format, round_seconds=3 * DAY, **stated).id

    def _play(self) -> None:
        """Play the tournament to its end."""
        self._open()
        self._first_round()
        self._second_round()

    def _end_round(self) -> None:
        self._wait(seconds=1)
        for game in self.load().rounds[-1].games:
            if game is not None:
                end_game(self.service, game)
        self._wait(minutes=1)

    def _wait(self, **length: float) -> None:
        self.time.tick(timedelta(**length))
        advance(self.harness)

    def _open(self) -> None:
        """Change texts and dates while registration is open, and start early."""
        self.change("OrganiserNamed", player="p5")
        olga, self.olga = self.olga, self.players[4]
        self.change("TextsChanged", name="Spring cup", contact="olga@example.org")
        self.olga = olga
        self.change("OrganiserDismissed", player="p5")
        later = wall_clock.now() + timedelta(days=3)
        self.change("ClosingDateChanged", closes=format_timestamp(later))
        register(self.service, self.id, self.players[:4])
        self.change("AnnouncementMade", text="Welcome")
        self.change("TournamentPaused")
        self._wait(days=4)
        assert self.load().status == "open"
        self.change("TournamentResumed")
        self._wait(days=2)
        assert self.load().status == "open"
        self.change("ClosingDateChanged")
        self._wait(seconds=1)

    def _first_round(self) -> None:
        """Extend the round and pause it; a game ends before, one in the pause, by a date that was moved."""
        first, second = (game for game in self.load().rounds[0].games if game is not None)
        ends = wall_clock.now() + timedelta(days=4)
        self.change("RoundExtended", ends=format_timestamp(ends))
        self._wait(days=3, hours=12)
        end_game(self.service, first)
        self.change("TournamentPaused")
        self._wait(days=2)
        end_game(self.service, second)
        self._wait(minutes=1)
        drawn = self.load().rounds[0]
        assert (len(self.load().rounds), drawn.open_tables) == (1, (2,))
        self.change("TournamentResumed")
        self._wait(minutes=1)
        assert len(self.load().rounds) == 2

    def _second_round(self) -> None:
        """Rule a table, have it play again, rule the other one, and correct a result of the first round."""
        first, second = (game for game in self.load().rounds[1].games if game is not None)
        self.change("TableRuled", round=2, table=1, places=[1, 2])
        self.change("AnnouncementMade", text="Decided", round=2, table=1)
        end_game(self.service, first)
        self.change("TableReplayed", round=2, table=1)
        self._wait(minutes=1)
        (replayed, _) = self.load().rounds[1].games
        assert replayed not in (None, first)
        self.change("TableRuled", round=1, table=2, seq=3, places=[0, 1])
        end_game(self.service, replayed or "", winner=1)
        self._wait(minutes=1)
        assert self.load().rounds[1].open_tables == (2,)
        self.change("TableRuled", round=2, table=2, places=[0, 0])
        end_game(self.service, second)
        self._wait(minutes=1)
        assert self.load().status == "finished"


class PairedTournament(OrganisedTournament):
    """A Swiss tournament of five whose organiser seeds by hand, prohibits pairings, and releases rounds."""

    @override
    def _play(self) -> None:
        self._create(rounds=3)
        self.change("SeedingChanged", seeding="hand", players=["p3", "p1"])
        self.change("ReviewChanged", review=True)
        register(self.service, self.id, self.players)
        self.change("PairingsProhibited", players=["p2", "p3"])
        self._wait(days=1)
        tournament = self.load()
        assert (tournament.entrants[0], tournament.entrants[1]) == (
            self.players[2],
            self.players[0],
        )
        assert (tournament.status, tournament.rounds) == ("running", ())
        self.change("RoundReleased", round=1)
        self._end_round()
        assert len(self.load().rounds) == 1
        self.change("RoundReleased", tables=[["p5", "p4"], ["p3", "p1"], ["p2"]])
        self._wait(seconds=1)
        assert self.load().rounds[1].pairing == "organiser"
        self.change("ReviewChanged", review=False)
        self.change("PairingsProhibited", players=["p1", "p2", "p3", "p4", "p5"])
        self._end_round()
        assert self.load().has_no_pairing
        self._wait(hours=1)
        self.change("PairingsAllowed", players=["p1", "p2", "p3", "p4", "p5"])
        self._wait(seconds=1)
        self._end_round()
        assert self.load().status == "finished"


class EnteredTournament(OrganisedTournament):
    """A Swiss tournament that starts when four have registered, with half-point byes and a late player."""

    @override
    def _play(self) -> None:
        self._create(
            4, most=4, half_point_byes=2, late_rounds=2, late_points="1/2", starts_when_full=True
        )
        tournaments = self.service.tournaments.tournaments
        register(self.service, self.id, self.players[:3])
        tournaments.request_bye(self.id, self.players[0], 1)
        tournaments.request_bye(self.id, self.players[1], 2)
        tournaments.cancel_bye(self.id, self.players[1], 2)
        self._wait(minutes=1)
        assert self.load().status == "open"
        register(self.service, self.id, self.players[3:4])
        self._wait(minutes=1)
        assert len(self.load().rounds) == 1
        tournaments.withdraw(self.id, self.players[3])
        register(self.service, self.id, self.players[4:])
        self._end_round()
        tournaments.request_bye(self.id, self.players[4], 3)
        for _ in range(3):
            self._end_round()
        assert self.load().status == "finished"
