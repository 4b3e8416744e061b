"""Personal tokens over HTTP: what their scopes allow, and that they end everywhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import redis

from service.accounts.tokens import TOKEN_CACHE_TTL
from service.bootstrap import build
from service.http.app import create_app
from service.http.scopes import OPERATION_SCOPES, operation_of
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, Json, PlayerClient, http_client
from tests.support.http_contract import Contract, invalid_fields
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

API = "/api/v1"
TOKENS = f"{API}/me/tokens"
SCOPES = ("read", "play", "chat", "webhooks")


def create(player: PlayerClient, *scopes: str, name: str = "my bot", days: int = 30) -> Json:
    response = player.http.post(TOKENS, json={"name": name, "scopes": scopes, "days": days})
    assert response.status_code == 201, response.text
    created: Json = response.json()
    return created


def bearer(token: Json) -> dict[str, str]:
    return {"Authorization": f"Bearer {token['token']}"}


def stored_text(client: redis.Redis) -> str:
    """Return the names of all keys, with the contents of strings and hashes, which accounts are made of."""
    parts = []
    for key in client.scan_iter("*"):
        kind = client.type(key)
        parts.append(repr(key))
        if kind == b"string":
            parts.append(repr(client.get(key)))
        elif kind == b"hash":
            parts.append(repr(client.hgetall(key)))
    return "".join(parts)


def test_tokens_are_created_listed_and_revoked(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    token = create(ada, "play", "read", name=" my bot ")
    assert re.fullmatch(r"cartulary_[\w-]{43}", token["token"])
    assert (token["name"], token["scopes"], token["used"]) == ("my bot", ["read", "play"], None)
    listed = ada.http.get(TOKENS).json()
    assert listed == {"tokens": [{k: v for k, v in token.items() if k != "token"}], "next": None}
    assert bea.http.get(TOKENS).json()["tokens"] == []
    path = f"{TOKENS}/{token['id']}"
    assert bea.http.delete(path).status_code == 404
    me = ada.http.get(f"{API}/me", headers=bearer(token))
    assert me.json()["player"]["id"] == ada.id
    (entry,) = ada.http.get(TOKENS).json()["tokens"]
    assert entry["used"] is not None
    assert ada.http.delete(path).status_code == 204
    assert ada.http.delete(path).status_code == 404
    assert ada.http.get(f"{API}/me", headers=bearer(token)).status_code == 401
    assert ada.http.get(TOKENS).json()["tokens"] == []

    valid = {"name": "x", "scopes": ["read"], "days": 1}
    for field, value in (
        *(("name", ""), ("name", " "), ("name", "x" * 61), ("name", "a\nb"), ("name", 7)),
        *(("scopes", []), ("scopes", ["admin"]), ("scopes", "read"), ("scopes", ["read"] * 5)),
        *(("days", 0), ("days", 367), ("days", "1"), ("days", None)),
    ):
        response = ada.http.post(TOKENS, json={**valid, field: value})
        assert response.status_code == 400, (field, value)
        assert invalid_fields(response) == {field}


def test_ending_other_sessions_leaves_the_tokens_which_are_revoked_together(
    accounts: Accounts,
) -> None:
    ada, bea = accounts.register(), accounts.register()
    tokens, other = [create(ada, "read") for _ in range(2)], create(bea, "read")
    assert ada.http.delete(f"{API}/me/sessions").status_code == 204
    for token in tokens:
        assert ada.http.get(f"{API}/me", headers=bearer(token)).status_code == 200
        assert ada.http.delete(TOKENS, headers=bearer(token)).status_code == 403
    assert ada.http.delete(TOKENS).status_code == 204
    assert ada.http.get(TOKENS).json()["tokens"] == []
    for token in tokens:
        assert ada.http.get(f"{API}/me", headers=bearer(token)).status_code == 401
    assert bea.http.get(f"{API}/me", headers=bearer(other)).status_code == 200


def test_a_player_has_a_bounded_number_of_tokens(accounts: Accounts) -> None:
    ada = accounts.register()
    tokens = [create(ada, "read") for _ in range(20)]
    body = {"name": "one more", "scopes": ["read"], "days": 1}
    assert ada.http.post(TOKENS, json=body).status_code == 409
    assert ada.http.delete(f"{TOKENS}/{tokens[7]['id']}").status_code == 204
    assert ada.http.post(TOKENS, json=body).status_code == 201


def test_only_hashes_of_tokens_are_stored(accounts: Accounts, redis_client: redis.Redis) -> None:
    ada = accounts.register()
    token = create(ada, "read")
    assert ada.http.get(f"{API}/me", headers=bearer(token)).status_code == 200
    stored = stored_text(redis_client)
    assert token["id"] in stored
    assert token["token"] not in stored
    assert token["token"].removeprefix("cartulary_") not in stored


def test_each_route_has_a_scope_in_the_table_or_needs_no_token(
    contract: Contract, tmp_path: Path, web_redis_urls: RedisUrls
) -> None:
    app = create_app(build(settings_for(web_redis_urls, tmp_path)))
    routes = {
        operation_of(method, rule.rule.removeprefix(API))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    public = {
        f"{method} {path.removeprefix(API).replace('{', '<').replace('}', '>')}"
        for method, path, operation in contract.operations()
        if not operation["security"]
    }
    undocumented = {
        route for route in routes if re.match("GET /(docs|openapi.json)", route) is not None
    }
    assert OPERATION_SCOPES.keys() == routes - public - undocumented
    assert not public & OPERATION_SCOPES.keys()


def test_every_operation_refuses_a_token_without_its_scope(
    accounts: Accounts, contract: Contract
) -> None:
    ada = accounts.register()
    tokens = {scope: bearer(create(ada, scope)) for scope in SCOPES}
    checked = 0
    for method, path, operation in contract.operations():
        if not operation["security"]:
            continue
        url = re.sub(r"{(seq|number|round)}", "1", path)
        url = re.sub(r"{\w+}", "unknown", url)
        for scope, headers in tokens.items():
            if scope == operation["x-scope"]:
                continue
            response = ada.http.request(method, url, headers=headers)
            assert response.status_code == 403, (method, url, scope, response.text)
            assert response.json()["scope"] == operation["x-scope"]
            assert 'error="insufficient_scope"' in response.headers["www-authenticate"]
            checked += 1
    assert checked > 300


def test_every_operation_accepts_a_token_with_its_scope_alone(
    accounts: Accounts, contract: Contract
) -> None:
    ada = accounts.register()
    tokens = {scope: bearer(create(ada, scope)) for scope in SCOPES}
    checked = 0
    for method, path, operation in contract.operations():
        if not operation["security"] or operation["x-scope"] is None:
            continue
        url = re.sub(r"{(seq|number|round)}", "1", path)
        url = re.sub(r"{\w+}", "unknown", url)
        # A stream has no end: only the status is read.
        headers = tokens[operation["x-scope"]]
        with ada.http.stream(method, url, headers=headers) as response:
            assert response.status_code != 401, (method, url)
            assert "www-authenticate" not in response.headers, (method, url)
        checked += 1
    assert checked > 80


def test_no_scope_covers_the_account(accounts: Accounts) -> None:
    ada = accounts.register()
    everything = bearer(create(ada, *SCOPES))
    for method, path in (
        *(("GET", "/me/tokens"), ("POST", "/me/tokens"), ("DELETE", "/me"), ("PATCH", "/me")),
        *(("PUT", "/me/password"), ("POST", "/me/email"), ("GET", "/me/sessions")),
        *(("DELETE", "/me/sessions"), ("DELETE", "/tokens/current"), ("POST", "/me/keys")),
        *(("DELETE", "/me/keys/unknown"), ("GET", "/admin/players"), ("POST", "/me/feeds")),
    ):
        response = ada.http.request(method, API + path, headers=everything)
        assert response.status_code == 403, (method, path)
        assert response.json()["scope"] is None
    assert (
        ada.http.post(
            f"{API}/me/email", json={"email": "ada@example.org", "password": "correct horse"}
        ).status_code
        == 200
    )
    own = ada.http.get(f"{API}/me").json()["player"]
    seen = ada.http.get(f"{API}/me", headers=everything).json()["player"]
    assert own["email"] == "ada@example.org"
    assert (seen["email"], seen["email_status"]) == (None, None)


def test_a_program_plays_and_chats_with_a_token(accounts: Accounts) -> None:
    game_id, (ada, _) = accounts.start_game()
    token = create(ada, "read", "play", "chat")
    program = http_client(accounts.url, accounts.contract, token["token"])
    with program:
        legal = program.get(f"{API}/games/{game_id}/legal-actions").json()
        body = {"action": legal["actions"][0], "expected_seq": legal["seq"]}
        assert program.post(f"{API}/games/{game_id}/actions", json=body).status_code == 201
        messages = f"{API}/games/{game_id}/messages"
        assert program.post(messages, json={"text": "hello"}).status_code == 201
        assert program.get(f"{API}/me/webhooks").status_code == 403


def test_a_refusal_for_its_scope_reveals_nothing_of_a_private_game(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    private = ada.create_game(options={"private": True})
    for player in (ada, bea):
        headers = bearer(create(player, "chat"))
        details = {
            player.http.get(f"{API}/games/{id}", headers=headers).json()["detail"]
            for id in (private, "unknown")
        }
        assert len(details) == 1
    readable = bearer(create(bea, "read"))
    assert bea.http.get(f"{API}/games/{private}", headers=readable).status_code == 404


def test_a_webhook_ends_with_the_token_that_registered_it(accounts: Accounts) -> None:
    ada = accounts.register()
    first, second = create(ada, "webhooks"), create(ada, "webhooks")
    path, body = f"{API}/me/webhooks", {"url": "https://example.org/games"}
    kept = [
        ada.http.post(path, json=body).json()["id"],
        ada.http.post(path, json=body, headers=bearer(second)).json()["id"],
    ]
    ended = ada.http.post(path, json=body, headers=bearer(first)).json()["id"]
    assert len(ada.http.get(path).json()["webhooks"]) == 3
    assert ada.http.delete(f"{TOKENS}/{first['id']}").status_code == 204
    listed = ada.http.get(path).json()["webhooks"]
    assert sorted(webhook["id"] for webhook in listed) == sorted(kept)
    assert ada.http.post(f"{path}/{ended}/test").status_code == 404


@pytest.fixture(scope="module")
def other_web(
    web: WebServer, web_redis_urls: RedisUrls, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WebServer]:
    """A second web process of the same service."""
    with WebServer(web.settings) as server:
        yield server


def test_a_revoked_token_ends_in_every_process_with_its_streams(
    accounts: Accounts, other_web: WebServer
) -> None:
    ada = accounts.register()
    game = ada.create_game()
    token = create(ada, "read")
    headers = bearer(token)
    me, stream = f"{other_web.url}{API}/me", f"{other_web.url}{API}/games/{game}/stream"
    assert httpx.get(me, headers=headers).status_code == 200
    with httpx.stream("GET", stream, headers=headers, timeout=HANG_SECONDS) as response:
        assert response.status_code == 200
        assert ada.http.delete(f"{TOKENS}/{token['id']}").status_code == 204
        # The other process may trust what it has cached for TOKEN_CACHE_TTL, but opens no stream with it.
        assert httpx.get(stream, headers=headers).status_code == 401
        for _ in response.iter_bytes():
            pass  # the server ends the stream: otherwise this would never end
    wait_until(lambda: httpx.get(me, headers=headers).status_code == 401)
    assert TOKEN_CACHE_TTL.total_seconds() <= 5


def test_erasure_deletes_tokens(accounts: Accounts, redis_client: redis.Redis) -> None:
    ada = accounts.register()
    token = create(ada, "read", name="unmistakable name")
    assert (
        ada.http.request("DELETE", f"{API}/me", json={"password": "correct horse"}).status_code
        == 204
    )
    assert accounts.anonymous.get(f"{API}/me", headers=bearer(token)).status_code == 401
    stored = stored_text(redis_client)
    assert token["id"] not in stored
    assert "unmistakable name" not in stored
