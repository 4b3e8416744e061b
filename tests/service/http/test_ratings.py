"""Rated games and the ratings of players over HTTP."""

import pytest

from tests.support.accounts import Accounts, http_client
from tests.support.http_contract import invalid_fields

RATED = {"rated": True}


@pytest.mark.http("POST /games", 201, 400)
def test_a_game_is_rated_if_its_creator_says_so(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "barony", "seats": 2}
    plain = ada.http.post("/api/v1/games", json=body).json()
    assert "rated" not in plain["options"]
    game = ada.http.post("/api/v1/games", json={**body, "options": RATED}).json()
    assert game["options"]["rated"] is True
    for fields in (
        {"options": {"rated": 1}},
        {"options": {"rated": True, "private": True}},
        {"options": {"rated": True, "tutorial": True}},
        {"options": RATED, "bots": ["random"]},
    ):
        response = ada.http.post("/api/v1/games", json={**body, **fields})
        assert (response.status_code, invalid_fields(response)) == (400, {"options.rated"})


@pytest.mark.http("POST /games/ID/bots", 409)
@pytest.mark.http("POST /games/ID/players", 201, 409)
def test_bots_and_guests_cannot_play_in_a_rated_game(accounts: Accounts) -> None:
    ada = accounts.register()
    game, plain = ada.create_game(3, options=RATED), ada.create_game(3)
    assert ada.http.post(f"/api/v1/games/{game}/bots").status_code == 409
    assert ada.http.post(f"/api/v1/games/{plain}/bots").status_code == 201
    created = accounts.anonymous.post("/api/v1/guests").json()
    with http_client(accounts.url, accounts.contract, created["token"]) as guest:
        body = {"rules": "barony", "seats": 2, "options": RATED}
        response = guest.post("/api/v1/games", json=body)
        assert (response.status_code, invalid_fields(response)) == (400, {"options.rated"})
        assert guest.post(f"/api/v1/games/{game}/players").status_code == 409
        assert guest.post(f"/api/v1/games/{plain}/players").status_code == 201
        named = guest.put(
            "/api/v1/me/handle",
            json={"handle": f"{ada.handle}-friend", "password": "correct horse battery"},
        )
        assert named.status_code == 200
        assert guest.post(f"/api/v1/games/{game}/players").status_code == 201


@pytest.mark.http("POST /games/ID/substitutes", 201, 409)
def test_a_guest_cannot_be_a_substitute_in_a_rated_game(accounts: Accounts) -> None:
    options = {"rated": True, "substitutes": True, "seating": "joined"}
    game, players = accounts.start_game(3, options=options)
    assert players[1].http.delete(f"/api/v1/games/{game}/seats/me").status_code == 200
    created = accounts.anonymous.post("/api/v1/guests").json()
    path = f"/api/v1/games/{game}/substitutes"
    with http_client(accounts.url, accounts.contract, created["token"]) as guest:
        assert guest.post(path, json={"seat": 1}).status_code == 409
    assert accounts.register().http.post(path, json={"seat": 1}).status_code == 201
