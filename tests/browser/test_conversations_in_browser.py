"""What others write and answer appears on a page that is open, without loading it again."""

from tests.support.accounts import take_turn
from tests.support.browsing import Visitors


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
    for page in (game, chat):
        page.get_by_text("Your move was clever.", exact=True).wait_for()
    assert game.evaluate("window.isSamePage")


def test_players_write_to_each_other_beside_the_board(visitors: Visitors) -> None:
    game_id, (first, second) = visitors.accounts.start_game(2)
    pages = [visitors.new(player).open(f"/games/{game_id}") for player in (first, second)]
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
