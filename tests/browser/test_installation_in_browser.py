"""The service worker: what was last seen is shown without a connection, and nothing after logging out."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.accounts import PASSWORD, PlayerClient, take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitor, Visitors
from tests.support.processes import wait_until

KEPT = """async () => {
    const kept = {};
    for (const name of await caches.keys())
        kept[name] = (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname);
    return kept;
}"""
KEPT_SEQ = """async (path) => {
    const html = await (await caches.match(path)).text();
    return /data-seq="([0-9]+)"/.exec(html)[1];
}"""
SET_BADGE = """() => {
    globalThis.badge = null;
    navigator.setAppBadge = async (count) => { globalThis.badge = count; };
    navigator.clearAppBadge = async () => { globalThis.badge = 0; };
}"""


def kept_pages(page: Page) -> dict[str, list[str]]:
    """Return the paths of the pages that the service worker keeps, by cache."""
    caches: dict[str, list[str]] = page.evaluate(KEPT)
    return {name: paths for name, paths in caches.items() if name.startswith("pages-")}


def all_kept(page: Page) -> list[str]:
    """Return the paths of all pages that the service worker keeps."""
    return [path for paths in kept_pages(page).values() for path in paths]


def start_private_game(visitors: Visitors) -> tuple[str, list[PlayerClient]]:
    players = [visitors.accounts.register() for _ in range(2)]
    game = players[0].create_game(2, options={"private": True}, invite=[players[1].handle])
    players[1].join(game)
    return game, players


def go_offline(visitor: Visitor) -> None:
    """Disconnect a visitor's browser, and wait until its service worker has no connection either."""
    visitor.expects_failed_requests = True
    visitor.context.set_offline(True)
    wait_until(lambda: not has_connection(visitor))


def has_connection(visitor: Visitor) -> bool:
    [worker] = visitor.context.service_workers
    reached: bool = worker.evaluate(
        f"fetch('{visitor.site.url}/healthz').then(() => true, () => false)"
    )
    return reached


def open_installed(visitors: Visitors, player: Any, path: str) -> Visitor:
    """Return a visitor whose browser has kept the page at a path."""
    visitor = visitors.new(player, service_worker=True)
    page = visitor.open(path)
    wait_until(lambda: path in all_kept(page))
    return visitor


@pytest.mark.nightly
def test_the_last_position_is_shown_offline_and_marked_as_old(visitors: Visitors) -> None:
    game, players = visitors.accounts.start_game()
    path = f"/games/{game}"
    visitor = open_installed(visitors, players[0], path)
    page = visitor.page
    # An event arrives on the open page: what is kept is the position after it.
    seq = str(take_turn(game, players)["seq"])
    page.locator(f"#game[data-seq='{seq}']").wait_for()
    wait_until(lambda: page.evaluate(KEPT_SEQ, path) == seq)
    expect(page.locator("#kept-page")).to_be_hidden()
    go_offline(visitor)
    page.goto(f"{visitors.site.url}{path}")
    notice = page.locator("#kept-page")
    expect(notice).to_contain_text("it may be old")
    assert page.locator("#kept-page time").get_attribute("datetime")
    assert page.locator("#game").get_attribute("data-seq") == seq
    assert page.locator("#board svg.map [data-at]").count() > 10
    # The style sheets are kept, too.
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.board')).position") == "relative"
    )
    assert violations(page) == []
    # A choice cannot be made without the server: the position is shown.
    page.goto(f"{visitors.site.url}{path}?choose=x")
    expect(notice).to_be_visible()
    visitor.context.set_offline(False)
    expect(notice).to_be_hidden()
    assert page.url.endswith("?choose=x")


def test_a_page_that_was_not_kept_says_so_offline(visitors: Visitors) -> None:
    visitor = open_installed(visitors, visitors.accounts.register(), "/")
    page = visitor.page
    go_offline(visitor)
    page.goto(f"{visitors.site.url}/account")
    expect(page.locator("h1")).to_have_text("The server cannot be reached")
    page.get_by_role("link", name="To the first page").click()
    expect(page.locator("h1")).to_have_text("Your games")
    expect(page.locator("#kept-page")).to_be_visible()


