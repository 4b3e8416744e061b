"""The page of a player: numbers, comparisons, games with a form, and what the player shows."""

import re

from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from tests.support.page_forms import log_in, post
from tests.support.service_games import play_out, start_game

CARD = r'<p class="game-name"><a href="/games/(\w{16})"'


def finish(service: Service, *players: str, **options: object) -> str:
    """Play a game of two players to its end, and count it."""
    game = play_out(
        service, start_game(service, players=players, round_limit=1, private=bool(options)).id
    ).id
    while service.games.queries.game(game).status != "finished":
        service.games.commands.score(game)
    service.transparency.head_log.log([game])
    assert service.games.projections.catch_up()
    return game


def rows(page: str) -> list[list[str]]:
    """Return the texts in the rows of the tables of a page."""
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    ]


def test_the_page_shows_results_and_games(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    bea = log_in(app.test_client(), service, "bea")
    game = finish(service, ada, bea)
    private = finish(service, ada, bea, private=True)
    running = start_game(service, 3, players=(ada, bea, "cid")).id
    page = app.test_client().get("/players/Ada").text
    places = [entry["place"] for entry in service.games.queries.game(game).ranking or ()]
    place = next(
        entry["place"]
        for entry in service.games.queries.game(game).ranking or ()
        if entry["seat"] == 0
    )
    expected = " · ".join("1" if n == place else "0" for n in range(1, place + 1))
    won = "1" if place == 1 else "0"
    assert ["Barony", "2", "0", "1", won, expected, "0"] in rows(page)
    assert re.findall(CARD, page) == [running, game]
    assert private not in page
    assert "Too few turns with a deadline" in page
    own = browser.get("/players/ada").text
    assert re.findall(CARD, own) == [running, private, game]
    assert "Only you see this" in own
    assert "Only you see this" not in page
    compared = app.test_client().get("/players/ada?opponent=bea").text
    other = max(places)
    assert "ada against bea" in compared
    ahead, behind = (int(place < other), int(place > min(places)))
    assert ["Barony", str(ahead), str(behind), str(int(len(set(places)) == 1))] in rows(compared)
    assert app.test_client().get("/players/nobody").status_code == 404


def test_games_are_filtered_by_the_form(app: Flask, browser: FlaskClient, service: Service) -> None:
    ada, bea = log_in(browser, service), log_in(app.test_client(), service, "bea")
    game = finish(service, ada, bea)
    running = start_game(service, 3, players=(ada, "dan", "cid")).id

    def listed(query: str) -> list[str]:
        return re.findall(CARD, browser.get(f"/players/ada?{query}").text)

    assert listed("status=finished") == [game]
    assert listed("status=playing&result=&rules=") == [running]
    assert sorted([*listed("result=won"), *listed("result=lost")]) == [game]
    assert listed("seats=3") == [running]
    assert listed("opponent=bea") == [game]
    assert listed("opponent=<b>nobody") == []
    # What is no choice of the form is no condition.
    assert listed("status=x&result=x&rules=x&seats=x") == [running, game]
    assert browser.get("/players/ada?cursor=x").status_code == 400


def test_a_player_chooses_on_the_account_page_what_others_see(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(app.test_client(), service, "bea")
    game = finish(service, ada, bea)
    assert post(browser, "/account/profile", "/account", profile="results").status_code == 303
    assert '<option value="results" selected>' in browser.get("/account").text
    page = app.test_client().get("/players/ada").text
    assert game not in page
    assert "shows no list of games" in page
    assert ["Barony", "2"] in [row[:2] for row in rows(page)]
    assert post(browser, "/account/profile", "/account", profile="nothing").status_code == 303
    page = app.test_client().get("/players/ada").text
    assert "shows nothing about games and results" in page
    assert not rows(page)
    assert "Barony" in browser.get("/players/ada").text
    assert post(browser, "/account/profile", "/account", profile="x").status_code == 400


def test_names_lead_to_profiles(app: Flask, browser: FlaskClient, service: Service) -> None:
    ada, bea = log_in(browser, service), log_in(app.test_client(), service, "bea")
    game = finish(service, ada, bea)
    open_game = service.games.commands.create(ada, NewGame(rules="barony", seats=2, options={})).id
    link = 'href="/players/bea"'
    assert link in browser.get("/games?list=finished").text
    assert link in browser.get(f"/games/{game}").text
    assert 'href="/players/ada"' in browser.get(f"/games/{open_game}").text


def test_a_rating_has_a_chart(app: Flask, browser: FlaskClient, service: Service) -> None:
    ada, bea = log_in(browser, service), log_in(app.test_client(), service, "bea")
    for _ in range(2):
        game = play_out(
            service, start_game(service, players=(ada, bea), round_limit=1, rated=True).id
        ).id
        while service.games.queries.game(game).status != "finished":
            service.games.commands.score(game)
        service.transparency.head_log.log([game])
    assert service.games.projections.catch_up()
    page = app.test_client().get("/players/ada").text
    line = re.search(r'<polyline points="([^"]+)"', page)
    assert line is not None
    assert len(line[1].split()) == 2
    assert "provisional" in page
    assert "2 rated games" in page


def test_the_page_of_an_open_game_says_what_a_player_lacks(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    creator = log_in(app.test_client(), service, "bea")
    log_in(browser, service)
    create = service.games.commands.create
    game = create(creator, NewGame(rules="barony", seats=2, options={"least_finished": 3})).id
    page = browser.get(f"/games/{game}").text
    assert "You cannot join this game" in page
    assert "finished 3 public games without bots, and you have finished 0" in page
    assert "Join the game" not in page
    assert post(browser, f"/games/{game}/players", f"/games/{game}").status_code == 403
    other = create(creator, NewGame(rules="barony", seats=2, options={})).id
    assert "Join the game" in browser.get(f"/games/{other}").text


def test_open_games_show_the_reliability_of_their_creators(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    bea = log_in(app.test_client(), service, "bea")
    played = start_game(
        service, players=(ada, bea), clock={"per_turn": 86_400}, round_limit=12, rated=True
    )
    play_out(service, played.id)
    service.transparency.head_log.log([played.id])
    assert service.games.projections.catch_up()
    service.games.commands.create(ada, NewGame(rules="barony", seats=3, options={}))
    visitor = app.test_client()
    shown = "ada takes 100 % of turns in time"
    for address in ("/games?list=open", "/"):
        assert shown in visitor.get(address).text
    assert '<span class="badge">rated</span></p>' in visitor.get(f"/games/{played.id}").text
    for address in (f"/games/{played.id}", f"/games/{played.id}?seq=5", f"/games/{played.id}/log"):
        assert 'href="/players/ada"' in visitor.get(address).text
    token = service.accounts.players.login("ada", "correct horse")[1]
    service.accounts.players.change_settings(ada, token, {"profile": "nothing"})
    assert shown not in visitor.get("/games?list=open").text


def test_a_player_challenges_those_with_whom_they_have_played(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(app.test_client(), service, "bea")
    stranger = app.test_client()
    log_in(stranger, service, "cid")
    finish(service, ada, bea)
    own = browser.get("/players/ada").text
    assert 'href="/games/new?invite=bea"' in own
    assert 'href="/games/new?invite=ada"' not in own
    assert "with whom you have played" not in stranger.get("/players/ada").text
    assert 'href="/games/new?invite=ada"' in stranger.get("/players/ada").text
    assert "/games/new?invite=" not in app.test_client().get("/players/ada").text
    assert re.search(r'name="invite"[^>]* value="bea"', browser.get("/games/new?invite=bea").text)
    address = f"/games/{service.games.commands.create(ada, NewGame(rules='barony', seats=3, options={})).id}"
    assert "Invite bea" in browser.get(address).text
    assert post(browser, f"{address}/invited", address, handle="bea").location == address
    assert "Invite bea" not in browser.get(address).text
