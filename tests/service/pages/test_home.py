"""The first page: what can be played, and the lists of games as each visitor may see them."""

import re

import pytest
from flask.testing import FlaskClient

from domain.registry import rule_systems
from service.bootstrap import Service
from service.pages.views import home
from tests.support.page_forms import log_in
from tests.support.service_games import start_game


def section(page: str, name: str) -> str:
    """Return the part of the first page with this list."""
    match = re.search(rf'aria-labelledby="{name}-heading">.*?</section>', page, re.DOTALL)
    assert match is not None, name
    return match.group()


def games_in(page: str, name: str) -> list[str]:
    """Return the ids of the games in a list of the first page, in order."""
    return re.findall(r'<li class="card">\s*<a href="/games/(\w+)"', section(page, name))


def create(service: Service, player: str, **changes: object) -> str:
    settings: dict[str, object] = {"rules": "barony", "seats": 2, "options": {}, **changes}
    return service.games.commands.create(player, **settings).id  # type: ignore[arg-type] # of any type


def test_every_rule_system_can_be_played_with_one_button(browser: FlaskClient) -> None:
    page = browser.get("/").text
    for name in rule_systems():
        assert f'<input type="hidden" name="rules" value="{name}">' in page
        picture = browser.get(f"/pictures/{name}.svg")
        assert picture.content_type == "image/svg+xml"
        assert picture.text.startswith("<svg ")
    assert page.count('action="/play"') == len(rule_systems())
    assert browser.get("/pictures/chess.svg").status_code == 404


def test_a_visitor_sees_public_games_and_one_of_them_live(
    browser: FlaskClient, service: Service
) -> None:
    watched = start_game(service).id
    waiting = create(service, "ada")
    start_game(service, private=True)
    create(service, "ada", options={"private": True})
    page = browser.get("/").text
    assert games_in(page, "open") == [waiting]
    assert games_in(page, "watch") == [watched]
    assert games_in(page, "finished") == []
    assert f'data-board="/games/{watched}/live"' in page
    assert f'data-stream="/api/v1/games/{watched}/stream?after=' in page
    assert browser.get(f"/games/{watched}/live").text.count("<svg ") == 1
    assert "turn-heading" not in page


def test_a_private_game_is_not_shown_live(browser: FlaskClient, service: Service) -> None:
    game = start_game(service, private=True).id
    player = log_in(browser, service)
    create(service, player)
    assert browser.get(f"/games/{game}/live").status_code == 404
    assert "live-board" not in browser.get("/").text


def test_a_player_sees_first_the_games_in_which_it_is_their_turn(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    seating = {"seating": "joined"}
    to_play = create(service, player, options=seating)
    service.games.commands.join(to_play, "bea")
    others_turn = create(service, "bea", options=seating)
    service.games.commands.join(others_turn, player)
    waiting = create(service, player)
    watched = start_game(service).id
    invited = create(service, "bea", options={"private": True}, invited=(player,))
    create(service, "bea", options={"private": True}, invited=("cid",))
    page = browser.get("/").text
    assert games_in(page, "turn") == [to_play]
    assert set(games_in(page, "waiting")) == {waiting, others_turn}
    assert games_in(page, "invitations") == [invited]
    assert games_in(page, "open") == []
    assert games_in(page, "watch") == [watched]
    assert page.index("invitations-heading") < page.index("turn-heading")
    assert page.index("turn-heading") < page.index("waiting-heading") < page.index("open-heading")


def test_long_lists_continue_on_pages_of_their_own(
    browser: FlaskClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "FIRST_PAGE_GAMES", 2)
    games = {create(service, "ada") for _ in range(5)}
    page = browser.get("/").text
    first = games_in(page, "open")
    assert len(first) == 2
    (more,) = re.findall(r'href="(/games\?list=open&[^"]*)"', page)
    rest = browser.get(more.replace("&amp;", "&")).text
    others = re.findall(r'<li class="card">\s*<a href="/games/(\w+)"', rest)
    assert len(others) == 3
    assert {*first, *others} == games
    assert browser.get("/games?list=open&cursor=x").status_code == 400


def test_names_that_contain_markup_are_shown_as_typed(
    browser: FlaskClient, service: Service
) -> None:
    create(service, "<script>alert(1)</script>")
    page = browser.get("/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
