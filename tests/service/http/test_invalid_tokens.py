"""An invalid token is refused by every call of the API, also where none is needed."""

import re
from pathlib import Path

import pytest

from service.bootstrap import build
from service.http.app import create_app
from tests.service.conftest import settings_for
from tests.support.accounts import PASSWORD, Accounts
from tests.support.redis_kinds import RedisUrls

API = "/api/v1"
INVALID = ("Bearer wrong", "Bearer cartulary_wrong", "Bearer", "Basic YWRhOnB3", "")


@pytest.fixture
def url_of(accounts: Accounts) -> dict[str, str]:
    """What stands for the arguments of a rule: a public game, what belongs to it, and a sandbox."""
    ada, bea = accounts.register(), accounts.register()
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
    return {
        "<game_id>": game,
        "<sandbox_id>": sandbox,
        "takebacks/<seq>": f"takebacks/{takeback}",
        "disputes/<seq>": f"disputes/{dispute}",
        "messages/<number>": f"messages/{message}",
        "<seq>": "1",
        "<number>": "1",
    }


@pytest.mark.http("POST /players", 401)
@pytest.mark.http("POST /guests", 401)
@pytest.mark.http("POST /password-resets", 401)
@pytest.mark.http("PUT /password-resets", 401)
@pytest.mark.http("GET /invitations/TOKEN", 401)
@pytest.mark.http("GET /leaderboards/SYSTEM", 401)
@pytest.mark.http("GET /ratings/games", 401)
@pytest.mark.http("GET /ratings/statement", 401)
@pytest.mark.http("GET /statistics", 401)
@pytest.mark.http("GET /feeds/TOKEN/games.atom", 401)
@pytest.mark.http("GET /feeds/TOKEN/deadlines.ics", 401)
def test_every_call_of_the_api_refuses_an_invalid_token(
    accounts: Accounts, url_of: dict[str, str], web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    app = create_app(build(settings_for(web_redis_urls, tmp_path)))
    accepted, calls = [], 0
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith(API):
            continue
        url = re.sub("<[^>]*:", "<", rule.rule)
        for argument, value in url_of.items():
            url = url.replace(argument, value)
        url = re.sub("<[^>]*>", "unknown", url)
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
