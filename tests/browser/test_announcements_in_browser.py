"""An announcement on a phone and on a desktop: accessible, and dismissed with and without scripts; on a small
phone it moves neither the board nor what is below it.
"""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

import httpx
import pytest
from playwright.sync_api import Locator, ViewportSize

from domain.administration import OPERATOR
from service import wall_clock
from service.bootstrap import build
from service.settings import load_settings
from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.board_windows import wait_for_whole_board
from tests.support.browsing import Visitor, Visitors
from tests.support.running_service import RunningService
from tests.support.variants import nightly_except

_PAUSE_SECONDS: Final = 0.25
"""Between two looks at a page: web processes read the announcements every few seconds."""
TEXTS = {
    "en": "The server will be down on Sunday from 8 to 9.",
    "fr": "Arrêt dimanche de 8 h à 9 h.",
    "es": "El servidor no estará disponible el domingo de 8 a 9.",
}
SMALL_PHONE: Final[ViewportSize] = {"width": 320, "height": 568}
DISMISS: Final = {"en": "Dismiss", "fr": "Masquer", "es": "Ocultar"}
PLACES: Final = """() => Object.fromEntries([
    ".game-header", ".board-window", "#board svg.map [data-at='0,0']", ".game-main", ".game-side",
    ".acting-bar", ".replay", ".replay-steps", "#page", ".site-footer",
].map((name) => [name, document.querySelector(name)]).filter(([, element]) => element)
.map(([name, element]) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [name, [left, top + scrollY, width, height].map(Math.round)];
}))"""
"""The place and the size of the board, and of what is beside and below it, on the page."""
SHIFTS: Final = """() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().map((entry) => entry.value)))
        .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve([]), 500);
})"""
"""How far the page has moved by itself since it was opened."""
MOST_SHIFT: Final = 0.05
"""How much further it may move with an announcement: half of what Core Web Vitals count as good."""
LOADS: Final = 3
"""How often a page is loaded at most that moves further."""


@pytest.fixture
def announcement(running_service: RunningService) -> Iterator[str]:
    """The id of an announcement, which is withdrawn after the test, and then on no page any more."""
    settings = load_settings({"CARTULARY_DATA": str(running_service.data)})
    service = build(settings, read_only=True)
    ends = wall_clock.format(wall_clock.now() + timedelta(days=1))
    id = service.administration.announce(OPERATOR, TEXTS, ends, "maintenance").id
    wait_for_page(running_service, lambda page: f"announcement-{id}" in page)
    yield id
    service.administration.withdraw_announcement(OPERATOR, id, "the test has ended")
    service.redis.close()
    # Other tests use the same service, and measure pages.
    wait_for_page(running_service, lambda page: f"announcement-{id}" not in page)


def wait_for_page(running_service: RunningService, condition: Callable[[str], bool]) -> None:
    """Wait until a page of a visitor, in HTML, meets a condition."""
    while not condition(httpx.get(f"{running_service.url}/login").text):
        time.sleep(_PAUSE_SECONDS)


def open_with(visitor: Visitor, path: str, announcement: str) -> Locator:
    """Return the announcement on a page, which is opened."""
    banner = visitor.open(path).locator(f"#announcement-{announcement}")
    banner.wait_for()
    return banner


@pytest.mark.parametrize(
    ("phone", "javascript"),
    [
        (True, True),
        pytest.param(False, False, marks=pytest.mark.nightly),
        pytest.param(True, False, marks=pytest.mark.nightly),
        pytest.param(False, True, marks=pytest.mark.nightly),
    ],
)
def test_a_reader_dismisses_an_announcement_and_stays_on_the_page(
    visitors: Visitors, announcement: str, phone: bool, javascript: bool
) -> None:
    visitor = visitors.new(phone=phone, javascript=javascript, language="fr", dark=phone)
    banner = open_with(visitor, "/rules", announcement)
    page = visitor.page
    assert banner.inner_text() == TEXTS["fr"]
    if javascript:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
    page.get_by_role("region", name="Annonces").get_by_role("button", name="Masquer").click()
    page.wait_for_url("**/rules")
    banner.wait_for(state="detached")
    visitor.open("/verify")
    assert banner.count() == 0


@pytest.mark.nightly
@pytest.mark.parametrize("language", nightly_except(["en"], DISMISS))
def test_an_announcement_does_not_move_the_board_of_a_small_phone(
    visitors: Visitors, language: str, request: pytest.FixtureRequest
) -> None:
    game_id, players = visitors.accounts.start_game(3)
    for _ in range(12):
        take_turn(game_id, players)
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    visitor = visitors.new(players[to_act], language=language)
    page = visitor.page
    page.set_viewport_size(SMALL_PHONE)
    addresses = (f"/games/{game_id}", f"/games/{game_id}?seq=8")

    def places(address: str) -> tuple[dict[str, list[int]], float]:
        """Return where the parts of a page are, and how far they have moved while it was loaded."""
        visitor.open(address)
        wait_for_whole_board(page)
        return page.evaluate(PLACES), sum(page.evaluate(SHIFTS))

    def check_places(address: str, moment: str) -> None:
        expected, usual_shift = without[address]
        shifts: list[float] = []
        # A busy browser paints parts of a page before the others have arrived, which moves it by chance.
        while not shifts or (len(shifts) < LOADS and min(shifts) >= usual_shift + MOST_SHIFT):
            found, shift = places(address)
            assert found == expected, moment
            shifts.append(shift)
        assert min(shifts) < usual_shift + MOST_SHIFT, moment

    without = {address: places(address) for address in addresses}
    announcement: str = request.getfixturevalue("announcement")
    for address in addresses:
        banner = open_with(visitor, address, announcement)
        check_places(address, "with the announcement")
        assert banner.inner_text() == TEXTS[language]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        button = page.get_by_role("button", name=DISMISS[language])
        for element in (banner, button):
            box = element.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < SMALL_PHONE["height"] / 2
        assert violations(page) == []
    page.get_by_role("button", name=DISMISS[language]).click()
    page.locator(f"#announcement-{announcement}").wait_for(state="detached")
    for address in addresses:
        check_places(address, "after the announcement is dismissed")
        assert page.locator(".announcement").count() == 0
