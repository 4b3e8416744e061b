"""What others write and answer appears on a page that is open, without loading it again."""

import pytest

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors
from tests.support.processes import wait_until


@pytest.mark.nightly
def test_a_chat_message_appears_on_the_open_pages_of_its_readers(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    visitor = visitors.new(second)
    visitor.open(f"/games/{game_id}")
    game = visitor.page
    game.evaluate("window.isSamePage = true")
    visitor.page = chat = visitor.new_tab()
    # The page of the messages must not need its readings from time to time.
    chat.add_init_script("window.setInterval = () => 0")
    with chat.expect_response(lambda response: "/stream" in response.url):
        visitor.open(f"/games/{game_id}/messages")
    body = {"text": "Your move was clever."}
    first.http.post(f"/api/v1/games/{game_id}/messages", json=body).raise_for_status()
    game.locator("#show-messages").check()
    for page in (game, chat):
        page.get_by_text("Your move was clever.", exact=True).wait_for()
    assert game.evaluate("window.isSamePage")


def test_players_write_to_each_other_beside_the_board(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    pages = [visitors.new(player).open(f"/games/{game_id}") for player in (first, second)]
    for page in pages:
        page.locator("#show-messages").check()
    # What is being typed stays when an event replaces the page.
    pages[1].get_by_label("Message", exact=True).fill("I will")
    seq = take_turn(game_id, [first, second])["seq"]
    pages[1].locator(f"#game[data-seq='{seq}']").wait_for()
    assert pages[1].get_by_label("Message", exact=True).input_value() == "I will"
    pages[1].get_by_label("Message", exact=True).fill("I will win.")
    pages[1].get_by_role("button", name="Send", exact=True).click()
    for page in pages:
        page.locator(".message-text").get_by_text("I will win.").wait_for()
        assert page.url.endswith(f"/games/{game_id}")
    assert pages[1].get_by_label("Message", exact=True).input_value() == ""


@pytest.mark.nightly
def test_messages_that_are_opened_beside_the_board_count_as_read(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    address = f"/api/v1/games/{game_id}/messages"
    first.http.post(address, json={"text": "Hello!"}).raise_for_status()
    for path in (f"/games/{game_id}", f"/games/{game_id}?seq=2"):
        page = visitors.new(second).open(path)
        counts = page.locator("[data-count='/messages'] .count")
        assert counts.all_inner_texts() == ["1", "1"]
        page.locator("#show-messages").check()
        page.get_by_text("Hello!", exact=True).last.wait_for()
        counts.first.wait_for(state="detached")
        assert page.locator("#alerts .alert").count() == 0
        # They stay open when the next one comes, and that counts as read as well.
        with page.expect_response(lambda response: "/dismissals" in response.url):
            first.http.post(address, json={"text": "Are you there?"}).raise_for_status()
        page.get_by_text("Are you there?", exact=True).last.wait_for()
        counts.first.wait_for(state="detached")
        page.reload()
        assert counts.count() == 0
        page.goto("about:blank")
        first.http.post(address, json={"text": "Hello!"}).raise_for_status()


def test_readers_comment_on_the_move_that_a_replay_shows(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(2, options={"round_limit": 1})
    while players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"] is not None:
        take_turn(game_id, players)
    address = f"/api/v1/games/{game_id}"
    wait_until(lambda: players[0].http.get(address).json()["status"] == "finished")
    page = visitors.new(players[0]).open(f"/games/{game_id}?seq=6")
    page.evaluate("window.isSamePage = true")
    page.locator("#show-comments").check()
    page.keyboard.press("Escape")
    page.locator("#replay-next").click()
    page.locator("#step[data-seq='7']").wait_for(state="attached")
    page.get_by_label("Comment", exact=True).fill("A bold move.")
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator(".message-text").get_by_text("A bold move.").wait_for()
    assert page.url.endswith(f"/games/{game_id}?seq=7")
    page.locator("#replay-previous").click()
    page.locator("#step[data-seq='6']").wait_for(state="attached")
    page.locator(".talk .about").click()
    page.locator("#step[data-seq='7']").wait_for(state="attached")
    page.get_by_label("About the move that is shown").uncheck()
    page.get_by_label("Comment", exact=True).fill("A fine game.")
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator(".message-text").get_by_text("A fine game.").wait_for()
    assert page.evaluate("window.isSamePage")
    comments = players[0].http.get(f"{address}/comments").json()["comments"]
    assert [(each["text"], each["seq"]) for each in comments] == [
        ("A bold move.", 7),
        ("A fine game.", None),
    ]


def test_the_page_of_takebacks_follows_the_answers(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2, options={"takebacks": True})
    first.act(game_id).raise_for_status()
    visitor = visitors.new(first)
    visitor.open(f"/games/{game_id}/takebacks")
    address = f"/api/v1/games/{game_id}/takebacks"
    requested = first.http.post(address, json={}).raise_for_status()
    visitor.page.get_by_text("has not answered yet").wait_for()
    number = requested.json()["events"][0]["seq"]
    second.http.post(f"{address}/{number}/answers", json={"agree": True}).raise_for_status()
    visitor.page.get_by_text("has not answered yet").wait_for(state="detached")
    assert visitor.page.locator("h1").inner_text() == "Takebacks"
