"""People at browsers: each has a context with cookies and a page of their own.

Whatever goes wrong in a page is collected and fails the test: an error of a script, a violation of the
Content-Security-Policy, a request to another origin, a request that the server refuses unexpectedly.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import redis
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Response,
    ViewportSize,
)

from service.operation.data_folder import embedded_redis_url
from service.pages.assets import current_version
from service.pages.session import COOKIE_NAME, SESSION_KEY
from tests.support.accounts import Accounts, PlayerClient
from tests.support.processes import wait_until
from tests.support.running_service import RunningService

DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
TIMEOUT_MILLISECONDS: Final = 60_000
"""How long a page may take on a slow machine."""
EVIDENCE_MODULE: Final = (
    """document.querySelector("script[src*='/js/site.js']").src.replace("site.js", "evidence.js")"""
)
"""An expression for the address of the module with which a page keeps evidence."""
LATENCY_MILLISECONDS: Final = 400
"""How long each response takes on a slow network."""
MOST_UNUSED_CONTEXTS: Final = 5
"""How many empty contexts wait for visitors. Each takes memory of Chromium."""
_LEFT_PAGE: Final = "Execution context was destroyed"
"""The error of Playwright if a page is left while a function runs in it."""
_FAILED_LOAD: Final = "Failed to load resource"
"""How Chromium begins the console message about a response with an error status, which `_check` judges."""


_CREATE_KEY: Final = """async ([version, account]) => {
    const module = (name) => import(`/static/${version}/js/${name}.js`);
    const [{ put }, { generateKey, sign }] = await Promise.all([module("evidence"), module("proofs")]);
    const key = await generateKey();
    await put("keys", [account], { ...key, state: "registered" });
    const proof = await sign(key, { sign: "cartulary key v1", player: account, public: key.public });
    return { public: key.public, proof };
}"""
"""Creates the key of a browser; returns the body of the request that registers it."""

_BLOCKED_WORKER: Final = "Service Worker registration blocked by Playwright"

STARTED: Final = "body:not(:has([data-module]:not([data-started])))"
"""A page whose modules have all started, so that its scripts hear what the visitor does."""


@dataclass
class Visitor:
    """A person at a browser, who may have an account."""

    site: RunningService
    context: BrowserContext
    page: Page
    account: PlayerClient | None = None
    has_touch: bool = False
    """Whether the browser is that of a phone."""
    problems: list[str] = field(default_factory=list)
    expected_statuses: set[int] = field(default_factory=set)
    expects_failed_requests: bool = False
    other_origins: tuple[str, ...] = ()
    """Origins that a test visits on purpose."""
    has_scripts: bool = True

    def __post_init__(self) -> None:
        self._listeners: dict[Any, Any] = {
            "console": self._read_console,
            "weberror": lambda error: self.problems.append(str(error.error)),
            "request": self._check_origin,
            "response": self._check_status,
            "requestfailed": self._check_failure,
        }
        for event, listener in self._listeners.items():
            self.context.on(event, listener)

    def leave(self) -> None:
        """Collect no further problems."""
        for event, listener in self._listeners.items():
            self.context.remove_listener(event, listener)

    def open(self, path: str, status: int = 200) -> Page:
        """Open a page of the site; its status must be this one."""
        with self.expecting(status):
            response = self.page.goto(f"{self.site.url}{path}")
        assert response is not None
        assert response.status == status, f"{path}: {response.status}"
        assert response.headers["content-type"].startswith("text/html"), path
        if self.has_scripts:
            self.page.locator(STARTED).wait_for(state="attached")
        return self.page

    @contextmanager
    def expecting(self, *statuses: int) -> Iterator[None]:
        """Responses with these statuses are no problem inside the block."""
        before = set(self.expected_statuses)
        self.expected_statuses.update(statuses)
        try:
            yield
        finally:
            self.expected_statuses = before

    def new_tab(self) -> Page:
        """A further tab with the same cookies, whose problems are collected too."""
        return self.context.new_page()

    def slow_down(self, page: Page) -> None:
        """Delay every response to a page, as a slow network does."""
        self.context.new_cdp_session(page).send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": LATENCY_MILLISECONDS,
                "downloadThroughput": 50_000,
                "uploadThroughput": 20_000,
            },
        )

    def kept(self, store: str, *prefix: object) -> list[Any]:
        """Return what the browser keeps in a store (js/evidence.js) under keys that begin with a prefix."""
        read = f"async ([store, prefix]) => (await import({EVIDENCE_MODULE})).all(store, prefix)"
        while True:
            self.page.locator(STARTED).wait_for(state="attached")
            try:
                values: list[Any] = self.page.evaluate(read, [store, list(prefix)])
            except Error as error:
                # The page has been left at this moment, and the next one can read the same.
                if _LEFT_PAGE not in error.message:
                    raise
            else:
                return values

    def device_key(self) -> dict[str, Any]:
        """Return the only key of the browser, once it is registered."""
        wait_until(lambda: any(key["state"] == "registered" for key in self.kept("keys")))
        (key,) = self.kept("keys")
        return dict(key)

    def log_in(self, account: PlayerClient) -> None:
        """Give the browser the cookie of a player who has logged in."""
        self.account = account
        self.set_session({"token": account.token})

    def set_session(self, values: Mapping[str, Any]) -> None:
        """Give the browser a cookie with these values, signed as the server signs it."""
        self.set_cookie(signed_session(self.site, values))

    def set_cookie(self, value: str) -> None:
        """Give the browser a cookie of the session with this value."""
        self.context.add_cookies([{"name": COOKIE_NAME, "value": value, "url": self.site.url}])

    def register_key(self, account: PlayerClient) -> None:
        """Register a key of the browser with an account, as the page does on which somebody logs in.

        A page that registers it takes a moment, and events of the games of the player then replace its parts.
        """
        if self.page.url != empty_page(self.site):
            self.page.goto(empty_page(self.site))
        body = self.page.evaluate(_CREATE_KEY, [current_version(), account.id])
        account.http.post("/api/v1/me/keys", json=body).raise_for_status()

    def _read_console(self, message: ConsoleMessage) -> None:
        is_failure = message.text.startswith(_FAILED_LOAD) or (
            self.expects_failed_requests and message.text.startswith("htmx:")
        )
        if (
            message.type in {"error", "warning"}
            and not is_failure
            and message.text != _BLOCKED_WORKER
        ):
            self.problems.append(f"console: {message.text}")

    def _check_origin(self, request: Request) -> None:
        own = (self.site.url + "/", "data:", "blob:", *self.other_origins)
        if not request.url.startswith(own):
            self.problems.append(f"request to another origin: {request.url}")

    def _check_status(self, response: Response) -> None:
        if response.status == 404 and response.request.service_worker is not None:
            # The worker reads a page again to keep it, and nobody sees that it is gone.
            return
        if response.status >= 400 and response.status not in self.expected_statuses:
            self.problems.append(f"{response.request.method} {response.url}: {response.status}")

    def _check_failure(self, request: Request) -> None:
        # Leaving a page aborts what it was loading.
        if request.failure != "net::ERR_ABORTED" and not self.expects_failed_requests:
            self.problems.append(f"{request.method} {request.url}: {request.failure}")


class ContextPool:
    """Contexts of visitors who have left a site, for later visitors with the same options.

    They are as empty as new ones, but for the cache: a new context loads and compiles all scripts of the site
    again, which takes longer than most tests.
    """

    def __init__(self) -> None:
        self._unused: list[tuple[Mapping[str, Any], Page]] = []

    def take(self, options: Mapping[str, Any]) -> Page | None:
        """Return the only page of an empty context with these options, or None if there is none."""
        for number, (others, page) in enumerate(self._unused):
            if others == options:
                del self._unused[number]
                return page
        return None

    def put(self, page: Page, site: RunningService, options: Mapping[str, Any]) -> None:
        """Empty the context of a page and keep it, in place of the oldest one if there are too many."""
        try:
            _empty_context(page, site, options)
        except Error:
            # Such as a page that was about to open another one.
            page.context.close()
            return
        self._unused.append((options, page))
        if len(self._unused) > MOST_UNUSED_CONTEXTS:
            _, oldest = self._unused.pop(0)
            oldest.context.close()


def empty_page(site: RunningService) -> str:
    """Return the address of a page of the site without scripts."""
    return f"{site.url}/static/{current_version()}/icon.svg"


def _empty_context(page: Page, site: RunningService, options: Mapping[str, Any]) -> None:
    """Leave one page of a context, and nothing that its pages have stored or a test has set."""
    context = page.context
    for other in context.pages:
        if other is not page:
            other.close()
    page.unroute_all()
    page.goto(empty_page(site))
    session = context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": site.url, "storageTypes": "all"})
    session.detach()
    page.evaluate("sessionStorage.clear()")
    context.clear_cookies()
    page.set_viewport_size(options["viewport"])
    page.emulate_media(
        color_scheme=options["color_scheme"], reduced_motion=options["reduced_motion"]
    )


@dataclass
class Visitors:
    """Creates visitors of a site, and closes their browsers at the end of a test."""

    site: RunningService
    browser: Browser
    pool: ContextPool | None = None
    """Contexts of this browser that visitors of this site have left, if there are any."""
    visitors: list[Visitor] = field(default_factory=list)
    accounts: Accounts = field(init=False)

    def __post_init__(self) -> None:
        self.accounts = Accounts(self.site.url)
        self._reusable: list[tuple[Page, Mapping[str, Any]]] = []

    def new(
        self,
        account: PlayerClient | None = None,
        *,
        javascript: bool = True,
        phone: bool = False,
        language: str = "en",
        dark: bool = False,
        time_zone: str | None = None,
        service_worker: bool = False,
        has_key: bool = True,
        fresh: bool = False,
    ) -> Visitor:
        """Return a visitor at a new browser, logged in if there is an account.

        Without `time_zone`, the browser has that of the machine. `service_worker`: whether the browser runs
        that of the site; requests that it answers or sends are no requests of a page. `has_key`: whether the
        browser has a key of the account already, which otherwise the first page registers. `fresh`: whether
        its cache is empty, and nobody uses it later, so that the test may add scripts to its pages or slow
        its network down.
        """
        options: dict[str, Any] = {
            "viewport": PHONE if phone else DESKTOP,
            "has_touch": phone,
            "is_mobile": phone,
            "java_script_enabled": javascript,
            "locale": language,
            "color_scheme": "dark" if dark else "light",
            "reduced_motion": "reduce",
            "timezone_id": time_zone,
            "service_workers": "allow" if service_worker else "block",
        }
        page = None
        is_reusable = javascript and not fresh and not service_worker
        if self.pool is not None and is_reusable:
            page = self.pool.take(options)
        if page is None:
            context = self.browser.new_context(**options)
            context.set_default_timeout(TIMEOUT_MILLISECONDS)
            page = context.new_page()
        if self.pool is not None and is_reusable:
            self._reusable.append((page, options))
        visitor = Visitor(self.site, page.context, page, has_touch=phone, has_scripts=javascript)
        if account is not None:
            visitor.log_in(account)
            if has_key and javascript:
                visitor.register_key(account)
        self.visitors.append(visitor)
        return visitor

    def close(self) -> list[str]:
        """Close all browsers, and return the problems of their pages."""
        reusable = {page.context: (page, options) for page, options in self._reusable}
        for visitor in self.visitors:
            if self.pool is not None and visitor.context in reusable:
                page, options = reusable[visitor.context]
                self.pool.put(page, self.site, options)
                visitor.leave()
            else:
                visitor.context.close()
        self.accounts.close()
        problems = [problem for visitor in self.visitors for problem in visitor.problems]
        self.visitors.clear()
        self._reusable.clear()
        return problems


def signed_session(site: RunningService, values: Mapping[str, Any]) -> str:
    """Return the value of the cookie for a session with these values."""
    app = Flask(__name__)
    with redis.Redis.from_url(embedded_redis_url(site.data)) as client:
        if not client.exists(SESSION_KEY):
            # The first page creates the key.
            httpx.get(site.url)
        app.secret_key = client.get(SESSION_KEY)
    serializer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert serializer is not None
    value: str = serializer.dumps(dict(values))
    return value
