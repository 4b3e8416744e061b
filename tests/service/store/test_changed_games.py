"""The changed games, in one sorted set and in one for each slot of a cluster."""

import pytest
import redis
from redis.crc import key_slot

from service.bootstrap import Service
from service.cluster import SLOTS
from service.store.changed_games import ChangedGames, _key_of_slot
from service.store.redis_event_store import game_key

GAMES = [f"game-{number}" for number in range(20)]


@pytest.fixture(params=[False, True], ids=["one Redis", "by slot"])
def changed_games(service: Service, request: pytest.FixtureRequest) -> ChangedGames:
    return ChangedGames(service.redis, by_slot=request.param)


def test_games_are_kept_with_the_time_of_redis_until_they_are_forgotten(
    service: Service, changed_games: ChangedGames
) -> None:
    seconds, microseconds = service.redis.time()
    changed_games.mark(GAMES)
    changes = dict(changed_games.all())
    assert sorted(changes) == sorted(GAMES)
    assert min(changes.values()) >= seconds * 1_000_000 + microseconds
    changed_games.forget({game: changes[game] for game in GAMES[:15]})
    assert sorted(game for game, _ in changed_games.all()) == sorted(GAMES[15:])


def test_a_game_that_has_changed_again_is_not_forgotten(changed_games: ChangedGames) -> None:
    changed_games.mark(GAMES[:2])
    changes = dict(changed_games.all())
    changed_games.mark(GAMES[:1])
    changed_games.forget(changes)
    assert [game for game, _ in changed_games.all()] == GAMES[:1]
    changed_games.forget({"unknown": 1})


def test_the_key_of_a_game_in_a_cluster_has_the_slot_of_the_game(redis_client: redis.Redis) -> None:
    changed_games = ChangedGames(redis_client, by_slot=True)
    for game in GAMES:
        assert key_slot(changed_games.key(game).encode()) == key_slot(
            game_key(game, "log").encode()
        )
    assert [key_slot(_key_of_slot(slot).encode()) for slot in range(SLOTS)] == list(range(SLOTS))
