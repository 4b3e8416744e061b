"""The problem that calls respond with about a damaged game, as the OpenAPI document describes it."""

import redis

from service.store.redis_event_store import RedisEventStore, game_key
from tests.support.accounts import Accounts
from tests.support.damage import change_digit

API = "/api/v1"


def test_calls_describe_the_damage_of_a_running_game(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(2)
    bea.join(game)
    url = f"{API}/games/{game}"
    store, key = RedisEventStore(redis_client), game_key(game, "log")
    lines = store.read(game)
    redis_client.delete(key)
    for seq, line in enumerate(lines, 1):
        redis_client.xadd(key, {"e": change_digit(line) if seq == 3 else line}, id=f"{seq}-0")
    try:
        # The process has the game in memory, until it reads the event.
        response = ada.http.get(f"{url}/events", params={"after": 2})
        assert response.status_code == 503
        problem = response.json()
        assert problem["type"] == "urn:cartulary:problem:damaged"
        assert (problem["game"], problem["event"]) == (game, 3)
        for path in ("", "/record", "/position", "/head", "/legal-actions"):
            assert ada.http.get(url + path).json()["event"] == 3, path
        assert ada.act(game, {"type": "resign"}, len(lines)).status_code == 503
        assert ada.http.get(f"{url}/record", params={"seq": 2}).status_code == 200
        assert ada.http.get(f"{url}/events/2").status_code == 200
        assert redis_client.xlen(key) == len(lines)
    finally:
        redis_client.delete(key, game_key(game, "damaged"))
        redis_client.hdel("cartulary:damaged", f"{game} event 3")
