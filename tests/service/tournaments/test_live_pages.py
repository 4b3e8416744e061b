"""The page that follows a round, the standings as CSV, and the bracket."""

import csv
import re
from datetime import timedelta
from io import StringIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory

from domain.tournaments.tournament import Tournament
from service.bootstrap import Service
from service.tournaments.bracket import bracket_svg
from tests.service.tournaments.test_pages import browser_of
from tests.support.service_games import take_action
from tests.support.team_tournaments import enter_teams
from tests.support.tournaments import DAY, advance, create, end_game, register, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")
KNOCKOUT = {"format": "knockout", "table_size": 2, "advance": 1}


def without_tokens(page: str) -> str:
    """Return a page without what differs at every request."""
    return re.sub(r'name="csrf_token" value="[^"]*"|nonce="[^"]*"', "", page)


def test_the_page_has_each_board_the_turn_the_time_left_and_the_results(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    visitor, harness = app.test_client(), WorkerHarness(service)
    id = create(service, olga).id
    own = f"/tournaments/{id}"
    page = visitor.get(f"{own}/live").text
    assert "No round is drawn yet" in page
    assert "0 of at most 32 players have registered." in page
    assert f'href="{own}/live"' not in visitor.get(own).text
    register(service, id, register_accounts(service, 5))
    time.tick(timedelta(days=1))
    advance(harness)
    assert f'href="{own}/live"' in visitor.get(own).text
    first, second = (game for game in load(service, id).rounds[0].games if game)
    page = visitor.get(f"{own}/live").text
    assert "0 of 2 tables have results." in page
    assert page.count("/thumbnail.svg?seq=") == 2
    assert visitor.get(f"/games/{first}/thumbnail.svg").status_code == 200
    assert page.count(" is to play.") == 2
    assert "24 hours left" in page or "1 day left" in page
    assert f'hx-get="{own}/live"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    end_game(service, first)
    time.tick(timedelta(minutes=1))
    advance(harness)
    page = visitor.get(f"{own}/live").text
    assert "1 of 2 tables have results." in page
    assert page.count(" is to play.") == 1
    end_game(service, second)
    time.tick(timedelta(minutes=1))
    advance(harness)
    assert "Round 2" in visitor.get(f"{own}/live").text
    earlier = visitor.get(f"{own}/live?round=1").text
    assert "2 of 2 tables have results." in earlier
    assert f'hx-get="{own}/live?round=1"' in earlier
    for wrong in ("0", "9", "x", "-1", "9" * 5000):
        assert "Round 2" in visitor.get(f"{own}/live?round={wrong}").text
    service.tournaments.tournaments.cancel(id, olga)
    page = visitor.get(f"{own}/live").text
    assert "hx-get=" not in page.partition('id="live"')[2].partition(">")[0]
    harness.close()


def test_the_standings_are_a_table_for_spreadsheets(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    visitor, harness = app.test_client(), WorkerHarness(service)
    id = create(service, olga).id
    address = f"/tournaments/{id}/standings.csv"
    empty = visitor.get(address)
    assert (empty.status_code, len(empty.text.splitlines())) == (200, 1)
    assert empty.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert empty.headers["Content-Disposition"] == f'attachment; filename="{id}.csv"'
    register(service, id, register_accounts(service, 4))
    time.tick(timedelta(days=1))
    advance(harness)
    for game in load(service, id).rounds[0].games:
        end_game(service, game or "")
    time.tick(timedelta(minutes=1))
    advance(harness)
    rows = list(csv.DictReader(StringIO(visitor.get(address).text)))
    assert [row["place"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["points"] for row in rows] == ["1", "1", "0", "0"]
    assert {row["player"] for row in rows} == {"p1", "p2", "p3", "p4"}
    header = visitor.get(address).text.splitlines()[0].split(",")
    assert len(set(header)) == len(header)
    assert {"group", "buchholz", "wins", "played"} <= {*header}
    harness.close()


def test_a_knockout_has_a_bracket(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    visitor, harness = app.test_client(), WorkerHarness(service)
    id = create(service, olga, format=KNOCKOUT).id
    own = f"/tournaments/{id}"
    assert visitor.get(f"{own}/bracket.svg").status_code == 404
    register(service, id, register_accounts(service, 6))
    time.tick(timedelta(days=1))
    advance(harness)
    while load(service, id).status == "running":
        for game in load(service, id).rounds[-1].games:
            if game is not None:
                end_game(service, game)
        time.tick(timedelta(minutes=1))
        advance(harness)
    assert [len(drawn.tables) for drawn in load(service, id).rounds] == [4, 2, 1]
    response = visitor.get(f"{own}/bracket.svg")
    assert response.headers["Content-Type"].startswith("image/svg+xml")
    assert response.text.count("<rect") == 7
    # A line for each player who has gone on, and the winner of the final in bold type as well.
    assert response.text.count("M") >= 6
    assert (
        '<svg xmlns="http://www.w3.org/2000/svg" class="bracket"' in visitor.get(f"{own}/live").text
    )
    swiss = create(service, olga).id
    assert visitor.get(f"/tournaments/{swiss}/bracket.svg").status_code == 404
    names = dict.fromkeys(load(service, id).entrants, "<b>&\"'")
    drawn = bracket_svg(load(service, id), names, "<title>")
    assert drawn is not None
    assert "<b>" not in drawn
    harness.close()


def test_one_team_has_won_when_the_last_match_is_drawn(
    service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    id = create(service, olga, format={**KNOCKOUT, "boards": 2, "scoring": "boards"}).id
    enter_teams(service, id, register_accounts(service, 6), 2)
    time.tick(timedelta(days=1))
    advance(harness)
    for game in load(service, id).rounds[0].games:
        # The first seat wins, which is that of another team at each board.
        end_game(service, game or "")
    time.tick(timedelta(minutes=1))
    advance(harness)
    ended = load(service, id)
    (result,) = ended.as_rounds()[0].results
    assert (ended.status, result and result.places) == ("finished", (1, 1))
    drawn = bracket_svg(ended, {}, "Final")
    winner = ended.team_at(ended.standings()[0].standings[0].player)
    assert drawn is not None
    assert winner is not None
    assert re.findall(r'font-weight="700">([^<]+)<', drawn) == [winner.name, "1"]
    harness.close()


def test_the_games_of_a_private_tournament_are_shown_to_their_players_only(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    players = register_accounts(service, 4)
    invite = ["p1", "p2", "p3", "p4"]
    id = create(service, olga, private=True, invite=invite, round_seconds=5 * DAY).id
    register(service, id, players)
    time.tick(timedelta(days=1))
    advance(harness)
    drawn = load(service, id).rounds[0]
    game = drawn.games[0] or ""
    seated, others = drawn.players
    address = f"/tournaments/{id}/live"
    handles = service.tournaments.tournaments.handles(players)
    own = browser_of(app, service, handles[seated[0]] or "")
    outsiders = [
        browser_of(app, service, "olga"),
        browser_of(app, service, handles[others[0]] or ""),
    ]
    service.accounts.players.register("eve", "correct horse")
    strangers: list[FlaskClient] = [app.test_client(), browser_of(app, service, "eve")]
    for part in ("live", "standings.csv", "bracket.svg"):
        for stranger in strangers:
            assert stranger.get(f"/tournaments/{id}/{part}").status_code == 404
    assert f"/games/{game}/thumbnail.svg" in own.get(address).text
    before = [without_tokens(outsider.get(address).text) for outsider in outsiders]
    assert all(game not in page for page in before)
    shown = own.get(address).text
    take_action(service, game)
    # The players of the game see what has happened in it, and nobody else sees that anything has.
    assert own.get(address).text != shown
    assert [without_tokens(outsider.get(address).text) for outsider in outsiders] == before
    harness.close()


def load(service: Service, id: str) -> Tournament:
    """Return a tournament."""
    return service.tournaments.tournaments.load(id)
