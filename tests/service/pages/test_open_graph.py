"""What a link to a game shows where links are previewed: its board, and nothing of a private game."""

import re
from html import unescape

from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service


def properties(page: str) -> dict[str, str]:
    pairs = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', page)
    return {name: unescape(content) for name, content in pairs}


def start_game(service: Service, options: dict[str, bool]) -> tuple[str, str]:
    """Start a game of two players; returns its id, and the token of one of them."""
    (ada, token), (bea, _) = (
        service.accounts.players.register(handle, "correct horse") for handle in ("ada", "bea")
    )
    game = service.games.commands.create(
        ada.id,
        NewGame(
            rules="barony", seats=2, options={"seating": "joined", **options}, invited=(bea.id,)
        ),
    )
    service.games.commands.join(game.id, bea.id)
    return game.id, token


def test_a_link_to_a_game_shows_its_board(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    game, _ = start_game(service, {})
    page = browser.get(f"/games/{game}", base_url="https://localhost/")
    shown = properties(page.text)
    assert shown["og:title"] == "Barony: ada, bea"
    assert "ada" in shown["og:description"]
    assert shown["og:url"] == f"https://localhost/games/{game}"
    image = shown["og:image"].removeprefix("https://localhost")
    picture = app.test_client().get(image.replace("width=1200", "width=100"))
    assert (picture.status_code, picture.mimetype) == (200, "image/png")


def test_a_link_to_an_event_shows_the_board_after_it(
    browser: FlaskClient, service: Service
) -> None:
    game, _ = start_game(service, {})
    shown = properties(browser.get(f"/games/{game}?seq=4").text)
    assert shown["og:url"].endswith(f"/games/{game}?seq=4")
    assert shown["og:image"].endswith("&seq=4")
    assert "og:image" not in properties(browser.get(f"/games/{game}?seq=2").text)


def test_a_game_that_has_not_started_has_no_picture(browser: FlaskClient, service: Service) -> None:
    player, _ = service.accounts.players.register("ada", "correct horse")
    game = service.games.commands.create(player.id, NewGame(rules="barony", seats=2, options={}))
    shown = properties(browser.get(f"/games/{game.id}").text)
    assert shown["og:title"] == "Barony: ada"
    assert "og:image" not in shown


def test_a_link_to_a_private_game_shows_nothing(app: Flask, service: Service) -> None:
    game, token = start_game(service, {"private": True})
    with app.test_client() as browser:
        with browser.session_transaction() as session:
            session["token"] = token
        page = browser.get(f"/games/{game}")
        assert page.status_code == 200
        assert not properties(page.text)
        assert not properties(browser.get(f"/games/{game}?seq=4").text)
    assert not properties(app.test_client().get(f"/games/{game}").text)
