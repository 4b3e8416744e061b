"""What has happened since a player's last turn: step by step on the board, and drawn as it arrives."""

from typing import Final

import pytest
from playwright.sync_api import Page

from tests.support.accounts import PlayerClient, take_turn
from tests.support.browsing import STARTED, Visitors
from tests.support.processes import wait_until

TURNS: Final = 14
"""Nine turns of preparation, the first round, and two turns of the second round."""
MAP: Final = "#board svg.map"
BOX: Final = """(selector) => {
    const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
    return { x, y: y + scrollY, width, height };
}"""
WATCH_ARRIVALS: Final = """() => {
    globalThis.hasLitUp = false;
    const look = () => { globalThis.hasLitUp ||= document.querySelector(".map .is-new") !== null; };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}"""
"""Watches for parts of the map that light up: another event may replace the page soon after."""
NAME_OF_ANIMATION: Final = "element => getComputedStyle(element).animationName"


def game_with_news(visitors: Visitors) -> tuple[str, list[PlayerClient], PlayerClient]:
    """Return the id of a game of three, its players, and the one whose turn follows those of the others."""
    game_id, players = visitors.accounts.start_game(3)
    for _ in range(TURNS):
        take_turn(game_id, players)
    wait_until(lambda: is_round_scored(players[0], game_id))
    to_act: int = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    return game_id, players, players[to_act]


def is_round_scored(player: PlayerClient, game_id: str) -> bool:
    """Return whether a worker has scored the first round. The recap counts this event too."""
    events = player.http.get(f"/api/v1/games/{game_id}/events").json()["events"]
    return any(event["type"] == "RoundScored" for event in events)


def box_of(page: Page, selector: str) -> dict[str, float]:
    """Return where an element is on the page. Events that arrive replace it, so it is found once."""
    page.locator(selector).wait_for()
    box: dict[str, float] = page.evaluate(BOX, selector)
    return box


def test_arrow_keys_lead_through_the_events_and_the_board_stays_in_its_place(
    visitors: Visitors,
) -> None:
    game_id, _, reader = game_with_news(visitors)
    page = visitors.new(reader).open(f"/games/{game_id}")
    page.evaluate("window.isSamePage = true")
    box = box_of(page, MAP)
    count = page.locator(".recap-events li").count()
    assert count == 3, "the score of the first round and two turns"
    for number in range(1, count + 1):
        page.keyboard.press("ArrowRight")
        page.locator(".recap .count", has_text=f"{number}/{count}").wait_for()
        page.locator(STARTED).wait_for(state="attached")
        assert box_of(page, MAP) == box
        assert page.locator("#step-status").text_content()
    page.keyboard.press("ArrowLeft")
    page.locator(".recap .count", has_text=f"{count - 1}/{count}").wait_for()
    page.locator("#recap-all").click()
    page.locator(".recap .count").wait_for(state="detached")
    assert page.url.endswith(f"/games/{game_id}")
    assert box_of(page, MAP) == box
    assert page.evaluate("window.isSamePage")


@pytest.mark.nightly
def test_a_player_can_act_while_an_earlier_event_is_shown(visitors: Visitors) -> None:
    game_id, _, reader = game_with_news(visitors)
    page = visitors.new(reader).open(f"/games/{game_id}")
    page.locator("#recap-next").click()
    page.locator("#recap-all").wait_for()
    page.locator("#choices .choice").first.click()
    page.locator("#back").wait_for()
    assert page.locator("#recap-all").count() == 0


@pytest.mark.nightly
def test_the_recap_is_one_line_on_a_phone_and_outside_of_the_board(visitors: Visitors) -> None:
    game_id, _, reader = game_with_news(visitors)
    page = visitors.new(reader, phone=True).open(f"/games/{game_id}")
    recap, board = box_of(page, ".recap"), box_of(page, MAP)
    assert recap["height"] <= 60
    assert recap["y"] >= board["y"] + board["height"]
    assert recap["y"] + recap["height"] <= box_of(page, ".shelf")["y"]


@pytest.mark.nightly
def test_the_move_of_an_opponent_is_drawn_when_it_arrives(visitors: Visitors) -> None:
    game_id, players, reader = game_with_news(visitors)
    visitor = visitors.new(reader)
    visitor.page.emulate_media(reduced_motion="no-preference")
    take_turn(game_id, players)
    page = visitor.open(f"/games/{game_id}")
    page.evaluate("window.isSamePage = true")
    move(game_id, players)
    page.locator(".map .is-new").first.wait_for(state="attached")
    arrow = page.locator(".map .arrows .is-new path").first
    assert arrow.evaluate(NAME_OF_ANIMATION) == "draw-arrow"
    assert page.locator(".recap").is_visible()
    # Nothing moves for those who prefer less motion: the arrow is there.
    page.emulate_media(reduced_motion="reduce")
    assert arrow.evaluate(NAME_OF_ANIMATION) == "none"
    assert arrow.is_visible()
    assert page.evaluate("window.isSamePage")


@pytest.mark.nightly
def test_nothing_lights_up_when_the_page_changes_without_a_new_move(visitors: Visitors) -> None:
    game_id, players, reader = game_with_news(visitors)
    visitor = visitors.new(reader)
    page = visitor.open(f"/games/{game_id}")
    play = page.locator("#game").get_attribute("data-play")
    page.locator("#recap-next").click()
    page.locator("#recap-all").wait_for()
    page.locator(STARTED).wait_for(state="attached")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator("#game").get_attribute("data-play") == play
    assert page.locator(".map .is-new").count() == 0
    page.locator("#recap-all").click()
    page.locator("#recap-all").wait_for(state="detached")
    page.evaluate(WATCH_ARRIVALS)
    take_turn(game_id, players)
    page.locator(f"#game:not([data-play='{play}'])").wait_for()
    page.wait_for_function("() => globalThis.hasLitUp")


def move(game_id: str, players: list[PlayerClient]) -> None:
    """Have the player whose turn it is move a knight."""
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    actions = players[to_act].legal_actions(game_id)[1]
    action = next(each for each in actions if each["type"] == "move")
    players[to_act].act(game_id, action).raise_for_status()
