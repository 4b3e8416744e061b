"""Conditional actions: what a player prepares while waiting, as a tree of actions expected in the log.

Each node of the tree is an action of one seat, followed by the nodes that may come next. A node of
another seat is a condition: it is met when the log shows this action of this seat. A node of the player's
own seat is an action that is to be taken once the game has come there. Nothing here depends on the rules, and
nothing is decided: whether the rules allow an action is known only when its turn has come.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from domain.contract import AnyRuleSystem
from domain.errors import Malformed
from domain.event import Event, acting_seat
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import Text, listing, message, plural_message

_MEMBERS: Final = ("seat", "action", "outcome", "then")
Tree: TypeAlias = tuple["Node", ...]
"""The nodes that may come next. Those of the player's own seat all have the same action."""

KEEPING_EVENTS: Final = frozenset(
    {
        "RoundScored",
        "PlayerKeyAdded",
        "PlayerKeyRevoked",
        "HolidayAnnounced",
        "HolidayCancelled",
        "PauseAgreed",
        "TimeGiven",
        "DeadlineExcused",
        "AdministratorDecided",
        "EventsLost",
        "HintGiven",
    }
)
"""The events that no player's action leads to, and after which conditional actions stay as they are: they
change neither the position nor whether it stands. Any other event without an action voids them."""


@dataclass(frozen=True, slots=True)
class Node:
    """An action of a seat, in the form in which events have it, and what may come after it.

    `outcome` are fields that the data of the event must have; {} if any outcome will do. `later_members` are
    those that a later version has stored, and that this one keeps.
    """

    seat: int
    action: JsonObject
    outcome: JsonObject
    then: Tree = ()
    later_members: JsonObject = field(default_factory=dict, repr=False, compare=False)

    def matches(self, event: Event) -> bool:
        """Return whether the event is this action with this outcome."""
        return (
            event["action"] == self.action
            and seat_of_action(event) == self.seat
            and self.outcome.items() <= event["data"].items()
        )

    def as_json(self) -> JsonObject:
        """Return the node with those after it as JSON, without empty optional fields."""
        value: JsonObject = {**self.later_members, "seat": self.seat, "action": self.action}
        if self.outcome:
            value["outcome"] = self.outcome
        if self.then:
            value["then"] = [node.as_json() for node in self.then]
        return value


@dataclass(frozen=True, slots=True)
class TreeBounds:
    """The greatest size of a tree: nodes in all, nodes side by side, and actions in a row."""

    nodes: int
    width: int
    depth: int


def seat_of_action(event: Event) -> int | None:
    """Return the seat whose action an event is, also if the clock took it for an absent player."""
    if event["action"] is None:
        return None
    seat = event["data"].get("seat")
    is_by_clock = "system" in event["by"] and type(seat) is int
    return seat if is_by_clock else acting_seat(event["by"])


def node_for(tree: Tree, event: Event) -> Node | None:
    """Return the node that an event with an action is; None if it is none of those that may come next."""
    return next((node for node in tree if node.matches(event)), None)


def tree_after(tree: Tree, event: Event) -> Tree | None:
    """Return the nodes that may come after one more event; None if they are void."""
    if event["action"] is None:
        return tree if event["type"] in KEEPING_EVENTS else None
    node = node_for(tree, event)
    return None if node is None else node.then


def own_action(tree: Tree, seat: int) -> JsonObject | None:
    """Return the action that the seat is to take now; None if it waits for another seat."""
    return next((node.action for node in tree if node.seat == seat), None)


def parse_tree(
    rules: AnyRuleSystem, seats: int, own_seat: int, raw: object, bounds: TreeBounds
) -> Tree:
    """Return the nodes that decoded JSON stands for.

    Raises Malformed, which names every wrong field by its path (`0.then.1.action.type`): besides wrong forms
    and sizes, nodes that contradict each other, and an own action that waits for nobody.
    """
    parser = _Parser(rules, seats, own_seat, bounds)
    tree = parser.tree(raw, "", 1)
    for index, node in enumerate(tree):
        if node.seat == own_seat and not parser.faults:
            parser.faults[f"{index}.seat"] = message(
                "must be another player's: a conditional action waits for another player's action"
            )
    if parser.faults:
        raise Malformed(parser.faults)
    return tree


