"""The pages of sandboxes: made at an event, played on by choices, bots and short form, shared and deleted."""

import re
from html import unescape

import pytest
from flask import Flask

from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages, forms_of
from tests.support.stored_games import recorded_game, store_game

OPTION = re.compile(r'<a class="choice button" href="([^"]+)"')


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def make_sandbox(players: PlayersOfPages, game: str, seq: int, handle: str = "ada") -> str:
    """Make a sandbox of a game after an event and return its address."""
    address = f"/games/{game}/sandboxes"
    response = players[handle].submit(f"{address}?seq={seq}", address, seq=seq)
    assert response.status_code == 303, response.text
    return response.location


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_a_sandbox_is_played_step_by_step_and_leaves_no_trace(
    players: PlayersOfPages, service: Service, rules: str
) -> None:
    game = players.game(rules)
    before = service.games.queries.game(game).seq
    address = make_sandbox(players, game, before)
    ada = players["ada"]
    page = ada.get(address)
    while f"{address}/actions" not in forms_of(page):
        option = OPTION.search(page)
        assert option is not None
        page = ada.get(address + unescape(option[1]))
    assert "Preview" in page
    fields = forms_of(page)[f"{address}/actions"]
    assert ada.post(f"{address}/actions", fields).status_code == 303
    assert ada.post(f"{address}/actions", fields).status_code == 409
    assert steps_of(service, address) == 1
    ada.submit(address, f"{address}/bots", bot="random", turns=2)
    assert steps_of(service, address) >= 3
    for _ in range(steps_of(service, address)):
        ada.submit(address, f"{address}/undo")
    assert steps_of(service, address) == 0
    assert service.games.queries.game(game).seq == before


def test_going_back_to_a_choice_of_the_last_action_shows_the_sandbox(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("baron")
    address = make_sandbox(players, game, service.games.queries.game(game).seq)
    page = players["ada"].get(f"{address}?choose=no-such-thing")
    assert "This page was about a choice that is no longer possible" in page
    assert OPTION.search(page)


def steps_of(service: Service, address: str) -> int:
    return len(service.sandboxes.get(address.rsplit("/", 1)[1]).steps)


def test_a_typed_action_is_previewed_or_refused_with_its_clause(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("baron")
    address = make_sandbox(players, game, service.games.queries.game(game).seq)
    page = players["ada"].get(f"{address}?action=draw+1")
    assert "not known yet" in page
    assert (
        players["ada"].submit(f"{address}?action=draw+1", f"{address}/actions").status_code == 303
    )
    assert "draw 1" in players["ada"].get(address)
    refused = players["ada"].get(f"{address}?action=lay+marsh+9%2C9")
    assert 'id="attempt"' in refused
    assert ">BN-LAY-1</a>" in refused


def test_a_link_from_before_the_addresses_changed_leads_to_the_sandbox(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address = make_sandbox(players, game, service.games.queries.game(game).seq)
    response = players.visitor.get(address.replace("/sandboxes/", "/branches/"))
    assert (response.status_code, response.location) == (301, address)


def test_everybody_with_the_link_sees_a_sandbox_and_only_its_maker_changes_it(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony", private=True)
    address = make_sandbox(players, game, service.games.queries.game(game).seq)
    own = players["ada"].get(address)
    assert f"http://localhost{address}" in own
    page = players.visitor.get(address).text
    assert forms_of(page).keys() == {"/language", "/theme"}
    assert "grace" in own
    assert "grace" not in page
    assert "that you may not see" in page
    table = players.visitor.get(f"{address}/table").text
    assert "<table>" in table
    assert "grace" not in table
    assert "grace" in players["ada"].get(f"{address}/table")
    fields = forms_of(own)[f"{address}/bots"]
    forged = players["grace"].forge(address, f"{address}/bots", fields)
    assert forged.status_code == 403
    assert "only the player who made" in forged.text.lower()
    assert steps_of(service, address) == 0
    assert players["ada"].submit(address, f"{address}/deletion").status_code == 400
    deleted = players["ada"].submit(address, f"{address}/deletion", sure="yes")
    assert deleted.location == f"/games/{game}/sandboxes"
    assert players.visitor.get(address).status_code == 404


def test_a_sandbox_of_a_finished_game_can_be_made_by_every_player(
    players: PlayersOfPages, service: Service
) -> None:
    game = store_game(service, recorded_game("duke-of-two"))
    address = make_sandbox(players, game, 12, "hilda")
    page = players["hilda"].get(address)
    assert f'href="/games/{game}?seq=12"' in page
    listed = players["hilda"].get(f"/games/{game}/sandboxes")
    assert "After event 12, with 0 actions" in listed
    assert address in listed
    assert address not in players["grace"].get(f"/games/{game}/sandboxes")


def test_a_game_without_a_position_can_have_no_sandbox(players: PlayersOfPages) -> None:
    game = players.game("barony")
    address = f"/games/{game}/sandboxes"
    ada = players["ada"]
    for seq, status in (("1", 409), ("999", 404), ("x", 400), ("", 400)):
        response = ada.submit(address, address, seq=seq)
        assert response.status_code == status
        assert 'role="alert"' in response.text
    assert "only its players" in players["hilda"].get(address).lower()
    assert forms_of(players.visitor.get(address).text).keys() == {"/language", "/theme"}
    assert ada.client.get("/sandboxes/no-such-sandbox").status_code == 404
