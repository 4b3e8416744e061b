"""Alerts of a player appear immediately on the page that is open, and are answered there."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.support.accounts import PlayerClient, take_turn
from tests.support.board_windows import wait_for_whole_board
from tests.support.browsing import Visitor, Visitors

PATIENCE: Final = 60_000
"""Milliseconds that a slow machine may take."""
PAGES: Final = ("", "?seq=2", "/messages")
"""Pages of a game; with the first page, their streams take four of the six connections that a browser has."""
Players = list[PlayerClient]


@dataclass(frozen=True)
class Happening:
    """What the first player does, what the second one is told of it, and in which tab it is counted.

    `button` answers it, after which `answered` is what the first player is told.
    """

    act: Callable[[str, Players], object]
    text: str
    tab: str = "More"
    button: str | None = None
    answered: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


def post(player: PlayerClient, game_id: str, path: str, **body: Any) -> Any:
    """Post to a game over HTTP, and return the response."""
    response = player.http.post(f"/api/v1/games/{game_id}/{path}", json=body)
    return response.raise_for_status().json()


def alerts_of(page: Page) -> Locator:
    """Return the part of a page with what concerns its viewer."""
    return page.locator("#alerts")


def ask_for_takeback(game_id: str, players: Players) -> None:
    players[0].act(game_id).raise_for_status()
    post(players[0], game_id, "takebacks")


def leave_seat(game_id: str, players: Players) -> None:
    players[0].http.delete(f"/api/v1/games/{game_id}/seats/me").raise_for_status()


def propose_to_abandon(game_id: str, players: Players) -> None:
    dispute = post(players[0], game_id, "disputes", seq=1, statement="Wrong.")
    number = dispute["events"][0]["seq"]
    ruling = {"type": "abandon"}
    post(players[0], game_id, f"disputes/{number}/rulings", ruling=ruling)


def refuse_takeback(game_id: str, players: Players) -> None:
    for player in players:
        player.act(game_id).raise_for_status()
    request = post(players[1], game_id, "takebacks")
    number = request["events"][0]["seq"]
    post(players[0], game_id, f"takebacks/{number}/answers", agree=False)


def ask_for_end(game_id: str, players: Players) -> None:
    # Nobody can ask before all cities have been placed.
    while players[0].http.get(f"/api/v1/games/{game_id}/position").json()["phase"] == "setup":
        take_turn(game_id, players)
    players[0].act(game_id, {"type": "agree_to_end", "agree": True}).raise_for_status()


def withdraw_dispute(game_id: str, players: Players) -> None:
    dispute = post(players[0], game_id, "disputes", seq=1, statement="No.")
    number = dispute["events"][0]["seq"]
    players[0].http.delete(f"/api/v1/games/{game_id}/disputes/{number}").raise_for_status()


HAPPENINGS: Final = {
    "message": Happening(
        lambda game_id, players: post(players[0], game_id, "messages", text="Good morning."),
        "writes: Good morning.",
        "Messages",
    ),
    "takeback": Happening(
        ask_for_takeback,
        "asks to take back their last action",
        button="Agree",
        answered="The last action was taken back",
        fields={"options": {"takebacks": True}},
    ),
    "dispute": Happening(
        lambda game_id, players: post(players[0], game_id, "disputes", seq=1, statement="No."),
        "disputes event 1",
    ),
    "proposal": Happening(propose_to_abandon, "proposes to end the dispute: the game is abandoned"),
    "refusal": Happening(
        refuse_takeback,
        "does not agree to take back your last action",
        fields={"options": {"takebacks": True}},
    ),
    "withdrawal": Happening(withdraw_dispute, "has withdrawn the dispute of event 1"),
    "end": Happening(
        ask_for_end, "asks for the end of the game", fields={"options": {"end_by_agreement": True}}
    ),
    "pause": Happening(
        lambda game_id, players: post(players[0], game_id, "pause", agree=True),
        "asks for a pause",
        button="Agree",
        answered="The game is paused",
        fields={"clock": {"per_turn": 86_400}},
    ),
    "vacancy": Happening(
        leave_seat, "is vacant", fields={"rules": "baron", "options": {"substitutes": True}}
    ),
}
IN_EACH_RUN: Final = ("takeback",)


def watch(visitor: Visitor, address: str) -> Page:
    """Open a page of a game in a tab of its own, and wait until it follows the game."""
    visitor.page = page = visitor.new_tab()
    with page.expect_response(lambda response: "/stream" in response.url):
        visitor.open(address)
    page.evaluate("window.isSamePage = true")
    return page


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    [
        name if name in IN_EACH_RUN else pytest.param(name, marks=pytest.mark.nightly)
        for name in HAPPENINGS
    ],
)
def test_what_others_do_appears_on_every_page_of_the_game(name: str, visitors: Visitors) -> None:
    happening = HAPPENINGS[name]
    game_id, players = visitors.accounts.start_game(2, **happening.fields)
    first, second = (visitors.new(player) for player in players)
    # On the page of the messages, a message is read.
    paths = [path for path in PAGES if (name, path) != ("message", "/messages")]
    pages = [watch(second, f"/games/{game_id}{path}") for path in paths]
    home = watch(second, "/")
    board = watch(first, f"/games/{game_id}")
    happening.act(game_id, players)
    for page in pages:
        expect(alerts_of(page)).to_contain_text(happening.text, timeout=PATIENCE)
        tab = page.locator(".game-navigation > ul > li").filter(has_text=happening.tab)
        expect(tab.locator("[data-count]")).to_have_text("1", timeout=PATIENCE)
        page.wait_for_function("() => document.title.startsWith('(1) ')")
        assert page.evaluate("window.isSamePage")
    expect(home.locator(".alert-badge .count").first).to_have_text("1", timeout=PATIENCE)
    home.wait_for_function("() => document.title.startsWith('(1) ')")
    if happening.button is not None:
        pages[0].get_by_role("button", name=happening.button, exact=True).click()
        expect(alerts_of(board)).to_contain_text(happening.answered, timeout=PATIENCE)
        for page in pages:
            expect(alerts_of(page)).not_to_contain_text(happening.text, timeout=PATIENCE)
    for page in (*pages, board, home):
        assert page.evaluate("window.isSamePage")


def test_a_rematch_appears_on_the_page_of_the_game_that_has_ended(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    first.act(game_id, {"type": "resign"}).raise_for_status()
    visitor = visitors.new(second)
    page = watch(visitor, f"/games/{game_id}")
    post(first, game_id, "rematch")
    expect(alerts_of(page)).to_contain_text("asks for a rematch", timeout=PATIENCE)
    page.wait_for_function("() => document.title.startsWith('(1) ')")
    tab = page.locator(".game-navigation > ul > li").filter(has_text="More")
    expect(tab.locator("[data-count]")).to_have_text("1", timeout=PATIENCE)
    page.get_by_role("button", name="Play the rematch").click()
    page.locator("#status").get_by_text("turn").wait_for()
    assert game_id not in page.url


@pytest.mark.nightly
def test_an_alert_is_dismissed_for_good(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    post(first, game_id, "messages", text="Good morning.")
    visitor = visitors.new(second)
    page = visitor.open(f"/games/{game_id}?seq=2")
    alerts_of(page).get_by_role("button", name="Dismiss").click()
    expect(alerts_of(page)).to_have_text("")
    assert page.url.endswith("?seq=2")
    page.wait_for_function("() => !document.title.startsWith('(')")
    visitor.open(f"/games/{game_id}")
    expect(alerts_of(page)).to_have_text("")


@pytest.mark.parametrize(
    "size",
    [
        (320, 568),
        *(pytest.param(size, marks=pytest.mark.nightly) for size in ((360, 740), (1280, 800))),
    ],
)
def test_the_whole_board_stays_visible_below_several_alerts(
    size: tuple[int, int], visitors: Visitors
) -> None:
    game_id, players = visitors.accounts.start_game(2, options={"takebacks": True})
    visitor = visitors.new(players[1], language="fr")
    visitor.page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    page = visitor.open(f"/games/{game_id}")
    wait_for_whole_board(page)
    without_alerts = page.locator("#board .board-window").bounding_box()
    ask_for_takeback(game_id, players)
    post(players[0], game_id, "messages", text="I am sorry. " * 20)
    page.locator(".other-alerts").wait_for()
    if size[0] < 480:
        assert page.locator("#board .board-window").bounding_box() == without_alerts
    wait_for_whole_board(page)
    assert alerts_of(page).locator(".alert:visible").count() == 1
    before = page.locator("#board .board-window").bounding_box()
    page.locator(".other-alerts summary").click()
    assert alerts_of(page).locator(".alert:visible").count() == 2
    assert page.locator("#board .board-window").bounding_box() == before


@pytest.mark.nightly
def test_the_last_action_is_taken_back_with_the_button_beside_it(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2, options={"takebacks": True})
    first, second = (visitors.new(player) for player in players)
    mine, theirs = (watch(visitor, f"/games/{game_id}") for visitor in (first, second))
    assert mine.get_by_role("button", name="Take back").count() == 0
    players[0].act(game_id).raise_for_status()
    mine.get_by_role("button", name="Take back").click()
    expect(alerts_of(mine)).to_contain_text("Your takeback waits for", timeout=PATIENCE)
    assert theirs.get_by_role("button", name="Take back").count() == 0
    theirs.get_by_role("button", name="Agree", exact=True).click()
    expect(alerts_of(mine)).to_contain_text("was taken back", timeout=PATIENCE)
    expect(mine.locator("#status")).to_have_class("your-turn")


def test_the_clock_ticks_and_stands_still_while_a_dispute_is_open(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2, clock={"per_turn": 2 * 86_400})
    # A page of a player is loaded again when the browser has registered its key.
    visitor = visitors.new()
    visitor.page.clock.install()
    page = visitor.open(f"/games/{game_id}")
    clock = page.locator(".deadline")
    expect(clock).to_have_text(re.compile(r"^1 d 23 h$"))
    page.clock.fast_forward("46:00:00")
    expect(clock).to_have_text(re.compile(r"^1 h 5\d min$"))
    page.clock.fast_forward("01:50:00")
    expect(clock).to_have_text(re.compile(r"^\d min$"))
    page.clock.fast_forward("00:09:00")
    expect(clock).to_have_text(re.compile(r"^\d+ (s|min)( late)?$"))
    post(players[0], game_id, "disputes", seq=1, statement="No.")
    page.clock.resume()
    expect(clock).to_have_text("stopped", timeout=PATIENCE)
    expect(page.locator("#status")).to_contain_text("the clock stands still: a dispute is open")
