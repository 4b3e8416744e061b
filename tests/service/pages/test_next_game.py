"""From a game in which others are to act, one tap leads to the next game that waits for the player."""

from flask.testing import FlaskClient

from domain.event import Clock
from service.bootstrap import Service
from tests.support.page_forms import log_in
from tests.support.service_games import start_game, take_action

HOUR = 3600


def start(service: Service, *players: str, hours: int | None = None) -> str:
    """Start a game, with so many hours for each turn, in which the first player is to act; return its id."""
    clock: Clock | None = None if hours is None else {"per_turn": hours * HOUR}
    game = start_game(service, players=players, clock=clock)
    assert game.to_act == 0
    return game.id


def test_the_next_game_is_the_one_with_the_nearest_deadline(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    urgent, calm, endless = (start(service, ada, "bea", hours=hours) for hours in (2, 48, None))
    waiting = start(service, "bea", ada, hours=1)
    page = browser.get(f"/games/{waiting}").text
    assert f'href="/turns/next?after={waiting}">Next game <span class="count">3</span>' in page
    assert browser.get(f"/turns/next?after={waiting}").location == f"/games/{urgent}"
    take_action(service, urgent)
    assert browser.get(f"/turns/next?after={urgent}").location == f"/games/{calm}"
    # A game that waits for the player still is not its own next one.
    assert browser.get(f"/turns/next?after={calm}").location == f"/games/{endless}"
    take_action(service, calm)
    take_action(service, endless)
    assert browser.get(f"/turns/next?after={endless}").location == "/games?list=turn"
    page = browser.get(f"/games/{endless}").text
    assert "/turns/next" not in page
    assert "My games" in page


def test_the_next_game_counts_no_games_of_others(browser: FlaskClient, service: Service) -> None:
    start(service, "bea", "cid")
    assert browser.get("/turns/next").location == "/login?next=%2Fturns%2Fnext"
    ada = log_in(browser, service)
    waiting = start(service, "bea", ada)
    assert browser.get("/turns/next?after=%00").location == "/games?list=turn"
    assert "/turns/next" not in browser.get(f"/games/{waiting}").text
