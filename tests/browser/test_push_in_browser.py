"""Push notifications in a browser: switched on and off, and shown for the account that is logged in alone.

The Chromium of these tests has no push service, no notifications and no icon, so stand-ins take the place of
these interfaces (`PAGE_STAND_IN`, `WORKER_STAND_IN`), and the events of a push service are dispatched in the
service worker.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Page, Worker, expect
from py_vapid.utils import b64urlencode  # type: ignore[import-untyped] # has no annotations

from tests.support.accounts import PASSWORD, Json, PlayerClient
from tests.support.browsing import Visitor, Visitors
from tests.support.processes import wait_until

PUSH = "/api/v1/me/push"
P256DH = b64urlencode(
    ec.generate_private_key(ec.SECP256R1())
    .public_key()
    .public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
)
SUBSCRIPTION = """
const bytesOf = (key) =>
    Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0)).buffer;
const subscriptionOf = (data, end) => ({
    endpoint: data.endpoint,
    options: { applicationServerKey: bytesOf(data.key) },
    toJSON: () => ({ endpoint: data.endpoint, keys: { p256dh: data.p256dh, auth: "A".repeat(22) } }),
    unsubscribe: async () => { end(); return true; },
});
"""
PAGE_STAND_IN = (
    "(p256dh) => {"
    + SUBSCRIPTION
    + """
    const read = () => JSON.parse(localStorage.getItem("stand-in"));
    const end = () => localStorage.removeItem("stand-in");
    const current = () => (read() ? subscriptionOf(read(), end) : null);
    Object.defineProperty(Notification, "permission", { get: () => "default" });
    PushManager.prototype.getSubscription = async () => current();
    PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
        const error = localStorage.getItem("error");
        if (error) throw new DOMException("refused", error);
        // As a browser does that has a subscription with another key of the server.
        if (read() && read().key !== key) throw new DOMException("another key", "InvalidStateError");
        const endpoint = `https://push.example.org/${crypto.randomUUID()}`;
        localStorage.setItem("stand-in", JSON.stringify({ endpoint, key, p256dh }));
        return current();
    };
}"""
)
"""The push service of the pages of a browser. It keeps the subscription, as browsers do."""
WORKER_STAND_IN = (
    "(data) => {"
    + SUBSCRIPTION
    + """
    const standIn = { data, shown: [] };
    const end = () => { standIn.data = null; };
    const current = () => (standIn.data ? subscriptionOf(standIn.data, end) : null);
    const pushManager = {
        getSubscription: async () => current(),
        subscribe: async ({ applicationServerKey: key }) => {
            standIn.data = { ...data, key, endpoint: data.endpoint + "-renewed" };
            return current();
        },
    };
    Object.defineProperty(self.registration, "pushManager", { value: pushManager });
    self.registration.showNotification = async (title, options) => {
        const close = () => { standIn.shown = standIn.shown.filter((each) => each.title !== title); };
        standIn.shown.push({ title, data: options.data, close });
    };
    self.registration.getNotifications = async () => standIn.shown;
    self.navigator.setAppBadge = async (count) => { standIn.badge = count; };
    self.standIn = standIn;
}"""
)
"""The push service, the notifications and the icon of a service worker."""
DISPATCH = """async ([type, data, fields]) => {
    const event = type === "push" ? new PushEvent(type, { data }) : new ExtendableEvent(type);
    const work = [];
    Object.assign(event, fields, { waitUntil: (promise) => work.push(promise) });
    self.dispatchEvent(event);
    await Promise.all(work);
}"""
"""Dispatches an event with these data or fields, and waits for what the service worker does."""


def open_notifications(visitor: Visitor) -> Page:
    return visitor.open("/account/notifications")


def shown_part(page: Page) -> str:
    """Return which part of the form the page shows, once it is known."""
    page.locator("form[data-module=push] [data-part=unsupported]").wait_for(state="hidden")
    return str(
        page.locator("form[data-module=push] [data-part]:visible").get_attribute("data-part")
    )


def wait_for_part(page: Page, name: str) -> None:
    expect(page.locator(f"form[data-module=push] [data-part={name}]")).to_be_visible()
    assert shown_part(page) == name


def subscriptions(player: PlayerClient) -> list[Json]:
    listed: list[Json] = player.http.get(PUSH).json()["subscriptions"]
    return listed


@pytest.mark.nightly
def test_the_button_knows_what_is_on_and_survives_another_key_of_the_server(
    visitors: Visitors,
) -> None:
    ada = visitors.accounts.register()
    visitor = visitors.new(ada, service_worker=True)
    visitor.context.add_init_script(f"({PAGE_STAND_IN})({json.dumps(P256DH)})")
    page = open_notifications(visitor)
    wait_for_part(page, "button")
    button = page.locator("form[data-module=push] [data-part=button] button")

    for error, part in (("NotAllowedError", "refused"), ("AbortError", "failed")):
        page.evaluate("(name) => localStorage.setItem('error', name)", error)
        button.click()
        wait_for_part(page, part)
        page = open_notifications(visitor)
        wait_for_part(page, "button")
    page.evaluate("localStorage.removeItem('error')")
    button.click()
    wait_for_part(page, "done")
    (first,) = subscriptions(ada)
    assert first["current"]

    page = open_notifications(visitor)
    wait_for_part(page, "done")
    expect(page.locator("form[action$='/push/remove']")).to_contain_text("This browser shows")

    # The server has lost its key, and has another one.
    page.evaluate(
        """() => {
        const data = JSON.parse(localStorage.getItem("stand-in"));
        localStorage.setItem("stand-in", JSON.stringify({ ...data, key: data.p256dh }));
    }"""
    )
    page = open_notifications(visitor)
    wait_for_part(page, "button")
    button.click()
    wait_for_part(page, "done")
    (second,) = subscriptions(ada)
    assert second["current"]
    assert second["id"] != first["id"]

    page = open_notifications(visitor)
    wait_for_part(page, "done")
    with page.expect_navigation():
        page.locator("form[action$='/push/remove'] button").click()
    wait_for_part(page, "button")
    assert subscriptions(ada) == []
    assert page.evaluate("localStorage.getItem('stand-in')") is None


@dataclass
class PushedBrowser:
    """A browser with the service worker, to which messages are pushed."""

    visitor: Visitor
    worker: Worker

    def push(self, account: str, title: str) -> None:
        """Deliver a message to an account."""
        message = {"account": account, "title": title, "body": "", "path": "/", "tag": title}
        data = json.dumps({**message, "language": "en"})
        self.worker.evaluate(DISPATCH, ["push", data, {}])

    def end_subscription(self, endpoint: str | None) -> None:
        """Say that the push service has ended the subscription; None: without its endpoint."""
        old = None if endpoint is None else {"endpoint": endpoint}
        self.worker.evaluate(DISPATCH, ["pushsubscriptionchange", None, {"oldSubscription": old}])

    def state(self, expression: str) -> Any:
        return self.worker.evaluate(f"() => {expression}")

    @property
    def shown(self) -> list[str]:
        """The titles of the notifications that are shown."""
        titles: list[str] = self.state("standIn.shown.map((each) => each.title)")
        return titles

    @property
    def endpoint(self) -> str | None:
        """The endpoint of the subscription, if there is one."""
        endpoint: str | None = self.state("standIn.data?.endpoint ?? null")
        return endpoint


def open_pushed(visitors: Visitors, ada: PlayerClient, endpoint: str) -> PushedBrowser:
    """Return a browser in which a player is logged in, and which has a subscription with this endpoint."""
    visitor = visitors.new(ada, service_worker=True)
    page = visitor.open("/")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    # The worker keeps the page after it has looked at the subscription.
    # Playwright learns of a new worker only while it waits.
    wait_until(lambda: page.evaluate("async () => (await caches.match('/')) !== undefined"))
    (worker,) = visitor.context.service_workers
    key = ada.http.get(PUSH).json()["public_key"]
    worker.evaluate(WORKER_STAND_IN, {"endpoint": endpoint, "key": key, "p256dh": P256DH})
    return PushedBrowser(visitor, worker)


def register(player: PlayerClient, endpoint: str, token: str | None = None) -> None:
    """Register a subscription in the session of the player's client, or in that of another token."""
    body = {"endpoint": endpoint, "p256dh": P256DH, "auth": "A" * 22}
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    player.http.post(PUSH, json=body, headers=headers).raise_for_status()


