"""The theme of the pages, which each browser chooses for itself."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.page_forms import post


def _theme(browser: FlaskClient) -> tuple[str | None, list[str], str]:
    """Return the theme of the element of the document, the colours of the window, and the current button."""
    page = browser.get("/").text
    chosen = re.search(r'<html lang="en" data-theme="(\w+)">', page)
    colours = re.findall(r'<meta name="theme-color" content="([^"]+)"', page)
    current = re.findall(r'name="theme" value="(\w+)" aria-current="true"', page)
    assert len(current) == 1
    return chosen and chosen[1], colours, current[0]


def test_the_pages_have_the_theme_of_the_system_at_first(browser: FlaskClient) -> None:
    assert _theme(browser) == (None, ["#fffdf7", "#1f1b16"], "system")


@pytest.mark.parametrize(("theme", "colour"), [("light", "#fffdf7"), ("dark", "#1f1b16")])
def test_a_browser_keeps_the_theme_that_was_chosen(
    browser: FlaskClient, theme: str, colour: str
) -> None:
    assert post(browser, "/theme", "/", theme=theme, next="/rules").location == "/rules"
    assert _theme(browser) == (theme, [colour], theme)
    assert post(browser, "/theme", "/", theme="system").status_code == 303
    assert _theme(browser)[0] is None


def test_a_theme_that_does_not_exist_changes_nothing(browser: FlaskClient) -> None:
    assert post(browser, "/theme", "/", theme="sepia").status_code == 400
    browser.set_cookie("cartulary-theme", "sepia")
    assert _theme(browser)[2] == "system"
