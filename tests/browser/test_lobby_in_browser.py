"""The first page and the page of an open game show what others do, without being loaded again by hand."""

from playwright.sync_api import expect

from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitors


def test_the_first_page_shows_a_game_as_it_is_played(visitors: Visitors) -> None:
    game, players = visitors.accounts.start_game()
    visitor = visitors.new()
    page = visitor.open("/")
    board = page.locator(f'.live-board[data-board="/games/{game}/live"]')
    expect(board).to_contain_text(f"{players[0].handle} is to play")
    cities = board.locator("svg use").count()
    take_turn(game, players)
    expect(board).to_contain_text(f"{players[1].handle} is to play")
    assert board.locator("svg use").count() > cities


def test_a_friend_who_joins_by_a_link_appears_at_once(visitors: Visitors) -> None:
    host = visitors.new(visitors.accounts.register())
    page = host.open("/games/new?rules=baron")
    page.get_by_label("Players", exact=True).select_option("2")
    page.get_by_text("All options").click()
    page.get_by_label("Private game").check()
    page.get_by_role("button", name="Create the game").click()
    link = page.get_by_label("Invitation link").input_value()
    assert violations(page) == []
    friend = visitors.new(phone=True)
    joining = friend.open(link.removeprefix(visitors.site.url))
    assert violations(joining) == []
    joining.get_by_role("button", name="Join as a guest").click()
    expect(joining.locator("svg.map").first).to_be_visible()
    expect(page.locator("svg.map").first).to_be_visible()