def log_out(page: Page) -> None:
    page.locator("#page form[action='/logout'] button").click()
    page.locator(".site-nav a[href='/login']").wait_for()


@pytest.mark.nightly
def test_nothing_is_shown_for_an_account_that_is_not_logged_in(visitors: Visitors) -> None:
    ada, bea = visitors.accounts.register(), visitors.accounts.register()
    endpoint = f"https://push.example.org/{ada.id}"
    register(ada, endpoint)
    browser = open_pushed(visitors, ada, endpoint)
    browser.push(ada.id, "for ada")
    assert browser.shown == ["for ada"]
    assert browser.state("standIn.badge") == 0
    browser.push(bea.id, "for bea")
    assert browser.shown == ["for ada"]
    assert browser.endpoint == endpoint

    # While the server cannot be reached, the account of the last page counts.
    browser.visitor.expects_failed_requests = True
    browser.visitor.context.set_offline(True)
    browser.push(bea.id, "for bea")
    browser.push(ada.id, "offline")
    assert browser.shown == ["for ada", "offline"]
    browser.visitor.context.set_offline(False)

    # A page that does not say who is logged in changes nothing.
    # The worker has seen it when it arrives; its own scripts take seconds.
    browser.visitor.page.goto(f"{browser.visitor.site.url}/api/v1/docs", wait_until="commit")
    browser.visitor.open("/rules")
    assert browser.shown == ["for ada", "offline"]
    assert browser.endpoint == endpoint

    log_out(browser.visitor.open("/account"))
    wait_until(lambda: browser.endpoint is None)
    wait_until(lambda: browser.shown == [])
    browser.push(ada.id, "for ada again")
    page = browser.visitor.open("/login")
    page.locator("#page input[name=handle]").fill(bea.handle)
    page.locator("#page input[name=password]").fill(PASSWORD)
    page.locator("#page button[type=submit]").click()
    page.locator(".site-nav a[href='/account']", has_text=bea.handle).wait_for()
    browser.push(ada.id, "for ada again")
    assert browser.shown == []
    browser.push(bea.id, "for bea")
    assert browser.shown == ["for bea"]


def test_a_subscription_that_is_not_of_this_session_is_registered_anew(visitors: Visitors) -> None:
    ada = visitors.accounts.register()
    endpoint = f"https://push.example.org/{ada.id}"
    browser = open_pushed(visitors, ada, endpoint)
    account = {"handle": ada.handle, "password": PASSWORD}
    other = visitors.accounts.anonymous.post("/api/v1/tokens", json=account).json()["token"]
    register(ada, endpoint, other)
    assert [entry["current"] for entry in subscriptions(ada)] == [False]
    # A message to another account: the worker looks whose the subscription is.
    browser.push("0" * 16, "for nobody")
    wait_until(lambda: [entry["current"] for entry in subscriptions(ada)] == [True])

    # The push service has ended the subscription.
    (before,) = subscriptions(ada)
    browser.end_subscription(None)
    assert browser.endpoint == f"{endpoint}-renewed"
    (after,) = subscriptions(ada)
    assert after["id"] != before["id"]
    assert after["current"]
    # One that the account does not have is not replaced.
    browser.end_subscription("https://push.example.org/unknown")
    assert subscriptions(ada) == [after]
