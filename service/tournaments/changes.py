"""The changes that organisers make in their tournaments, as commands."""

from collections.abc import Iterator, Mapping
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
from service.accounts.account_reader import AccountReader
from service.clubs.clubs import Clubs
from service.errors import Forbidden, NotFound
from service.games.repository import GameRepository
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class TournamentChanges:
    """Makes changes for organisers. Thread-safe; raises Unavailable."""

    _tournaments: Tournaments
    _repository: GameRepository
    _accounts: AccountReader
    _clubs: Clubs

    def make(
        self, id: str, organiser: str, type: str, reason: str, chosen: JsonObject
    ) -> Tournament:
        """Make a change with what the organiser has chosen, and return the tournament.

        Raises NotFound, Forbidden (no organiser), Malformed and NotNow.
        """
        named = self._with_ids(type, chosen)

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            if not can_change(tournament, organiser):
                raise Forbidden.with_message("only the organiser of the tournament can do this")
            raw = self._with_ground(tournament, type, self._with_members(tournament, type, named))
            decided = decide_change(tournament, type, raw, reason.strip(), pending.at, CALENDAR)
            pending.add(decided, {"player": organiser})

        return self._tournaments.command(id, handler, viewer=organiser)

    def _with_ids(self, type: str, chosen: JsonObject) -> JsonObject:
        """Return the fields of a change with the ids of players instead of their handles.

        Raises Malformed if nobody has a handle.
        """
        change = CHANGES.get(type)
        fields = {
            name: chosen[name] for name in (change.handles if change else ()) if name in chosen
        }
        handles = {name: list(_texts_in(value)) for name, value in fields.items()}
        players = self._accounts.by_handles({each for some in handles.values() for each in some})
        for name, some in handles.items():
            for handle in some:
                if players[handle] is None:
                    fault = message("{handle} is not the handle of a player", handle=handle)
                    raise Malformed({name: fault})
        ids = {handle: player.id for handle, player in players.items() if player is not None}
        return {**chosen, **{name: _replaced(value, ids) for name, value in fields.items()}}

    def _with_members(self, tournament: Tournament, type: str, chosen: JsonObject) -> JsonObject:
        """Return the fields of a prohibition with those who take part and are members of its public club."""
        club = chosen.get("club")
        if type != "PairingsProhibited" or club is None:
            return chosen
        if "players" in chosen:
            raise Malformed({"players": message("follow from the club")})
        if not isinstance(club, str) or self._clubs.visible_name(club, None) is None:
            raise Malformed({"club": message("is not the id of a public club")})
        playing = [
            player
            for player in (tournament.entrants or tournament.registered)
            if tournament.takes_part(player)
        ]
        return {**chosen, "players": sorted(self._clubs.members_among(club, playing))}

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


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts in a value: itself, or those in a list of texts or lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts_in(each)


def _replaced(value: object, ids: Mapping[str, str]) -> object:
    """Return a value with other texts in it; what is neither a text nor a list stays, and is refused."""
    if isinstance(value, str):
        return ids[value]
    return [_replaced(each, ids) for each in value] if isinstance(value, list) else value
