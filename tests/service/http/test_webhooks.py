"""The webhooks of a player over HTTP."""

import pytest

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields

URL = "https://example.org/games"


@pytest.mark.http("POST /me/webhooks", 201, 400, 401, 409)
@pytest.mark.http("GET /me/webhooks", 200, 401)
@pytest.mark.http("DELETE /me/webhooks/WEBHOOK", 204, 404, 401)
def test_webhooks_are_registered_listed_and_removed(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    path = "/api/v1/me/webhooks"
    ids = []
    for _ in range(5):
        webhook = ada.http.post(path, json={"url": URL}).json()
        assert webhook["secret"].startswith("whsec_")
        ids.append(webhook["id"])
    assert ada.http.post(path, json={"url": URL}).status_code == 409
    listed = ada.http.get(path).json()["webhooks"]
    assert sorted(webhook["id"] for webhook in listed) == sorted(ids)
    assert "whsec_" not in str(listed)
    for url in ("", "ftp://example.org", "http://127.0.0.1/", "http://[::1]:80/", None, 7):
        response = bea.http.post(path, json={"url": url})
        assert response.status_code == 400
        assert invalid_fields(response) == {"url"}
    assert bea.http.delete(f"{path}/{ids[0]}").status_code == 404
    assert ada.http.delete(f"{path}/{ids[0]}").status_code == 204
    assert len(ada.http.get(path).json()["webhooks"]) == 4
    for response in (
        accounts.anonymous.get(path),
        accounts.anonymous.post(path, json={"url": URL}),
        accounts.anonymous.delete(f"{path}/{ids[1]}"),
    ):
        assert response.status_code == 401


@pytest.mark.http("POST /me/webhooks/WEBHOOK/test", 204, 404)
@pytest.mark.http("POST /me/webhooks/WEBHOOK/enable", 200, 404)
def test_a_webhook_can_be_tested_and_enabled_by_its_owner_only(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    id = ada.http.post("/api/v1/me/webhooks", json={"url": URL}).json()["id"]
    path = f"/api/v1/me/webhooks/{id}"
    assert ada.http.post(f"{path}/test").status_code == 204
    enabled = ada.http.post(f"{path}/enable").json()
    assert (enabled["failures"], enabled["disabled_at"]) == (0, None)
    for call in ("test", "enable"):
        assert bea.http.post(f"{path}/{call}").status_code == 404


@pytest.mark.http("POST /me/webhooks/WEBHOOK/test", 429)
def test_a_player_can_request_twenty_tests_in_an_hour(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    paths = [
        f"/api/v1/me/webhooks/{player.http.post('/api/v1/me/webhooks', json={'url': URL}).json()['id']}/test"
        for player in (ada, bea)
    ]
    statuses = [ada.http.post(paths[0]).status_code for _ in range(21)]
    assert statuses == [204] * 20 + [429]
    refusal = ada.http.post(paths[0])
    assert 0 < int(refusal.headers["retry-after"]) <= 3600
    assert bea.http.post(paths[1]).status_code == 204


@pytest.mark.http("GET /me/webhooks", 400)
@pytest.mark.http("POST /me/webhooks", 413, 415)
@pytest.mark.http("POST /me/webhooks/WEBHOOK/test", 401)
@pytest.mark.http("POST /me/webhooks/WEBHOOK/enable", 401)
@pytest.mark.http("GET /me/push", 400)
@pytest.mark.http("POST /me/push", 413, 415)
@pytest.mark.http("POST /me/email", 413, 415)
def test_requests_of_another_form_are_refused(accounts: Accounts) -> None:
    ada = accounts.register()
    for path in ("webhooks", "push"):
        assert ada.http.get(f"/api/v1/me/{path}?all=yes").status_code == 400
    for path in ("webhooks", "push", "email"):
        address = f"/api/v1/me/{path}"
        assert ada.http.post(address, json={"url": "x" * 65536}).status_code == 413
        assert ada.http.post(address, data={"url": URL}).status_code == 415
    for call in ("test", "enable"):
        response = accounts.anonymous.post(f"/api/v1/me/webhooks/abc/{call}")
        assert response.status_code == 401
