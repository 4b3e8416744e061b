"""What happens while a player chooses: moves of others, a second tab, a slow network, a restart."""

import random

import pytest

from tests.support.accounts import PlayerClient, take_turn
from tests.support.browsing import LATENCY_MILLISECONDS, Visitor, Visitors
from tests.support.playing_by_clicking import BOARD_OPTIONS, YOUR_TURN, ClickingPlayer

REPLACING_MILLISECONDS = 500
"""How long a page needs to be read again and replaced."""
_LISTEN_FOR_MESSAGE = """() => new Promise((resolve) => {
    const source = new EventSource(document.getElementById("game").dataset.stream);
    source.onopen = () => resolve();
    source.addEventListener("message-posted", () => (document.documentElement.dataset.messagePosted = ""));
})"""
"""Opens a second stream of the events of a game, which marks the page when a message has been posted."""


def last_seq(account: PlayerClient, game_id: str) -> int:
    """Return the seq of the last event of a game."""
    return account.legal_actions(game_id)[0]


def at_browser(visitor: Visitor, game_id: str, *, has_scripts: bool = True) -> ClickingPlayer:
    """Return the visitor as a player who has opened the page of a game."""
    player = ClickingPlayer(visitor, game_id, random.Random(1), has_scripts=has_scripts)
    player.open()
    return player


@pytest.mark.nightly
def test_the_move_of_another_player_appears_without_loading_the_page(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    waiting = at_browser(visitors.new(second), game_id)
    assert not waiting.is_to_act()
    waiting.page.evaluate("window.isSamePage = true")
    first.act(game_id).raise_for_status()
    waiting.page.locator(YOUR_TURN).wait_for()
    assert waiting.page.evaluate("window.isSamePage")
    assert waiting.page.locator("#game").get_attribute("data-seq") == str(last_seq(first, game_id))


@pytest.mark.nightly
def test_what_a_reader_has_unfolded_stays_open_when_another_player_moves(
    visitors: Visitors,
) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    page = at_browser(visitors.new(second), game_id).page
    page.locator(".do [popovertarget=ways]").click()
    page.locator(".more-actions summary").click()
    first.act(game_id).raise_for_status()
    page.locator(YOUR_TURN).wait_for()
    assert page.get_by_role("link", name="Resign").is_visible()


@pytest.mark.nightly
def test_a_press_during_which_something_happens_still_ends_in_a_click(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    player = at_browser(visitors.new(first), game_id)
    player.choose()
    page, seq = player.page, last_seq(first, game_id)
    page.evaluate(_LISTEN_FOR_MESSAGE)
    page.locator("#confirm button[type=submit]").hover()
    page.mouse.down()
    body = {"text": "Take your time."}
    second.http.post(f"/api/v1/games/{game_id}/messages", json=body).raise_for_status()
    page.locator("html[data-message-posted]").wait_for(state="attached")
    # A page that did not wait for the end of the press would have been replaced by then.
    page.wait_for_timeout(REPLACING_MILLISECONDS)
    page.mouse.up()
    page.locator(f"#game:not([data-seq='{seq}'])").wait_for()
    assert events(first, game_id, seq)
    # It is in a tab beside the moves.
    page.get_by_text("Take your time.", exact=True).wait_for(state="attached")


def test_a_second_tab_of_the_same_player_follows_the_first_one(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first)
    tab = at_browser(visitor, game_id)
    tab.choose()
    visitor.page = visitor.new_tab()
    at_browser(visitor, game_id).act()
    other = tab.page.context.pages[0]
    other.locator(f"#game[data-seq='{last_seq(first, game_id)}']").wait_for()
    assert other.locator("#confirm").count() == 0


def test_an_action_from_an_outdated_page_is_refused_with_a_way_forward(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, javascript=False)
    outdated = at_browser(visitor, game_id, has_scripts=False)
    outdated.choose()
    page = visitor.page
    visitor.page = visitor.new_tab()
    at_browser(visitor, game_id, has_scripts=False).act()
    seq = last_seq(first, game_id)
    visitor.page = page
    with visitor.expecting(409, 422):
        outdated.confirm()
    notice = page.locator("#page [role=alert]")
    assert notice.is_visible()
    assert last_seq(first, game_id) == seq
    notice.get_by_role("link").last.click()
    page.locator(f"#game[data-seq='{seq}']").wait_for()


@pytest.mark.nightly
def test_sending_the_same_page_twice_acts_once(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, javascript=False)
    player = at_browser(visitor, game_id, has_scripts=False)
    player.choose()
    player.confirm()
    seq = last_seq(first, game_id)
    player.page.go_back()
    player.confirm()
    assert last_seq(first, game_id) == seq
    assert player.page.locator("#page [role=alert]").count() == 0


@pytest.mark.nightly
def test_on_a_slow_network_a_choice_survives_the_event_that_arrives_with_it(
    visitors: Visitors,
) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2, options={"end_by_agreement": True})
    while first.http.get(f"/api/v1/games/{game_id}/position").json()["round"] == 0:
        take_turn(game_id, [first, second])
    to_act, other = (first, second) if first.legal_actions(game_id)[1] else (second, first)
    visitor = visitors.new(to_act, fresh=True)
    player = at_browser(visitor, game_id)
    visitor.slow_down(player.page)
    other.act(game_id, {"type": "agree_to_end", "agree": True}).raise_for_status()
    player.page.wait_for_timeout(LATENCY_MILLISECONDS / 2)
    player.page.locator(BOARD_OPTIONS).first.click()
    seq = last_seq(first, game_id)
    player.page.locator(f"#game[data-seq='{seq}'] #back").wait_for()
    assert "choose=" in player.page.url
    player.choose()
    button = player.page.locator("#confirm button[type=submit]")
    if player.page.locator("#confirm input[name=sure]").count():
        player.page.locator("#confirm input[name=sure]").check()
    button.dblclick()
    player.page.locator(f"#game:not([data-seq='{seq}'])").wait_for()
    assert sum(event["by"].get("seat") is not None for event in events(first, game_id, seq)) == 1


def events(account: PlayerClient, game_id: str, after: int) -> list[dict[str, dict[str, object]]]:
    """Return the events of a game after one of them."""
    body = account.http.get(f"/api/v1/games/{game_id}/events?after={after}").json()
    entries: list[dict[str, dict[str, object]]] = body["events"]
    return entries


def test_a_player_goes_on_choosing_when_the_server_is_back(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first)
    visitor.expects_failed_requests = True
    player = at_browser(visitor, game_id)
    option = player.page.locator(BOARD_OPTIONS).first
    # The tools appear when the last module of the page runs.
    player.page.locator(".board-tools").wait_for()
    port = visitors.site.port
    visitors.site.kill()
    option.click()
    notice = player.page.locator("#network-error")
    notice.wait_for()
    assert "cannot be reached" in notice.inner_text()
    # The page asks again and again, also while the server is not ready yet.
    with visitor.expecting(503):
        visitors.site.start(port)
        player.follow(option)
        player.act()
        player.page.locator(f"#game[data-seq='{last_seq(first, game_id)}']").wait_for()
    assert not notice.is_visible()