def test_nothing_private_stays_after_logging_out(visitors: Visitors) -> None:
    game, players = start_private_game(visitors)
    visitor = open_installed(visitors, players[0], f"/games/{game}")
    page = visitor.open("/account")
    assert f"/games/{game}" in all_kept(page)
    page.locator("#page form[action='/logout'] button").click()
    page.locator(".site-nav a[href='/login']").wait_for()
    wait_until(lambda: not {*kept_pages(page)} - {"pages-"})
    assert f"/games/{game}" not in all_kept(page)
    texts = page.evaluate(
        """async () => {
        const texts = [];
        for (const name of await caches.keys())
            for (const response of await (await caches.open(name)).matchAll())
                texts.push(await response.text());
        return texts;
    }"""
    )
    assert texts
    for secret in (game, players[0].handle, players[0].id, players[0].token):
        assert not any(secret in text for text in texts)
    go_offline(visitor)
    page.goto(f"{visitors.site.url}/games/{game}")
    expect(page.locator("h1")).to_have_text("The server cannot be reached")


@pytest.mark.nightly
def test_the_pages_of_another_account_are_deleted_when_a_session_begins(visitors: Visitors) -> None:
    game, players = start_private_game(visitors)
    visitor = open_installed(visitors, players[0], f"/games/{game}")
    other = visitors.accounts.register()
    # The session ends without a form, as it does when it expires. The page of a game would ask for its head.
    visitor.open("/rules")
    visitor.context.clear_cookies()
    page = visitor.open("/login")
    wait_until(lambda: f"/games/{game}" not in all_kept(page))
    page.locator("#page input[name=handle]").fill(other.handle)
    page.locator("#page input[name=password]").fill(PASSWORD)
    page.locator("#page button[type=submit]").click()
    page.locator(".site-nav a[href='/account']", has_text=other.handle).wait_for()
    wait_until(lambda: [*kept_pages(page)] == [f"pages-{other.id}"])


@pytest.mark.nightly
@pytest.mark.parametrize("count", [2, pytest.param(32, marks=pytest.mark.nightly)])
def test_forms_and_the_api_are_never_kept_and_pages_are_bounded(
    count: int, visitors: Visitors
) -> None:
    account = visitors.accounts.register()
    visitor = open_installed(visitors, account, "/")
    games = [account.create_game(2) for _ in range(count)]
    page = visitor.page
    for game in games:
        visitor.open(f"/games/{game}")
    for path in ("/account", "/games?list=open", f"/games/{games[0]}/log", "/rules"):
        visitor.open(path)
    page.evaluate("fetch('/turns')")
    page.evaluate("fetch('/api/v1/games')")
    newest = [f"/games/{game}" for game in games[-29:]]
    wait_until(lambda: {*all_kept(page)} >= {*newest})
    assert len(all_kept(page)) <= 30
    assert all(path == "/" or path.startswith("/games/") for path in all_kept(page))
    assert not any(path.endswith("/log") for path in all_kept(page))
    kept: dict[str, list[str]] = page.evaluate(KEPT)
    assert {*kept} == {"offline", "static", f"pages-{account.id}"}
    assert all(path.startswith("/static/") for path in kept["static"])
    assert kept["offline"] == ["/offline"]


@pytest.mark.nightly
def test_the_icon_has_the_number_of_games_in_which_it_is_the_players_turn(
    visitors: Visitors,
) -> None:
    game, players = visitors.accounts.start_game()
    visitor = visitors.new(players[0], service_worker=True)
    visitor.context.add_init_script(f"({SET_BADGE})()")
    page = visitor.open("/")
    page.wait_for_function("() => globalThis.badge === 1")
    take_turn(game, players)
    visitor.open("/")
    page.wait_for_function("() => globalThis.badge === 0")


def test_the_manifest_can_be_installed(visitors: Visitors) -> None:
    visitor = visitors.new(service_worker=True)
    page = visitor.open("/")
    session = visitor.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"] == f"{visitors.site.url}/manifest.webmanifest"
    assert manifest["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors if error["errorId"] != "in-incognito"] == []
