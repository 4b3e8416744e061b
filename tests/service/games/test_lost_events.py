"""Events that the store loses: the service notices, records it in the logs of the games, and goes on."""

import random
from dataclasses import replace
from io import BytesIO

import pytest

from domain.event import Event
from domain.game import Game
from replay.audit.runner import audit
from service.bootstrap import Service, build
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.service_games import play_out, play_until, start_game, take_action
from workers.scheduler import Scheduler


def lose_actions(service: Service, game: Game, count: int) -> Game:
    """Take actions and lose them again, as in a failover; returns the game after them."""
    key = game_key(game.id, "log")
    earlier = service.redis.dump(key)
    assert earlier is not None
    for _ in range(count):
        take_action(service, game.id)
    lost = service.games.queries.game(game.id)
    service.redis.restore(key, 0, earlier, replace=True)
    return lost


def recorded(service: Service, game_id: str) -> list[Event]:
    """Let the scheduler record what was lost; returns the events of the game that say so."""
    Scheduler(service, service.redis).record_lost_events()
    events = service.games.repository.event_range(game_id, 0, 1000)
    return [event for event in events if event["type"] == "EventsLost"]


@pytest.fixture
def game(service: Service) -> Game:
    service.keyring.publish_key()
    return play_until(service, start_game(service).id, lambda game: game.seq == 6)


def test_a_loss_is_recorded_once_and_play_continues(service: Service, game: Game) -> None:
    lost = lose_actions(service, game, 2)
    assert service.games.queries.game(game.id).seq == 6
    (event,) = recorded(service, game.id)
    assert event["by"] == {"system": "store"}
    assert event["data"] == {"last": lost.seq, "hash": lost.hash}
    assert (event["seq"], event["state"]) == (7, game.state_hash)
    assert service.games.queries.game(game.id).status == "playing"
    take_action(service, game.id)
    assert recorded(service, game.id) == [event]
    keys = [entry["public"] for entry in service.keyring.public_keys()]
    record = b"".join(service.games.queries.record(game.id))
    assert audit(BytesIO(record), keys=keys).first is None


def test_a_loss_is_noticed_at_the_next_action(service: Service, game: Game) -> None:
    lost = lose_actions(service, game, 2)
    take_action(service, game.id)
    assert [event["data"]["hash"] for event in recorded(service, game.id)] == [lost.hash]


def test_a_loss_is_noticed_below_other_events(
    service: Service, settings: Settings, game: Game
) -> None:
    lost = lose_actions(service, game, 1)
    other = build(settings)
    for _ in range(3):
        take_action(other, game.id, random.Random(3))
    assert recorded(service, game.id) == []
    service.games.repository.find_losses()
    assert [event["data"]["hash"] for event in recorded(service, game.id)] == [lost.hash]
    other.redis.close()


def test_an_intact_log_has_lost_nothing(service: Service, settings: Settings, game: Game) -> None:
    other = build(settings)
    take_action(other, game.id)
    service.games.repository.find_losses()
    assert recorded(service, game.id) == []
    other.redis.close()


def test_an_event_that_is_in_the_log_is_not_lost(service: Service, game: Game) -> None:
    service.games.lost_events.report(game)
    take_action(service, game.id)
    assert recorded(service, game.id) == []
    assert service.redis.exists("cartulary:lost-events") == 0


def test_a_game_that_is_over_or_gone_is_not_changed(service: Service, game: Game) -> None:
    play_out(service, game.id)
    service.games.commands.score(game.id)
    over = service.games.queries.game(game.id)
    assert over.has_ended
    service.games.lost_events.report(replace(over, hash="0" * 64))
    other = start_game(service)
    service.games.repository.find_losses()
    service.redis.delete(game_key(other.id, "log"))
    service.games.repository.find_losses()
    assert recorded(service, game.id) == []
    assert service.games.queries.game(game.id).seq == over.seq
    assert service.redis.exists("cartulary:lost-events") == 0
