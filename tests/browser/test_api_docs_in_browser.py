"""The page of the HTTP API on a desktop and on a phone, light and dark."""

import pytest

from tests.support.browsing import Visitors


@pytest.mark.nightly
def test_a_desktop_has_the_calls_beside_their_descriptions(visitors: Visitors) -> None:
    page = visitors.new().open("/api/v1/docs")
    page.locator("rapi-doc nav [data-action=navigate]", has_text="Log in.").click()
    page.wait_for_function("() => location.hash === '#post-/api/v1/tokens'")
    page.locator("rapi-doc main").get_by_role("heading", name="Log in.").wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "language", ["fr", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("en", "es"))]
)
def test_a_phone_has_the_calls_folded_up_below_their_headings(
    visitors: Visitors, language: str
) -> None:
    page = visitors.new(phone=True, dark=True, language=language).open("/api/v1/docs")
    page.locator("rapi-doc main").get_by_text("/api/v1/players", exact=True).first.click()
    page.get_by_text("A handle belongs to one player").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("rapi-doc [slot=overview]").get_attribute("lang") == language
