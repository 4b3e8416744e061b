"""The page of a game shows what has happened since the viewer's last turn: in words, and on the board."""

import re
from html import unescape
from typing import Final

import pytest
from flask import Flask

from service.bootstrap import Service
from service.games import recaps as recaps_module
from tests.support.page_players import PlayersOfPages
from tests.support.service_games import play_set_up

RECAP: Final = re.compile(r'<section class="recap".*?</section>', re.DOTALL)
MAP: Final = re.compile(r'<svg[^>]*class="map".*?</svg>', re.DOTALL)
NEXT: Final = re.compile(r'id="recap-next" class="button" href="([^"]+)"')
PREVIOUS: Final = re.compile(r'id="recap-previous" class="button" href="([^"]+)"')
LINE: Final = re.compile(r'<li>\s*<a class="move" href="([^"]+)"')


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


@pytest.fixture
def game_id(players: PlayersOfPages, service: Service) -> str:
    """A game of Barony in which both players have acted twice since the set-up."""
    game_id = players.game("barony")
    play_set_up(service, game_id)
    for _ in range(4):
        players.act(game_id)
        service.games.commands.score(game_id)
    return game_id


def reader(players: PlayersOfPages, service: Service, game_id: str) -> str:
    """Return the handle of the player whose turn it is, and who has something to read."""
    game = service.games.queries.game(game_id)
    assert game.to_act is not None
    return ("ada", "grace")[game.to_act]


def recap_on(page: str) -> str:
    match = RECAP.search(page)
    assert match is not None
    return match[0]


def map_on(page: str) -> str:
    match = MAP.search(page)
    assert match is not None
    return match[0]


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def test_the_page_says_what_the_others_have_done(
    players: PlayersOfPages, service: Service, game_id: str
) -> None:
    handle = reader(players, service, game_id)
    other = {"ada": "grace", "grace": "ada"}[handle]
    text = text_of(recap_on(players[handle].get(f"/games/{game_id}")))
    assert other in text


def test_a_player_who_has_just_acted_has_nothing_to_read(
    players: PlayersOfPages, service: Service, game_id: str
) -> None:
    handle = players.act(game_id)
    assert RECAP.search(players[handle].get(f"/games/{game_id}")) is None


def test_who_has_no_seat_has_no_recap(players: PlayersOfPages, game_id: str) -> None:
    last = players["zoe"].get(f"/games/{game_id}")
    assert RECAP.search(last) is None
    assert RECAP.search(players.visitor.get(f"/games/{game_id}?since=9").text) is None
    assert map_on(players["zoe"].get(f"/games/{game_id}?since=9")) == map_on(last)


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_links_lead_through_the_events_and_back_to_all_of_them(
    players: PlayersOfPages, service: Service, rules: str
) -> None:
    game_id = players.game(rules)
    acted = [players.act(game_id) for _ in range(9)]
    while acted[-1] == reader(players, service, game_id):
        acted.append(players.act(game_id))
    player = players[reader(players, service, game_id)]
    address, everything = f"/games/{game_id}", player.get(f"/games/{game_id}")
    lines = LINE.findall(recap_on(everything))
    assert lines
    visited = []
    page = everything
    while (address := unescape(_group(NEXT, page))) != f"/games/{game_id}":
        visited.append(address)
        page = player.get(address)
        # The board is that of the replay, which shows the event to this player alone.
        seq = address.rpartition("=")[2]
        replayed = map_on(player.get(f"/games/{game_id}?seq={seq}"))
        assert _hexes(map_on(page)) == _hexes(replayed)
        assert 'aria-current="step"' in recap_on(page)
        assert "data-picture-links" not in page or "<a" not in _links(page)
    assert visited == [unescape(line) for line in lines]
    for expected in reversed(visited[:-1]):
        assert unescape(_group(PREVIOUS, page)) == expected
        page = player.get(expected)
    assert PREVIOUS.search(page) is None


def _group(pattern: "re.Pattern[str]", page: str) -> str:
    match = pattern.search(page)
    assert match is not None
    return match[1]


def _hexes(svg: str) -> list[str]:
    return re.findall(r'data-at="[^"]+" role="img" aria-label="[^"]+"', svg)


def _links(page: str) -> str:
    match = re.search(r'<div id="board-links">(.*?)</div>', page, re.DOTALL)
    assert match is not None
    return match[1]


def test_all_events_are_marked_on_the_current_board(
    players: PlayersOfPages, service: Service, game_id: str
) -> None:
    player = players[reader(players, service, game_id)]
    page = player.get(f"/games/{game_id}")
    changed: set[str] = set()
    for address in LINE.findall(recap_on(page)):
        svg = map_on(player.get(unescape(address)))
        changed |= set(re.findall(r'data-at="([^"]+)"[^>]*aria-label="[^"]*just changed', svg))
    marked = set(re.findall(r'data-at="([^"]+)"[^>]*aria-label="[^"]*just changed', map_on(page)))
    assert marked == changed
    assert marked


def test_an_event_that_is_not_in_the_recap_is_not_an_error(
    players: PlayersOfPages, service: Service, game_id: str
) -> None:
    player = players[reader(players, service, game_id)]
    everything = map_on(player.get(f"/games/{game_id}"))
    for seq in ("1", "9999", "0", "-1", "x", ""):
        assert map_on(player.get(f"/games/{game_id}?since={seq}")) == everything


def test_a_choice_on_an_earlier_board_brings_back_the_current_one(
    players: PlayersOfPages, service: Service, game_id: str
) -> None:
    player = players[reader(players, service, game_id)]
    address = unescape(LINE.findall(recap_on(player.get(f"/games/{game_id}")))[0])
    headers = {"HX-Request": "true", "HX-Target": "acting"}
    response = player.client.get(f"/games/{game_id}", headers=headers)
    assert "HX-Retarget" not in response.headers
    headers["HX-Current-URL"] = f"http://localhost{address}"
    response = player.client.get(f"/games/{game_id}", headers=headers)
    assert response.headers["HX-Retarget"] == "#page"
    assert MAP.search(response.text)


def test_earlier_events_than_the_bound_are_named_by_their_number(
    players: PlayersOfPages, service: Service, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recaps_module, "MAX_EVENTS", 1)
    player = players[reader(players, service, game_id)]
    recap = recap_on(player.get(f"/games/{game_id}"))
    assert len(LINE.findall(recap)) == 1
    assert re.search(r"earlier events? (is|are) only in the log", text_of(recap))
