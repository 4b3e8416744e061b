"""Teams over HTTP: who enters, joins and lines up, and what is refused."""

from datetime import timedelta
from typing import Any

import pytest

from ledger.keys import check_signed
from service import wall_clock
from service.tournaments.tournaments import MAX_REGISTRATIONS
from tests.service.tournaments.test_api import PATH, organiser
from tests.support.accounts import Accounts, Json, PlayerClient
from tests.support.http_contract import invalid_fields
from tests.support.tournaments import SWISS, settings

__all__ = ["organiser"]

TEAMS = {**SWISS, "boards": 2, "scoring": "sums"}


@pytest.fixture
def cup(organiser: PlayerClient) -> str:
    """The path of a tournament of teams."""
    return create(organiser)


def create(organiser: PlayerClient, **changes: Any) -> str:
    """Create a tournament of teams, and return its path."""
    closes = wall_clock.now() + timedelta(days=1)
    body = settings(closes, **{"format": TEAMS, "most": 2, **changes})
    response = organiser.http.post(PATH, json=body)
    assert response.status_code == 201, response.text
    return f"{PATH}/{response.json()['id']}"


def team(*players: PlayerClient, name: str = "Crows") -> Json:
    """Return the body for a team of these players."""
    return {"name": name, "members": [player.handle for player in players]}


def test_a_team_is_entered_changed_and_joined(accounts: Accounts, cup: str) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    mine = f"{cup}/teams/mine"
    assert accounts.anonymous.put(mine, json=team(ada, bea)).status_code == 401
    assert ada.http.put(mine, json={}).status_code == 400
    entered = ada.http.put(mine, json={**team(ada, bea, cid), "nonce": "ab"})
    assert entered.status_code == 200, entered.text
    body = entered.json()
    check_signed(body["receipt"], accounts.anonymous.get("/api/v1/keys").json()["keys"])
    assert body["receipt"]["player"] == ada.id
    assert body["tournament"]["teams"] == [
        {
            "captain": ada.id,
            "name": "Crows",
            "entrant": None,
            "members": [ada.id, bea.id, cid.id],
            "players": [ada.id],
            "line_ups": [],
        }
    ]
    # The same again changes nothing.
    again = ada.http.put(mine, json=team(ada, bea, cid)).json()["tournament"]
    assert again["seq"] == body["tournament"]["seq"]
    assert invalid_fields(ada.http.put(mine, json=team(ada))) == {"members"}
    assert invalid_fields(ada.http.put(mine, json=team(bea, cid))) == {"members"}
    assert invalid_fields(ada.http.put(mine, json=team(ada, bea, name=" "))) == {"name"}
    me = f"{cup}/teams/{ada.handle}/players/me"
    assert accounts.anonymous.put(me).status_code == 401
    assert dan.http.put(me).status_code == 409
    assert bea.http.put(f"{cup}/teams/nobody-at-all/players/me").status_code == 400
    joined = bea.http.put(me, json={"nonce": "cd"})
    assert joined.status_code == 200, joined.text
    assert joined.json()["tournament"]["teams"][0]["players"] == [ada.id, bea.id]
    assert bea.http.put(me).json()["tournament"]["seq"] == joined.json()["tournament"]["seq"]
    assert bea.http.put(mine, json=team(bea, dan, name="Owls")).status_code == 409
    assert dan.http.put(f"{cup}/players/me").status_code == 409
    # Who is not named any more leaves the team.
    changed = ada.http.put(mine, json=team(ada, cid, dan, name="Rooks"))
    assert changed.json()["tournament"]["teams"][0]["players"] == [ada.id]
    assert bea.http.delete(f"{cup}/players/me").status_code == 409
    types = [event["type"] for event in ada.http.get(f"{cup}/events").json()["events"]]
    assert types[1:] == ["TeamEntered", "TeamJoined", "TeamChanged"]
    assert ada.http.delete(f"{cup}/players/me").status_code == 204
    assert accounts.anonymous.get(cup).json()["teams"] == []


def test_a_line_up_is_set_by_the_captain_or_an_organiser(
    accounts: Accounts, organiser: PlayerClient, cup: str
) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    ada.http.put(f"{cup}/teams/mine", json=team(ada, bea, cid))
    for player in (bea, cid):
        player.http.put(f"{cup}/teams/{ada.handle}/players/me")
    path = f"{cup}/teams/{ada.handle}/line-ups"
    players = {"players": [cid.handle, ada.handle]}
    assert accounts.anonymous.put(f"{path}/1", json=players).status_code == 401
    assert ada.http.put(f"{path}/1", json={}).status_code == 400
    for player in (bea, dan):
        assert player.http.put(f"{path}/1", json=players).status_code == 409
    assert ada.http.put(f"{path}/2", json=players).status_code == 409
    for wrong in ([ada.handle], [ada.handle, ada.handle], [ada.handle, dan.handle], ["?", "?"]):
        response = ada.http.put(f"{path}/1", json={"players": wrong})
        assert invalid_fields(response) == {"players"}, wrong
    shown = ada.http.put(f"{path}/1", json=players)
    assert shown.json()["teams"][0]["line_ups"] == [{"round": 1, "players": [cid.id, ada.id]}]
    again = ada.http.put(f"{path}/1", json=players)
    assert again.json()["seq"] == shown.json()["seq"]
    other = {"players": [bea.handle, cid.handle]}
    by_organiser = organiser.http.put(f"{path}/1", json=other)
    assert by_organiser.json()["teams"][0]["line_ups"] == [
        {"round": 1, "players": [bea.id, cid.id]}
    ]
    assert ada.http.put(f"{cup}/teams/{bea.handle}/line-ups/1", json=players).status_code == 409
    assert ada.http.put(f"{cup}/teams/nobody-at-all/line-ups/1", json=players).status_code == 400


