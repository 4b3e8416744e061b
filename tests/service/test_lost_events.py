"""What the log of a game has lost is found however its entries are damaged."""

import pytest

from service.bootstrap import Service
from service.recovery.games import find_lost_events_of, remove_lost_events
from service.store.redis_event_store import game_key
from tests.support.service_games import start_game


@pytest.mark.parametrize("seq", [7, 10**6, 10**18])
def test_a_damaged_seq_does_not_lengthen_what_a_game_has_lost(service: Service, seq: int) -> None:
    game = start_game(service).id
    kept = service.store.head(game)
    service.redis.xadd(game_key(game, "log"), {"e": b"{}"}, id=f"{kept + seq}-0")
    lost = find_lost_events_of(service.redis, service.store, game, [kept + 2])
    assert lost is not None
    last = kept + (seq if seq == 7 else 2)
    assert (lost.kept, lost.seqs) == (kept, tuple(range(kept + 1, last + 1)))
    remove_lost_events(service.redis, lost)
    assert find_lost_events_of(service.redis, service.store, game) is None
