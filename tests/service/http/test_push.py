"""The push subscriptions of a player over HTTP, and on the pages."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid.utils import b64urlencode  # type: ignore[import-untyped] # has no annotations

from tests.support.accounts import PASSWORD, Accounts
from tests.support.http_contract import invalid_fields


def test_subscriptions_are_added_listed_and_removed(accounts: Accounts) -> None:
    ada, path = accounts.register(), "/api/v1/me/push"
    assert len(ada.http.get(path).json()["public_key"]) == 87
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    p256dh = b64urlencode(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
    body = {"endpoint": "https://push.example.org/a", "p256dh": p256dh, "auth": "A" * 22}
    response = ada.http.post(path, json=body)
    assert response.status_code == 201
    assert ada.http.get(path).json()["subscriptions"] == [response.json()]
    assert response.json()["current"] is True
    session = accounts.anonymous.post(
        "/api/v1/tokens", json={"handle": ada.handle, "password": PASSWORD}
    ).json()["token"]
    header = {"Authorization": f"Bearer {session}"}
    (elsewhere,) = accounts.anonymous.get(path, headers=header).json()["subscriptions"]
    assert elsewhere == {**response.json(), "current": False}
    body["endpoint"] = "https://push.example.org/b"
    other = accounts.anonymous.post(path, json=body, headers=header)
    assert len(ada.http.get(path).json()["subscriptions"]) == 2
    assert ada.http.delete("/api/v1/me/sessions").status_code == 204
    assert [entry["id"] for entry in ada.http.get(path).json()["subscriptions"]] == [
        response.json()["id"]
    ]
    assert ada.http.delete(f"{path}/{other.json()['id']}").status_code == 404
    refused = ada.http.post(path, json={**body, "endpoint": "http://127.0.0.1/", "auth": "x"})
    assert refused.status_code == 400
    assert invalid_fields(refused) == {"endpoint", "auth"}
    address = f"{path}/{response.json()['id']}"
    assert ada.http.delete(address).status_code == 204
    assert ada.http.delete(address).status_code == 404
