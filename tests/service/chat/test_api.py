"""Messages within a game over HTTP."""

import redis

from service.bounds import Bounds
from tests.support.accounts import Accounts

JSON = {"Content-Type": "application/json"}


def test_players_write_read_report_and_erase_messages(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    path = f"/api/v1/games/{game}/messages"
    body = {"text": "<script>alert(1)</script> https://example.org", "seq": 4}
    key = {"Idempotency-Key": "one"}
    posted = ada.http.post(path, json=body, headers=key)
    assert posted.status_code == 201
    assert ada.http.post(path, json=body, headers=key).json() == posted.json()
    bea.http.post(path, json={"text": "Hello!"})
    listed = bea.http.get(f"{path}?limit=1").json()
    assert (listed["next"], listed["last"]) == (1, 2)
    (message,) = listed["messages"]
    assert message == posted.json()
    assert (message["text"], message["seq"]) == (body["text"], 4)
    assert message["player"] == {"id": ada.id, "handle": ada.handle}
    for reported in ({"reason": "Look."}, {}):
        assert bea.http.post(f"{path}/1/report", json=reported).status_code == 204
    assert ada.http.post(f"{path}/1/report").status_code == 409
    bea.http.put(f"/api/v1/me/mutes/{ada.handle}")
    assert bea.http.get(path).json()["messages"][0]["muted"] is True
    for _ in range(2):
        assert ada.http.delete(f"{path}/1").status_code == 204
    erased = ada.http.get(path).json()["messages"][0]
    assert (erased["text"], erased["erased"], erased["muted"]) == (None, True, False)


def test_requests_about_messages_are_refused_without_revealing_a_game(accounts: Accounts) -> None:
    public, (ada, bea) = accounts.start_game()
    eve = accounts.register()
    private = ada.create_game(options={"private": True})
    requests = [
        ("GET", "", None),
        ("POST", "", {"text": "x"}),
        ("POST", "", {"text": ""}),
        ("DELETE", "/1", None),
        ("POST", "/1/report", {"reason": "x"}),
        ("POST", "/1/report", {"colour": "red"}),
        ("POST", "/9/report", {"colour": "red"}),
    ]
    for game in (public, private):
        ada.http.post(f"/api/v1/games/{game}/messages", json={"text": "x"})
    for method, path, body in requests:
        for client, game, status in (
            (accounts.anonymous, private, 404),
            (eve.http, private, 404),
            (eve.http, "0123456789abcdef", 404),
            (accounts.anonymous, public, 401),
            (eve.http, public, 403),
        ):
            url = f"/api/v1/games/{game}/messages{path}"
            assert client.request(method, url, json=body).status_code == status, (path, status)
    path = f"/api/v1/games/{public}/messages"
    assert bea.http.delete(f"{path}/1").status_code == 403
    for missing in ("DELETE", f"{path}/2"), ("POST", f"{path}/2/report"):
        assert bea.http.request(*missing, json={"colour": "red"}).status_code == 404
    assert bea.http.get(f"{path}?before=1").status_code == 400
    for address in (path, f"{path}/1/report"):
        assert bea.http.post(address, json={"colour": "red"}).status_code == 400
    for fields in (
        {"text": 7},
        {"text": "\u202e"},
        {"text": "x", "seq": 0},
        {"text": "x", "seq": 9},
    ):
        assert bea.http.post(path, json=fields).status_code == 400, fields
    key = {"Idempotency-Key": "one"}
    assert bea.http.post(path, json={"text": "x"}, headers=key).status_code == 201
    assert bea.http.post(path, json={"text": "y"}, headers=key).status_code == 422


def test_the_number_of_messages_is_bounded(accounts: Accounts, redis_client: redis.Redis) -> None:
    game, (ada, bea) = accounts.start_game()
    most = Bounds().max_messages_per_player
    redis_client.hset(f"cartulary:{{{game}}}:messages", f"count/{ada.id}", str(most - 1))
    path = f"/api/v1/games/{game}/messages"
    assert ada.http.post(path, json={"text": "x"}).status_code == 201
    assert ada.http.post(path, json={"text": "x"}).status_code == 409
    assert bea.http.post(path, json={"text": "x"}).status_code == 201
