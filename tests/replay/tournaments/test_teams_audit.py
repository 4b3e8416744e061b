"""The audit of tournaments of teams: an honest one holds, and each lie is found at its event."""

import pytest

from domain.json_types import JsonObject
from replay.tournaments.audit import audit_tournament
from service.bootstrap import Service
from tests.replay.tournaments.test_changes_audit import Lie, twice, with_data, without
from tests.support.team_tournaments import TeamTournament, TeamTournamentBySums
from tests.support.tournaments import forged, of_type


@pytest.mark.parametrize("kind", [TeamTournament, TeamTournamentBySums])
def test_an_honest_tournament_of_teams_holds(service: Service, kind: type[TeamTournament]) -> None:
    played = kind(service)
    types = {event["type"] for event in played.record.events}
    assert {"TeamEntered", "TeamChanged", "TeamJoined", "LineUpSet", "CaptainNamed"} <= types
    verdict = audit_tournament(played.record, played.games.get)
    assert verdict.outcome == "sound", verdict
    assert len(played.games) == 7


def by_the_player_of_another_team(type: str, number: int = 0) -> Lie:
    """Return a lie: the captain of another team is the author."""

    def change(events: list[JsonObject]) -> None:
        captain = of_type(events, "TeamEntered", 3)["data"]["player"]
        of_type(events, type, number)["by"] = {"player": captain}

    return change


def by_the_server(type: str, number: int = 0) -> Lie:
    """Return a lie: the server is the author."""

    def change(events: list[JsonObject]) -> None:
        of_type(events, type, number)["by"] = {"system": "tournament"}

    return change


def as_if_erased(events: list[JsonObject]) -> None:
    """Let the server hand a team on to the next player, as if the captain were erased."""
    named = of_type(events, "CaptainNamed")
    assert named["data"]["player"] == of_type(events, "TeamEntered", 2)["data"]["members"][1]
    named["by"] = {"system": "tournament"}


def to_the_captain(events: list[JsonObject]) -> None:
    """Hand a team on to its captain."""
    data = of_type(events, "CaptainNamed")["data"]
    data["player"] = data["captain"]


def for_two_teams(events: list[JsonObject]) -> None:
    """Let a player of one team join another one, too."""
    joined, other = of_type(events, "TeamJoined"), of_type(events, "TeamEntered", 1)
    other["data"]["members"].append(joined["data"]["player"])
    events.insert(
        events.index(of_type(events, "RegistrationClosed")),
        {
            **joined,
            "at": of_type(events, "RegistrationClosed")["at"],
            "data": {**joined["data"], "captain": other["data"]["player"]},
        },
    )


def in_two_teams(events: list[JsonObject]) -> None:
    """Draw a player of one team for another one."""
    players = of_type(events, "RoundDrawn")["data"]["players"]
    players[0][0] = players[1][1]


def of_one_team(events: list[JsonObject]) -> None:
    """Let two players of one team meet."""
    drawn = of_type(events, "RoundDrawn")["data"]
    first, second = drawn["players"][0], drawn["players"][1]
    first[1], second[1] = second[0], first[1]


def exchange_boards(events: list[JsonObject]) -> None:
    """Let a team play in another order."""
    players = of_type(events, "RoundDrawn")["data"]["players"]
    players[0][0], players[1][1] = players[1][1], players[0][0]


def with_other_teams(events: list[JsonObject]) -> None:
    """Let other teams meet."""
    one, other = of_type(events, "RoundDrawn")["data"]["matches"]
    one["teams"][1], other["teams"][1] = other["teams"][1], one["teams"][1]


def without_forfeit(events: list[JsonObject]) -> None:
    """Let the team that is short of a player have one at the board."""
    drawn = of_type(events, "RoundDrawn", 1)["data"]
    table = next(n for n, seats in enumerate(drawn["tables"]) if len(seats) == 1)
    drawn["games"][table] = "0" * 16


def with_points(events: list[JsonObject]) -> None:
    """Give the first team more points."""
    of_type(events, "TournamentFinished")["data"]["standings"][0][0]["points"] = "9"


def with_board_points(events: list[JsonObject]) -> None:
    """Give the last team more board points."""
    row = of_type(events, "TournamentFinished")["data"]["standings"][0][-1]
    row["tie_breaks"]["board_points"] = "9"


def with_another_winner(events: list[JsonObject]) -> None:
    """Exchange the first two teams."""
    (group,) = of_type(events, "TournamentFinished")["data"]["standings"]
    group[0], group[1] = group[1], group[0]


def with_individual_points(events: list[JsonObject]) -> None:
    """Give a player more points."""
    of_type(events, "TournamentFinished")["data"]["individuals"][-1]["points"] = "3"


