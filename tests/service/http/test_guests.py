"""Guests over HTTP: players without a password, who choose a handle later."""

from tests.support.accounts import PASSWORD, Accounts, http_client
from tests.support.http_contract import invalid_fields


def test_a_guest_plays_and_chooses_a_handle_later(accounts: Accounts) -> None:
    created = accounts.anonymous.post("/api/v1/guests", json={"locale": "fr"})
    guest = created.json()["player"]
    assert guest["handle"].startswith("guest-")
    assert (guest["guest"], guest["locale"]) == (True, "fr")
    with http_client(accounts.url, accounts.contract, created.json()["token"]) as client:
        game = client.post("/api/v1/games", json={"rules": "barony", "seats": 2}).json()
        taken = accounts.register().handle
        body = {"handle": taken, "password": PASSWORD}
        assert client.put("/api/v1/me/handle", json=body).status_code == 409
        wrong = client.put("/api/v1/me/handle", json={"handle": "-", "password": "short"})
        assert (wrong.status_code, invalid_fields(wrong)) == (400, {"handle", "password"})
        chosen = f"{taken}-friend"
        named = client.put("/api/v1/me/handle", json={**body, "handle": chosen}).json()["player"]
        assert named == client.get("/api/v1/me").json()["player"]
        assert named == {
            **{name: value for name, value in guest.items() if name != "guest"},
            "handle": chosen,
        }
        (player,) = client.get(f"/api/v1/games/{game['id']}").json()["players"]
        assert player["id"] == guest["id"]
        again = client.put("/api/v1/me/handle", json={**body, "handle": f"{chosen}2"})
        assert again.status_code == 409
    login = {"handle": chosen, "password": PASSWORD}
    assert accounts.anonymous.post("/api/v1/tokens", json=login).status_code == 201
    invalid = accounts.anonymous.post("/api/v1/guests", json={"locale": "?", "handle": "x"})
    assert invalid_fields(invalid) == {"handle"}
    assert accounts.anonymous.post("/api/v1/guests", json={"locale": "?"}).status_code == 400


def test_a_guest_is_erased_without_a_password(accounts: Accounts) -> None:
    created = accounts.anonymous.post("/api/v1/guests").json()
    with http_client(accounts.url, accounts.contract, created["token"]) as client:
        response = client.request("DELETE", "/api/v1/me", json={})
        assert response.status_code == 204
        assert client.get("/api/v1/me").status_code == 401
