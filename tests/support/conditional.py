"""Builds conditional actions for tests."""

from typing import Any

from domain.game import Game
from domain.json_types import JsonObject
from service.bootstrap import Service

Node = dict[str, Any]


def node(seat: int, action: JsonObject, *then: Node, **outcome: str) -> Node:
    """Return a node as JSON: an action of a seat, with this outcome, and what may come next."""
    value: Node = {"seat": seat, "action": action}
    if outcome:
        value["outcome"] = outcome
    if then:
        value["then"] = list(then)
    return value


def line(*actions: tuple[int, JsonObject]) -> list[Node]:
    """Return nodes in which each action follows the one before it."""
    tree: list[Node] = []
    for seat, action in reversed(actions):
        tree = [node(seat, action, *tree)]
    return tree


def legal_actions(game: Game) -> list[JsonObject]:
    """Return the legal actions of the seat whose turn it is."""
    rules = game.rules
    assert game.to_act is not None
    actions = rules.legal_actions(game.state, game.to_act)
    return [dict(rules.action_to_json(action)) for action in actions]


def next_actions(game: Game, count: int) -> list[tuple[int, JsonObject]]:
    """Return the next actions of a game in which every seat takes its first legal action."""
    rules, state = game.rules, game.state
    assert state is not None
    actions: list[tuple[int, JsonObject]] = []
    for _ in range(count):
        seat = state.to_act
        action = rules.legal_actions(state, seat)[0]
        event = rules.decide(state, seat, action)
        state = rules.copy(state)
        rules.apply(state, event.type, event.data)
        actions.append((seat, dict(rules.action_to_json(action))))
    return actions


def act(service: Service, game: Game, action: JsonObject) -> None:
    """Let the seat whose turn it is take an action on the position of this game."""
    assert game.to_act is not None
    service.games.commands.act(game.id, game.players[game.to_act], action, game.seq)


def marks(service: Service, game_id: str) -> list[bool]:
    """Return for each action in the log of a game whether it was conditional."""
    return [
        "conditional" in event
        for event in service.games.queries.event_page(game_id, 0, 1000)
        if event["action"] is not None
    ]