def with_places(events: list[JsonObject]) -> None:
    """Forge the result of a board."""
    of_type(events, "ResultRecorded")["data"]["places"].reverse()


def draw_incomplete(events: list[JsonObject]) -> None:
    """Let a team be incomplete, and draw it nonetheless."""
    for _ in range(2):
        events.remove(of_type(events, "TeamJoined", 6))


LIES: list[tuple[Lie, str]] = [
    (
        with_data("TournamentCreated", format={"format": "swiss", "table_size": 2, "rounds": 2}),
        "TeamEntered",
    ),
    (by_the_player_of_another_team("TeamEntered"), "TeamEntered"),
    (with_data("TeamEntered", name=""), "TeamEntered"),
    (with_data("TeamEntered", 1, name="team 1"), "TeamEntered"),
    (with_data("TeamEntered", members=["x", "y"]), "TeamEntered"),
    (with_data("TeamEntered", nonce="00"), "RegistrationClosed"),
    (twice("TeamEntered"), "TeamEntered"),
    (without("TeamEntered"), "TeamJoined"),
    (by_the_player_of_another_team("TeamJoined"), "TeamJoined"),
    (with_data("TeamJoined", captain="0" * 16), "TeamJoined"),
    (with_data("TeamJoined", captain={}), "TeamJoined"),
    (with_data("TeamJoined", nonce="00"), "RegistrationClosed"),
    (twice("TeamJoined"), "TeamJoined"),
    (for_two_teams, "TeamJoined"),
    (draw_incomplete, "RegistrationClosed"),
    (by_the_player_of_another_team("TeamChanged"), "TeamChanged"),
    (with_data("TeamChanged", name="Team 2"), "TeamChanged"),
    (with_data("TeamChanged", members=[]), "TeamChanged"),
    (without("TeamChanged"), "RoundDrawn"),
    (by_the_player_of_another_team("LineUpSet"), "LineUpSet"),
    (with_data("LineUpSet", round=2), "LineUpSet"),
    (with_data("LineUpSet", round="1"), "LineUpSet"),
    (with_data("LineUpSet", players=["x", "y"]), "LineUpSet"),
    (with_data("LineUpSet", players=[{}, []]), "LineUpSet"),
    (with_data("LineUpSet", captain={}), "LineUpSet"),
    (twice("LineUpSet"), "LineUpSet"),
    # The line-up that was set is not the one that played.
    (without("LineUpSet"), "RoundDrawn"),
    (without("LineUpSet", 2), "RoundDrawn"),
    (by_the_player_of_another_team("CaptainNamed"), "CaptainNamed"),
    (by_the_player_of_another_team("CaptainNamed", 1), "CaptainNamed"),
    (by_the_server("CaptainNamed", 1), "CaptainNamed"),
    (with_data("CaptainNamed", player="0" * 16), "CaptainNamed"),
    (with_data("CaptainNamed", player={}), "CaptainNamed"),
    (with_data("CaptainNamed", captain="0" * 16), "CaptainNamed"),
    (with_data("CaptainNamed", captain={}), "CaptainNamed"),
    (to_the_captain, "CaptainNamed"),
    # What follows is no withdrawal of the captain.
    (as_if_erased, "CaptainNamed"),
    (twice("CaptainNamed"), "CaptainNamed"),
    (without("CaptainNamed"), "CaptainNamed"),
    (without("CaptainNamed", 1), "RoundDrawn"),
    (in_two_teams, "RoundDrawn"),
    (of_one_team, "RoundDrawn"),
    (exchange_boards, "RoundDrawn"),
    (with_other_teams, "RoundDrawn"),
    (with_data("RoundDrawn", matches=None), "RoundDrawn"),
    (with_data("RoundDrawn", players=None), "RoundDrawn"),
    (without("PlayerWithdrawn"), "RoundDrawn"),
    (without_forfeit, "RoundDrawn"),
    (with_places, "ResultRecorded"),
    (with_points, "TournamentFinished"),
    (with_board_points, "TournamentFinished"),
    (with_another_winner, "TournamentFinished"),
    (with_individual_points, "TournamentFinished"),
    (with_data("TournamentFinished", individuals=None), "TournamentFinished"),
]
"""Changes after which the server repairs every hash and signs anew, and the event at which each is found."""


def test_every_lie_about_teams_is_found_at_its_event(service: Service) -> None:
    played = TeamTournament(service)
    for number, (lie, type) in enumerate(LIES):
        record = forged(played, lie)
        verdict = audit_tournament(record, played.games.get)
        assert verdict.outcome == "broken", (number, verdict)
        assert verdict.seq is not None, (number, verdict)
        assert record.events[verdict.seq - 1]["type"] == type, (number, verdict)
