"""What captains and players of teams do in tournaments, as commands."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments import team_entries
from domain.tournaments.changes import can_change
from domain.tournaments.tournament import Tournament
from replay.tournaments.log import PendingTournamentEvents
from service.accounts.account_reader import AccountReader
from service.clubs.clubs import Clubs
from service.errors import Forbidden
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class TournamentTeams:
    """Enters teams and sets their line-ups. Thread-safe; every method raises NotFound and Unavailable."""

    _tournaments: Tournaments
    _accounts: AccountReader
    _clubs: Clubs

    def enter(
        self, id: str, captain: str, name: str, handles: Sequence[str], nonce: bytes = b""
    ) -> tuple[Tournament, JsonObject]:
        """Enter a team with those who have these handles, or change the team of a captain.

        Returns the tournament and the receipt for the captain. A team that is as it was is not changed again.
        Raises Forbidden (requirements), NotNow and Malformed.
        """
        members = self._ids("members", handles)

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            team = tournament.teams.get(captain)
            if team is not None and (name, tuple(members)) == (team.name, team.roster):
                return
            self._require_can_name(tournament, name, members, handles)
            club = _club_of(tournament, name)
            if team is None and club is not None:
                self._clubs.with_right(club, captain, "edit")
            if team is not None:
                team_entries.require_can_change(team)
                decided = team_entries.change_team(tournament, captain, name, members, pending.at)
            else:
                self._tournaments.require_allowed(tournament, captain)
                decided = team_entries.enter_team(
                    tournament, captain, nonce, name, members, pending.at
                )
            pending.add(decided, {"player": captain})

        tournament = self._tournaments.command(id, handler, viewer=captain)
        return tournament, self._tournaments.receipt(tournament, captain)

    def join(
        self, id: str, player: str, captain_handle: str, nonce: bytes = b""
    ) -> tuple[Tournament, JsonObject]:
        """Join the team of a captain who has named the player.

        Returns the tournament and the receipt for the player. Raises Forbidden (requirements), NotNow and
        Malformed (handle, nonce).
        """
        (captain,) = self._ids("handle", [captain_handle])

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            team = tournament.team_of(player)
            if team is not None and team.captain == captain:
                return
            self._tournaments.require_allowed(tournament, player)
            asking = tournament.teams.get(captain)
            club = None if asking is None else _club_of(tournament, asking.name)
            if club is not None and not self._clubs.is_member(club, player):
                raise Forbidden.with_message(
                    "only members of its club take part in this tournament"
                )
            decided = team_entries.join_team(tournament, player, captain, nonce, pending.at)
            pending.add(decided, {"player": player})

        tournament = self._tournaments.command(id, handler, viewer=player)
        return tournament, self._tournaments.receipt(tournament, player)

    def set_line_up(
        self, id: str, author: str, captain_handle: str, round: int, handles: Sequence[str]
    ) -> Tournament:
        """Set the line-up of the team of a captain from a round on, as the captain or an organiser.

        Returns the tournament. A line-up that is as it was is not set again. Raises NotNow and Malformed
        (handles, players).
        """
        (captain,) = self._ids("handle", [captain_handle])
        players = self._ids("players", handles)

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            team = tournament.teams.get(captain)
            may_set = author == captain or can_change(tournament, author)
            if may_set and team is not None and team.line_ups.get(round) == tuple(players):
                return
            if may_set and team is not None:
                team_entries.require_can_change(team)
            decided = team_entries.set_line_up(
                tournament, captain, author, round, players, pending.at
            )
            pending.add(decided, {"player": author})

        return self._tournaments.command(id, handler, viewer=author)

    def hand_on(self, id: str, author: str, captain_handle: str, handle: str) -> Tournament:
        """Hand the team of a captain on to another of its players, as the captain or an organiser.

        Returns the tournament. Raises NotNow and Malformed (handles).
        """
        (captain,) = self._ids("captain", [captain_handle])
        (player,) = self._ids("handle", [handle])

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            decided = team_entries.name_captain(tournament, captain, author, player)
            team_entries.require_can_change(tournament.teams[captain])
            pending.add(decided, {"player": author})

        return self._tournaments.command(id, handler, viewer=author)

    def _require_can_name(
        self, tournament: Tournament, name: str, members: Sequence[str], handles: Sequence[str]
    ) -> None:
        """Raise Malformed if a player of these was excluded, or would join and is no member of the club.

        It is not decided again by the audit, which does not know the club, and must not refuse earlier logs.
        """
        named, club = dict(zip(members, handles, strict=True)), _club_of(tournament, name)
        for player in members:
            if player in tournament.excluded:
                fault = message("{handle} was excluded from the tournament", handle=named[player])
                raise Malformed({"members": fault})
            is_member = (
                self._tournaments.is_for(tournament, player)
                if club is None
                else self._clubs.is_member(club, player)
            )
            if not tournament.takes_part(player) and not is_member:
                fault = message("{handle} is not a member of the club", handle=named[player])
                raise Malformed({"members": fault})

    def _ids(self, field: str, handles: Sequence[str]) -> list[str]:
        """Return the ids of players. Raises Malformed if nobody has one of the handles."""
        players = self._accounts.by_handles(set(handles))
        for handle in handles:
            if players[handle] is None:
                fault = message("{handle} is not the handle of a player", handle=handle)
                raise Malformed({field: fault})
        return [player.id for handle in handles if (player := players[handle]) is not None]


def _club_of(tournament: Tournament, name: str) -> str | None:
    """Return the id of the club whose team has a name in a match of clubs; None if there is none."""
    return next((id for id, named in tournament.clubs.items() if named == name), None)
