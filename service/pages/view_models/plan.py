"""What a player has prepared in a game, as the page on which it is planned ahead shows it.

A place in the tree of conditional actions is a path of indexes, such as `0.2`: the third branch after the
first one. The page looks at the position after one place, where the next action can be chosen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.conditional import Branch, Branches
from domain.errors import Malformed, Refused
from domain.game import Game, copy
from domain.json_types import JsonObject
from domain.messages import Text, Value, message
from domain.scene import caption
from ledger.canonical import canonical, digest
from replay.diff import label_of
from replay.look_ahead import Outlook
from service.pages.view_models.position_view import unsealed_event

DEEPEST_INDENT: Final = 6
_FINGERPRINT_DIGITS: Final = 16
_NOT_A_PLACE: Final = message("what you have prepared does not have this step, or not any more")

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One branch of a tree: where it is, whose action it is, and what it leads to as far as that is known.

    `outcome` are the words for the outcome that it asks for. `indent` is 0 to DEEPEST_INDENT. Only branches
    that stand side by side are indented.
    """

    path: str
    seat: int
    text: str
    result: Text | None
    outcome: tuple[Value, ...]
    indent: int
    is_here: bool


def fingerprint(branches: Sequence[JsonObject]) -> str:
    """Return a short digest of a tree, by which a form recognises that the tree has changed."""
    return digest(canonical(list(branches)))[:_FINGERPRINT_DIGITS]


def path_of(text: str, branches: Branches) -> Path:
    """Return the path that a parameter names. Raises Malformed if the tree has no such place."""
    path: Path = ()
    for name in text.split(".") if text else ():
        index = int(name) if name.isdecimal() and len(name) < 4 else len(branches)
        if index >= len(branches):
            raise Malformed({"at": _NOT_A_PLACE})
        path, branches = (*path, index), branches[index].then
    return path


def path_text(path: Path) -> str:
    """Return a path as the parameter of an address."""
    return ".".join(map(str, path))


def outlook_at(start: Outlook, branches: Branches, path: Path) -> tuple[Outlook, Branches]:
    """Return what may be known at a place of the tree, and the branches that come after it."""
    current = start
    for index in path:
        current = current.after(branches[index])
        branches = branches[index].then
    return current, branches


def planned_actions(start: Outlook, branches: Branches, here: Path) -> list[PlannedAction]:
    """Return all branches of a tree, each before those that come after it."""
    return list(_rows(start, branches, (), here, 0))


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


def with_branch(
    branches: list[JsonObject], path: Path, new: JsonObject
) -> tuple[list[JsonObject], Path]:
    """Return a tree (JSON) with one more branch after a place, and the path of that branch.

    A branch that is there already is not added again.
    """
    if not path:
        equal = (index for index, branch in enumerate(branches) if _is_same(branch, new))
        index = next(equal, len(branches))
        return (branches if index < len(branches) else [*branches, new]), (index,)
    first, *others = path
    branch = branches[first]
    then, below = with_branch(branch.get("then", []), tuple(others), new)
    changed = [*branches[:first], {**branch, "then": then}, *branches[first + 1 :]]
    return changed, (first, *below)


def without_branch(branches: list[JsonObject], path: Path) -> list[JsonObject]:
    """Return a tree (JSON) without the branch at a path and all that come after it."""
    first, *others = path
    if not others:
        return branches[:first] + branches[first + 1 :]
    branch = branches[first]
    then = without_branch(branch["then"], tuple(others))
    return [*branches[:first], {**branch, "then": then}, *branches[first + 1 :]]


def _is_same(branch: JsonObject, other: JsonObject) -> bool:
    names = ("seat", "action", "outcome")
    return all(branch.get(name) == other.get(name) for name in names)


def _rows(
    before: Outlook, branches: Branches, path: Path, here: Path, indent: int
) -> Iterator[PlannedAction]:
    rules = before.game.rules
    deeper = min(indent + (len(branches) > 1), DEEPEST_INDENT)
    for index, branch in enumerate(branches):
        at = (*path, index)
        after = _after(before, branch)
        yield PlannedAction(
            path_text(at),
            branch.seat,
            rules.action_text(rules.parse_action(branch.action)),
            _result(after),
            tuple(label_of(value, rules) for value in branch.outcome.values()),
            deeper,
            at == here,
        )
        yield from _rows(after, branch.then, at, here, deeper)


def _after(before: Outlook, branch: Branch) -> Outlook:
    """Return the outlook after a branch, also of a tree that would not be accepted any more."""
    try:
        return before.after(branch)
    except Refused:
        return before.unknown()


def _result(after: Outlook) -> Text | None:
    """Return what the log would say of the last action; None if that is not known."""
    if after.last is None or not after.is_certain:
        return None
    seat, event = after.last
    return caption(unsealed_event(after.game, seat, event), after.game.rules.event_message)
