"""Breaks of players in an arena, as commands of the players."""

from dataclasses import dataclass

from domain.tournaments import arena_decisions
from domain.tournaments.tournament import Tournament
from replay.tournaments.log import PendingTournamentEvents
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class ArenaBreaks:
    """The breaks of players. Thread-safe; every method raises NotFound, Unavailable, and NotNow (no arena in
    progress, the player takes no part, takes a break already, or none, or has had too many).
    """

    _tournaments: Tournaments

    def take(self, id: str, player: str) -> Tournament:
        """Give a player of an arena no further table until the break ends."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            decided = arena_decisions.take_break(tournament, player, pending.at)
            pending.add(decided, {"player": player})

        return self._tournaments.command(id, handler, viewer=player)

    def end(self, id: str, player: str) -> Tournament:
        """Let a player of an arena go on."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            decided = arena_decisions.end_break(tournament, player, pending.at)
            pending.add(decided, {"player": player})

        return self._tournaments.command(id, handler, viewer=player)
