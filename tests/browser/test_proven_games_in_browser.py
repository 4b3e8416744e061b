"""Whole games that people play on the page are sound for the command line, with no other file."""

import random
import re
from pathlib import Path

import pytest

from tests.support.browsing import Visitor, Visitors
from tests.support.playing_by_clicking import ClickingPlayer, play_to_the_end
from tests.support.processes import TRUSTED_KEYS, cartulary


def create_game(visitor: Visitor, rules: str, *, seats: int, bots: int, **options: str) -> str:
    """Fill in the form for a new game, with options by their names; returns the id of the game."""
    page = visitor.open(f"/games/new?rules={rules}")
    page.locator("[name=seats]").select_option(str(seats))
    page.get_by_text("All options").click()
    page.locator("[name=bots-sensible]").select_option(str(bots))
    for name, value in options.items():
        field = page.locator(f"[name=option-{name}]")
        if value == "yes":
            field.check()
        else:
            field.fill(value)
    page.get_by_role("button", name="Create the game").click()
    page.wait_for_url(re.compile("/games/[0-9a-f]{16}$"))
    return page.url.rpartition("/")[2]


def assert_sound(visitor: Visitor, game_id: str, folder: Path) -> None:
    """Audit the game by its address, after the key of the server has been accepted once."""
    settings = {TRUSTED_KEYS: str(folder / "keys.jsonl"), "CARTULARY_EVIDENCE": str(folder)}
    trusted = cartulary("trust", visitor.site.url, "--yes", **settings)
    assert trusted.returncode == 0, trusted.stderr
    audited = cartulary("audit", f"{visitor.site.url}/games/{game_id}", **settings)
    assert audited.returncode == 0, audited.stdout
    page = visitor.open(f"/games/{game_id}/verify")
    page.locator("[data-part=summary].notice-good").wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["barony", "sorcery", "baron"])
def test_a_game_against_bots_is_sound(name: str, visitors: Visitors, tmp_path: Path) -> None:
    visitor = visitors.new(visitors.accounts.register())
    options = {} if name == "baron" else {"round_limit": "2"}
    game_id = create_game(visitor, name, seats=3, bots=2, **options)
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    play_to_the_end([player])
    assert_sound(visitor, game_id, tmp_path)


@pytest.mark.nightly
def test_a_game_of_two_people_with_a_takeback_in_baron_is_sound(
    visitors: Visitors, tmp_path: Path
) -> None:
    first, second = (visitors.new(visitors.accounts.register()) for _ in range(2))
    game_id = create_game(first, "baron", seats=2, bots=0, takebacks="yes")
    page = second.open(f"/games/{game_id}")
    page.get_by_role("button", name="Join the game").click()
    page.locator("#acting").wait_for()
    players = [
        ClickingPlayer(visitor, game_id, random.Random(seed))
        for seed, visitor in enumerate((first, second))
    ]
    for player in players:
        player.open()
    actor = next(player for player in players if player.is_to_act())
    (other,) = (player for player in players if player is not actor)
    actor.act()
    for player, button in ((actor, "Ask the other players"), (other, "Agree: the action")):
        page = player.visitor.open(f"/games/{game_id}/takebacks")
        with page.expect_navigation():
            page.get_by_role("button", name=button).click()
    play_to_the_end(players, actions=12)
    assert_sound(first, game_id, tmp_path)
