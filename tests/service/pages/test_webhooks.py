"""The page of the visitor's webhooks."""

import re
from datetime import timedelta

from flask.testing import FlaskClient

from service import wall_clock
from service.bootstrap import Service
from service.notifications.circuit_breakers import Receiver
from tests.support.accounts import PASSWORD
from tests.support.page_forms import log_in, post

PAGE = "/account/webhooks"


def test_a_webhook_is_registered_tested_enabled_and_removed(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    response = post(browser, PAGE, PAGE, url="https://example.org/games?a=<b>")
    assert response.status_code == 201
    (secret,) = re.findall(r"<code>(whsec_[^<]+)</code>", response.text)
    page = browser.get(PAGE).text
    assert secret not in page
    assert "https://example.org/games?a=&lt;b&gt;" in page
    (webhook,) = service.notifications.webhooks.of(player)
    assert post(browser, f"{PAGE}/test", PAGE, webhook=webhook.id).status_code == 303
    assert service.notifications.webhooks.take_tests(10) == [(player, webhook.id)]
    service.notifications.webhooks.record_failure(player, webhook.id, "it is gone", is_gone=True)
    page = browser.get(PAGE).text
    assert "Nothing is posted to it now" in page
    assert "The last attempt has failed: it is gone" in page
    assert post(browser, f"{PAGE}/enable", PAGE, webhook=webhook.id).status_code == 303
    assert service.notifications.webhooks.find(player, webhook.id).disabled_at is None
    assert post(browser, f"{PAGE}/remove", PAGE, webhook=webhook.id).status_code == 303
    assert service.notifications.webhooks.of(player) == []
    assert post(browser, f"{PAGE}/test", PAGE, webhook=webhook.id).status_code == 404


def test_an_address_in_the_network_is_refused_at_its_field(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    response = post(browser, PAGE, PAGE, url="http://169.254.169.254/")
    assert response.status_code == 400
    assert "Must not point into a private network" in response.text
    assert 'id="field-url-fault"' in response.text


def test_the_list_and_the_page_show_until_when_a_webhook_is_paused(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    webhook = service.notifications.webhooks.add(player, "https://example.org/games")
    assert "Notifications wait" not in browser.get("/account/webhooks").text
    until = service.notifications.deliveries.breakers.record_failure(
        Receiver("webhook", player, webhook.id), wall_clock.now() + timedelta(hours=1)
    )
    token = service.accounts.players.login("ada", PASSWORD)
    response = browser.get("/api/v1/me/webhooks", headers={"Authorization": f"Bearer {token}"})
    assert response.get_json()["webhooks"][0]["paused_until"] == wall_clock.format(until)
    page = browser.get("/account/webhooks").text
    assert "Notifications wait, because it has failed. Next attempt:" in page
    assert wall_clock.format(until) in page
