"""Puzzles in a browser: solved by touch and by keys, answered wrongly, and a list without any."""

import random
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from replay.analysis.positions import finished_game
from replay.analysis.puzzle import puzzle, puzzle_position
from replay.analysis.settings import settings_of
from service.bootstrap import Service, build
from service.settings import load_settings
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.layout import layout_faults
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.playing_by_keyboard import KeyboardPlayer
from tests.support.stored_games import recorded_game, store_game
from tests.support.table_measures import faults as faults_of_table

PLAYED = "courtesy"
SEQ = 10
HEXES = {"best": "1,-4", "worse": "-4,0"}
"""Where a city is placed with the best action, and with one that is worse."""
DEVICES = ("phone", "desktop")


@pytest.fixture
def service(visitors: Visitors) -> Iterator[Service]:
    """The parts of the running service, which has no puzzles."""
    service = build(load_settings({"CARTULARY_DATA": str(visitors.site.data)}))
    for number in service.puzzles.store.numbers():
        service.puzzles.store.remove(number)
    yield service
    service.redis.close()


def store_puzzle(service: Service) -> int:
    """Store a puzzle, and return its number."""
    record = recorded_game(PLAYED)
    result = puzzle(puzzle_position(finished_game(record), SEQ, settings_of(40, bytes(32))))
    check = result["checks"][0]
    assert check["best"] == f"place {HEXES['best']}"
    assert f"place {HEXES['worse']}" in [other["action"] for other in check["others"]]
    game = store_game(service, record, game_id=secrets.token_hex(8))
    head = service.games.queries.game(game).hash
    found: dict[str, Any] = {**result, "game": game, "head": head}
    number = service.puzzles.store.add(game, "barony", 2, "2026-11-30T00:00:00.000Z", found)
    assert number is not None
    return number


def faults(page: Page) -> list[str]:
    """Return what axe and the measures of the layout find in a page, and at the table of a puzzle."""
    at_table = faults_of_table(page) if page.locator("#board").count() else []
    return [*violations(page), *layout_faults(page), *map(str, at_table)]


def player_of(visitors: Visitors, device: str) -> ClickingPlayer:
    """Return a player with an account, who touches a phone or uses the keys of a desktop only."""
    account, chance = visitors.accounts.register(), random.Random(0)
    if device == "phone":
        return ClickingPlayer(visitors.new(account, phone=True), "", chance)
    visitor = visitors.new(account)
    visitor.page.set_viewport_size(ViewportSize(width=1366, height=768))
    return KeyboardPlayer(visitor, "", chance)


def try_action(player: ClickingPlayer, at: str) -> None:
    """Place a city on a hex of the board, which can then be checked."""
    player.follow(player.page.locator(f'#board a.option[data-at="{at}"]'))
    expect(player.page.locator("#confirm")).to_be_visible()


@pytest.mark.parametrize("device", DEVICES)
def test_a_list_without_puzzles_leads_to_finished_games(
    visitors: Visitors, service: Service, device: str
) -> None:
    visitor = visitors.new(phone=device == "phone")
    page = visitor.open("/puzzles")
    expect(page.locator("main")).to_contain_text("There is no puzzle yet.")
    assert faults(page) == []
    page.get_by_role("link", name="Finished games").click()
    page.wait_for_url("**/games?list=finished")


@pytest.mark.parametrize("device", DEVICES)
def test_the_best_action_solves_a_puzzle(visitors: Visitors, service: Service, device: str) -> None:
    number = store_puzzle(service)
    player = player_of(visitors, device)
    page = player.visitor.open("/puzzles")
    found = faults(page)
    player.press(page.get_by_role("link", name="Solve it"))
    page.wait_for_url(f"**/puzzles/{number}")
    page.locator("#board a.option").first.wait_for()
    found += faults(page)
    try_action(player, HEXES["best"])
    found += faults(page)
    player.follow(page.locator("#confirm button"))
    expect(page.locator(".verdict.is-solution")).to_contain_text("Yes, better than all others by")
    found += faults(page)
    if device == "phone":
        player.press(page.locator(".open-side"))
    expect(page.locator("#side")).to_contain_text("You have solved it.")
    expect(page.locator("#side .candidates .is-best")).to_be_visible()
    # On a phone, the sheet lies on the table.
    found += [*violations(page), *layout_faults(page)]
    player.visitor.open(f"/puzzles/{number}")
    player.follow(page.locator("#show-line"))
    steps = page.locator(".line-steps a")
    assert steps.count() > 1
    found += faults(page)
    player.follow(steps.nth(1))
    expect(steps.nth(1)).to_have_attribute("aria-current", "step")
    player.follow(page.locator("#next-puzzle"))
    page.wait_for_url("**/puzzles")
    expect(page.locator("main")).to_contain_text("1 of 1 solved")
    expect(page.get_by_role("link", name="Look again")).to_be_visible()
    assert found + faults(page) == []


@pytest.mark.parametrize("device", DEVICES)
def test_a_worse_action_may_be_followed_by_another_one(
    visitors: Visitors, service: Service, device: str
) -> None:
    number = store_puzzle(service)
    player = player_of(visitors, device)
    page = player.visitor.open(f"/puzzles/{number}")
    try_action(player, HEXES["worse"])
    player.follow(page.locator("#confirm button"))
    expect(page.locator(".verdict")).to_contain_text("No, worse by")
    found = faults(page)
    player.follow(page.get_by_role("link", name="Try again"))
    try_action(player, HEXES["best"])
    # The first answer counts, so this one is only compared.
    player.follow(page.locator("a#confirm"))
    expect(page.locator(".verdict.is-solution")).to_be_visible()
    player.follow(page.locator("#next-puzzle"))
    expect(page.locator("main")).to_contain_text("0 of 1 solved")
    assert found == []


def test_who_gives_up_sees_the_best_action(visitors: Visitors, service: Service) -> None:
    number = store_puzzle(service)
    player = player_of(visitors, "phone")
    page = player.visitor.open(f"/puzzles/{number}")
    player.follow(page.locator("#give-up"))
    page.wait_for_url("**line=1")
    expect(page.locator("#question")).to_contain_text("The best action")
    assert faults(page) == []
