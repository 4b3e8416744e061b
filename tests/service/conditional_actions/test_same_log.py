"""Playing with conditional actions makes the same log as playing by hand, except for the marks.

A game is played by hand first. Then the same game begins again, and players prepare what they did there,
among other nodes that are never met.
"""

import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from domain.chance import Chance
from domain.event import Event
from domain.game import Game
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.conditional import Node, act, node
from tests.support.service_games import PLAYERS, start_game, take_action

ACTIONS = 12
SYSTEMS: dict[str, dict[str, Any]] = {"barony": {}, "sorcery": {"sorcery": True}, "baron": {}}
FOLLOWING = ("conditional", "at", "prev", "hash")
"""The fields in which events of the two logs may differ: the mark, the time, and what follows from these."""


@contextmanager
def same_chance(patch: pytest.MonkeyPatch, seed: int) -> Iterator[None]:
    """Have the server draw the same secrets as for another game with this seed."""
    stream = Chance(seed.to_bytes(8, "big"))

    def token_bytes(size: int = 32) -> bytes:
        return bytes(stream.below(256) for _ in range(size))

    with patch.context() as context:
        context.setattr(secrets, "token_bytes", token_bytes)
        context.setattr(secrets, "token_hex", lambda size: token_bytes(size).hex())
        yield


def begin(service_settings: Settings, system: str, seats: int) -> tuple[Service, Game]:
    """Return a service without data, and a game on it that has just started."""
    service = build(service_settings)
    service.redis.flushdb()
    rules = "baron" if system == "baron" else "barony"
    return service, start_game(service, seats=seats, rules=rules, **SYSTEMS[system])


def log_of(service: Service, game: Game) -> list[Event]:
    return service.games.queries.event_page(game.id, 0, 1000)


def played_by_hand(service: Service, game: Game, seed: int) -> list[Event]:
    """Play at random, and return the log."""
    chance = random.Random(seed)
    for _ in range(ACTIONS):
        take_action(service, game.id, chance)
        service.games.commands.score(game.id)
    return log_of(service, game)


def prepared(model: list[Event], seat: int, chance: random.Random) -> list[Node]:
    """Return nodes with the next actions of the model, of which the first is met by chance alone."""
    tree: list[Node] = []
    for event in reversed(model[: chance.randrange(1, 8)]):
        actor = event["by"]["seat"]  # type: ignore[typeddict-item] # actions are by seats
        assert event["action"] is not None
        refill = event["data"].get("refill")
        outcome = {"refill": refill} if refill is not None and chance.random() < 0.5 else {}
        following = [node(actor, event["action"], *tree, **outcome)]
        if actor != seat:
            following.append(node(actor, {"type": "resign"}))
            chance.shuffle(following)
        tree = following
    return tree


def played_with_conditional_actions(
    service: Service, game: Game, model: list[Event], chance: random.Random
) -> list[Event]:
    """Play the actions of the model, of which some are prepared, and return the log."""
    actions = [event for event in model if event["action"] is not None]
    while True:
        log = log_of(service, game)
        done = sum(event["action"] is not None for event in log)
        if done == len(actions):
            return log
        head = service.games.queries.game(game.id)
        for seat in range(head.seats):
            if seat != head.to_act and chance.random() < 0.4:
                player = PLAYERS[seat]
                tree = prepared(actions[done:], seat, chance)
                service.conditional_actions.put(game.id, player, tree, head.seq)
        act(service, head, actions[done]["action"] or {})
        jobs: list[Callable[[], object]] = [
            lambda: service.games.commands.score(game.id),
            lambda: service.conditional_actions.play(game.id),
        ]
        chance.shuffle(jobs)
        for job in (*jobs, *jobs):
            job()


def comparable(log: list[Event]) -> list[dict[str, Any]]:
    """Return what two logs must have in common. Rounds come last, since it may vary when they are scored."""
    actions = [event for event in log if event["type"] != "RoundScored"]
    rounds = [event for event in log if event["type"] == "RoundScored"]
    return [
        {name: value for name, value in event.items() if name not in (*FOLLOWING, "seq", "state")}
        for event in (*actions, *rounds)
    ] + [{"state": event["state"]} for event in actions]


@pytest.mark.parametrize("system", SYSTEMS)
@examples(
    max_examples=4,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4))
def test_the_log_is_the_same_except_for_the_marks(
    settings: Settings, system: str, seed: int, seats: int
) -> None:
    patch = pytest.MonkeyPatch()
    with same_chance(patch, seed):
        service, game = begin(settings, system, seats)
        model = played_by_hand(service, game, seed)
    with same_chance(patch, seed):
        service, game = begin(settings, system, seats)
        log = played_with_conditional_actions(service, game, model, random.Random(seed))
    assert comparable(log) == comparable(model)
    assert any("conditional" in event for event in log)
