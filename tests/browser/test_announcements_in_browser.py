"""An announcement on a phone and on a desktop: accessible, and dismissed with and without scripts."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from domain.administration import OPERATOR
from service import clock
from service.bootstrap import build
from service.settings import load_settings
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.processes import wait_until
from tests.support.running_service import RunningService

_PAUSE_MILLISECONDS = 500
"""Between two looks at a page that may have an announcement now."""
TEXTS = {
    "en": "The server will be down on Sunday from 8 to 9.",
    "fr": "Arrêt dimanche de 8 h à 9 h.",
}


@pytest.fixture
def announcement(running_service: RunningService) -> Iterator[str]:
    """The id of an announcement, which is withdrawn after the test, and then on no page any more."""
    settings = load_settings({"CARTULARY_DATA": str(running_service.data)})
    service = build(settings, read_only=True)
    ends = clock.format(clock.now() + timedelta(days=1))
    id = service.administration.announce(OPERATOR, TEXTS, ends, "maintenance").id
    yield id
    service.administration.withdraw_announcement(OPERATOR, id, "the test has ended")
    service.redis.close()
    # Other tests use the same service, and measure pages.
    wait_until(lambda: f"announcement-{id}" not in httpx.get(f"{running_service.url}/rules").text)


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
    page = visitor.open("/rules")
    banner = page.locator(f"#announcement-{announcement}")
    # Web processes read the announcements every few seconds.
    while not banner.is_visible():
        page.wait_for_timeout(_PAUSE_MILLISECONDS)
        page = visitor.open("/rules")
    assert banner.inner_text() == TEXTS["fr"]
    if javascript:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
    page.get_by_role("region", name="Annonces").get_by_role("button", name="Masquer").click()
    page.wait_for_url("**/rules")
    banner.wait_for(state="detached")
    visitor.open("/verify")
    assert banner.count() == 0
