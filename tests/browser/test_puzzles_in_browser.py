"""Puzzles in a browser: solved by touch and by keys, answered wrongly, and a list without any."""

import secrets
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from replay.analysis.positions import finished_game
from replay.analysis.puzzle import puzzle, puzzle_position
from replay.analysis.settings import settings_of
from service.bootstrap import Service, build
from service.settings import load_settings
from tests.support.axe import violations
from tests.support.browsing import STARTED, Visitor, Visitors
from tests.support.layout import layout_faults
from tests.support.stored_games import recorded_game, store_game
from tests.support.table_measures import faults as faults_of_table

PLAYED = "courtesy"
SEQ = 10
HEXES = {"best": "1,-4", "worse": "-4,0"}
"""Where a city is placed with the best action, and with one that is worse."""
WINDOWS = {"phone": (390, 844), "desktop": (1366, 768)}


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
    """Return what axe and the measures of the layout find in a page."""
    return [*violations(page), *layout_faults(page)]


def place_on(page: Page, at: str) -> Locator:
    """Return the hex of the board on which a city can be placed."""
    return page.locator(f'#map a[href*="{quote("at=" + at, safe="=")}"], #map [data-hex="{at}"]')


def follow(visitor: Visitor, target: Locator, sign: str) -> None:
    """Tap or click on something, and wait for what it leads to."""
    if visitor.has_touch:
        target.tap()
    else:
        target.click()
    visitor.page.locator(sign).first.wait_for()
    visitor.page.locator(STARTED).wait_for(state="attached")


@pytest.mark.parametrize("device", WINDOWS)
def test_a_list_without_puzzles_leads_to_finished_games(
    visitors: Visitors, service: Service, device: str
) -> None:
    visitor = visitors.new(phone=device == "phone")
    page = visitor.open("/puzzles")
    expect(page.locator("main")).to_contain_text("There is no puzzle yet.")
    assert faults(page) == []
    page.get_by_role("link", name="Finished games").click()
    page.wait_for_url("**/games?list=finished")
