"""The page on which a player chooses the notifications of one game."""

import pytest
from flask import Flask

from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def test_a_player_mutes_a_game_on_its_page(players: PlayersOfPages, service: Service) -> None:
    game = players.game("baron")
    address = f"/games/{game}/notifications"
    ada = players["ada"]
    assert f'href="{address}"' in ada.get(f"/games/{game}")
    assert 'value="all" checked' in ada.get(address)
    assert ada.submit(address, address, notify="none").location == address
    assert 'value="none" checked' in ada.get(address)
    assert service.notifications.preferences.choices_in_game(game, [ada.id]) == ["none"]
    assert 'value="all" checked' in players["grace"].get(address)
    assert ada.submit(address, address, notify="loud").status_code == 400


def test_only_players_of_a_game_have_notifications_of_it(players: PlayersOfPages) -> None:
    public, private = players.game("baron"), players.game("baron", private=True)
    assert players.visitor.get(f"/games/{public}/notifications").status_code == 302
    eve = players["eve"]
    assert eve.client.get(f"/games/{public}/notifications").status_code == 403
    assert eve.client.get(f"/games/{private}/notifications").status_code == 404
    refused = eve.forge("/", f"/games/{public}/notifications", {"notify": "none"})
    assert refused.status_code == 403
    assert f'href="/games/{public}/notifications"' not in eve.get(f"/games/{public}")
