"""A page that follows a stream is neither loaded again nor replaced while one of its forms is answered."""

import re
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.support.browsing import Visitors
from tests.support.processes import ROOT

SCRIPTS: Final = ROOT / "service" / "pages" / "static" / "js"
WITHOUT_FORMS: Final = {"live"}
"""The modules that replace a picture only."""


def test_every_script_that_follows_a_stream_waits_for_the_responses_to_forms() -> None:
    """All scripts read pages by `pageAt`, which waits, or ask whether a response is to come."""
    following = {
        path.stem
        for path in SCRIPTS.glob("*.js")
        if re.search(r"new EventSource\(|followWhileShown\(", path.read_text())
    }
    assert {"reload", "game", "concerns", "own-games"} <= following
    for name in following - WITHOUT_FORMS:
        text = (SCRIPTS / f"{name}.js").read_text()
        assert re.search(r"\b(?:pageAt|isSending|waitForResponses)\(", text), name


@pytest.mark.parametrize("is_private", [False, True])
def test_the_friend_who_takes_the_last_place_comes_to_the_game(
    visitors: Visitors, *, is_private: bool
) -> None:
    host = visitors.accounts.register()
    game = host.create_game(2, rules="baron", options={"private": is_private})
    token = host.http.post(f"/api/v1/games/{game}/invitations").json()["token"]
    friend = visitors.new(phone=True)
    page = friend.open(f"/invitations/{token}")
    # The event arrives before the browser has followed the redirection of the form.
    friend.slow_down(page)
    page.get_by_role("button", name="Join as a guest").click()
    page.wait_for_url(f"**/games/{game}")
    expect(page.locator("svg.map").first).to_be_visible()
    # Going back leads to the game as well.
    page.goto(f"{friend.site.url}/invitations/{token}")
    page.wait_for_url(f"**/games/{game}")
