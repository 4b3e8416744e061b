"""Thumbnails: small pictures of boards, for those who may see a game, cached by browsers and in Redis."""

import brotli  # type: ignore[import-untyped] # has no annotations
import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.games.thumbnails import STORED_SECONDS
from tests.support.page_forms import log_in
from tests.support.round_trips import count_round_trips
from tests.support.service_games import play_out, start_game, take_action


def test_browsers_cache_a_thumbnail_until_the_next_event(
    browser: FlaskClient, service: Service
) -> None:
    game = start_game(service)
    address = f"/games/{game.id}/thumbnail.svg"
    picture = browser.get(f"{address}?seq={game.seq}")
    assert picture.content_type == "image/svg+xml"
    assert picture.text.startswith("<svg ")
    assert "<text" not in picture.text
    assert "immutable" in picture.headers["Cache-Control"]
    assert "public" in picture.headers["Cache-Control"]
    etag = picture.headers["ETag"]
    unchanged = browser.get(f"{address}?seq={game.seq}", headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    compressed = browser.get(f"{address}?seq={game.seq}", headers={"Accept-Encoding": "br"})
    assert compressed.headers["Content-Encoding"] == "br"
    assert brotli.decompress(compressed.data).decode() == picture.text
    for query in ("", "?seq=1", "?seq=999", "?seq=x"):
        current = browser.get(f"{address}{query}")
        assert current.text == picture.text
        assert current.headers["Cache-Control"] == "public, no-cache"
    take_action(service, game.id)
    later = browser.get(address)
    assert later.text != picture.text
    assert later.headers["ETag"] != etag


def test_the_stored_picture_of_a_public_game_is_sent_without_reading_the_game(
    browser: FlaskClient, service: Service, app: Flask
) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    address = f"/games/{game.id}/thumbnail.svg?seq={game.seq}"
    first = browser.get(address)
    key = f"cartulary:{{{game.id}}}:thumbnail"
    assert 0 < service.redis.ttl(key) <= STORED_SECONDS
    # Without its log, the game cannot be read.
    service.redis.delete(f"cartulary:{{{game.id}}}:log")
    with count_round_trips() as trips:
        assert browser.get(address).data == first.data
    assert trips.count == 1


def test_the_thumbnail_of_a_private_game_is_for_those_who_may_see_it(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    game = start_game(service, players=(player, "bea"), private=True)
    address = f"/games/{game.id}/thumbnail.svg?seq={game.seq}"
    for _ in range(2):
        picture = browser.get(address)
        assert picture.status_code == 200
        assert picture.headers["Cache-Control"] == "private, no-cache"
        assert "Cookie" in picture.headers["Vary"]
        assert app.test_client().get(address).status_code == 404


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_a_thumbnail_is_what_a_spectator_sees(
    rules: str, browser: FlaskClient, service: Service
) -> None:
    """The picture does not depend on who asks for it first: the next tile of a player is on no list."""
    player = log_in(browser, service)
    game = start_game(service, rules=rules, players=(player, "bea"))
    address = f"/games/{game.id}/thumbnail.svg?seq={game.seq}"
    as_player = browser.get(address).data
    service.redis.delete(f"cartulary:{{{game.id}}}:thumbnail")
    browser.delete_cookie("cartulary")
    assert browser.get(address).data == as_player


def test_a_game_without_a_board_has_no_thumbnail(browser: FlaskClient, service: Service) -> None:
    game = service.games.commands.create("ada", NewGame(rules="barony", seats=2, options={}))
    assert browser.get(f"/games/{game.id}/thumbnail.svg").status_code == 404
    assert browser.get("/games/nothing/thumbnail.svg").status_code == 404
