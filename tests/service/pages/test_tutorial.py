"""The tutorial: its page, the game that it begins, and the lessons on the page of the game."""

import re

import pytest
from flask.testing import FlaskClient

from domain.registry import rule_systems
from service.bootstrap import Service
from tests.support.page_forms import post


def test_the_first_page_leads_to_the_tutorial(browser: FlaskClient) -> None:
    assert (
        '<a class="button primary" href="/tutorial">Learn Barony by playing</a>'
        in browser.get("/").text
    )
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
    (first, *_) = game.rules.LESSONS
    for clause in first.clauses:
        assert re.search(rf'href="/rules/\w+#{clause}">{clause}</a>', lessons[0])


def test_only_games_with_lessons_can_be_begun(browser: FlaskClient) -> None:
    assert post(browser, "/tutorial", "/tutorial", rules="chess").status_code == 400
    assert post(browser, "/tutorial", "/tutorial").status_code == 400
