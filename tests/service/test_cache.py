"""The cache of folded games: bounded, never going back, and exact about since when a position stands."""

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.contract import Json
from domain.errors import Refused
from domain.event import Event
from domain.game import Game
from domain.registry import RULES
from service.bootstrap import Service, build
from service.errors import ServiceError
from service.games.cache import CachedGame, GameCache, with_events
from service.settings import Settings
from tests.support.table import move, play, started

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


def folded(game: str, seq: int) -> CachedGame:
    return CachedGame(replace(GAME, id=game, seq=seq), 1)


def test_the_least_recently_used_goes_first() -> None:
    cache = GameCache(2)
    cache.put(folded("a", 1))
    cache.put(folded("b", 1))
    assert cache.get("a") is not None
    cache.put(folded("c", 1))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.get("c") is not None
    assert len(cache) == 2


def test_an_older_state_does_not_replace_a_newer_one() -> None:
    cache = GameCache(2)
    newer = folded("a", 5)
    cache.put(newer)
    cache.put(folded("a", 4))
    assert cache.get("a") is newer


def test_a_cache_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 games"):
        GameCache(0)


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), min_size=1, max_size=6))
def test_since_is_the_first_event_from_which_on_the_position_stands(
    batches: Sequence[Sequence[str]],
) -> None:
    states: list[str] = []
    known: CachedGame | None = None
    for batch in batches:
        events = [{"seq": len(states) + i, "state": state} for i, state in enumerate(batch, 1)]
        states += batch
        game = replace(GAME, seq=len(states), state_hash=states[-1])
        known = with_events(known, cast("list[Event]", events), game)
        standing = [
            seq for seq in range(1, len(states) + 1) if set(states[seq - 1 :]) == {states[-1]}
        ]
        assert known.unchanged_since == min(standing)


def test_only_what_is_new_is_read_and_folded(service: Service) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 30)
    service.redis.config_resetstat()
    assert service.queries.game(game.id) is service.queries.game(game.id)
    reads = service.redis.info("commandstats")["cmdstat_xrange"]["calls"]
    assert reads == 2
    before = service.queries.game(game.id)
    move(service, game.id)
    assert before.seq == 30, "a game that was handed out has changed"
    assert service.queries.game(game.id).seq == 31


def key(game: Game) -> str:
    return f"cartulary:{{{game.id}}}:log"


def cut(service: Service, game: Game, *, moves: int) -> tuple[str, int, list[Json]]:
    """Make moves and lose them again, as a failover does to a Redis whose replica was behind.

    Who was to act after them, at which seq, and what they could do.
    """
    earlier = service.redis.dump(key(game))
    assert earlier is not None
    for _ in range(moves):
        move(service, game.id)
    game = service.queries.game(game.id)
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.queries.legal_actions(game.id, player)
    service.redis.restore(key(game), 0, earlier, replace=True)
    return player, seq, actions


def test_a_log_that_has_lost_its_end_is_believed_not_the_cache(service: Service) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 6)
    cut(service, game, moves=2)
    assert service.queries.game(game.id).seq == 6
    assert service.queries.game(game.id).hash == game.hash
    cut(service, game, moves=1)
    assert [found.seq for found in service.queries.games([game.id])] == [6]


def test_nothing_is_appended_to_an_end_that_was_lost(service: Service) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 6)
    player, seq, actions = cut(service, game, moves=2)
    with pytest.raises(ServiceError):
        service.commands.act(game.id, player, actions[0], seq)
    move(service, game.id)
    assert service.queries.game(game.id).seq == 7


def test_nothing_is_appended_to_another_end_of_the_same_length(
    service: Service, settings: Settings
) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 6)
    player, seq, actions = cut(service, game, moves=1)
    other = build(settings)
    move(other, game.id, random.Random(3))
    assert other.queries.game(game.id).seq == seq
    with suppress(Refused, ServiceError):
        service.commands.act(game.id, player, actions[0], seq)
    events = service.queries.events(game.id, 0, 100)
    assert [event["prev"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert (
        service.queries.game(game.id).hash == other.queries.game(game.id).hash == events[-1]["hash"]
    )
    other.redis.close()


def test_a_log_with_another_end_is_believed_not_the_cache(
    service: Service, settings: Settings
) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 6)
    cut(service, game, moves=1)
    other = build(settings)
    for _ in range(2):
        move(other, game.id, random.Random(3))
    assert service.queries.game(game.id).hash == other.queries.game(game.id).hash
    other.redis.close()
