"""Statistics of the public games, over HTTP."""

import redis

from service.games.statistics import GameCounts
from service.projections.event_feed import EventFeed
from service.projections.projections import Projections
from service.store.redis_event_store import RedisEventStore
from service.transparency.head_log import HeadLog
from service.transparency.store import TransparencyStore
from tests.support.accounts import Accounts, Json

URL = "/api/v1/statistics"


def statistics(accounts: Accounts, redis_client: redis.Redis, *games: str) -> Json:
    """Return the statistics after the schedulers' work on these games."""
    store, log = RedisEventStore(redis_client), TransparencyStore(redis_client)
    HeadLog(store, log).log(games)
    while not Projections(redis_client, EventFeed(log, store), [GameCounts()]).catch_up():
        pass
    response: Json = accounts.anonymous.get(URL).json()
    assert response["lag"] == 0
    return response


def figures(response: Json, seats: int) -> Json:
    """Return the figures about Barony with a number of seats."""
    (entry,) = [
        entry
        for entry in response["games"]
        if (entry["system"], entry["seats"]) == ("barony", seats)
    ]
    return dict(entry)


def test_public_games_count_and_private_ones_do_not(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    before = statistics(accounts, redis_client)
    ada, bea = accounts.register(), accounts.register()
    open_game, abandoned = ada.create_game(3), ada.create_game(3)
    playing = ada.create_game(3)
    for player in (bea, accounts.register()):
        player.join(playing)
    assert ada.http.delete(f"/api/v1/games/{abandoned}/players/me").status_code == 204
    private = ada.create_game(3, options={"private": True})
    after = statistics(accounts, redis_client, open_game, abandoned, playing, private)
    old, new = figures(before, 3), figures(after, 3)
    assert new["open"] == old["open"] + 1
    assert new["playing"] == old["playing"] + 1
    assert new["finished"] == old["finished"]
    assert new["ended_by"]["abandonment"] == old["ended_by"]["abandonment"] + 1
    events = sum(
        len(accounts.anonymous.get(f"/api/v1/games/{game}/events").json()["events"])
        for game in (open_game, abandoned, playing)
    )
    assert after["events"] == before["events"] + events
