"""The e-mail address of a player over HTTP."""

from tests.support.accounts import PASSWORD, Accounts
from tests.support.http_contract import invalid_fields


def test_an_address_is_set_unconfirmed_and_can_be_removed(accounts: Accounts) -> None:
    ada = accounts.register()
    for address, stored in [
        ("ada@example.org", "ada@example.org"),
        ("ada@EXAMPLE.ORG", "ada@example.org"),
        ("zoë@bücher.example", "zoë@bücher.example"),
    ]:
        body = {"email": address, "password": PASSWORD}
        player = ada.http.post("/api/v1/me/email", json=body).json()["player"]
        assert (player["email"], player["email_status"]) == (stored, "unconfirmed")
    body = {"password": PASSWORD}
    assert ada.http.request("DELETE", "/api/v1/me/email", json=body).status_code == 204
    player = ada.http.get("/api/v1/me").json()["player"]
    assert (player["email"], player["email_status"]) == (None, None)


def test_another_address_needs_the_password(accounts: Accounts) -> None:
    ada = accounts.register()
    address = {"email": "ada@example.org"}
    for method, body in (("POST", address), ("DELETE", {})):
        missing = ada.http.request(method, "/api/v1/me/email", json=body)
        assert (missing.status_code, invalid_fields(missing)) == (400, {"password"})
        wrong = {**body, "password": "wrong horse"}
        assert ada.http.request(method, "/api/v1/me/email", json=wrong).status_code == 403
        right = {**body, "password": PASSWORD}
        assert ada.http.request(method, "/api/v1/me/email", json=right).status_code in (200, 204)
        if method == "POST":
            # The same address again, for another mail, needs none.
            assert ada.http.post("/api/v1/me/email", json=address).status_code == 200
    guest = accounts.anonymous.post("/api/v1/guests").json()
    headers = {"Authorization": f"Bearer {guest['token']}"}
    for method, sent in (("POST", {"email": "guest@example.org"}), ("DELETE", None)):
        response = accounts.anonymous.request(
            method, "/api/v1/me/email", json=sent, headers=headers
        )
        assert response.status_code in (200, 204), response.text


def test_an_invalid_address_is_refused_and_changes_nothing(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"email": "ada@example.org", "password": PASSWORD}
    ada.http.post("/api/v1/me/email", json=body)
    for text in ["", "ada", "ada@localhost", "a@b.org,c@d.org", "a@b.org\r\nBcc: c@d.org", None, 7]:
        response = ada.http.post("/api/v1/me/email", json={**body, "email": text})
        assert response.status_code == 400
        assert invalid_fields(response) == {"email"}
    assert ada.http.get("/api/v1/me").json()["player"]["email"] == "ada@example.org"
    body = {"email": "bob@example.org"}


def test_the_address_of_a_registration_is_unconfirmed(accounts: Accounts) -> None:
    body = {"handle": "Zora.7", "password": PASSWORD, "email": "Zora@Example.org"}
    player = accounts.anonymous.post("/api/v1/players", json=body).json()["player"]
    assert (player["email"], player["email_status"]) == ("Zora@example.org", "unconfirmed")