def read_tree(raw: Sequence[Mapping[str, Any]]) -> Tree:
    """Return the nodes that `Node.as_json` returned as JSON."""
    return tuple(
        Node(
            node["seat"],
            node["action"],
            node.get("outcome", {}),
            read_tree(node.get("then", ())),
            {name: value for name, value in node.items() if name not in _MEMBERS},
        )
        for node in raw
    )


class _Parser:
    """Reads nodes from JSON and collects what is wrong with them, by path."""

    def __init__(self, rules: AnyRuleSystem, seats: int, own_seat: int, bounds: TreeBounds) -> None:
        self.faults: dict[str, Text] = {}
        self._rules = rules
        self._seats = seats
        self._own_seat = own_seat
        self._bounds = bounds
        self._count = 0

    def tree(self, raw: object, path: str, depth: int) -> Tree:
        """Return the nodes that may come after the same action."""
        if not isinstance(raw, list):
            self.faults[path] = message("must be a list")
            return ()
        bounds = self._bounds
        if raw and depth > bounds.depth:
            self.faults[path] = plural_message(
                "is too deep: at most {count} action can follow another",
                "is too deep: at most {count} actions can follow one another",
                count=bounds.depth,
            )
            return ()
        if len(raw) > bounds.width:
            self.faults[path] = plural_message(
                "must have at most {count} entry",
                "must have at most {count} entries",
                count=bounds.width,
            )
            return ()
        self._count += len(raw)
        if self._count > bounds.nodes:
            self.faults[path] = plural_message(
                "is too large: there can be {count} action in all",
                "is too large: there can be {count} actions in all",
                count=bounds.nodes,
            )
            return ()
        parsed = [
            self._node(value, _joined(path, str(index)), depth) for index, value in enumerate(raw)
        ]
        tree = tuple(node for node in parsed if node is not None)
        if len(tree) == len(raw):
            self._check_contradictions(tree, path)
        return tree

    def _node(self, raw: object, path: str, depth: int) -> Node | None:
        if not isinstance(raw, dict) or not {"seat", "action"} <= raw.keys() <= set(_MEMBERS):
            self.faults[path] = message(
                "must be an object with these fields: {names}; the last two can be left out",
                names=listing(_MEMBERS),
            )
            return None
        seat, outcome = raw["seat"], raw.get("outcome", {})
        if not is_integer(seat) or not 0 <= seat < self._seats:
            self.faults[_joined(path, "seat")] = message(
                "must be {first} to {last}", first=0, last=self._seats - 1
            )
            return None
        if not isinstance(outcome, dict) or not all(
            isinstance(value, str) for value in outcome.values()
        ):
            self.faults[_joined(path, "outcome")] = message("must be an object of strings")
            return None
        then = self.tree(raw.get("then", []), _joined(path, "then"), depth + 1)
        try:
            action = self._rules.action_to_json(self._rules.parse_action(raw["action"]))
        except Malformed as error:
            for name, fault in error.fields.items():
                self.faults[_joined(path, "action", name)] = fault
            return None
        return Node(seat, dict(action), outcome, then)

    def _check_contradictions(self, tree: Tree, path: str) -> None:
        """Record a fault for each node that contradicts one before it."""
        for index, node in enumerate(tree):
            for first, other in enumerate(tree[:index]):
                fault = self._contradiction(other, node)
                if fault is not None:
                    at = _joined(path, str(first))
                    self.faults[_joined(path, str(index))] = message(
                        "contradicts the action at {path}: {reason}", path=at, reason=fault
                    )
                    break

    def _contradiction(self, first: Node, second: Node) -> Text | None:
        """Return why two nodes cannot come next side by side; None if they can."""
        own = self._own_seat
        is_same_action = (first.seat, first.action) == (second.seat, second.action)
        if own in (first.seat, second.seat) and not is_same_action:
            return message("your own action is taken immediately, so nothing else can come next")
        shared = first.outcome.keys() & second.outcome.keys()
        if is_same_action and all(first.outcome[name] == second.outcome[name] for name in shared):
            return message("both have the same condition")
        return None


def _joined(*names: str) -> str:
    """Return the path with these parts, of which empty ones are left out."""
    return ".".join(name for name in names if name)
