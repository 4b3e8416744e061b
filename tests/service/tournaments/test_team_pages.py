"""The pages of tournaments of teams: entering a team, joining it, line-ups, matches and standings."""

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory

from domain.tournaments.tournament import Tournament
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service.bootstrap import Service
from tests.service.tournaments.test_pages import browser_of
from tests.support.page_forms import post
from tests.support.team_tournaments import begin_with_teams, play_round
from tests.support.tournaments import SWISS, advance, create, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")

TEAMS = {**SWISS, "rounds": 2, "boards": 2, "scoring": "boards"}


def load(service: Service, id: str) -> Tournament:
    """Return a tournament at its head."""
    return service.tournaments.tournaments.load(id)


def test_a_captain_enters_a_team_and_its_players_join(
    app: Flask, browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    register_accounts(service, 3)
    id = create(service, olga, format=TEAMS, most=8).id
    own, entry = f"/tournaments/{id}", f"/tournaments/{id}/team"
    page = browser.get(own).text
    assert "Teams meet at 2 boards." in page
    assert "The team with more points at the boards wins it." in page
    assert "0 of at most 8 teams have enough players." in page
    assert f'href="{entry}"' in page
    assert "Take part" not in page
    assert "Name of the team" in browser.get(entry).text
    refused = post(browser, entry, entry, name="", members="ada nobody")
    assert refused.status_code == 400
    assert "nobody is not the handle of a player" in refused.text
    refused = post(browser, entry, entry, name="Crows", members="p1 p2")
    assert refused.status_code == 400
    assert "Must have the captain, too" in refused.text
    assert "p1 p2" in refused.text
    answer = post(browser, entry, entry, name="Crows", members="ada, p1 p2", nonce="ab")
    assert answer.status_code == 303
    team = answer.headers["Location"]
    assert team == f"{own}/teams/ada"
    assert load(service, id).registrations == ((ada, "ab"),)
    page = browser.get(team).text
    assert "The team is drawn if one more player joins it." in page
    assert "Named, and not in the team yet:" in page
    assert "Change the team" in page
    assert "Join the team" not in page
    assert "incomplete" in browser.get(own).text
    one, stranger = browser_of(app, service, "p1"), browser_of(app, service, "p3")
    page = one.get(own).text
    assert "has named you for the team Crows." in page
    assert f'href="{team}"' in page
    assert "Join the team" in one.get(team).text
    assert "Join the team" not in stranger.get(team).text
    assert "Join the team" not in app.test_client().get(team).text
    refused = post(stranger, f"{team}/join", team)
    assert refused.status_code == 409
    assert "has not named this player" in refused.text
    assert post(one, f"{team}/join", team, nonce="cd").status_code == 303
    assert load(service, id).ready == (ada,)
    page = one.get(own).text
    assert "You are registered." in page
    assert "You leave your team." in page
    assert "leave it first" in one.get(entry).text
    assert post(one, entry, entry, name="Owls", members="p1 p3").status_code == 409
    # The captain names somebody else, and thereby leaves out who has joined.
    assert 'value="Crows"' in browser.get(entry).text
    answer = post(browser, entry, entry, name="Crows & Co", members="ada p3")
    assert answer.status_code == 303
    assert "Crows &amp; Co" in browser.get(own).text
    assert "You are registered." not in one.get(own).text
    assert post(browser, f"{own}/withdraw", own).status_code == 303
    assert load(service, id).teams == {}
    assert browser.get(team).status_code == 404


def test_line_ups_matches_and_standings(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id, *_ = begin_with_teams(service, olga, 4, format=TEAMS)
    own, harness = f"/tournaments/{id}", WorkerHarness(service)
    captain, other = browser_of(app, service, "p1"), browser_of(app, service, "p4")
    host, nobody = browser_of(app, service, "olga"), app.test_client()
    team = f"{own}/teams/p1"
    page = captain.get(team).text
    assert "Line-up of round 1" in page
    assert "Set the line-up" in page
    assert "Set the line-up" in host.get(team).text
    for browser in (other, nobody):
        assert "Set the line-up" not in browser.get(team).text
        assert "Line-up of round 1" in browser.get(team).text
    choice = {"round": "1", "board-1": "p3", "board-2": "p1"}
    refused = post(other, f"{team}/line-up", team, **choice)
    assert refused.status_code == 409
    assert "or an organiser, sets the line-up" in refused.text
    refused = post(captain, f"{team}/line-up", team, **{**choice, "board-2": "p3"})
    assert refused.status_code == 400
    assert "Must have 2 players of the team, each once" in refused.text
    for round in ("2", "x", ""):
        refused = post(captain, f"{team}/line-up", team, **{**choice, "round": round})
        assert refused.status_code in (400, 409)
    assert post(captain, f"{team}/line-up", team, **choice).status_code == 303
    change = {"round": "1", "board-1": "p6", "board-2": "p4"}
    address = f"{own}/teams/p4"
    assert post(host, f"{address}/line-up", address, **change).status_code == 303
    time.tick(timedelta(days=1))
    advance(harness)
    drawn = load(service, id).rounds[0]
    page = captain.get(own).text
    assert page.count('class="match"') == 2
    assert "Your team, and its line-up" in page
    assert all(f'href="/games/{game}"' in page for game in drawn.games)
    assert "Line-up of round 2" in captain.get(team).text
    live = nobody.get(f"{own}/live").text
    assert live.count("Team 1") >= 3
    play_round(service, id)
    time.tick(timedelta(minutes=1))
    advance(harness)
    play_round(service, id)
    time.tick(timedelta(minutes=1))
    advance(harness)
    tournament = load(service, id)
    assert tournament.status == "finished"
    page = nobody.get(own).text
    winner = tournament.teams[tournament.entrants[tournament.standings()[0].standings[0].player]]
    assert f"Won by {winner.name}." in page
    assert "Board points" in page
    assert "Results of the players" in page
    assert "Before Team" in page
    assert "has scored against the team of the column" in page
    assert "Results of the players" in captain.get(team).text
    assert "Set the line-up" not in captain.get(team).text
    table = nobody.get(f"{own}/standings.csv").text.splitlines()
    assert table[0].startswith("group,place,team,player,points,board_points,")
    assert table[1].startswith(f"1,1,{winner.name},p")
    harness.close()


def test_the_pages_of_teams_are_those_of_their_tournament_only(
    app: Flask, browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    single = create(service, olga).id
    for part in ("team", "teams/ada"):
        assert browser.get(f"/tournaments/{single}/{part}").status_code == 404
    id, *_ = begin_with_teams(service, olga, 2, format=TEAMS)
    for handle in ("ada", "nobody", "p2"):
        assert browser.get(f"/tournaments/{id}/teams/{handle}").status_code == 404
    assert app.test_client().get(f"/tournaments/{id}/team").status_code == 302
    private = create(service, olga, format=TEAMS, most=8, private=True, invite=["p1"]).id
    service.tournaments.teams.enter(private, load(service, id).registered[0], "A", ["p1", "p2"])
    assert browser.get(f"/tournaments/{private}/teams/p1").status_code == 404
    # Whom the captain of a private tournament names sees it, and may join.
    named = browser_of(app, service, "p2")
    assert "has named you" in named.get(f"/tournaments/{private}").text
    assert f"/tournaments/{private}" in named.get("/tournaments").text
    join = f"/tournaments/{private}/teams/p1"
    assert post(named, f"{join}/join", join).status_code == 303


def test_an_organiser_states_what_a_match_counts(app: Flask, service: Service, olga: str) -> None:
    host = browser_of(app, service, "olga")
    address = "/tournaments/new?format=swiss&rules=barony"
    assert 'name="boards"' in host.get(address).text
    fields = {
        "name": "Cup",
        "closes": "2026-03-10T18:00",
        "days": "7",
        "rounds": "5",
        "table_size": "2",
        "least": "2",
        "most": "8",
        "rules": "barony",
        "clock": "86400",
        "format": "swiss",
        "boards": "4",
        "scoring": "sums",
    }
    refused = post(host, "/tournaments", address, **{**fields, "most": "64"})
    assert refused.status_code == 400
    assert 'aria-invalid="true"' in refused.text
    answer = post(host, "/tournaments", address, **fields)
    assert answer.status_code == 303, answer.text
    created = load(service, answer.headers["Location"].rpartition("/")[2])
    assert (created.format.boards, created.format.scoring) == (4, "sums")
    page = host.get(f"/tournaments/{created.id}").text
    assert "It counts the sum of the points at the boards." in page
    assert "Teams" in host.get("/tournaments").text or "0 teams" in host.get("/tournaments").text


def test_a_captain_changes_a_team_of_which_a_player_was_erased(
    app: Flask, browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    bea, *_ = register_accounts(service, 2)
    id = create(service, olga, format=TEAMS, most=8).id
    own, entry = f"/tournaments/{id}", f"/tournaments/{id}/team"
    post(browser, entry, entry, name="Crows", members="ada p1 p2")
    service.accounts.erasure.erase_without_password(bea)
    assert ">ada p2</textarea>" in browser.get(entry).text
    assert browser.get(f"{own}/teams/ada").status_code == 200
    assert browser.get(own).status_code == 200
    assert post(browser, entry, entry, name="Crows", members="ada p2").status_code == 303


def test_a_team_is_handed_on_when_its_captain_leaves_or_is_erased(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id, ada, bea, cid, *_ = begin_with_teams(service, olga, 4, format=TEAMS)
    own, harness = f"/tournaments/{id}", WorkerHarness(service)
    captain, player = browser_of(app, service, "p1"), browser_of(app, service, "p3")
    host, nobody = browser_of(app, service, "olga"), app.test_client()
    team = f"{own}/teams/p1"
    for browser in (captain, host):
        assert "Hand the team on" in browser.get(team).text
    for browser in (player, nobody):
        assert "Hand the team on" not in browser.get(team).text
    assert post(captain, f"{team}/captain", team, handle="p4").status_code == 409
    assert post(captain, f"{team}/captain", team, handle="nobody").status_code == 400
    handed_on = post(captain, f"{team}/captain", team, handle="p2")
    assert handed_on.headers["Location"] == f"{own}/teams/p2"
    assert "p1 has handed the team on to p2." in nobody.get(f"{own}/teams/p2").text
    assert nobody.get(team).status_code == 404
    time.tick(timedelta(days=1))
    advance(harness)
    assert post(host, f"{own}/teams/p2/captain", f"{own}/teams/p2", handle="p1").status_code == 303
    sentence = "The organiser olga has handed the team of p2 on to p1."
    assert sentence in nobody.get(team).text
    # The team of an erased captain goes on with the next player.
    service.accounts.erasure.erase_without_password(ada)
    tournament = load(service, id)
    assert tournament.withdrawn == frozenset()
    assert tournament.teams[bea].players == (bea, cid)
    page = nobody.get(f"{own}/teams/p2")
    assert "because" in page.text
    assert "has left the server" in page.text
    play_round(service, id)
    time.tick(timedelta(minutes=1))
    advance(harness)
    play_round(service, id)
    time.tick(timedelta(minutes=1))
    advance(harness)
    harness.close()
    tournaments = service.tournaments.tournaments
    assert load(service, id).status == "finished"
    record = read_tournament(b"".join(tournaments.record(id, None)))
    drawn = [game for each in load(service, id).rounds for game in each.all_games]
    games = {game: b"".join(service.games.queries.record(game)) for game in drawn}
    verdict = audit_tournament(record, games.get)
    assert verdict.outcome == "sound", verdict


def test_the_team_of_a_captain_who_was_erased_is_shown(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id, ada, *others = begin_with_teams(service, olga, 4, format=TEAMS)
    own, harness = f"/tournaments/{id}", WorkerHarness(service)
    service.tournaments.teams.enter(id, ada, "Crows", ["p1", "p2", "p3"])
    time.tick(timedelta(days=1))
    advance(harness)
    harness.close()
    # Nobody is left to whom the team could be handed on.
    for player in others[:2]:
        service.tournaments.tournaments.withdraw(id, player)
    service.accounts.erasure.erase_without_password(ada)
    nobody = app.test_client()
    assert f'href="{own}/teams/{ada}"' in nobody.get(own).text
    page = nobody.get(f"{own}/teams/{ada}")
    assert page.status_code == 200
    assert "Crows" in page.text
    assert ">p1<" not in page.text
    # The id of a captain who has a handle names no team.
    other = load(service, id).teams[others[2]].captain
    assert nobody.get(f"{own}/teams/{other}").status_code == 404
