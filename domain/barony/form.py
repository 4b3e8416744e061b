"""The form of actions: JSON to values and back (docs/formats.md, Actions). What is not of it breaks FORMAT.

Only the form is looked at, never a board: a step from a hex to itself is of the form.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Self

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.material import RESOURCES
from domain.contract import Json, Resign
from domain.errors import Malformed
from domain.hexes import Hex

INTEGERS_BELOW: Final = 2**53


class Form:
    """Reads fields of one object and gathers what is wrong with them; a wrong field reads as something
    harmless.
    """

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.wrong: dict[str, str] = {}

    def allow(self, *names: str) -> Self:
        """Fields other than these are wrong."""
        for name in self.raw:
            if name not in names and name != "type":
                self.wrong[name] = "is no field of this action"
        return self

    def entries(self, name: str, *, least: int = 1, most: int | None = None) -> list[Any]:
        """The list in a field, with so many entries."""
        value = self.raw.get(name)
        if not isinstance(value, list):
            self.wrong[name] = "must be a list"
            return []
        if len(value) < least or (most is not None and len(value) > most):
            bounds = f"{least} to {most}" if most is not None else f"{least} or more"
            self.wrong[name] = f"must have {bounds} entries, not {len(value)}"
            return []
        return value

    def hex_of(self, value: object, path: str) -> Hex:
        """A hex from a value at this path."""
        if isinstance(value, list) and len(value) == 2 and all(_is_integer(n) for n in value):
            return (value[0], value[1])
        self.wrong[path] = "must be a hex, [q, r]"
        return (0, 0)

    def count_of(self, value: object, path: str) -> int:
        """A count from a value at this path."""
        if _is_integer(value) and isinstance(value, int) and value >= 1:
            return value
        self.wrong[path] = "must be a whole number, 1 or more"
        return 1

    def word(self, value: object, path: str, words: tuple[str, ...]) -> str:
        """One of these words, from a value at this path."""
        if isinstance(value, str) and value in words:
            return value
        self.wrong[path] = f"must be one of {', '.join(words)}"
        return words[0]

    def entry(self, value: object, path: str, names: tuple[str, ...]) -> Json:
        """An object of exactly these fields, from a value at this path; empty where it is none."""
        if isinstance(value, dict) and set(value) == set(names):
            return value
        self.wrong[path] = f"must be an object with {' and '.join(names)}"
        return {}

    def once(self, name: str, values: list[Any]) -> None:
        """Say so where the values of a field name something twice."""
        is_sound = not any(path.split(".")[0] == name for path in self.wrong)
        if is_sound and len(set(values)) < len(values):
            self.wrong[name] = "names something twice"

    def hex(self, name: str) -> Hex:
        """The hex in a field."""
        return self.hex_of(self.raw.get(name), name)

    def count(self, name: str) -> int:
        """The count in a field."""
        return self.count_of(self.raw.get(name), name)

    def flag(self, name: str) -> bool:
        """The true or false in a field."""
        value = self.raw.get(name)
        if not isinstance(value, bool):
            self.wrong[name] = "must be true or false"
        return value is True

    def moves(self) -> tuple[tuple[Hex, Hex], ...]:
        """The field `moves`."""
        moves: list[tuple[Hex, Hex]] = []
        for i, move in enumerate(self.entries("moves", most=2)):
            if isinstance(move, list) and len(move) == 2:
                start = self.hex_of(move[0], f"moves.{i}.0")
                moves.append((start, self.hex_of(move[1], f"moves.{i}.1")))
            else:
                self.wrong[f"moves.{i}"] = "must be a move, [from, to]"
        return tuple(moves)

    def takes(self) -> tuple[str, ...]:
        """The field `takes`, which may be missing."""
        if "takes" not in self.raw:
            return ()
        values = enumerate(self.entries("takes", least=0))
        return tuple(self.word(value, f"takes.{i}", RESOURCES) for i, value in values)

    def builds(self) -> tuple[tuple[Hex, str], ...]:
        """The field `builds`, in order of hexes."""
        builds: list[tuple[Hex, str]] = []
        for i, value in enumerate(self.entries("builds")):
            build = self.entry(value, f"builds.{i}", ("at", "building"))
            if build:
                at = self.hex_of(build["at"], f"builds.{i}.at")
                words = ("village", "stronghold")
                builds.append((at, self.word(build["building"], f"builds.{i}.building", words)))
        self.once("builds", [at for at, _ in builds])
        return tuple(sorted(builds))

    def discard(self) -> tuple[int, int, int, int]:
        """The field `discard`, as counts in the order of BY-MAT-2."""
        value = self.raw.get("discard")
        if not isinstance(value, dict) or not value:
            self.wrong["discard"] = "must be an object of counts by kind of token, not empty"
            return (0, 0, 0, 0)
        counts = dict.fromkeys(RESOURCES, 0)
        for name, count in value.items():
            self.word(name, f"discard.{name}", RESOURCES)
            counts[name] = self.count_of(count, f"discard.{name}")
        return (counts["mountain"], counts["forest"], counts["plain"], counts["field"])


def _is_integer(value: object) -> bool:
    """An integer as JSON means it here: below 2^53 in size, and `true` is not 1."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGERS_BELOW


FORMS: Final[Mapping[str, Callable[[Form], Action]]] = {
    "place_city": lambda form: PlaceCity(form.allow("at").hex("at")),
    "recruit": lambda form: Recruit(form.allow("at", "knights").hex("at"), form.count("knights")),
    "move": lambda form: Move(form.allow("moves", "takes").moves(), form.takes()),
    "build": lambda form: Build(form.allow("builds").builds()),
    "new_city": lambda form: NewCity(form.allow("at").hex("at")),
    "expedition": lambda form: Expedition(form.allow("to").hex("to")),
    "noble_title": lambda form: NobleTitle(form.allow("discard").discard()),
    "pass": lambda form: _bare(form, Pass()),
    "agree_to_end": lambda form: AgreeToEnd(form.allow("agree").flag("agree")),
    "resign": lambda form: _bare(form, Resign()),
}
"""What reads an action of each type."""


def _bare(form: Form, action: Action) -> Action:
    """An action without fields."""
    form.allow()
    return action


def parse(raw: object, forms: Mapping[str, Callable[[Form], Any]] = FORMS) -> Any:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field.

    `forms`: what reads the fields of each type.
    """
    if not isinstance(raw, dict):
        raise Malformed({"": "an action is an object"})
    type = raw.get("type")
    if not isinstance(type, str) or type not in forms:
        raise Malformed({"type": f"must be one of {', '.join(forms)}"})
    form = Form(raw)
    action = forms[type](form)
    if form.wrong:
        raise Malformed(form.wrong)
    return action


def as_json(action: Action) -> Json:
    """The action as JSON; what may be left out when empty is."""
    raw: Json = {"type": action.type}
    match action:
        case PlaceCity(at) | NewCity(at):
            raw["at"] = list(at)
        case Recruit(at, knights):
            raw.update(at=list(at), knights=knights)
        case Move(moves, takes):
            raw["moves"] = [[list(start), list(end)] for start, end in moves]
            if takes:
                raw["takes"] = list(takes)
        case Build(builds):
            raw["builds"] = [{"at": list(at), "building": name} for at, name in builds]
        case Expedition(to):
            raw["to"] = list(to)
        case NobleTitle(discard):
            named = zip(RESOURCES, discard, strict=True)
            raw["discard"] = {name: count for name, count in named if count}
        case AgreeToEnd(agree):
            raw["agree"] = agree
        case Pass() | Resign():
            pass
    return raw
