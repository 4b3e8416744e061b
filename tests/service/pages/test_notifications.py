"""The page on which players choose what they are notified of, and see what was sent."""

import pytest
from flask.testing import FlaskClient

from domain.messages import message
from service import wall_clock
from service.bootstrap import Service
from service.notifications.delivery import Delivery
from tests.support.page_forms import post

PAGE = "/account/notifications"


@pytest.fixture
def ada(browser: FlaskClient, service: Service) -> str:
    """The id of a guest who is logged in."""
    player, token = service.accounts.players.create_guest()
    with browser.session_transaction() as session:
        session["token"] = token
    return player.id


def test_a_player_chooses_kinds_and_times(browser: FlaskClient, service: Service, ada: str) -> None:
    fields = {
        "email.your_turn": "yes",
        "push.game_over": "yes",
        "digest": "18:00",
        "quiet_from": "22:00",
        "quiet_to": "08:00",
    }
    assert post(browser, PAGE, PAGE, **fields).status_code == 303
    assert service.notifications.preferences.of(ada).as_json() == {
        "kinds": {"email": ["your_turn"], "webhook": [], "push": ["game_over"]},
        "digest": "18:00",
        "quiet_hours": ["22:00", "08:00"],
    }
    page = browser.get(PAGE).text
    assert page.count(" checked") == 2
    assert 'value="18:00"' in page
    assert post(browser, PAGE, PAGE).status_code == 303
    assert service.notifications.preferences.of(ada).as_json()["quiet_hours"] is None


@pytest.mark.parametrize(
    ("field", "value"), [("digest", "late"), ("quiet_from", "25:00"), ("quiet_to", "08:00")]
)
def test_times_that_make_no_sense_are_marked(
    browser: FlaskClient, service: Service, ada: str, field: str, value: str
) -> None:
    response = post(browser, PAGE, PAGE, **{field: value})
    assert response.status_code == 400
    assert f'id="field-{"digest" if field == "digest" else "quiet_from"}-fault"' in response.text
    assert f'value="{value}"' in response.text
    assert service.notifications.preferences.of(ada).as_json()["digest"] is None


def test_the_latest_deliveries_are_shown_with_their_results(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    assert "Nothing has been sent to you yet" in browser.get(PAGE).text
    delivery = Delivery(
        id="d1",
        kind="your_turn",
        subject="your_turn",
        game_id="g",
        seq=4,
        player=ada,
        channel="email",
        endpoint="one",
        created_at="2026-11-20T09:15:00.000Z",
        due_at="2026-11-20T09:15:00.000Z",
    )
    service.notifications.deliveries.create(delivery)
    claimed = service.notifications.deliveries.claim("d1", wall_clock.now())
    assert claimed is not None
    reason = message("this receiver no longer exists")
    service.notifications.deliveries.finish([claimed], "cancelled", wall_clock.now(), result=reason)
    page = browser.get(PAGE, headers={"Accept-Language": "fr"}).text
    assert "ce destinataire n'existe plus" in page.replace("&#39;", "'")
    assert 'href="/games/g"' in page


def test_addresses_of_feeds_are_shown_once_and_revoked(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    created = post(browser, f"{PAGE}/feeds", PAGE)
    assert created.status_code == 201
    assert "/games.atom" in created.text
    assert "/games.atom" not in browser.get(PAGE).text
    (feed,) = service.notifications.feed_tokens.of(ada)
    assert post(browser, f"{PAGE}/feeds/revoke", PAGE, feed=feed.id).status_code == 303
    assert service.notifications.feed_tokens.of(ada) == []
    for _ in range(service.settings.bounds.max_feeds_per_player):
        service.notifications.feed_tokens.create(ada)
    assert post(browser, f"{PAGE}/feeds", PAGE).status_code == 409


def test_visitors_without_an_account_cannot_open_the_page(browser: FlaskClient) -> None:
    response = browser.get(PAGE)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/login")
