"""The table of a game: everything is in the window at every size, and no step of a turn moves anything."""

import random
from collections.abc import Sequence
from typing import Any, Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.support.accounts import PlayerClient, take_turn
from tests.support.axe import violations
from tests.support.board_windows import SIZES
from tests.support.browsing import STARTED, Visitors
from tests.support.playing_by_clicking import ClickingPlayer
from tests.support.processes import wait_until
from tests.support.table_measures import faults, places, tab_stops, words

SYSTEMS: Final[dict[str, dict[str, Any]]] = {
    "barony": {"seats": 3},
    "sorcery of five": {"seats": 5, "options": {"sorcery": True}},
    "baron": {"rules": "baron", "seats": 3},
}
TURNS: Final = {"full": 40, "empty": 1}
"""How many turns have been taken on a table."""
MOST_STEPS: Final = 5
MOST_WORDS: Final = {(1366, 768): 60, (1920, 1080): 60, (390, 844): 25}
"""By the size of the window."""
MOST_TAB_STOPS: Final = 35
CUT_WORDS: Final = ".strip .kind, .recap .since > :not(.visually-hidden)"
CUT_OFF: Final = """(selector) => [...document.querySelectorAll(selector)]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent)"""


def at_table(visitors: Visitors, name: str, turns: int) -> tuple[str, PlayerClient]:
    """Return a game after this number of turns, and the player whose turn it is."""
    game_id, players = visitors.accounts.start_game(**SYSTEMS[name])
    for _ in range(turns):
        take_turn(game_id, players)
    to_act: int = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    return game_id, players[to_act]


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))


# Each run covers every size, a table in a long language and a large one. Which of these meets which size is
# of little account: what does not fit is wider than a column, and every width is tried with one of them.
@pytest.mark.parametrize(
    ("name", "turns", "language", "dark", "sizes"),
    [
        pytest.param("sorcery of five", "full", "fr", False, SIZES[::2], id="sorcery of five"),
        pytest.param("baron", "full", "es", True, SIZES[1::2], id="baron"),
        *(
            pytest.param(*case, SIZES, id="-".join(map(str, case)), marks=pytest.mark.nightly)
            for case in (
                ("sorcery of five", "full", "fr", False),
                ("baron", "full", "es", True),
                ("barony", "full", "en", True),
                ("barony", "empty", "fr", False),
                ("baron", "empty", "en", False),
                ("sorcery of five", "empty", "es", True),
            )
        ),
    ],
)
def test_everything_is_in_the_window_and_apart_at_every_size(
    visitors: Visitors,
    name: str,
    turns: str,
    language: str,
    sizes: Sequence[tuple[int, int]],
    *,
    dark: bool,
) -> None:
    game_id, player = at_table(visitors, name, TURNS[turns])
    visitor = visitors.new(player, language=language, dark=dark)
    page = visitor.page
    for size in sizes:
        resize(page, size)
        visitor.open(f"/games/{game_id}")
        assert (size, faults(page)) == (size, [])
        if size in MOST_WORDS:
            check_words(page, size)
    assert violations(page) == []


def check_words(page: Page, size: tuple[int, int]) -> None:
    """Check that a window of this size has few words and few stops of the Tab key."""
    assert 0 < len(words(page)) <= MOST_WORDS[size], (size, " ".join(words(page)))
    assert 0 < tab_stops(page) <= MOST_TAB_STOPS, size


def test_no_name_of_a_bot_and_no_word_of_the_recap_is_cut_off(visitors: Visitors) -> None:
    account = visitors.accounts.register()
    game_id = account.create_game(5, options={"sorcery": True})
    for _ in range(4):
        account.http.post(f"/api/v1/games/{game_id}/bots", json={}).raise_for_status()
    for _ in range(4):
        wait_until(lambda: account.http.get(f"/api/v1/games/{game_id}").json()["to_act"] == 0)
        account.act(game_id).raise_for_status()
    wait_until(lambda: account.http.get(f"/api/v1/games/{game_id}").json()["to_act"] == 0)
    visitor = visitors.new(account, language="fr")
    page = visitor.page
    for size in ((360, 740), (390, 844), (1000, 700), (1366, 768)):
        resize(page, size)
        visitor.open(f"/games/{game_id}")
        assert page.locator(".strip .kind").count() == 4
        assert (size, page.evaluate(CUT_OFF, CUT_WORDS)) == (size, [])
        page.locator(".recap summary").click()
        box = page.locator(".recap .unfolded").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1]


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["fr", "en", "es"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_window_has_few_words_and_few_stops_of_the_tab_key(
    visitors: Visitors, name: str, language: str
) -> None:
    game_id, player = at_table(visitors, name, TURNS["full"])
    visitor = visitors.new(player, language=language)
    for size in MOST_WORDS:
        resize(visitor.page, size)
        check_words(visitor.open(f"/games/{game_id}"), size)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("sorcery of five", (1366, 768)),
        ("barony", (390, 844)),
        *(
            pytest.param(name, size, marks=pytest.mark.nightly)
            for name, size in (
                ("baron", (1366, 768)),
                ("baron", (390, 844)),
                ("sorcery of five", (390, 844)),
                ("barony", (1920, 1080)),
            )
        ),
    ],
)
def test_no_step_of_a_turn_moves_anything(
    visitors: Visitors, name: str, size: tuple[int, int]
) -> None:
    game_id, account = at_table(visitors, name, 24)
    player = ClickingPlayer(visitors.new(account), game_id, random.Random(1))
    resize(player.page, size)
    player.open()
    before = places(player.page)
    for _ in range(MOST_STEPS):
        player.answer()
        assert places(player.page) == before, player.page.url
        assert faults(player.page) == []
        if player.page.locator("#confirm").count():
            break
    player.follow(player.page.locator("#back"))
    assert places(player.page) == before


def test_an_event_moves_nothing_and_what_was_opened_stays_open(visitors: Visitors) -> None:
    game_id, players = visitors.accounts.start_game(3)
    for _ in range(9):
        take_turn(game_id, players)
    to_act = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    page = visitors.new(players[to_act - 1]).open(f"/games/{game_id}")
    before = places(page)
    page.locator(".strip").first.click()
    page.locator(".seat-card:popover-open").wait_for()
    seq = take_turn(game_id, players)["seq"]
    page.wait_for_function(
        "(seq) => Number(document.querySelector('#game').dataset.seq) >= seq", arg=seq
    )
    page.locator(STARTED).wait_for(state="attached")
    assert page.locator(".seat-card:popover-open").count() == 1
    after = places(page)
    for part in (".strip", ".board", ".shelf"):
        assert after[part] == before[part]
