"""A push subscription belongs to the session in which it was registered, and an endpoint to one account."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Flask
from flask.testing import FlaskClient
from py_vapid.utils import b64urlencode  # type: ignore[import-untyped] # has no annotations

from service.accounts.personal_tokens import digest_of
from service.accounts.tokens import session_id, token_key
from service.administration.accounts import AccountAdministration
from service.bootstrap import Service, build
from service.connection import to_text
from service.notifications.webhooks.push_subscriptions import PushSubscription
from tests.support.page_forms import PASSWORD, csrf_token, post

KEY = b64urlencode(
    ec.generate_private_key(ec.SECP256R1())
    .public_key()
    .public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
)
AUTH = "A" * 22
PHONE, DESKTOP = "https://push.example.org/phone", "https://push.example.org/desktop"
NOTIFICATIONS, PUSH = "/account/notifications", "/account/notifications/push"


def subscribe(service: Service, player: str, token: str, endpoint: str) -> PushSubscription:
    return service.notifications.push_subscriptions.add(
        player, endpoint, KEY, AUTH, session=digest_of(token)
    )


def addresses(service: Service, player: str) -> list[str]:
    """Return the push endpoints of a player, as the worker that sends finds them."""
    endpoints = service.notifications.endpoints.of(player)
    return [endpoint.address for endpoint in endpoints if endpoint.channel == "push"]


def store_as_before(
    service: Service, player: str, endpoint: str, created: str = "2025-11-20T09:15:00.000Z"
) -> str:
    """Store a subscription as version 808a12e6 did, which knew of no sessions, and return its id."""
    id = sha256(endpoint.encode()).hexdigest()[:16]
    fields = {"id": id, "endpoint": endpoint, "p256dh": KEY, "auth": AUTH, "created": created}
    service.redis.hset(f"cartulary:push-subscriptions:{player}", id, orjson.dumps(fields))
    return id


def stored_bytes(service: Service) -> bytes:
    """Return all that is stored about push subscriptions."""
    values: list[bytes] = []
    for key in service.redis.scan_iter("cartulary:push-*"):
        if service.redis.type(key) == b"hash":
            values += service.redis.hvals(key)  # type: ignore[arg-type] # bytes, as this client decodes nothing
        else:
            values.append(service.redis.get(key))  # type: ignore[arg-type] # as above
    return b" ".join(values)


@pytest.fixture
def other_process(service: Service) -> Iterator[Service]:
    """Another process of the service, which has cached nothing."""
    other = build(service.settings)
    yield other
    other.redis.close()


def log_out(service: Service, player: str, token: str) -> None:
    service.accounts.players.tokens.revoke(token)


def end_the_session(service: Service, player: str, token: str) -> None:
    service.accounts.players.tokens.end(player, session_id(token))


def expire(service: Service, player: str, token: str) -> None:
    service.redis.delete(token_key(token))


def log_in_too_often(service: Service, player: str, token: str) -> None:
    tokens = service.accounts.players.tokens
    kept = service.redis.hget(f"cartulary:sessions:{player}", digest_of(token))
    assert kept is not None
    old = {**orjson.loads(kept), "created": "2020-01-01T00:00:00.000Z", "used": "2020-01-01T00"}
    service.redis.hset(f"cartulary:sessions:{player}", digest_of(token), orjson.dumps(old))
    for _ in range(service.settings.bounds.max_sessions_per_player - 1):
        tokens.create(player)


Ending = Callable[[Service, str, str], object]
OF_ONE: dict[str, Ending] = {
    "log-out": log_out,
    "end of the session": end_the_session,
    "expiry": expire,
    "too many sessions": log_in_too_often,
}
"""What ends the session of a token."""
OF_OTHERS: dict[str, Ending] = {
    "end of the others": lambda service, player, kept: service.accounts.players.tokens.end_all(
        player, except_token=kept
    ),
    "change of the password": lambda service, player, kept: (
        service.accounts.players.change_password(player, kept, PASSWORD, "battery staple")
    ),
}
"""What ends all sessions but that of a token."""
OF_ALL: dict[str, Ending] = {
    "reset": lambda service, player, _: service.accounts.players.replace_password(
        player, "battery staple"
    ),
    "reset by an administrator": lambda service, player, _: administration(service).reset_password(
        player
    ),
    "suspension": lambda service, player, _: administration(service).suspend(player, "spam"),
    "erasure": lambda service, player, _: service.accounts.erasure.erase(player, PASSWORD),
}
"""What ends all sessions of a player."""


def administration(service: Service) -> AccountAdministration:
    return AccountAdministration(service.redis, service.accounts.players)


@dataclass
class Ada:
    """A player with two sessions, each with a subscription of its own."""

    id: str
    phone: str
    desktop: str


@pytest.fixture
def ada(service: Service) -> Ada:
    player, phone = service.accounts.players.register("ada", PASSWORD)
    desktop = service.accounts.players.login("ada", PASSWORD)
    subscribe(service, player.id, phone, PHONE)
    subscribe(service, player.id, desktop, DESKTOP)
    return Ada(player.id, phone, desktop)


@pytest.mark.parametrize("ending", OF_ONE)
def test_a_subscription_ends_with_its_session(
    service: Service, other_process: Service, ada: Ada, ending: str
) -> None:
    assert sorted(addresses(other_process, ada.id)) == [DESKTOP, PHONE]
    OF_ONE[ending](service, ada.id, ada.phone)
    assert addresses(other_process, ada.id) == [DESKTOP]
    # Nothing of the one that has ended is left.
    assert PHONE.encode() not in stored_bytes(service)
    assert DESKTOP.encode() in stored_bytes(service)


@pytest.mark.parametrize("ending", OF_OTHERS)
def test_the_subscriptions_of_other_sessions_end_with_them(
    service: Service, other_process: Service, ada: Ada, ending: str
) -> None:
    store_as_before(service, ada.id, "https://push.example.org/old")
    OF_OTHERS[ending](service, ada.id, ada.desktop)
    assert addresses(other_process, ada.id) == [DESKTOP]


@pytest.mark.parametrize("ending", OF_ALL)
def test_all_subscriptions_end_with_all_sessions(
    service: Service, other_process: Service, ada: Ada, ending: str
) -> None:
    store_as_before(service, ada.id, "https://push.example.org/old")
    OF_ALL[ending](service, ada.id, "")
    assert addresses(other_process, ada.id) == []
    assert b"push.example.org" not in stored_bytes(service)
    assert not list(service.redis.scan_iter("cartulary:push-*"))


def test_an_endpoint_belongs_to_the_account_that_has_registered_it_last(
    service: Service, other_process: Service, ada: Ada
) -> None:
    bea, token = service.accounts.players.create_guest()
    subscribe(service, bea.id, token, PHONE)
    assert addresses(other_process, ada.id) == [DESKTOP]
    assert addresses(other_process, bea.id) == [PHONE]
    # The end of the session of the former one changes nothing for the other.
    log_out(service, ada.id, ada.phone)
    assert addresses(other_process, bea.id) == [PHONE]
    subscribe(service, ada.id, ada.desktop, PHONE)
    assert sorted(addresses(other_process, ada.id)) == [DESKTOP, PHONE]
    assert addresses(other_process, bea.id) == []


def test_two_accounts_to_which_an_earlier_version_has_given_an_endpoint(service: Service) -> None:
    (ada, _), (bea, token) = (service.accounts.players.create_guest() for _ in range(2))
    for player in (ada, bea):
        store_as_before(service, player.id, PHONE)
    assert addresses(service, ada.id) == addresses(service, bea.id) == [PHONE]
    subscribe(service, bea.id, token, PHONE)
    assert (addresses(service, ada.id), addresses(service, bea.id)) == ([], [PHONE])


def test_what_an_earlier_version_has_stored_is_read_until_all_sessions_end(
    service: Service,
) -> None:
    player, token = service.accounts.players.register("ada", PASSWORD)
    other = service.accounts.players.login("ada", PASSWORD)
    store_as_before(service, player.id, PHONE)
    log_out(service, player.id, other)
    assert addresses(service, player.id) == [PHONE]
    (before,) = service.notifications.push_subscriptions.of(player.id)
    assert before.session is None
    subscribe(service, player.id, token, PHONE)
    (after,) = service.notifications.push_subscriptions.of(player.id)
    assert after.session == digest_of(token)


def test_an_earlier_version_beside_this_one_reads_and_replaces_what_this_one_stores(
    service: Service, ada: Ada
) -> None:
    stored = service.redis.hgetall(f"cartulary:push-subscriptions:{ada.id}")
    for value in stored.values():
        # It reads `PushSubscription(**fields)` with exactly these fields.
        assert orjson.loads(value).keys() == {"id", "endpoint", "p256dh", "auth", "created"}
    # It registers the phone anew, after the session has ended: for the same player, then for another one.
    log_out(service, ada.id, ada.phone)
    id = store_as_before(service, ada.id, PHONE, created="2036-01-01T00:00:00.000Z")
    assert sorted(addresses(service, ada.id)) == [DESKTOP, PHONE]
    bea, _ = service.accounts.players.create_guest()
    store_as_before(service, bea.id, DESKTOP, created="2036-01-01T00:00:00.000Z")
    assert addresses(service, bea.id) == [DESKTOP]
    assert addresses(service, ada.id) == [PHONE]
    assert service.notifications.push_subscriptions.find(ada.id, id).session is None


def test_what_a_later_version_may_add_is_ignored(service: Service, ada: Ada) -> None:
    def extended(value: bytes | str | None) -> bytes:
        return orjson.dumps({**orjson.loads(value or b""), "later": [1]})

    key = f"cartulary:push-subscriptions:{ada.id}"
    for id, value in service.redis.hgetall(key).items():
        service.redis.hset(key, to_text(id), extended(value))
        registration = f"cartulary:push-registration:{to_text(id)}"
        service.redis.set(registration, extended(service.redis.get(registration)))
    assert sorted(addresses(service, ada.id)) == [DESKTOP, PHONE]


def page_of(app: Flask, token: str) -> FlaskClient:
    """Return a browser with the session of a token."""
    client = app.test_client()
    with client.session_transaction() as session:
        session["token"] = token
    return client


def switch_on(client: FlaskClient, endpoint: str) -> None:
    fields = {"endpoint": endpoint, "p256dh": KEY, "auth": AUTH}
    assert post(client, PUSH, NOTIFICATIONS, **fields).status_code == 204


def test_the_subscription_of_a_page_ends_when_its_browser_logs_out_or_in(
    app: Flask, service: Service
) -> None:
    player, token = service.accounts.players.register("ada", PASSWORD)
    service.accounts.players.register("bea", PASSWORD)
    client = page_of(app, token)
    switch_on(client, PHONE)
    assert addresses(service, player.id) == [PHONE]
    text = client.get(NOTIFICATIONS).text
    assert "This browser shows notifications since:" in text
    other = page_of(app, service.accounts.players.login("ada", PASSWORD))
    assert "A browser shows notifications since:" in other.get(NOTIFICATIONS).text
    assert post(client, "/logout", "/account").status_code == 303
    assert addresses(service, player.id) == []

    client = page_of(app, service.accounts.players.login("ada", PASSWORD))
    switch_on(client, DESKTOP)
    # Another player logs in without logging out the first one.
    data = {"csrf_token": csrf_token(client, "/account"), "handle": "bea", "password": PASSWORD}
    assert client.post("/login", data=data).status_code == 303
    assert client.get("/turns").get_json()["player"] != player.id
    assert addresses(service, player.id) == []


def test_a_browser_has_one_subscription(app: Flask, service: Service, ada: Ada) -> None:
    client = page_of(app, ada.phone)
    switch_on(client, "https://push.example.org/renewed")
    expected = ["https://push.example.org/desktop", "https://push.example.org/renewed"]
    assert sorted(addresses(service, ada.id)) == expected


def test_the_service_worker_learns_who_is_logged_in_and_what_is_on(
    app: Flask, service: Service, ada: Ada
) -> None:
    state = page_of(app, ada.phone).get(PUSH)
    assert state.headers["Cache-Control"] == "no-store"
    body = state.get_json()
    assert body["player"] == ada.id
    assert body["public_key"] == service.notifications.vapid_key.public
    assert sorted(entry["current"] for entry in body["subscriptions"]) == [False, True]
    assert body["csrf_token"]
    nobody = app.test_client().get(PUSH).get_json()
    assert nobody == {**body, "player": None, "subscriptions": [], "csrf_token": None}
