"""Comments on games that are over, on their pages."""

import pytest
from flask import Flask

from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def test_a_spectator_comments_on_a_game_that_is_over(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address = f"/games/{game}/comments"
    assert "when the game is over" in players["eve"].get(address)
    assert address not in players["eve"].get(f"/games/{game}")
    service.administration.abandon("operator", game, "a test")
    text = "<b>Why</b>\r\nhere?"
    assert players["eve"].submit(address, address, text=text, seq="3").status_code == 303
    for page in (address, f"/games/{game}"):
        for shown in (players["ada"].get(page), players.visitor.get(page).text):
            assert "&lt;b&gt;Why&lt;/b&gt;\nhere?</p>" in shown
            assert f'href="/games/{game}?seq=3"' in shown
    assert f"{address}/1/erase" not in players["ada"].get(address)
    reported = players["ada"].submit(address, f"{address}/1/report", reason="rude")
    assert "Comment 1 is reported" in reported.text
    refused = players["eve"].submit(address, address, text="x" * 1001)
    assert (refused.status_code, "at most 1000 characters" in refused.text) == (400, True)
    assert "Log in to write a comment" in players.visitor.get(address).text
    assert players["eve"].submit(address, f"{address}/1/erase").status_code == 303
    assert "The message was erased." in players["ada"].get(address)
