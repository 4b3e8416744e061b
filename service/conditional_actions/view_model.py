"""The conditional actions of a player in a game, as the page on which they are prepared shows them.

A place in their tree is a path of indexes, such as `0.2`: the third node after the
first one. The page looks at the position after one place, where the next action can be chosen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.conditional import Node, Tree
from domain.errors import Malformed, Refused
from domain.game import Game, copy
from domain.json_types import JsonObject
from domain.messages import Text, Value, message
from domain.scene import caption
from ledger.canonical import canonical, digest
from replay.history.diff import label_of
from replay.look_ahead import Outlook
from service.pages.view_models.position_view import unsealed_event

DEEPEST_INDENT: Final = 6
_FINGERPRINT_DIGITS: Final = 16
_NOT_A_PLACE: Final = message("what you have prepared does not, or no longer, have this step")

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConditionalActionRow:
    """One node of a tree: its place, whose action it is, and its known outcome.

    `outcome` are the words for the outcome that it asks for. `indent` is 0 to DEEPEST_INDENT. Only nodes
    that stand side by side are indented.
    """

    path: str
    seat: int
    text: str
    result: Text | None
    outcome: tuple[Value, ...]
    indent: int
    is_here: bool


def fingerprint(tree: Sequence[JsonObject]) -> str:
    """Return a short digest of a tree, by which a form recognises that the tree has changed."""
    return digest(canonical(list(tree)))[:_FINGERPRINT_DIGITS]


def path_of(text: str, tree: Tree) -> Path:
    """Return the path that a parameter names. Raises Malformed if the tree has no such place."""
    path: Path = ()
    for name in text.split(".") if text else ():
        index = int(name) if name.isdecimal() and len(name) < 4 else len(tree)
        if index >= len(tree):
            raise Malformed({"at": _NOT_A_PLACE})
        path, tree = (*path, index), tree[index].then
    return path


def path_text(path: Path) -> str:
    """Return a path as the parameter of an address."""
    return ".".join(map(str, path))


def outlook_at(start: Outlook, tree: Tree, path: Path) -> tuple[Outlook, Tree]:
    """Return what may be known at a place of the tree, and the nodes that come after it."""
    current = start
    for index in path:
        current = current.after(tree[index])
        tree = tree[index].then
    return current, tree


def conditional_action_rows(start: Outlook, tree: Tree, here: Path) -> list[ConditionalActionRow]:
    """Return all nodes of a tree, each before those that come after it."""
    return list(_rows(start, tree, (), here, 0))


def game_ahead(outlook: Outlook) -> Game:
    """Return the game as it may go on."""
    game = copy(outlook.game)
    game.state = outlook.state
    return game


def scene_ahead(outlook: Outlook) -> Any:
    """Return the scene of an outlook as its seat would see it, with the last change marked."""
    game, last = outlook.game, None
    if outlook.last is not None:
        seat, event = outlook.last
        last = unsealed_event(game, seat, event, {})
    position = game.rules.position(outlook.state, outlook.seat)
    return game.rules.scene(position, last)


def with_node(tree: list[JsonObject], path: Path, new: JsonObject) -> tuple[list[JsonObject], Path]:
    """Return a tree (JSON) with one more node after a place, and the path of that node.

    A node that is there already is not added again.
    """
    if not path:
        equal = (index for index, node in enumerate(tree) if _is_same(node, new))
        index = next(equal, len(tree))
        return (tree if index < len(tree) else [*tree, new]), (index,)
    first, *others = path
    node = tree[first]
    then, below = with_node(node.get("then", []), tuple(others), new)
    changed = [*tree[:first], {**node, "then": then}, *tree[first + 1 :]]
    return changed, (first, *below)


def without_node(tree: list[JsonObject], path: Path) -> list[JsonObject]:
    """Return a tree (JSON) without the node at a path and all that come after it."""
    first, *others = path
    if not others:
        return tree[:first] + tree[first + 1 :]
    node = tree[first]
    then = without_node(node["then"], tuple(others))
    return [*tree[:first], {**node, "then": then}, *tree[first + 1 :]]


def _is_same(node: JsonObject, other: JsonObject) -> bool:
    names = ("seat", "action", "outcome")
    return all(node.get(name) == other.get(name) for name in names)


def _rows(
    before: Outlook, tree: Tree, path: Path, here: Path, indent: int
) -> Iterator[ConditionalActionRow]:
    rules = before.game.rules
    deeper = min(indent + (len(tree) > 1), DEEPEST_INDENT)
    for index, node in enumerate(tree):
        at = (*path, index)
        after = _after(before, node)
        yield ConditionalActionRow(
            path_text(at),
            node.seat,
            rules.action_text(rules.parse_action(node.action)),
            _result(after),
            tuple(label_of(value, rules) for value in node.outcome.values()),
            deeper,
            at == here,
        )
        yield from _rows(after, node.then, at, here, deeper)


def _after(before: Outlook, node: Node) -> Outlook:
    """Return the outlook after a node, also of a tree that would no longer be accepted."""
    try:
        return before.after(node)
    except Refused:
        return before.unknown()


def _result(after: Outlook) -> Text | None:
    """Return what the log would say of the last action; None if that is not known."""
    if after.last is None or not after.is_certain:
        return None
    seat, event = after.last
    return caption(unsealed_event(after.game, seat, event), after.game.rules.event_message)
