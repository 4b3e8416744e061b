"""The analysis of a game, requested on its page and computed by the workers of a running service."""

from typing import Any

from playwright.sync_api import ViewportSize

from tests.browser.test_layout_in_browser import WINDOWS
from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.board_windows import SIZES
from tests.support.browsing import Visitors
from tests.support.layout import layout_faults
from tests.support.processes import wait_until
from tests.support.table_measures import faults as faults_of_table
from tests.support.table_measures import places


def test_two_taps_lead_from_the_end_of_a_game_to_what_it_meant(visitors: Visitors) -> None:
    accounts = visitors.accounts
    game, players = accounts.start_game(options={"round_limit": 2})
    while accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"] is not None:
        take_turn(game, players)
    visitor = visitors.new(players[0])
    page = visitor.open(f"/games/{game}/analysis")
    page.get_by_role("button", name="Analyse the game").click()
    page.get_by_role("progressbar").wait_for()
    assert not violations(page)
    page.get_by_role("heading", name="Decisions that mattered").wait_for(timeout=120_000)
    faults = [str(violation) for violation in violations(page)]
    for window in WINDOWS:
        page.set_viewport_size(window)
        faults += [f"{window}: {fault}" for fault in layout_faults(page)]
    assert not faults, "\n".join(faults)


def test_the_analysis_moves_nothing_at_the_replay(visitors: Visitors) -> None:
    accounts = visitors.accounts
    game, players = accounts.start_game(options={"round_limit": 3})
    while accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"] is not None:
        take_turn(game, players)
    wait_until(
        lambda: accounts.anonymous.get(f"/api/v1/games/{game}").json()["status"] == "finished"
    )
    visitor = visitors.new(players[0])
    page, seq = visitor.page, accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"]

    def boxes() -> list[dict[str, Any]]:
        found = []
        for width, height in ((1366, 768), (390, 844)):
            page.set_viewport_size(ViewportSize(width=width, height=height))
            visitor.open(f"/games/{game}?seq={seq - 4}")
            page.locator("#autoplay[data-ready]").wait_for()
            found.append(places(page))
        return found

    before = boxes()
    assert players[0].http.post(f"/api/v1/games/{game}/analysis").status_code == 202
    address = f"/api/v1/games/{game}/analysis"
    wait_until(lambda: accounts.anonymous.get(address).json()["status"] == "complete")
    after = boxes()
    # Only the accuracy stands beside the signs that were there.
    for former, latter in zip(before, after, strict=True):
        moved = {name: [box for box in former[name] if box not in latter[name]] for name in former}
        assert not any(moved.values()), moved
    for width, height in SIZES:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        visitor.open(f"/games/{game}?seq={seq - 4}")
        page.locator("#autoplay[data-ready]").wait_for()
        assert (width, height, faults_of_table(page)) == (width, height, [])
    assert violations(page) == []
    assert page.locator(".graph-shares").last.is_visible()
    page.locator(".graph-switch").click()
    assert not page.locator(".graph-shares").last.is_visible()
    assert page.locator(".graph-scores").is_visible()
