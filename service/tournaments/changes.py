"""The changes that organisers make in their tournaments, as commands."""

from dataclasses import dataclass

from domain.errors import Malformed, not_now
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.changes import CHANGES, can_change, decide_change
from domain.tournaments.rulings import game_at
from domain.tournaments.tournament import Tournament
from replay.tournaments.dates import CALENDAR
from replay.tournaments.log import PendingTournamentEvents
from service.errors import Forbidden, NotFound
from service.games.repository import GameRepository
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class TournamentChanges:
    """Makes changes for organisers. Thread-safe; raises Unavailable."""

    _tournaments: Tournaments
    _repository: GameRepository

    def make(
        self, id: str, organiser: str, type: str, reason: str, chosen: JsonObject
    ) -> Tournament:
        """Make a change with what the organiser has chosen, and return the tournament.

        Raises NotFound, Forbidden (no organiser), Malformed and NotNow.
        """

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            if not can_change(tournament, organiser):
                raise Forbidden.with_message("only the organiser of the tournament can do this")
            raw = self._with_ground(tournament, type, chosen)
            decided = decide_change(tournament, type, raw, reason.strip(), pending.at, CALENDAR)
            pending.add(decided, {"player": organiser})

        return self._tournaments.command(id, handler, viewer=organiser)

    def _with_ground(self, tournament: Tournament, type: str, chosen: JsonObject) -> JsonObject:
        """Return the fields of a change with those that the server adds: the event of a game, by default its
        last one. Raises Malformed (fields that an organiser cannot choose, seq), NotNow (no game yet).
        """
        change = CHANGES.get(type)
        if change is None or not change.supplied:
            return chosen
        if wrong := chosen.keys() & set(change.supplied):
            raise Malformed(
                {name: message("is not a field of this change") for name in sorted(wrong)}
            )
        game_id = game_at(tournament, chosen.get("round"), chosen.get("table"))
        if game_id is None:
            # The decision says what is wrong.
            return chosen
        try:
            last = self._repository.load(game_id).game.seq
        except NotFound:
            raise not_now("the game of this table has not begun") from None
        seq = chosen.get("seq", last)
        if not is_integer(seq) or not 1 <= seq <= last:
            raise Malformed({"seq": message("must be the seq of an event")})
        (event,) = self._repository.event_range(game_id, seq - 1, seq)
        return {**chosen, "seq": seq, "hash": event["hash"]}
