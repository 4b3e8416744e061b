"""The webhooks of a player over HTTP."""

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields

URL = "https://example.org/games"


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


def test_a_webhook_can_be_tested_and_enabled_by_its_owner_only(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    id = ada.http.post("/api/v1/me/webhooks", json={"url": URL}).json()["id"]
    path = f"/api/v1/me/webhooks/{id}"
    assert ada.http.post(f"{path}/test").status_code == 204
    enabled = ada.http.post(f"{path}/enable").json()
    assert (enabled["failures"], enabled["disabled_at"]) == (0, None)
    for call in ("test", "enable"):
        assert bea.http.post(f"{path}/{call}").status_code == 404


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
