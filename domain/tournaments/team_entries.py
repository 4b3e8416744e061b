"""What captains and players of teams do: they enter a team, join it, and set line-ups."""

import unicodedata
from typing import Final

from domain import chance
from domain.errors import Malformed, NotNow, not_now
from domain.messages import Text, message
from domain.options import name_fault
from domain.tournaments.changes import can_change
from domain.tournaments.decisions import require_can_enter, withdraw
from domain.tournaments.events import (
    CaptainNamed,
    Decided,
    LineUpSet,
    TeamChanged,
    TeamEntered,
    TeamJoined,
)
from domain.tournaments.teams import MAX_PLAYERS_PER_BOARD, Team
from domain.tournaments.tournament import STATUS_CLAUSES, Tournament

MAX_TEAM_CHANGES: Final = 100
"""How often a team and its line-ups can be changed in one tournament."""


def enter_team(
    tournament: Tournament, captain: str, nonce: bytes, name: object, members: object, at: str
) -> Decided:
    """`TeamEntered` with the captain, who is one of its members.

    Raises NotNow (single players take part, full, over, closed, in a team already, excluded, not invited, a
    name like that of another team), Malformed (nonce, name, members).
    """
    chance.check_nonce(nonce)
    _require_teams(tournament)
    require_can_enter(tournament, captain, is_known=captain in tournament.invited)
    _require_open(tournament, at)
    if len(tournament.registered) >= tournament.most:
        raise not_now("all {count} places are taken", count=tournament.most)
    checked_name, players = _checked_team(tournament, captain, name, members)
    data: TeamEntered = {
        "player": captain,
        "nonce": nonce.hex(),
        "name": checked_name,
        "members": players,
    }
    return Decided("TeamEntered", data)


def change_team(
    tournament: Tournament, captain: str, name: object, members: object, at: str
) -> Decided:
    """`TeamChanged`. Who is not named any more leaves the team, and those who are new have to agree.

    Raises NotNow (no captain, closed, nothing would change, too often, a name like another), Malformed.
    """
    _require_teams(tournament)
    team = tournament.teams.get(captain)
    if team is None:
        raise not_now("this player is the captain of no team")
    _require_open(tournament, at)
    checked_name, players = _checked_team(tournament, captain, name, members)
    if tournament.clubs and checked_name != team.name:
        raise not_now("a team has the name of its club")
    if (checked_name, tuple(players)) == (team.name, team.roster):
        raise not_now("nothing would change")
    _require_changes_left(team.changes)
    data: TeamChanged = {"player": captain, "name": checked_name, "members": players}
    return Decided("TeamChanged", data)


def join_team(tournament: Tournament, player: str, captain: str, nonce: bytes, at: str) -> Decided:
    """`TeamJoined`: a player agrees to play for a team. Raises NotNow (in a team already, not named, closed,
    excluded), Malformed (nonce).
    """
    chance.check_nonce(nonce)
    _require_teams(tournament)
    team = tournament.teams.get(captain)
    if team is None or player not in team.roster:
        raise not_now("the captain of this team has not named this player")
    require_can_enter(tournament, player, is_known=True)
    _require_open(tournament, at)
    data: TeamJoined = {"player": player, "nonce": nonce.hex(), "captain": captain}
    return Decided("TeamJoined", data)


def line_up_round(tournament: Tournament, at: str) -> int | None:
    """Return the next round for which line-ups can be set at a time; None if there is none.

    It is in advance while the round before is in progress, or registration is open.
    """
    drawn = tournament.current_round
    if tournament.is_over or not tournament.format.boards:
        return None
    if tournament.status == "open":
        return None if tournament.has_closed(at) else 1
    if drawn is None or drawn.is_closed or not tournament.numbers_in_play():
        return None
    return drawn.number + 1


