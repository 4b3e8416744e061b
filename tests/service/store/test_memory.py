"""The memory that a game takes in Redis: at most a kilobyte per event, everything included."""

import random

from service.bootstrap import Service
from tests.support.service_games import start_game


def test_an_event_takes_no_more_than_a_kilobyte(service: Service) -> None:
    chance = random.Random(1)
    game = start_game(service, 3, {"per_turn": 3600}, round_limit=100)
    while game.seq < 300:
        assert game.to_act is not None
        player = game.players[game.to_act]
        seq, actions = service.games.queries.legal_actions(game.id, player)
        key = chance.randbytes(16).hex()
        service.games.commands.act(game.id, player, chance.choice(actions), seq, key)
        service.games.commands.score(game.id)
        game = service.games.queries.game(game.id)
    keys = service.redis.keys(f"cartulary:{{{game.id}}}:*")
    assert len(keys) == 6
    sizes = [service.redis.memory_usage(key, samples=0) for key in keys]
    assert sum(size or 0 for size in sizes) <= 1024 * game.seq
