"""The changes that organisers make in their tournaments, as commands."""

from dataclasses import dataclass

from domain.json_types import JsonObject
from domain.tournaments.changes import can_change, decide_change
from domain.tournaments.tournament import Tournament
from replay.tournaments.dates import CALENDAR
from replay.tournaments.log import PendingTournamentEvents
from service.errors import Forbidden
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class TournamentChanges:
    """Makes changes for organisers. Thread-safe; raises Unavailable."""

    _tournaments: Tournaments

    def make(
        self, id: str, organiser: str, type: str, reason: str, chosen: JsonObject
    ) -> Tournament:
        """Make a change with what the organiser has chosen, and return the tournament.

        Raises NotFound, Forbidden (no organiser), Malformed and NotNow.
        """

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            if not can_change(tournament, organiser):
                raise Forbidden.with_message("only the organiser of the tournament can do this")
            decided = decide_change(tournament, type, chosen, reason.strip(), pending.at, CALENDAR)
            pending.add(decided, {"player": organiser})

        return self._tournaments.command(id, handler, viewer=organiser)