def set_line_up(
    tournament: Tournament, captain: str, author: str, round: int, players: object, at: str
) -> Decided:
    """`LineUpSet` for the team of a captain, by the captain or an organiser.

    Raises NotNow (no such team, not for this round any more, neither captain nor organiser, nothing would
    change, too often), Malformed (players).
    """
    _require_teams(tournament)
    team = tournament.teams.get(captain)
    if team is None or tournament.team_of(captain) is None:
        raise not_now("this player is the captain of no team")
    if author != captain and not can_change(tournament, author):
        raise not_now("the captain of the team, or an organiser, sets the line-up")
    if round != line_up_round(tournament, at):
        raise not_now("line-ups are set before the round before ends")
    boards = min(tournament.format.boards, len(team.players))
    if (
        not isinstance(players, list)
        or len(players) != boards
        or not all(isinstance(player, str) and player in team.joined for player in players)
        or len(set(players)) != boards
    ):
        fault = message("must have {count} players of the team, each once", count=boards)
        raise Malformed({"players": fault})
    if team.line_ups.get(round) == tuple(players):
        raise not_now("nothing would change")
    _require_changes_left(team.changes)
    data: LineUpSet = {"captain": captain, "round": round, "players": players}
    return Decided("LineUpSet", data)


def name_captain(tournament: Tournament, captain: str, author: str, player: str) -> Decided:
    """`CaptainNamed`: the captain of a team, or an organiser, hands it on to one of its players.

    Raises NotNow (no such team, neither captain nor organiser, the player has not joined, too often).
    """
    _require_teams(tournament)
    team = tournament.teams.get(captain)
    if team is None or tournament.team_of(captain) is None:
        raise not_now("this player is the captain of no team")
    if author != captain and not can_change(tournament, author):
        raise not_now("the captain of the team, or an organiser, hands it on")
    if player == captain or player not in team.joined:
        raise not_now("a team is handed on to another player who has joined it")
    _require_changes_left(team.changes)
    return _captain_named(captain, player)


def pass_on(tournament: Tournament, captain: str) -> Decided | None:
    """`CaptainNamed` with the next player of the team of a captain who is erased; None if there is nobody, or
    the player is no captain.
    """
    team = tournament.team_of(captain)
    if team is None or team.captain != captain:
        return None
    next_player = next((player for player in team.players if player != captain), None)
    return None if next_player is None else _captain_named(captain, next_player)


def leave_for_good(tournament: Tournament, player: str) -> list[Decided]:
    """Return how a player who is erased leaves: the team of a captain is handed on if others are in it.

    Raises NotNow if the player takes no part.
    """
    handed_on = pass_on(tournament, player)
    withdrawn = withdraw(tournament, player)
    return [withdrawn] if handed_on is None else [handed_on, withdrawn]


def _captain_named(captain: str, player: str) -> Decided:
    data: CaptainNamed = {"captain": captain, "player": player}
    return Decided("CaptainNamed", data)


def _require_teams(tournament: Tournament) -> None:
    if tournament.is_over:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if not tournament.format.boards:
        raise not_now("no teams take part in this tournament")


def _require_open(tournament: Tournament, at: str) -> None:
    if tournament.has_closed(at):
        raise not_now("registration has closed")


def require_can_change(team: Team) -> None:
    """Raise NotNow if the captain's teams, those included that were withdrawn, were changed too often.

    The audit does not ask for it, because earlier versions did not count the teams that were withdrawn.
    """
    _require_changes_left(team.all_changes)


def _require_changes_left(changes: int) -> None:
    if changes >= MAX_TEAM_CHANGES:
        raise not_now("at most {count} changes are possible", count=MAX_TEAM_CHANGES)


def _checked_team(
    tournament: Tournament, captain: str, name: object, members: object
) -> tuple[str, list[str]]:
    """Return the name and the members of a team. Raises Malformed, and NotNow for a name that is taken."""
    faults: dict[str, Text] = {}
    if (fault := name_fault(name)) is not None:
        faults["name"] = fault
    elif tournament.clubs and name not in tournament.clubs.values():
        faults["name"] = message("must be the name of one of the clubs of the match")
    boards = tournament.format.boards
    most = MAX_PLAYERS_PER_BOARD * boards
    players = members if isinstance(members, list) else []
    if (
        not all(isinstance(player, str) for player in players)
        or not boards <= len(players) <= most
        or len(set(players)) != len(players)
    ):
        faults["members"] = message(
            "must have from {least} to {most} players, each once", least=boards, most=most
        )
    elif captain not in players:
        faults["members"] = message("must have the captain, too")
    if faults:
        raise Malformed(faults)
    if any(
        _plain(team.name) == _plain(str(name))
        for team in tournament.teams.values()
        if team.captain != captain
    ):
        raise not_now("another team has this name")
    return str(name), players


def _plain(name: str) -> str:
    """Return a name without the differences that readers hardly see: case, spaces and forms of letters."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
