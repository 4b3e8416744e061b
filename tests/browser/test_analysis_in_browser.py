"""The analysis of a game, requested on its page and computed by the workers of a running service."""

from tests.browser.test_layout_in_browser import WINDOWS
from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.browsing import Visitors
from tests.support.layout import layout_faults


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
