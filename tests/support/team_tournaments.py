"""A tournament of teams on a real service, over, with its record and those of its games."""

from typing import Any

from typing_extensions import override

from service.bootstrap import Service
from tests.support.organised_tournaments import OrganisedTournament
from tests.support.tournaments import SWISS, create, end_game, register_accounts

BOARDS = 2


def enter_teams(service: Service, id: str, players: list[str], count: int) -> None:
    """Enter teams of three players each, `Team 1` with the first three, and let them join."""
    teams = service.tournaments.teams
    for number in range(count):
        captain, *others = players[3 * number : 3 * number + 3]
        handles = [f"p{3 * number + place}" for place in (1, 2, 3)]
        teams.enter(id, captain, f"Team {number + 1}", handles, captain.encode())
        for player in others:
            teams.join(id, player, handles[0], player.encode())


class TeamTournament(OrganisedTournament):
    """A Swiss tournament of four teams of two boards, one of them short of a player in the second round."""

    scoring = "boards"

    def _begin(self) -> None:
        more = [
            self.service.accounts.players.register(f"p{number}", "correct horse")[0].id
            for number in range(6, 13)
        ]
        self.players = [*self.players, *more]
        format = {**SWISS, "rounds": 2, "boards": BOARDS, "scoring": self.scoring}
        self.id = create(self.service, self.olga, format=format, most=8).id
        enter_teams(self.service, self.id, self.players, 4)

    @override
    def _play(self) -> None:
        self._begin()
        teams = self.service.tournaments.teams
        # A captain names somebody else, who has to agree, too.
        teams.enter(self.id, self.players[0], "Crows", ["p1", "p3", "p2"])
        teams.set_line_up(self.id, self.players[3], "p4", 1, ["p6", "p4"])
        teams.set_line_up(self.id, self.olga, "p7", 1, ["p8", "p9"])
        self._wait(days=1)
        tournaments = self.service.tournaments.tournaments
        drawn = self.load().rounds[0]
        assert len(drawn.matches) == 2
        for player in self.players[10:]:
            tournaments.withdraw(self.id, player)
        teams.set_line_up(self.id, self.players[0], "p1", 2, ["p2", "p1"])
        teams.hand_on(self.id, self.players[6], "p7", "p8")
        teams.hand_on(self.id, self.olga, "p8", "p9")
        for number, game in enumerate(drawn.games):
            end_game(self.service, game or "", winner=number % 2)
        self._wait(minutes=1)
        assert None in self.load().rounds[1].games
        first = next(n for n, game in enumerate(self.load().rounds[1].games, 1) if game)
        self.change("TableRuled", round=2, table=first, places=[1, 1])
        for game in self.load().rounds[1].games:
            if game is not None:
                end_game(self.service, game)
        self._wait(minutes=1)
        assert self.load().status == "finished"


class TeamTournamentBySums(TeamTournament):
    """The same with the sums of the boards."""

    scoring = "sums"


def play_round(service: Service, id: str) -> None:
    """End every game of the current round."""
    for game in service.tournaments.tournaments.load(id).rounds[-1].games:
        if game is not None:
            end_game(service, game)


def begin_with_teams(service: Service, creator: str, count: int, **changes: Any) -> list[str]:
    """Create a tournament of teams, and return its id and the ids of its players, who have joined."""
    format = {**SWISS, "boards": BOARDS, "scoring": "boards"}
    id = create(service, creator, **{"format": format, "most": 8, **changes}).id
    players = register_accounts(service, 3 * count)
    enter_teams(service, id, players, count)
    return [id, *players]