def test_teams_of_a_private_tournament_and_of_single_players(
    accounts: Accounts, organiser: PlayerClient
) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    private = create(organiser, private=True, invite=[ada.handle])
    for player in (bea, accounts):
        http = player.http if isinstance(player, PlayerClient) else player.anonymous
        assert http.get(private).status_code == 404
    assert bea.http.put(f"{private}/teams/mine", json=team(bea, cid)).status_code == 404
    me = f"{private}/teams/{ada.handle}/players/me"
    assert bea.http.put(me).status_code == 404
    line_up = f"{private}/teams/{ada.handle}/line-ups/1"
    assert bea.http.put(line_up, json={"players": [ada.handle]}).status_code == 404
    assert ada.http.put(f"{private}/teams/mine", json=team(ada, bea)).status_code == 200
    # Whom a captain has named sees the tournament, and may join.
    assert bea.http.get(private).status_code == 200
    assert cid.http.get(private).status_code == 404
    assert bea.http.put(me).status_code == 200
    single = create(organiser, format=dict(SWISS))
    assert ada.http.put(f"{single}/teams/mine", json=team(ada, bea)).status_code == 409
    assert bea.http.put(f"{single}/teams/{ada.handle}/players/me").status_code == 409
    body = settings(wall_clock.now() + timedelta(days=1), format=TEAMS, most=65)
    assert invalid_fields(organiser.http.post(PATH, json=body)) == {"most"}
    body = settings(wall_clock.now() + timedelta(days=1), format=TEAMS, most=8, half_point_byes=1)
    assert invalid_fields(organiser.http.post(PATH, json=body)) == {"half_point_byes"}


def test_who_does_not_meet_the_requirements_neither_enters_nor_joins(
    accounts: Accounts, organiser: PlayerClient
) -> None:
    ada, bea = (accounts.register() for _ in range(2))
    options = {"round_limit": 1, "least_finished": 5}
    cup = create(organiser, options=options)
    assert ada.http.put(f"{cup}/teams/mine", json=team(ada, bea)).status_code == 403
    invited = create(organiser, options=options, private=True, invite=[ada.handle])
    assert ada.http.put(f"{invited}/teams/mine", json=team(ada, bea)).status_code == 200
    assert bea.http.put(f"{invited}/teams/{ada.handle}/players/me").status_code == 403


def test_a_player_who_was_excluded_is_not_named_for_a_team(
    accounts: Accounts, organiser: PlayerClient, cup: str
) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    ada.http.put(f"{cup}/teams/mine", json=team(ada, bea, cid))
    bea.http.put(f"{cup}/teams/{ada.handle}/players/me")
    assert organiser.http.delete(f"{cup}/players/{bea.handle}").status_code == 204
    # The organiser excludes the player; neither the captain nor another one names them from then on.
    assert invalid_fields(dan.http.put(f"{cup}/teams/mine", json=team(dan, bea))) == {"members"}
    renamed = team(ada, bea, cid, name="Owls")
    assert invalid_fields(ada.http.put(f"{cup}/teams/mine", json=renamed)) == {"members"}
    assert bea.http.put(f"{cup}/teams/{ada.handle}/players/me").status_code == 409
    assert ada.http.put(f"{cup}/teams/mine", json=team(ada, cid)).status_code == 200


def test_a_player_joins_and_leaves_teams_a_bounded_number_of_times(
    accounts: Accounts, cup: str
) -> None:
    ada, bea = (accounts.register() for _ in range(2))
    ada.http.put(f"{cup}/teams/mine", json=team(ada, bea))
    for _ in range(MAX_REGISTRATIONS):
        assert bea.http.put(f"{cup}/teams/{ada.handle}/players/me").status_code == 200
        assert bea.http.delete(f"{cup}/players/me").status_code == 204
    assert bea.http.put(f"{cup}/teams/{ada.handle}/players/me").status_code == 409


def test_a_captain_hands_the_team_on(accounts: Accounts, organiser: PlayerClient, cup: str) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    ada.http.put(f"{cup}/teams/mine", json=team(ada, bea, cid))
    for player in (bea, cid):
        player.http.put(f"{cup}/teams/{ada.handle}/players/me")
    path, to_bea = f"{cup}/teams/{ada.handle}/captain", {"handle": bea.handle}
    assert accounts.anonymous.put(path, json=to_bea).status_code == 401
    assert invalid_fields(ada.http.put(path, json={"handle": "nobody-at-all"})) == {"handle"}
    assert bea.http.put(path, json=to_bea).status_code == 409
    nowhere = f"{cup[:-16]}{'0' * 16}/teams/{ada.handle}/captain"
    assert ada.http.put(nowhere, json=to_bea).status_code == 404
    handed_on = ada.http.put(path, json=to_bea)
    assert handed_on.json()["teams"][0]["captain"] == bea.id
    assert handed_on.json()["teams"][0]["players"] == [ada.id, bea.id, cid.id]
    assert ada.http.put(path, json=to_bea).status_code == 409
    path, to_cid = f"{cup}/teams/{bea.handle}/captain", {"handle": cid.handle}
    by_organiser = organiser.http.put(path, json=to_cid)
    assert by_organiser.json()["teams"][0]["captain"] == cid.id
    assert ada.http.delete(f"{cup}/players/me").status_code == 204
    assert accounts.anonymous.get(cup).json()["teams"][0]["players"] == [bea.id, cid.id]
    single = create(organiser, format=dict(SWISS))
    assert ada.http.put(f"{single}/teams/{ada.handle}/captain", json=to_bea).status_code == 409
