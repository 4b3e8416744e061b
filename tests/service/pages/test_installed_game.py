"""A game of another distribution is created and played on the pages, which contain nothing about it."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask import Flask

from service import pages
from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages, forms_of
from tests.support.seven_hexes.registration import registered

OPTION = re.compile(r'<a class="choice [\w -]+" href="([^"]+)"')
ROUNDS = 3


@pytest.fixture(autouse=True)
def game_is_registered() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def test_it_can_be_chosen_for_a_new_game(players: PlayersOfPages) -> None:
    assert "Seven Hexes" in players["ada"].get("/games/new")


def test_it_is_played_to_the_end_by_following_links(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("seven_hexes")
    address = f"/games/{game}"
    for _ in range(ROUNDS):
        for handle in ("ada", "grace"):
            page = players[handle].get(address)
            questions = 0
            while f"{address}/actions" not in forms_of(page):
                option = OPTION.search(page)
                assert option is not None
                page = players[handle].get(address + unescape(option[1]))
                questions += 1
            assert questions >= 2
            form = forms_of(page)[f"{address}/actions"]
            assert players[handle].post(f"{address}/actions", form).status_code == 303
    played = service.games.queries.game(game)
    assert played.is_played_out
    assert played.state is not None
    assert len(played.state.claims) == 2 * ROUNDS
    assert "Forest" in players.visitor.get(f"{address}/table").text


def test_what_is_not_allowed_is_explained_with_its_clause(players: PlayersOfPages) -> None:
    game = players.game("seven_hexes")
    page = players["ada"].get(f"/games/{game}?choose=claim&choose=field&try=5,5")
    assert re.search(r'class="clause"[^>]*>SH-CLAIM-1</a>', page)
    assert "5,5 is not on the board" in page


def test_the_openapi_document_has_its_types(app: Flask) -> None:
    response = app.test_client().get("/api/v1/openapi.json")
    assert response.status_code == 200
    names = response.get_json()["components"]["schemas"].keys()
    assert {"SevenHexesClaim", "SevenHexesPosition", "SevenHexesHexClaimedEvent"} <= names


def test_no_page_contains_its_name() -> None:
    folder = Path(pages.__file__).parent
    files = [path for path in folder.rglob("*") if path.suffix in (".py", ".html", ".js", ".css")]
    assert len(files) > 20
    for path in files:
        assert "seven" not in path.read_text(encoding="utf-8").lower(), path
