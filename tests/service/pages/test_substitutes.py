"""What happens at a deadline, on pages, and the buttons of substitutes."""

from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from tests.support.page_forms import log_in, post
from tests.support.service_games import start_game


def test_the_page_of_a_game_says_what_happens_at_a_deadline(
    browser: FlaskClient, service: Service
) -> None:
    clock: Any = {"per_turn": 60, "on_deadline": {"excused": 2, "remove_after": 3, "turn": "bot"}}
    game = start_game(service, 2, clock)
    for path in ("", "/clock"):
        page = browser.get(f"/games/{game.id}{path}").text
        assert "The first 2 missed deadlines of each player only restart the time." in page
        assert "A bot plays the rest of a missed turn." in page
        assert "A player who misses 3 deadlines in a row loses the seat." in page
    assert "What happens at a deadline" not in browser.get(f"/games/{start_game(service).id}").text


def test_a_seat_is_left_and_taken_with_buttons(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = start_game(service, 3, rules="baron", players=(ada, "bea", "cid"), substitutes=True)
    path = f"/games/{game.id}"
    assert "Leave my seat" in browser.get(path).text
    assert post(browser, f"{path}/seats/leave", path).location == path
    assert service.games.queries.game(game.id).vacant_seats == (0,)
    page = browser.get(path).text
    assert "The seat of ada is vacant." in page
    assert "<strong>vacant</strong>" in page
    assert "Take the seat of" not in page
    assert post(browser, f"{path}/substitutes", path, seat="0").status_code == 409
    visitor = app.test_client()
    assert "Games that look for a substitute" in visitor.get("/").text
    refused = post(visitor, f"{path}/substitutes", path, seat="0")
    assert refused.location.startswith("/login?")
    zoe = log_in(visitor, service, "zoe")
    assert "Take the seat of ada and play on" in visitor.get(path).text
    assert post(visitor, f"{path}/substitutes", path, seat="x").status_code == 400
    assert post(visitor, f"{path}/substitutes", path, seat="0").location == path
    assert service.games.queries.game(game.id).seat_of(zoe) == 0
    log = visitor.get(f"{path}/log").text
    assert "the seat of ada is left to a substitute" in log
    assert "the seat of ada passes to zoe" in log
    assert "Games that look for a substitute" not in visitor.get("/").text
