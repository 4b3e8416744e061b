"""The lists of games with the form that filters them."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.pages.view_models.game_lists import PAGE_GAMES
from tests.support.page_forms import log_in
from tests.support.service_games import play_out, start_game

CARD = r'<p class="game-name"><a href="/games/(\w{16})"'


def listed(browser: FlaskClient, query: str, name: str = "open") -> set[str]:
    """Return the ids of the games on a page of a list."""
    page = browser.get(f"/games?list={name}{query}")
    assert page.status_code == 200
    return set(re.findall(CARD, page.text))


def test_open_games_are_filtered_by_the_form(browser: FlaskClient, service: Service) -> None:
    create = service.games.commands.create
    barony = create("ada", NewGame(rules="barony", seats=2, options={})).id
    sorcery = create("ada", NewGame(rules="barony", seats=4, options={"sorcery": True})).id
    baron = create("ada", NewGame(rules="baron", seats=2, options={}, clock={"per_turn": 60})).id
    assert listed(browser, "") == {barony, sorcery, baron}
    assert listed(browser, "&rules=&seats=&free=&clock=") == {barony, sorcery, baron}
    assert listed(browser, "&rules=barony") == {barony}
    assert listed(browser, "&rules=sorcery&free=3") == {sorcery}
    assert listed(browser, "&clock=hour") == {baron}
    assert listed(browser, "&seats=2&clock=none") == {barony}
    assert listed(browser, "&seats=5") == set()
    # What is no choice of the form is no condition.
    assert listed(browser, "&rules=<b>&seats=x&clock=soon") == {barony, sorcery, baron}
    page = browser.get("/games?list=open&rules=baron").text
    assert '<option value="baron" selected>' in page
    assert "No open game matches." in browser.get("/games?list=open&seats=5").text


@pytest.mark.parametrize("name", ["watch", "finished", "all"])
def test_other_lists_are_filtered_by_rules_seats_and_player(
    name: str, browser: FlaskClient, service: Service
) -> None:
    ada, _ = service.accounts.players.register("ada", "correct horse")
    games = [
        start_game(service, seats, rules=rules, players=(ada.id, "bea", "cid")[:seats])
        for rules, seats in (("barony", 2), ("barony", 3), ("baron", 2))
    ]
    others = start_game(service)
    if name == "finished":
        for game in (*games, others):
            service.administration.abandon("operator", game.id, "a test")
        games = [
            play_out(
                service, start_game(service, n, players=(ada.id, "b", "c")[:n], round_limit=1).id
            )
            for n in (2, 3)
        ]
        others = play_out(service, start_game(service, round_limit=1).id)
        for game in (*games, others):
            service.games.commands.score(game.id)
    two, three = games[0].id, games[1].id
    mine = {game.id for game in games}
    assert listed(browser, "", name) == {*mine, others.id}
    assert listed(browser, "&player=Ada", name) == mine
    assert listed(browser, "&player=ada&seats=3", name) == {three}
    assert listed(browser, "&rules=barony&seats=2", name) == {two, others.id}
    assert listed(browser, "&rules=sorcery", name) == set()
    assert "No game matches." in browser.get(f"/games?list={name}&rules=sorcery").text
    page = browser.get(f"/games?list={name}&player=nobody").text
    assert "There is no player called nobody." in page
    assert 'name="free"' not in page


def test_private_games_of_a_player_are_listed_for_those_who_may_see_them(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    friend = app.test_client()
    friend_id = log_in(friend, service, "friend")
    game = start_game(service, players=(player, friend_id), private=True).id
    query = "&player=friend&rules=barony&seats=2"
    assert listed(browser, query, "all") == {game}
    assert listed(friend, query, "all") == {game}
    assert listed(app.test_client(), query, "all") == set()
    page = friend.get("/games?list=all&player=friend").text
    assert "<h1>Games of friend</h1>" in page
    assert page.count('aria-current="page"') == 1


def test_a_player_without_an_account_is_named_without_a_link(
    browser: FlaskClient, service: Service
) -> None:
    service.games.commands.create("erased", NewGame(rules="baron", seats=2, options={}))
    page = browser.get("/games?list=open").text
    assert "erased" in page
    assert "player=erased" not in page


def test_the_filter_stays_from_page_to_page(browser: FlaskClient, service: Service) -> None:
    games = {
        service.games.commands.create(f"player-{n}", NewGame(rules="baron", seats=2, options={})).id
        for n in range(PAGE_GAMES + 1)
    }
    first = browser.get("/games?list=open&rules=baron").text
    (address,) = re.findall(r'rel="next" href="([^"]+)"', first)
    assert address.endswith("&amp;rules=baron")
    rest = browser.get(address.replace("&amp;", "&")).text
    shown_games = re.findall(CARD, first + rest)
    assert set(shown_games) == games
    assert len(shown_games) == PAGE_GAMES + 1
