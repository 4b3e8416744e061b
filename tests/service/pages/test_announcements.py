"""Announcements on pages, in a browser without scripts."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.administration import OPERATOR
from service import wall_clock
from service.bootstrap import Service
from service.pages.announcements import COOKIE
from tests.support.page_forms import post

TEXTS = {"en": "Down on <b>Sunday</b>", "fr": "Arrêt dimanche"}


def announce(service: Service, days: int = 1) -> str:
    ends = wall_clock.format(wall_clock.now() + timedelta(days=days))
    return service.administration.announce(OPERATOR, TEXTS, ends, "maintenance").id


def page_in(browser: FlaskClient, language: str, path: str = "/rules") -> str:
    return browser.get(path, headers={"Accept-Language": language}).text


def test_every_page_has_it_escaped_and_in_the_language_of_the_reader(
    service: Service, browser: FlaskClient
) -> None:
    assert "announcement" not in page_in(browser, "en")
    announce(service)
    for path in ("/", "/rules", "/login", "/games/absent"):
        assert '<p id="announcement-' in page_in(browser, "en", path), path
        assert 'lang="en">Down on &lt;b&gt;Sunday&lt;/b&gt;</p>' in page_in(browser, "en", path)
        assert 'lang="fr">Arrêt dimanche</p>' in page_in(browser, "fr", path)
        assert 'lang="en">Down on' in page_in(browser, "es", path)
    assert 'aria-label="Anuncios"' in page_in(browser, "es")
    assert "Ocultar</button>" in page_in(browser, "es")


def test_a_browser_that_dismisses_it_sees_the_others_and_comes_back_to_its_page(
    service: Service, browser: FlaskClient
) -> None:
    first, second = announce(service), announce(service)
    response = post(browser, "/announcements/dismissals", announcement=first, next="/rules?a=b")
    assert (response.status_code, response.location) == (303, "/rules?a=b")
    assert first not in page_in(browser, "en")
    assert second in page_in(browser, "en")
    post(browser, "/announcements/dismissals", announcement=second)
    assert "announcement" not in page_in(browser, "en")
    third = announce(service)
    assert third in page_in(browser, "en")


@pytest.mark.parametrize("announcement", ["", "x" * 3000, "a.b", "\r\nX: y"])
def test_the_cookie_has_ids_of_current_announcements_only(
    service: Service, browser: FlaskClient, announcement: str
) -> None:
    announce(service)
    post(browser, "/announcements/dismissals", announcement=announcement)
    cookie = browser.get_cookie(COOKIE)
    assert cookie is not None
    assert cookie.value == ""


def test_another_site_cannot_dismiss_it(service: Service, browser: FlaskClient) -> None:
    data = {"announcement": announce(service)}
    assert browser.post("/announcements/dismissals", data=data).status_code == 403


def test_it_ends_and_is_withdrawn(service: Service, browser: FlaskClient) -> None:
    announce(service, days=1)
    longer = announce(service, days=2)
    with freeze_time(wall_clock.now() + timedelta(days=1, seconds=10)):
        assert page_in(browser, "en").count('<p id="announcement-') == 1
        service.administration.withdraw_announcement(OPERATOR, longer, "done")
        assert "announcement" not in page_in(browser, "en")


@pytest.mark.needs_redis("single", "sentinel")
def test_many_pages_read_the_announcements_once(service: Service, browser: FlaskClient) -> None:
    page_in(browser, "en")
    service.redis.config_resetstat()
    with freeze_time(wall_clock.now()):
        for _ in range(5):
            page_in(browser, "en")
    statistics = service.redis.info("commandstats")
    assert statistics.get("cmdstat_hvals", {}).get("calls", 0) <= 1
