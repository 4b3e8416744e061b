"""The cache of games: it is bounded, never replaces a later state, and trusts the log over itself."""

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Refused
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.registry import RULES
from service.bootstrap import Service, build
from service.errors import ServiceError
from service.games.game_cache import CachedGame, GameCache, with_events
from service.settings import Settings
from tests.support.service_games import play_until, start_game, take_action

GAME = Game(
    id="g",
    rules=RULES["barony"],
    seats=2,
    options={"seating": "drawn", "private": False},
    clock=None,
    creator="ada",
    commitment="",
    invited=(),
    created_at="",
)


def cached_game(game: str, seq: int) -> CachedGame:
    return CachedGame(replace(GAME, id=game, seq=seq), 1)


def test_the_least_recently_used_game_is_evicted_first() -> None:
    cache = GameCache(2)
    cache.put(cached_game("a", 1))
    cache.put(cached_game("b", 1))
    assert cache.get("a") is not None
    cache.put(cached_game("c", 1))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.get("c") is not None
    assert len(cache) == 2


def test_an_older_state_does_not_replace_a_later_one() -> None:
    cache = GameCache(2)
    newer = cached_game("a", 5)
    cache.put(newer)
    cache.put(cached_game("a", 4))
    assert cache.get("a") is newer


def test_a_cache_needs_room_for_a_game() -> None:
    with pytest.raises(ValueError, match="0 games"):
        GameCache(0)


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), min_size=1, max_size=6))
def test_unchanged_since_is_the_first_event_with_the_current_position(
    batches: Sequence[Sequence[str]],
) -> None:
    states: list[str] = []
    cached: CachedGame | None = None
    for batch in batches:
        events = [{"seq": len(states) + i, "state": state} for i, state in enumerate(batch, 1)]
        states += batch
        game = replace(GAME, seq=len(states), state_hash=states[-1])
        cached = with_events(cached, cast("list[Event]", events), game)
        unchanged = [
            seq for seq in range(1, len(states) + 1) if set(states[seq - 1 :]) == {states[-1]}
        ]
        assert cached.unchanged_since == min(unchanged)


@pytest.mark.needs_redis("single", "sentinel")
def test_only_new_events_are_read(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 30)
    service.redis.config_resetstat()
    assert service.games.queries.game(game.id) is service.games.queries.game(game.id)
    reads = service.redis.info("commandstats")["cmdstat_xrange"]["calls"]
    assert reads == 2
    before = service.games.queries.game(game.id)
    take_action(service, game.id)
    assert before.seq == 30, "a returned game has changed"
    assert service.games.queries.game(game.id).seq == 31


def log_key(game: Game) -> str:
    return f"cartulary:{{{game.id}}}:log"


def lose_actions(service: Service, game: Game, *, count: int) -> tuple[str, int, list[JsonObject]]:
    """Take actions and lose them again, as in a failover to a replica that is behind.

    Returns the player who was to act after them, the seq, and that player's legal actions.
    """
    earlier = service.redis.dump(log_key(game))
    assert earlier is not None
    for _ in range(count):
        take_action(service, game.id)
    game = service.games.queries.game(game.id)
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.games.queries.legal_actions(game.id, player)
    service.redis.restore(log_key(game), 0, earlier, replace=True)
    return player, seq, actions


def test_a_log_that_lost_its_last_events_is_trusted_over_the_cache(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 6)
    lose_actions(service, game, count=2)
    assert service.games.queries.game(game.id).seq == 6
    assert service.games.queries.game(game.id).hash == game.hash
    lose_actions(service, game, count=1)
    assert [each and each.seq for each in service.games.queries.games([game.id])] == [6]


def test_nothing_is_appended_after_lost_events(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 6)
    player, seq, actions = lose_actions(service, game, count=2)
    with pytest.raises(ServiceError):
        service.games.commands.act(game.id, player, actions[0], seq)
    take_action(service, game.id)
    assert service.games.queries.game(game.id).seq == 7


def test_nothing_is_appended_after_other_events_of_the_same_number(
    service: Service, settings: Settings
) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 6)
    player, seq, actions = lose_actions(service, game, count=1)
    other = build(settings)
    take_action(other, game.id, random.Random(3))
    assert other.games.queries.game(game.id).seq == seq
    with suppress(Refused, ServiceError):
        service.games.commands.act(game.id, player, actions[0], seq)
    events = service.games.queries.event_page(game.id, 0, 100)
    assert [event["prev"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert (
        service.games.queries.game(game.id).hash
        == other.games.queries.game(game.id).hash
        == events[-1]["hash"]
    )
    other.redis.close()


def test_a_log_with_other_last_events_is_trusted_over_the_cache(
    service: Service, settings: Settings
) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 6)
    lose_actions(service, game, count=1)
    other = build(settings)
    for _ in range(2):
        take_action(other, game.id, random.Random(3))
    assert service.games.queries.game(game.id).hash == other.games.queries.game(game.id).hash
    other.redis.close()


def test_no_state_precedes_the_first_event() -> None:
    cache = GameCache(1)
    cache.put_round_end(cached_game("game", 5))
    assert cache.latest("game", 5) is not None
    assert cache.latest("game", 0) is None
