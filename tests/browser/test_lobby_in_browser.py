"""The first page and the page of an open game show what others do, without being loaded again by hand."""

import pytest
from playwright.sync_api import expect

from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitors


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_players_in_a_waiting_room_see_what_the_others_write(visitors: Visitors) -> None:
    ada, bea = visitors.accounts.register(), visitors.accounts.register()
    game = ada.create_game(3)
    bea.join(game)
    ada.http.post(f"/api/v1/games/{game}/invitations").raise_for_status()
    page = visitors.new(ada).open(f"/games/{game}")
    friend = visitors.new(bea, phone=True).open(f"/games/{game}")
    page.get_by_role("button", name="QR code").click()
    code = page.get_by_role("img", name="QR code of the invitation link")
    expect(code).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Handle").fill("half a han")
    friend.get_by_label("Message", exact=True).fill("Good evening!")
    friend.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Good evening!")).to_be_visible()
    # What was open stays open, and what was typed stays in its field.
    expect(code).to_be_visible()
    expect(page.get_by_label("Handle")).to_have_value("half a han")
    expect(friend.get_by_role("button", name="QR code")).to_have_count(0)
