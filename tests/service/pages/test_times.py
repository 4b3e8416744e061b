"""The times on pages: in words of the visitor's language, in the visitor's time zone, which is named."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import urldefrag

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.event import Clock
from replay.language.catalogue import languages
from service.bootstrap import Service
from service.pages.session import TIME_ZONE_COOKIE
from tests.support.page_players import PlayerOfPages, PlayersOfPages
from tests.support.raw_times import raw_times, visible_text
from tests.support.stored_games import recorded_game, store_game
from tests.support.variants import nightly_except

CLOCK: Clock = {"per_turn": 86_400, "bank": 864_000, "holidays": True}
LINK = re.compile(r'(?:href|action)="(/[^"]*)"')
MOMENT = re.compile(r'<time datetime="[^"]*T[^"]*Z"[^>]*>(.*?)</time>')
NOT_PAGES = ("/static/", "/api/", "/pictures/", "/rules")
"""Addresses of files, pictures and JSON; and the rules, which name no times."""
MOST_PAGES = 120


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def account_zone(service: Service, player: PlayerOfPages) -> str | None:
    (account,) = service.accounts.players.get([player.id])
    assert account is not None
    return account.time_zone


def eventful_game(players: PlayersOfPages) -> str:
    """Return a game with a deadline, holidays, messages, an open dispute and a sandbox."""
    ada, grace = players["ada"], players["grace"]
    game = players.game("barony", clock=CLOCK)
    day = (datetime.now(UTC).date() + timedelta(days=10)).isoformat()
    ada.submit("/account/holidays", "/account/holidays", first_day=day, last_day=day)
    grace.submit(f"/games/{game}/messages", f"/games/{game}/messages", text="good evening")
    ada.submit(f"/games/{game}/sandboxes?seq=4", f"/games/{game}/sandboxes", seq=4)
    ada.submit("/account/notifications", "/account/notifications/feeds")
    players.act(game)
    disputes = f"/games/{game}/disputes"
    ada.submit(f"{disputes}?seq=4", disputes, seq=4, statement="I object")
    return game


def crawl(client: FlaskClient, language: str, *starts: str) -> dict[str, str]:
    """Return the pages that links lead to, by their addresses without queries."""
    pages: dict[str, str] = {}
    waiting = list(starts)
    while waiting and len(pages) < MOST_PAGES:
        address = waiting.pop(0)
        name = address.partition("?")[0]
        if name in pages or name.startswith(NOT_PAGES):
            continue
        response = client.get(address, headers={"Accept-Language": language})
        if response.status_code != 200 or response.mimetype != "text/html":
            pages[name] = ""
            continue
        pages[name] = response.text
        waiting += [urldefrag(unescape(link))[0] for link in LINK.findall(response.text)]
    return pages


@pytest.mark.nightly
@pytest.mark.parametrize("language", nightly_except(["fr"], sorted(languages())))
def test_no_page_shows_a_time_as_programs_write_it(
    players: PlayersOfPages, service: Service, language: str
) -> None:
    game = eventful_game(players)
    ended = store_game(service, recorded_game("disputes"))
    ada = players["ada"]
    ada.client.set_cookie(TIME_ZONE_COOKIE, "Australia/Lord_Howe")
    pages = crawl(
        ada.client, language, f"/games/{game}", f"/games/{ended}", "/account", "/games", "/"
    )
    raw = {name: raw_times(visible_text(page)) for name, page in pages.items()}
    assert {name: times for name, times in raw.items() if times} == {}
    for part in ("", "/clock", "/disputes", "/log", "/messages", "/sandboxes"):
        assert f"/games/{game}{part}" in pages
    assert pages.keys() >= {"/account", "/account/holidays", "/account/notifications", "/games"}
    moments = {name: MOMENT.findall(page) for name, page in pages.items()}
    assert sum(map(bool, moments.values())) >= 8
    for shown in moments.values():
        assert all(text.endswith("(Australia/Lord_Howe)") for text in shown)


def test_a_visitor_reads_times_in_the_zone_of_the_browser(players: PlayersOfPages) -> None:
    address = f"/games/{players.game('barony', clock=CLOCK)}/clock"
    visitor = players.visitor
    assert "(UTC)" in visitor.get(address).text
    visitor.set_cookie(TIME_ZONE_COOKIE, "Asia/Kolkata")
    assert "(Asia/Kolkata)" in visitor.get(address).text
    for nonsense in ("Mars/Olympus", "../../etc/passwd", "<b>", "x" * 3000):
        visitor.set_cookie(TIME_ZONE_COOKIE, nonsense)
        assert "(UTC)" in visitor.get(address).text


def test_an_account_keeps_the_zone_of_the_browser_until_one_is_chosen(
    players: PlayersOfPages, service: Service
) -> None:
    ada, address = players["ada"], f"/games/{players.game('barony', clock=CLOCK)}/clock"
    ada.client.set_cookie(TIME_ZONE_COOKIE, "Asia/Kolkata")
    assert "(Asia/Kolkata)" in ada.get(address)
    assert account_zone(service, ada) == "Asia/Kolkata"
    ada.client.set_cookie(TIME_ZONE_COOKIE, "America/Lima")
    ada.get(address)
    assert account_zone(service, ada) == "Asia/Kolkata"
    zone_form = "/account/holidays/time-zone"
    ada.submit("/account/holidays", zone_form, time_zone="Europe/Paris")
    assert "(Europe/Paris)" in ada.get(address)
    ada.client.delete_cookie(TIME_ZONE_COOKIE)
    assert "(Europe/Paris)" in ada.get(address)


def test_a_time_is_in_words_and_exact_for_programs(players: PlayersOfPages) -> None:
    address = f"/games/{players.game('barony', clock=CLOCK)}/clock"
    page = players.visitor.get(address, headers={"Accept-Language": "fr"}).text
    match = re.search(r'<time datetime="(\d{4}-\d\d-\d\dT[\d:.]+Z)">(.*?)</time>', page)
    assert match is not None
    at = datetime.fromisoformat(match[1])
    assert str(at.year) in match[2]
    assert f"{at:%H:%M} (UTC)" in match[2]
