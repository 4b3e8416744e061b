"""Accounts that their owners mark as bots: programs play for them, others see it, and no game is rated."""

from tests.support.accounts import Accounts

BOT = "/api/v1/me/bot"


def test_a_bot_is_marked_in_games_and_plays_in_no_rated_game(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    assert "bot" not in ada.http.get("/api/v1/me").json()["player"]
    waiting = ada.create_game()
    assert ada.http.put(BOT).status_code == 409
    assert ada.http.delete(f"/api/v1/games/{waiting}/players/me").status_code == 204
    assert ada.http.put(BOT).json()["player"]["bot"] is True
    assert ada.http.put(BOT).status_code == 200
    assert ada.http.get("/api/v1/me").json()["player"]["bot"] is True

    rated = {"rules": "barony", "seats": 2, "options": {"rated": True}}
    assert ada.http.post("/api/v1/games", json=rated).status_code == 400
    open_game = bea.http.post("/api/v1/games", json=rated).json()["id"]
    refused = ada.http.post(f"/api/v1/games/{open_game}/players")
    assert refused.status_code == 409
    assert refused.json()["detail"] == "bots cannot play in a rated game"

    # It is challenged, and plays, like a person.
    game = bea.create_game(invite=[ada.handle])
    ada.join(game)
    players = bea.http.get(f"/api/v1/games/{game}").json()["players"]
    assert [player.get("program", False) for player in players] == [False, True]
    assert players[1]["handle"] == ada.handle


def test_a_guest_cannot_be_marked_as_a_bot(accounts: Accounts) -> None:
    guest = accounts.anonymous.post("/api/v1/guests").json()
    headers = {"Authorization": f"Bearer {guest['token']}"}
    assert accounts.anonymous.put(BOT, headers=headers).status_code == 409
