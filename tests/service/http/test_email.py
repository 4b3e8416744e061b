"""The e-mail address of a player over HTTP."""

import pytest

from tests.support.accounts import PASSWORD, Accounts
from tests.support.http_contract import invalid_fields


@pytest.mark.http("POST /me/email", 200)
@pytest.mark.http("DELETE /me/email", 204)
def test_an_address_is_set_unconfirmed_and_can_be_removed(accounts: Accounts) -> None:
    ada = accounts.register()
    for address, stored in [
        ("ada@example.org", "ada@example.org"),
        ("ada@EXAMPLE.ORG", "ada@example.org"),
        ("zoë@bücher.example", "zoë@bücher.example"),
    ]:
        player = ada.http.post("/api/v1/me/email", json={"email": address}).json()["player"]
        assert (player["email"], player["email_status"]) == (stored, "unconfirmed")
    assert ada.http.delete("/api/v1/me/email").status_code == 204
    player = ada.http.get("/api/v1/me").json()["player"]
    assert (player["email"], player["email_status"]) == (None, None)


@pytest.mark.http("POST /me/email", 400, 401)
@pytest.mark.http("DELETE /me/email", 401)
def test_what_is_no_address_is_refused_and_changes_nothing(accounts: Accounts) -> None:
    ada = accounts.register()
    ada.http.post("/api/v1/me/email", json={"email": "ada@example.org"})
    for text in ["", "ada", "ada@localhost", "a@b.org,c@d.org", "a@b.org\r\nBcc: c@d.org", None, 7]:
        response = ada.http.post("/api/v1/me/email", json={"email": text})
        assert response.status_code == 400
        assert invalid_fields(response) == {"email"}
    assert ada.http.get("/api/v1/me").json()["player"]["email"] == "ada@example.org"
    body = {"email": "bob@example.org"}
    assert accounts.anonymous.post("/api/v1/me/email", json=body).status_code == 401
    assert accounts.anonymous.delete("/api/v1/me/email").status_code == 401


def test_the_address_of_a_registration_is_unconfirmed(accounts: Accounts) -> None:
    body = {"handle": "Zora.7", "password": PASSWORD, "email": "Zora@Example.org"}
    player = accounts.anonymous.post("/api/v1/players", json=body).json()["player"]
    assert (player["email"], player["email_status"]) == ("Zora@example.org", "unconfirmed")
