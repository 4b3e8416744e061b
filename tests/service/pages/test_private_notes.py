"""Private notes on the pages of the replay: only their author sees them."""

import pytest
from flask import Flask

from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def test_a_player_writes_private_notes_on_events(players: PlayersOfPages) -> None:
    game = players.game("barony")
    ada, page = players["ada"], f"/games/{game}?seq=3"
    form = f"/games/{game}/notes"
    assert ada.submit(page, form, text="Why\r\n<b>here</b>?").status_code == 303
    shown = ada.get(page)
    assert 'class="card notes no-print" open' in shown
    assert ">Why\n&lt;b&gt;here&lt;/b&gt;?</textarea>" in shown
    assert (
        f'href="/games/{game}?seq=3">event 3</a>'.lower() in ada.get(f"/games/{game}?seq=2").lower()
    )
    assert "My note:" in ada.get(f"/games/{game}/log")
    for other in ("grace", "eve"):
        for address in (page, f"/games/{game}/log", f"/games/{game}"):
            assert "here&lt;/b&gt;" not in players[other].get(address)
    assert form not in players.visitor.get(page).text
    assert ada.submit(page, form, text="x" * 1001).status_code == 400
    # An empty note is none.
    assert ada.submit(page, form, text=" ").status_code == 303
    assert "My note:" not in ada.get(f"/games/{game}/log")
