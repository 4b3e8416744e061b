"""The pictures of a position for visitors with a cookie: as they may see it, with errors as pages."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service


@pytest.fixture
def tables(app: Flask, service: Service) -> tuple[str, FlaskClient, FlaskClient]:
    """A private game with secrets, the browser of its first player, and that of the second one."""
    browsers, ids = [], []
    for handle in ("ada", "bea"):
        player, token = service.accounts.players.register(handle, "correct horse")
        browser = app.test_client()
        with browser.session_transaction() as session:
            session["token"] = token
        browsers.append(browser)
        ids.append(player.id)
    game = service.games.commands.create(
        ids[0], NewGame(rules="baron", seats=2, options={"private": True}, invited=(ids[1],))
    )
    service.games.commands.join(game.id, ids[1])
    return game.id, browsers[0], browsers[1]


def test_a_player_sees_a_private_game_as_their_seat_may_see_it(
    browser: FlaskClient, tables: tuple[str, FlaskClient, FlaskClient]
) -> None:
    game, ada, bea = tables
    path = f"/games/{game}/position.svg"
    pictures = [player.get(path) for player in (ada, bea)]
    assert pictures[0].text != pictures[1].text
    assert all(picture.mimetype == "image/svg+xml" for picture in pictures)
    assert all("Cookie" in picture.headers["Vary"] for picture in pictures)
    etag = {"If-None-Match": pictures[0].headers["ETag"]}
    assert ada.get(path, headers=etag).status_code == 304
    assert bea.get(path, headers=etag).status_code == 200
    assert ada.get(f"/games/{game}/position.png?width=100").data.startswith(b"\x89PNG")
    for name in ("position.svg", "position.png"):
        response = browser.get(f"/games/{game}/{name}")
        assert (response.status_code, response.mimetype) == (404, "text/html")


@pytest.mark.parametrize("query", ["width=1000000", "width=no", "seq=0", "wide=1", "viewer=1"])
def test_an_impossible_picture_is_an_error_page(
    tables: tuple[str, FlaskClient, FlaskClient], query: str
) -> None:
    game, ada, _ = tables
    for name in ("position.svg", "position.png"):
        response = ada.get(f"/games/{game}/{name}?{query}")
        assert (response.status_code, response.mimetype) == (400, "text/html")
