"""Adding bots to games over HTTP."""

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields


def test_the_creator_fills_a_game_with_bots(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game(3)
    first = ada.http.post(f"/api/v1/games/{game}/bots")
    assert first.json()["players"] == [
        {"id": ada.id, "handle": ada.handle, "seat": None},
        {"id": "sensible-bot-1", "handle": "sensible-bot-1", "seat": None, "bot": "sensible"},
    ]
    body = {"bot": "random", "nonce": "00ff"}
    second = ada.http.post(f"/api/v1/games/{game}/bots", json=body)
    assert second.json()["status"] == "playing"
    assert [player.get("bot") for player in second.json()["players"]] == [
        None,
        "sensible",
        "random",
    ]
    assert ada.http.post(f"/api/v1/games/{game}/bots", json=body).status_code == 409
    events = ada.http.get(f"/api/v1/games/{game}/events").json()["events"]
    assert [event["data"].get("bot") for event in events if event["type"] == "SeatTaken"] == [
        None,
        "sensible",
        "random",
    ]


def test_a_game_is_created_with_bots(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "baron", "seats": 3, "bots": ["random", "random"]}
    game = ada.http.post("/api/v1/games", json=body).json()
    assert game["status"] == "playing"
    assert sorted(player["id"] for player in game["players"] if "bot" in player) == [
        "random-bot-1",
        "random-bot-2",
    ]
    assert game == ada.http.get(f"/api/v1/games/{game['id']}").json()
    for bots, wrong in (
        (["clever"], {"bots.0"}),
        (["random"] * 3, {"bots"}),
        (["random"] * 100, {"bots"}),
        ("random", {"bots"}),
    ):
        response = ada.http.post("/api/v1/games", json={**body, "bots": bots})
        assert (response.status_code, invalid_fields(response)) == (400, wrong)
    response = ada.http.post("/api/v1/games", json={**body, "seats": "x", "bots": ["clever"]})
    assert invalid_fields(response) == {"seats", "bots.0"}


def test_requests_for_bots_are_refused_like_those_for_places(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(3)
    path = f"/api/v1/games/{game}/bots"
    assert bea.http.post(path).status_code == 403
    for body, wrong in (
        ({"bot": "clever"}, {"bot"}),
        ({"bot": 5, "nonce": "x", "seat": 1}, {"bot", "nonce", "seat"}),
        ({"bot": "clever", "nonce": "x"}, {"bot", "nonce"}),
    ):
        response = ada.http.post(path, json=body)
        assert (response.status_code, invalid_fields(response)) == (400, wrong)
    key = {"Idempotency-Key": "a-bot"}
    assert ada.http.post(path, headers=key).json() == ada.http.post(path, headers=key).json()
    assert ada.http.post(path, json={"bot": "random"}, headers=key).status_code == 422
    assert len(ada.http.get(f"/api/v1/games/{game}").json()["players"]) == 2


def test_a_bot_is_neither_invited_nor_the_arbiter(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "baron", "seats": 2}
    game = ada.http.post("/api/v1/games", json={**body, "bots": ["random"]}).json()
    (bot,) = (player["handle"] for player in game["players"] if "bot" in player)
    response = ada.http.post("/api/v1/games", json={**body, "invite": [bot], "arbiter": bot})
    assert (response.status_code, invalid_fields(response)) == (400, {"invite.0", "arbiter"})
