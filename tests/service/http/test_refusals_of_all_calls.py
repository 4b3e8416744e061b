"""What every call of the API refuses, for each operation in the OpenAPI document.

The tests of a feature need not repeat it: no token where one is needed, an invalid token, a body that is too
large or not declared as JSON, unknown fields of a body or a query, a private game that one may not see, and
whoever is no administrator.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis

from service import wall_clock
from service.bootstrap import build
from service.http.app import create_app
from tests.service.conftest import settings_for
from tests.support.accounts import PASSWORD, Accounts, Json, PlayerClient
from tests.support.administrators import (
    ADMIN,
    ANNOUNCEMENT,
    WHY,
    ended_delivery,
    reported_message,
    uploaded_record,
)
from tests.support.http_contract import Contract, invalid_fields
from tests.support.redis_kinds import RedisUrls
from tests.support.tournaments import settings

API = "/api/v1"
INVALID = ("Bearer wrong", "Bearer cartulary_wrong", "Bearer", "Basic YWRhOnB3", "", "x" * 5000)
JSON_BODY = {"Content-Type": "application/json"}


@pytest.fixture
def player(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """Ada, who plays in the game of `arguments`, and is an administrator."""
    player = accounts.register()
    redis_client.hset(f"cartulary:player:{player.id}", "role", "admin")
    return player


@pytest.fixture
def arguments(
    accounts: Accounts, player: PlayerClient, redis_client: redis.Redis
) -> Iterator[dict[str, str]]:
    """What stands for the arguments of a path: a public game, and what else a call is about."""
    ada, bea = player, accounts.register()
    game = ada.create_game(2, options={"takebacks": True})
    bea.join(game)
    url = f"{API}/games/{game}"
    assert ada.act(game).status_code == 201
    takeback = ada.http.post(f"{url}/takebacks", json={}).json()["events"][0]["seq"]
    refusal = bea.http.post(f"{url}/takebacks/{takeback}/answers", json={"agree": False})
    assert refusal.status_code == 201, refusal.text
    body = {"seq": 4, "statement": "I object."}
    dispute = ada.http.post(f"{url}/disputes", json=body).json()["events"][0]["seq"]
    sandbox = ada.http.post(f"{API}/sandboxes", json={"game": game}).json()["id"]
    message = ada.http.post(f"{url}/messages", json={"text": "hello"}).json()["message"]
    club = ada.http.post(f"{API}/clubs", json={"name": f"Club of {ada.handle}"}).json()["id"]
    tournament = settings(wall_clock.now() + timedelta(days=1))
    announcement = ada.http.post(f"{ADMIN}/announcements", json=ANNOUNCEMENT).json()["id"]
    yield {
        "{game_id}": game,
        "{game}": game,
        "admin/players/{id}": f"admin/players/{bea.id}",
        "{delivery}": ended_delivery(redis_client, ada.id, game),
        "{report}": reported_message(ada, bea, game, redis_client),
        "{club}": club,
        "{tournament}": ada.http.post(f"{API}/tournaments", json=tournament).json()["id"],
        "{announcement}": announcement,
        "{imported}": uploaded_record(ada),
        "{sandbox_id}": sandbox,
        "takebacks/{seq}": f"takebacks/{takeback}",
        "disputes/{seq}": f"disputes/{dispute}",
        "messages/{number}": f"messages/{message}",
        "{seq}": "1",
        "{number}": "1",
        "{round}": "1",
    }
    ada.http.request("DELETE", f"{ADMIN}/announcements/{announcement}", json=WHY)


def filled(path: str, arguments: dict[str, str]) -> str:
    """Return a path with these arguments, and with `unknown` for all others."""
    for argument, value in arguments.items():
        path = path.replace(argument, value)
    return re.sub("{[^}]*}", "unknown", path)


def test_every_call_that_needs_a_token_refuses_a_request_without_one(
    accounts: Accounts, contract: Contract, arguments: dict[str, str]
) -> None:
    calls = 0
    for method, path, operation in contract.operations():
        if operation["security"] == [{"token": []}]:
            response = accounts.anonymous.request(method, filled(path, arguments))
            assert response.status_code == 401, (method, path, response.text)
            calls += 1
    assert calls > 120


def test_every_call_refuses_a_body_that_cannot_be_read_and_unknown_fields(
    accounts: Accounts, contract: Contract, player: PlayerClient, arguments: dict[str, str]
) -> None:
    calls = 0
    for method, path, operation in contract.operations():
        body: Json = operation.get("requestBody", {}).get("content", {})
        if "application/json" not in body:
            continue
        client = player.http if operation["security"] else accounts.anonymous
        url, call = filled(path, arguments), f"{method} {path}"
        large = client.request(method, url, content=b"x" * 70_000, headers=JSON_BODY)
        assert large.status_code == 413, (call, large.text)
        assert client.request(method, url, content=b"{}").status_code == 415, call
        unknown = client.request(method, url, json={"unknown-field": 1})
        assert unknown.status_code == 400, (call, unknown.text)
        assert "unknown-field" in invalid_fields(unknown), (call, unknown.text)
        calls += 1
    assert calls > 60


def test_every_call_with_a_query_refuses_unknown_parameters(
    contract: Contract, player: PlayerClient, arguments: dict[str, str]
) -> None:
    calls = 0
    for method, path, operation in contract.operations():
        if method == "GET" and "400" in operation["responses"]:
            response = player.http.get(filled(path, arguments), params={"unknown-field": "1"})
            assert response.status_code == 400, (path, response.text)
            assert "unknown-field" in invalid_fields(response), path
            calls += 1
    assert calls > 60


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}], ids=["valid", "wrong"])
@pytest.mark.parametrize("is_known", [True, False], ids=["another player", "no token"])
def test_nothing_distinguishes_a_private_game_from_one_that_does_not_exist(
    accounts: Accounts, contract: Contract, is_known: bool, headers: dict[str, str]
) -> None:
    private = accounts.register().create_game(options={"private": True})
    client = accounts.register().http if is_known else accounts.anonymous
    for method, path, operation in contract.operations():
        if "{game_id}" not in path:
            continue
        sent: list[Json] = [{"params": {"unknown-field": "1"}}, {}]
        if "requestBody" in operation:
            sent = [{"content": content} for content in (b"", b"{}", b"no json")]
            sent.append({"json": {"unknown-field": 1}})
        for request in sent:
            problems = []
            for game in (private, "0123456789abcdef"):
                url = filled(path, {"{game_id}": game, "{seq}": "1", "{number}": "1"})
                response = client.request(method, url, headers=headers, **request)
                assert response.status_code == 404, (method, path, request, response.text)
                problem = {**response.json(), "instance": None}
                problems.append({**problem, "detail": problem["detail"].replace(game, "ID")})
            assert problems[0] == problems[1], (method, path, request)


def test_every_call_of_administrators_refuses_all_others(
    accounts: Accounts, contract: Contract, arguments: dict[str, str]
) -> None:
    calls = 0
    for method, path, _ in contract.operations():
        if path.startswith(ADMIN):
            for url in (filled(path, arguments), filled(path, {"{number}": "1"})):
                response = accounts.register().http.request(method, url, json={"reason": "x"})
                assert response.status_code == 403, (method, url, response.text)
            calls += 1
    assert calls > 25


def test_every_call_refuses_an_invalid_token(
    accounts: Accounts, arguments: dict[str, str], web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    app = create_app(build(settings_for(web_redis_urls, tmp_path)))
    accepted, calls = [], 0
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith(API):
            continue
        url = filled(re.sub("<(?:[^>]*:)?([^>]*)>", r"{\1}", rule.rule), arguments)
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            header = {"Authorization": INVALID[calls % len(INVALID)]}
            response = accounts.anonymous.request(method, url, headers=header)
            calls += 1
            if response.status_code != 401:
                accepted.append(f"{method} {url}: {response.status_code}")
    assert calls > 150
    assert accepted == []


def test_feeds_and_invitations_that_exist_refuse_it_too(accounts: Accounts) -> None:
    ada = accounts.register()
    feeds = ada.http.post(f"{API}/me/feeds").json()
    game = ada.create_game(2, options={"private": True})
    token = ada.http.post(f"{API}/games/{game}/invitations").json()["token"]
    paths = [feed.partition(API)[2] for feed in (feeds["atom"], feeds["calendar"])]
    for path in (*paths, f"/invitations/{token}"):
        assert accounts.anonymous.get(API + path).status_code == 200
        assert ada.http.get(API + path).status_code == 200
        for value in INVALID:
            header = {"Authorization": value}
            assert accounts.anonymous.get(API + path, headers=header).status_code == 401


def test_one_logs_in_again_without_the_token_that_has_ended(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"handle": ada.handle, "password": PASSWORD}
    assert ada.http.delete(f"{API}/tokens/current").status_code == 204
    assert ada.http.post(f"{API}/tokens", json=body).status_code == 401
    assert accounts.anonymous.post(f"{API}/tokens", json=body).status_code == 201
