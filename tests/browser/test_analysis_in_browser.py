"""The analysis of a game, requested on its page and computed by the workers of a running service."""

import secrets
from io import BytesIO
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import ViewportSize

from domain.json_types import JsonObject
from ledger.record import read
from replay.analysis.analysis import analyse
from replay.analysis.positions import finished_game
from replay.analysis.settings import settings_of
from replay.analysis.summary import marked_decisions
from service.analyses.store import StoredAnalysis
from service.bootstrap import Service, build
from service.settings import load_settings
from tests.browser.test_layout_in_browser import WINDOWS
from tests.support.accounts import take_turn
from tests.support.axe import violations
from tests.support.board_windows import SIZES
from tests.support.browsing import Visitors
from tests.support.layout import layout_faults
from tests.support.processes import wait_until
from tests.support.stored_games import recorded_game, store_game
from tests.support.table_measures import faults as faults_of_table
from tests.support.table_measures import places


def test_two_taps_lead_from_the_end_of_a_game_to_what_it_meant(visitors: Visitors) -> None:
    accounts = visitors.accounts
    game, players = accounts.start_game(options={"round_limit": 2})
    while accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"] is not None:
        take_turn(game, players)
    # A worker appends the last event.
    wait_until(
        lambda: accounts.anonymous.get(f"/api/v1/games/{game}").json()["status"] == "finished"
    )
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
    # A worker appends the last event.
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
    for width, height in SIZES[::4]:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        visitor.open(f"/games/{game}?seq={seq - 4}")
        page.locator("#autoplay[data-ready]").wait_for()
        assert (width, height, faults_of_table(page)) == (width, height, [])
    assert violations(page) == []
    assert page.locator(".graph-shares").last.is_visible()
    page.locator(".graph-switch").click()
    assert not page.locator(".graph-shares").last.is_visible()
    assert page.locator(".graph-scores").is_visible()


def test_an_analysis_is_requested_and_awaited_at_the_table(visitors: Visitors) -> None:
    accounts = visitors.accounts
    game, players = accounts.start_game(options={"round_limit": 3})
    while accounts.anonymous.get(f"/api/v1/games/{game}").json()["to_act"] is not None:
        take_turn(game, players)
    # A worker appends the last event.
    wait_until(
        lambda: accounts.anonymous.get(f"/api/v1/games/{game}").json()["status"] == "finished"
    )
    stranger = visitors.new(phone=True)
    page = stranger.open(f"/games/{game}?seq=9")
    assert faults_of_table(page) == []
    page.locator("#analysis-state a").tap()
    page.wait_for_url(f"**/login?next=*{game}*")
    visitor = visitors.new(players[0], phone=True)
    page = visitor.open(f"/games/{game}")
    assert faults_of_table(page) == []
    page.get_by_role("button", name="Analyse the game").tap()
    page.locator("#analysis-state progress").wait_for()
    assert faults_of_table(page) == []
    assert violations(page) == []
    # The page asks again by itself, and then has everything that was found.
    page.locator(".graph-shares").last.wait_for(timeout=120_000)
    assert page.locator(".move .chances").count() > 1
    assert page.locator("#analysis-state").count() == 0
    assert faults_of_table(page) == []


def test_three_taps_lead_from_the_end_to_what_would_have_been_better(visitors: Visitors) -> None:
    service = build(load_settings({"CARTULARY_DATA": str(visitors.site.data)}))
    game, state = _analysed_game(service)
    ((_, decision),) = marked_decisions(state)
    page = visitors.new(phone=True).open(f"/games/{game}")
    page.get_by_role("link", name="Analysis").tap()
    page.wait_for_url(f"**/games/{game}?seq={decision['seq']}")
    page.get_by_role("link", name="What was better").tap()
    page.locator(".line-bar").wait_for()
    page.get_by_role("link", name="Back to the event").tap()
    # From any other event, the next mark is one tap away.
    page.locator("#replay-last").tap()
    page.wait_for_url(f"**/games/{game}?seq={service.games.queries.game(game).seq}")
    page.locator("#next-mark").tap()
    page.wait_for_url(f"**/games/{game}?seq={decision['seq']}")
    service.redis.close()


# Each run shows every page and every window, but not every page in every window.
@pytest.mark.parametrize(
    ("dark", "each"),
    [
        (False, len(SIZES)),
        *(pytest.param(dark, 1, marks=pytest.mark.nightly) for dark in (False, True)),
    ],
)
def test_a_better_line_and_a_retry_fit_every_window(
    visitors: Visitors, each: int, *, dark: bool
) -> None:
    service = build(load_settings({"CARTULARY_DATA": str(visitors.site.data)}))
    game, state = _analysed_game(service)
    ((_, decision),) = marked_decisions(state)
    seq = decision["seq"]
    retry = f"?seq={seq - 1}&explore=1&retry={seq}"
    addresses = (
        *(f"?seq={seq}", f"?seq={seq + 1}", f"?seq={seq}&line=1", retry),
        f"{retry}&action={quote(decision['action'])}&answer=1",
        f"{retry}&action={quote(decision['better'])}",
        f"{retry}&action={quote(decision['better'])}&answer=1",
    )
    visitor = visitors.new(language="fr", dark=dark)
    page = visitor.page
    for number, address in enumerate(addresses):
        for width, height in SIZES[number % each :: each]:
            page.set_viewport_size(ViewportSize(width=width, height=height))
            visitor.open(f"/games/{game}{address}")
            assert (address, width, height, faults_of_table(page)) == (address, width, height, [])
        assert violations(page) == []
    page.get_by_role("link", name="Suivant").click()
    page.wait_for_url("**/login*")
    service.redis.close()


def _analysed_game(service: Service) -> tuple[str, JsonObject]:
    """Store a finished game with its analysis, and return its id and the analysis."""
    game = store_game(service, recorded_game("courtesy"), game_id=secrets.token_hex(8))
    head = service.games.queries.game(game)
    record = read(BytesIO(b"".join(service.games.queries.record(game))))
    state = analyse(finished_game(record), settings_of(4, bytes(32)))
    service.analyses.store.put(
        StoredAnalysis(game, head.hash, head.at, state, progress=1.0, is_complete=True)
    )
    return game, state
