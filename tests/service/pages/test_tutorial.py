"""The tutorial: its page, the game that it begins, and the lessons on the page of the game."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from domain.registry import rule_systems
from service.bootstrap import Service
from tests.support.page_forms import log_in, post


def test_the_first_page_leads_to_the_tutorial(browser: FlaskClient) -> None:
    home = browser.get("/").text
    assert re.search(r'<a class="button" href="/tutorial">.*Learn Barony by playing</a>', home)
    page = browser.get("/tutorial").text
    for name, entry in rule_systems().items():
        assert entry.system.LESSONS
        assert f'<input type="hidden" name="rules" value="{name}">' in page


@pytest.mark.parametrize("language", ["en", "fr", "es"])
@pytest.mark.parametrize("name", list(rule_systems()))
def test_a_guest_begins_a_game_with_a_lesson_beside_the_first_question(
    browser: FlaskClient, service: Service, name: str, language: str
) -> None:
    response = post(browser, "/tutorial", "/tutorial", rules=name)
    assert response.status_code == 303
    game_id = response.location.rpartition("/")[2]
    game = service.games.queries.game(game_id)
    assert (game.seats, game.options.get("tutorial"), len(game.bot_seats)) == (2, True, 1)
    while game.to_act in game.bot_seats:
        action = game.rules.legal_actions(game.state, game.to_act)[0]
        bot, raw = game.players[game.to_act], game.rules.action_to_json(action)
        service.games.commands.act(game_id, bot, raw, game.seq, None)
        game = service.games.queries.game(game_id)
    page = browser.get(response.location, headers={"Accept-Language": language}).text
    lessons = re.search(r'<section class="card lessons".*?</section>', page, re.DOTALL)
    assert lessons is not None
    assert page.index('class="card lessons"') < page.index('id="acting"')
    # On a phone, a button in the bar of the action opens it.
    assert page.index('class="to-lessons" popovertarget="side"') > page.index(
        'id="lessons-heading"'
    )
    (first, *_) = game.rules.LESSONS
    for clause in first.clauses:
        assert re.search(rf'href="/rules/\w+#{clause}">{clause}</a>', lessons[0])


def test_only_games_with_lessons_can_be_begun(browser: FlaskClient) -> None:
    assert post(browser, "/tutorial", "/tutorial", rules="chess").status_code == 400
    assert post(browser, "/tutorial", "/tutorial").status_code == 400


def game_against_bots(service: Service, player: str, seats: int = 2, **options: object) -> str:
    """Create a game of Barony in which the player sits first, and return its id."""
    options = {"seating": "joined", **options}
    game = service.games.commands.create(
        player, NewGame(rules="barony", seats=seats, options=options)
    ).id
    for _ in range(seats - 1):
        service.games.commands.add_bot(game, player, "random")
    return game


def switch(browser: FlaskClient, game: str, choice: str) -> None:
    response = post(browser, f"/games/{game}/lessons", f"/games/{game}", lessons=choice)
    assert (response.status_code, response.location) == (303, f"/games/{game}")


def lessons_on(browser: FlaskClient, game: str) -> bool:
    return 'class="card lessons"' in browser.get(f"/games/{game}").text


def test_lessons_are_switched_on_and_off_in_any_game_against_bots(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = game_against_bots(service, ada, 3)
    seq = service.games.queries.game(game).seq
    assert "Explain new rules as they come up" in browser.get(f"/games/{game}").text
    assert not lessons_on(browser, game)
    switch(browser, game, "on")
    assert lessons_on(browser, game)
    assert "Stop explaining new rules" in browser.get(f"/games/{game}").text
    switch(browser, game, "off")
    assert not lessons_on(browser, game)
    assert service.games.queries.game(game).seq == seq


def test_lessons_can_be_switched_off_in_a_tutorial_game_and_return_with_the_next_one(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = game_against_bots(service, ada, tutorial=True)
    assert lessons_on(browser, game)
    switch(browser, game, "off")
    assert not lessons_on(browser, game)
    post(browser, "/tutorial", "/tutorial", rules="barony")
    assert lessons_on(browser, game)


def test_lessons_that_are_switched_on_introduce_what_matters_from_then_on(
    browser: FlaskClient, service: Service
) -> None:
    """The lesson of the set-up is due again, although the player has placed a city before."""
    ada = log_in(browser, service)
    game = game_against_bots(service, ada)
    head = service.games.queries.game(game)
    action = head.rules.legal_actions(head.state, 0)[0]
    service.games.commands.act(game, ada, head.rules.action_to_json(action), head.seq)
    while service.games.queries.game(game).to_act == 1:
        head = service.games.queries.game(game)
        action = head.rules.legal_actions(head.state, 1)[0]
        raw = head.rules.action_to_json(action)
        service.games.commands.act(game, head.players[1], raw, head.seq)
    switch(browser, game, "on")
    assert lessons_on(browser, game)


def test_lessons_are_a_setting_of_one_player(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    """Neither spectators nor another person at the table, with whom there are no lessons at all."""
    ada = log_in(browser, service)
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    game = game_against_bots(service, ada)
    switch(browser, game, "on")
    assert not lessons_on(friend, game)
    assert service.accounts.players.lessons_setting(bea) is None
    shared = service.games.commands.create(
        ada, NewGame(rules="barony", seats=2, options={"seating": "joined"})
    ).id
    service.games.commands.join(shared, bea)
    assert not lessons_on(browser, shared)
    assert "Explain new rules" not in browser.get(f"/games/{shared}").text


def test_only_on_and_off_can_be_chosen(browser: FlaskClient, service: Service) -> None:
    ada = log_in(browser, service)
    game = game_against_bots(service, ada)
    response = post(browser, f"/games/{game}/lessons", f"/games/{game}", lessons="loud")
    assert response.status_code == 400
    assert post(browser, "/games/0123456789abcdef/lessons", "/", lessons="on").status_code == 404


def test_a_deleted_account_keeps_no_lessons(browser: FlaskClient, service: Service) -> None:
    ada = log_in(browser, service)
    service.accounts.players.switch_lessons(ada, is_on=True)
    service.accounts.players.close_account(ada)
    assert service.accounts.players.lessons_setting(ada) is None
