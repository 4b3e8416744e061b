"""A turn of several actions in one flow: chosen on the board, confirmed once where nothing is revealed."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.accounts import PlayerClient
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import BOARD_OPTIONS, CHOICES, ClickingPlayer
from tests.support.processes import wait_until
from tests.support.variants import nightly_except

WHOLE_TURN = ["TileDrawn", "TilePlaced", "KeepPlaced"]
LOSE_RESPONSES = """() => {
    const { fetch } = window;
    window.fetch = async (address, options) => {
        const response = await fetch(address, options);
        if (options?.headers?.Accept === "application/json") throw new TypeError("The connection was lost.");
        return response;
    };
}"""
"""Loses the response to each action that is not the last one of its form."""


def game_before_a_draw(visitors: Visitors) -> tuple[str, list[PlayerClient]]:
    """A game of Baron in which the first player is to draw, and there is a meadow without a keep."""
    game_id, players = visitors.accounts.start_game(2, rules="baron")
    while not is_ready(position(game_id, players)):
        seat = position(game_id, players)["to_act"]
        seq, actions = players[seat].legal_actions(game_id)
        action = next((each for each in actions if each.get("tile") == "meadow"), actions[-1])
        players[seat].act(game_id, action, seq).raise_for_status()
    return game_id, players


def position(game_id: str, players: Sequence[PlayerClient]) -> Any:
    return players[0].http.get(f"/api/v1/games/{game_id}/position").json()


def is_ready(position: Any) -> bool:
    keeps = [keep["at"] for keep in position["keeps"]]
    meadows = [each["at"] for each in position["tiles"] if each["tile"] == "meadow"]
    is_to_draw = (position["to_act"], position["phase"]) == (0, "draw")
    return is_to_draw and any(meadow not in keeps for meadow in meadows)


def events_after(game_id: str, seq: int, player: PlayerClient) -> list[Any]:
    """The actions of the player after event `seq`."""
    body = player.http.get(f"/api/v1/games/{game_id}/events", params={"after": seq}).json()
    return [event for event in body["events"] if event["action"] is not None]


def choose_turn(player: ClickingPlayer) -> int:
    """Choose everything up to the last confirmation: the draw, which is confirmed first, a place, the tile if
    the one just drawn cannot be laid there, and a meadow. Returns how many choices of a tile there were.
    """
    page = player.page
    player.follow(page.locator(CHOICES).first)
    assert "Confirm this first" in page.locator(".ask").inner_text()
    player.confirm()
    player.follow(page.locator(BOARD_OPTIONS).first)
    tiles = 0
    if not page.locator("#confirm").count():
        tiles = 1
        player.follow(page.locator(CHOICES).first)
    # Already here the whole turn could be confirmed, without a keep.
    assert page.locator("#confirm input[name=action]").count() == 2
    player.follow(page.locator(BOARD_OPTIONS).first)
    return tiles


@pytest.mark.parametrize("phone", nightly_except([True], [False, True]))
def test_a_turn_of_baron_takes_five_or_six_clicks(visitors: Visitors, *, phone: bool) -> None:
    game_id, (first, second) = game_before_a_draw(visitors)
    seq = first.legal_actions(game_id)[0]
    visitor = visitors.new(first, phone=phone)
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    player.open()
    tiles = choose_turn(player)
    assert len(events_after(game_id, seq, first)) == 1
    player.confirm()
    assert player.clicks == 5 + tiles
    player.page.locator("#status:not(.your-turn)").wait_for()
    events = events_after(game_id, seq, first)
    assert [event["type"] for event in events] == WHOLE_TURN
    # Each action is signed with the hash of the event before it, and the browser keeps its receipt.
    heads = [event["signature"]["head"] for event in events]
    assert heads[1:] == [event["hash"] for event in events[:-1]]
    kept = {receipt["hash"] for receipt in visitor.kept("receipts")}
    assert {event["hash"] for event in events} <= kept
    assert second.legal_actions(game_id)[1]


def test_a_turn_is_confirmed_once_without_scripts_too(visitors: Visitors) -> None:
    game_id, (first, _) = game_before_a_draw(visitors)
    seq = first.legal_actions(game_id)[0]
    visitor = visitors.new(first, javascript=False)
    player = ClickingPlayer(visitor, game_id, random.Random(1), has_scripts=False)
    player.open()
    choose_turn(player)
    player.confirm()
    events = events_after(game_id, seq, first)
    assert [event["type"] for event in events] == WHOLE_TURN
    assert not any("signature" in event for event in events)


def test_a_lost_response_in_the_middle_of_a_turn_repeats_nothing(visitors: Visitors) -> None:
    game_id, (first, _) = game_before_a_draw(visitors)
    seq = first.legal_actions(game_id)[0]
    visitor = visitors.new(first)
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    player.open()
    choose_turn(player)

    player.page.evaluate(LOSE_RESPONSES)
    player.press(player.page.locator("#confirm button[type=submit]"))
    wait_until(lambda: len(events_after(game_id, seq, first)) == 2)
    # The page follows the event of the action whose response was lost. The key of the browser may be another.
    head = first.legal_actions(game_id)[0]
    player.page.locator(f"#game[data-seq='{head}']").wait_for()
    player.open()
    player.follow(player.page.locator(BOARD_OPTIONS).first)
    player.confirm()
    player.page.locator("#status:not(.your-turn)").wait_for()
    assert [event["type"] for event in events_after(game_id, seq, first)] == WHOLE_TURN
