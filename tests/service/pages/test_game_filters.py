"""The list of open games with the form that filters it."""

import re

from flask.testing import FlaskClient

from service.bootstrap import Service


def listed(browser: FlaskClient, query: str) -> set[str]:
    """Return the ids of the games on a page of the list."""
    page = browser.get(f"/games?list=open{query}")
    assert page.status_code == 200
    return set(re.findall(r'<a href="/games/(\w{16})">', page.text))


def test_open_games_are_filtered_by_the_form(browser: FlaskClient, service: Service) -> None:
    create = service.games.commands.create
    barony = create("ada", rules="barony", seats=2, options={}).id
    sorcery = create("ada", rules="barony", seats=4, options={"sorcery": True}).id
    baron = create("ada", rules="baron", seats=2, options={}, clock={"per_turn": 60}).id
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


def test_the_filter_stays_from_page_to_page(browser: FlaskClient, service: Service) -> None:
    games = {
        service.games.commands.create(f"player-{n}", rules="baron", seats=2, options={}).id
        for n in range(31)
    }
    first = browser.get("/games?list=open&rules=baron").text
    (address,) = re.findall(r'rel="next" href="([^"]+)"', first)
    assert address.endswith("&amp;rules=baron")
    rest = browser.get(address.replace("&amp;", "&")).text
    shown_games = re.findall(r'<a href="/games/(\w{16})">', first + rest)
    assert set(shown_games) == games
    assert len(shown_games) == 31
