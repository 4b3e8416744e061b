"""What a game weighs in Redis: a kilobyte an event at the most, all that belongs to it included."""

import random

from service.bootstrap import Service
from tests.support.table import started


def test_an_event_takes_no_more_than_a_kilobyte(service: Service) -> None:
    chance = random.Random(1)
    game = started(service, 3, {"per_turn": 3600}, round_limit=100)
    while game.seq < 300:
        assert game.to_act is not None
        player = game.players[game.to_act]
        seq, actions = service.queries.legal_actions(game.id, player)
        key = chance.randbytes(16).hex()
        service.commands.act(game.id, player, chance.choice(actions), seq, key)
        service.commands.score(game.id)
        game = service.queries.game(game.id)
    keys = service.redis.keys(f"cartulary:{{{game.id}}}:*")
    assert len(keys) == 5
    taken = [service.redis.memory_usage(key, samples=0) for key in keys]
    assert sum(size or 0 for size in taken) <= 1024 * game.seq
