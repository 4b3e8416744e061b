"""Players see who is here and who is ready, without loading the page again; others do not."""

import pytest
import redis
from playwright.sync_api import expect

from service.accounts.presence import HERE_SECONDS, presence_key
from service.operation.data_folder import embedded_redis_url
from tests.support.accounts import PlayerClient
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.variants import nightly_except


def dot_of(player: PlayerClient) -> str:
    """Return the selector of the dot of a player who is here."""
    return f'.presence.is-here[data-presence="{player.id}"]'


@pytest.mark.parametrize("phone", nightly_except([False], [True, False]), ids=["phone", "desktop"])
def test_a_player_who_comes_to_a_table_is_shown_to_its_players(
    visitors: Visitors, *, phone: bool
) -> None:
    game, (ada, bea) = visitors.accounts.start_game()
    host = visitors.new(ada, phone=phone)
    page = host.open(f"/games/{game}")
    watching = visitors.new().open(f"/games/{game}")
    dot = page.locator(f'.strip [data-presence="{bea.id}"]')
    words = f'[data-presence-words="{bea.id}"]'
    expect(dot).to_be_hidden()
    boxes = [box.bounding_box() for box in page.locator(".strip, .board, .bar").all()]
    guest = visitors.new(bea)
    guest.open(f"/games/{game}")
    expect(dot).to_be_visible(timeout=10_000)
    assert boxes == [box.bounding_box() for box in page.locator(".strip, .board, .bar").all()]
    expect(page.locator(f'.strip [data-presence="{ada.id}"]')).to_have_count(0)
    page.locator(".strip").nth(1).click()
    expect(page.locator("#seat-1")).to_be_visible()
    expect(page.locator(f"#seat-1 {words}")).to_have_text("here now")
    assert violations(page) == []
    assert watching.locator("[data-presence], [data-presence-words]").count() == 0


@pytest.mark.nightly
def test_the_dot_goes_when_a_player_has_left(visitors: Visitors) -> None:
    game, (ada, bea) = visitors.accounts.start_game()
    page = visitors.new(ada).open(f"/games/{game}/people")
    assert violations(page) == []
    guest = visitors.new(bea)
    guest.open(f"/games/{game}")
    page = visitors.new(ada).open(f"/games/{game}")
    expect(page.locator(f".strip {dot_of(bea)}")).to_be_visible()
    guest.page.goto("about:blank")
    with redis.Redis.from_url(embedded_redis_url(visitors.site.data)) as client:
        client.zincrby(presence_key(bea.id), -1000 * (HERE_SECONDS + 1), game)
    page.evaluate("document.dispatchEvent(new CustomEvent('visibilitychange'))")
    expect(page.locator(f'.strip [data-presence="{bea.id}"]')).to_be_hidden()
    page.locator(".strip").nth(1).click()
    expect(page.locator(f'#seat-1 [data-presence-words="{bea.id}"]')).to_have_text(
        "last seen 1 minute ago"
    )


# In each case, one player has a phone and the other a desktop.
@pytest.mark.nightly
@pytest.mark.parametrize("phone", nightly_except([True], [True, False]), ids=["phone", "desktop"])
def test_players_in_a_waiting_room_say_that_they_are_ready(
    visitors: Visitors, *, phone: bool
) -> None:
    ada, bea = visitors.accounts.register(), visitors.accounts.register()
    game = ada.create_game(3)
    bea.join(game)
    page = visitors.new(ada, phone=phone).open(f"/games/{game}")
    chairs = page.locator(".chair")
    friend = visitors.new(bea, phone=not phone).open(f"/games/{game}")
    expect(page.locator(dot_of(bea))).to_be_visible()
    expect(chairs.nth(1)).to_contain_text("here now")
    friend.get_by_role("button", name="I am ready").click()
    expect(chairs.nth(1).locator(".ready")).to_be_visible()
    expect(chairs.nth(0).locator(".ready")).to_have_count(0)
    assert violations(page) == []
    friend.get_by_role("button", name="Not ready yet").click()
    expect(chairs.nth(1).locator(".ready")).to_have_count(0)
    watching = visitors.new().open(f"/games/{game}")
    assert watching.locator("[data-presence], [data-presence-words]").count() == 0
    assert watching.get_by_role("button", name="I am ready").count() == 0
