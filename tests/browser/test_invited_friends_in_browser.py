"""Friends who are invited by a link take the places of a game, again and again, and see no error page."""

from collections.abc import Sequence
from typing import Final

import pytest
from playwright.sync_api import Error, Page

from tests.support.accounts import PlayerClient
from tests.support.browsing import Visitors

TRIALS: Final = 50
LANGUAGES: Final = ("en", "fr", "es")
JOIN: Final = "button[name=guest]"
BOARD: Final = "#board svg.map"
BUSY: Final = "form[aria-busy=true]"
NOTICE: Final = ".notice:not([hidden])"


def invite(visitors: Visitors, places: int, trial: int) -> tuple[str, str, PlayerClient]:
    """Create a game, every second one private; return its id, a link and its creator, who is new."""
    creator = visitors.accounts.register()
    game = creator.create_game(
        places, rules=("baron", "barony")[trial // 2 % 2], options={"private": trial % 2 == 1}
    )
    token = creator.http.post(f"/api/v1/games/{game}/invitations").json()["token"]
    return game, f"/invitations/{token}", creator


def join_all(pages: Sequence[Page], game: str) -> None:
    """Join at one browser after the other, without waiting for what comes of it, and come to the game."""
    for page in pages:
        page.locator(JOIN).click(no_wait_after=True)
    for page in pages:
        page.wait_for_url(f"**/games/{game}")
        page.locator(BOARD).first.wait_for()


def state_of(page: Page) -> str:
    """Describe a page that has not come to the game."""
    counts = ", ".join(f"{page.locator(css).count()} {css}" for css in (BOARD, JOIN, BUSY, NOTICE))
    return f"{page.url}: {counts}"


def try_once(
    visitors: Visitors, places: int, trial: int, language: str, *, phone: bool
) -> list[str]:
    """Let a friend take each place of a game, all at new browsers, and return what has gone wrong."""
    game, link, creator = invite(visitors, places, trial)
    host, *friends = browsers = [
        visitors.new(language=language, phone=phone, service_worker=True) for _ in range(places)
    ]
    host.log_in(creator)
    host.open(f"/games/{game}")
    for friend in friends:
        friend.open(link)
    pages = [friend.page for friend in friends]
    faults = []
    try:
        join_all(pages, game)
        # The page of the creator follows.
        host.page.locator(BOARD).first.wait_for()
        for page in pages:
            page.go_back()
            # A page that is left before it has loaded completely is not in the history.
            if page.url != "about:blank":
                page.locator(BOARD).first.wait_for()
            page.goto(host.site.url + link)
            page.wait_for_url(f"**/games/{game}")
    except Error as error:
        faults += [error.message.splitlines()[0], *map(state_of, [host.page, *pages])]
    for browser in browsers:
        faults += browser.problems
        browser.leave()
        visitors.visitors.remove(browser)
        browser.context.close()
    return [f"trial {trial}: {fault}" for fault in faults]


@pytest.mark.soak
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desktop"])
@pytest.mark.parametrize("places", [2, 4])
def test_no_friend_who_is_invited_sees_an_error_page(
    visitors: Visitors, language: str, places: int, *, phone: bool
) -> None:
    faults = [
        fault
        for trial in range(TRIALS)
        for fault in try_once(visitors, places, trial, language, phone=phone)
    ]
    assert faults == [], "\n".join([f"{len(faults)} faults in {TRIALS} trials", *faults])
