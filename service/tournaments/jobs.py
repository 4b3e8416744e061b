"""Advances tournaments, and creates the deliveries for their outbox entries."""

import logging
from collections.abc import Sequence
from typing import Any

from domain.errors import Unreadable
from domain.game import Game
from domain.tournaments.tournament import Tournament
from service import wall_clock
from service.bootstrap import Service
from service.errors import NotFound, log_text
from service.notification_subjects.table import Subject
from service.notifications.notifier import ANY_TIME, Times
from service.tournaments.outbox import is_out_of_date

log = logging.getLogger(__name__)


class TournamentRunner:
    """Does the work of tournaments on one service, and notifies the operator through these channels."""

    def __init__(self, service: Service, operator_channels: Sequence[str] = ()) -> None:
        self._progress = service.tournaments.progress
        self._can_see = service.tournaments.tournaments.can_see
        self._notifier = service.notifications.notifier
        self._mutes = service.accounts.mutes
        self._operator_channels = operator_channels

    def advance(self, id: str) -> None:
        """Advance a tournament, and create its deliveries. Raises NotFound, Unreadable, Unavailable."""
        tournament = self._progress.advance(id)
        entries = self._progress.outbox(tournament)
        for name, data in entries.items():
            if not is_out_of_date(tournament, name, data):
                self._notify(tournament, name, data)
            self._progress.ack(id, name)
        if entries:
            self._progress.plan_next(tournament)

    def examine_after(self, game: Game) -> None:
        """Advance the tournament of a game that is over, if the game belongs to one on this server."""
        if (tournament := game.options.get("tournament")) is None:
            return
        try:
            self.advance(tournament["id"])
        except (NotFound, Unreadable) as error:
            log.warning("tournament %s is not advanced: %s", tournament["id"], log_text(error))

    def _notify(self, tournament: Tournament, name: str, data: dict[str, Any]) -> None:
        """Create the deliveries for an outbox entry. Idempotent."""
        times, details = ANY_TIME, dict[str, Any]()
        match name.split("/"):
            case ["round" | "last-date" as kind, number, *_]:
                drawn = tournament.rounds[int(number) - 1]
                details = {"round": int(number)}
                subject: Subject = "tournament_round"
                tables = drawn.players
                if kind == "last-date":
                    subject = "tournament_last_date"
                    tables = tuple(drawn.players[table - 1] for table in drawn.open_tables)
                    times = Times(deadline=wall_clock.parse(drawn.ends))
                players = {player for table in tables for player in table}
            case ["announcement", _]:
                subject = "tournament_announcement"
                said = next(each for each in tournament.announcements if each.seq == data["seq"])
                players = set(tournament.addressees(said))
            case ["team", _]:
                subject = "tournament_team"
                details = {"captain": data["captain"]}
                muting = self._mutes.muted_by(data["captain"], data["players"])
                players = {*data["players"]} - muting
            case _:
                subject = "tournament_over"
                # Who has left the club of a private one without having played is told nothing more.
                people = {tournament.creator, *tournament.members}
                players = {player for player in people if self._can_see(tournament, player)}
        self._notifier.notify(
            subject,
            tournament.id,
            data["seq"],
            sorted(players),
            data=details,
            times=times,
            operator_channels=self._operator_channels,
        )
