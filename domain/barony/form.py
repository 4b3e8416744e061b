"""The form of actions: JSON to values and back (docs/formats.md, Actions). What is not of it breaks FORMAT.

Only the form is looked at, never a board: a step from a hex to itself is of the form.
"""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
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

SPELLS: Final[Mapping[str, str]] = {
    "abundance": "at",
    "celerity": "path",
    "charm": "recruits",
    "illusion": "recruits",
    "petrification": "at",
    "portal": "recruits",
    "sanctuary": "at",
    "teleportation": "path",
    "tornado": "path",
}
"""The nine spells in alphabetical order, each with the field that its family needs."""


def parse(raw: object) -> Action:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field."""
    if not isinstance(raw, dict):
        raise Malformed({"": "an action is an object"})
    form = _Form(raw)
    match raw.get("type"):
        case "place_city":
            form.allow("at")
            action: Any = PlaceCity(form.hex("at"))
        case "recruit":
            form.allow("at", "knights")
            action = Recruit(form.hex("at"), form.count("knights"))
        case "move":
            form.allow("moves", "takes")
            action = Move(form.moves(), form.takes())
        case "build":
            form.allow("builds")
            action = Build(form.builds())
        case "new_city":
            form.allow("at")
            action = NewCity(form.hex("at"))
        case "expedition":
            form.allow("to")
            action = Expedition(form.hex("to"))
        case "noble_title":
            form.allow("discard")
            action = NobleTitle(form.discard())
        case "pass":
            form.allow()
            action = Pass()
        case "cast":
            action = form.cast()
        case "agree_to_end":
            form.allow("agree")
            action = AgreeToEnd(form.flag("agree"))
        case "resign":
            form.allow()
            action = Resign()
        case _:
            raise Malformed({"type": f"must be one of {', '.join(TYPES)}"})
    if form.wrong:
        raise Malformed(form.wrong)
    parsed: Action = action
    return parsed


TYPES: Final = (
    "place_city",
    "recruit",
    "move",
    "build",
    "new_city",
    "expedition",
    "noble_title",
    "pass",
    "cast",
    "agree_to_end",
    "resign",
)


class _Form:
    """Reads fields of one object and gathers what is wrong with them; a wrong field reads as something
    harmless.
    """

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.wrong: dict[str, str] = {}

    def allow(self, *names: str) -> None:
        for name in self.raw:
            if name not in names and name != "type":
                self.wrong[name] = "is no field of this action"

    def _list(self, name: str, *, least: int = 1, most: int | None = None) -> list[Any]:
        value = self.raw.get(name)
        if not isinstance(value, list):
            self.wrong[name] = "must be a list"
            return []
        if len(value) < least or (most is not None and len(value) > most):
            bounds = f"{least} to {most}" if most is not None else f"{least} or more"
            self.wrong[name] = f"must have {bounds} entries, not {len(value)}"
            return []
        return value

    def _hex(self, value: object, path: str) -> Hex:
        if isinstance(value, list) and len(value) == 2 and all(_is_integer(n) for n in value):
            return (value[0], value[1])
        self.wrong[path] = "must be a hex, [q, r]"
        return (0, 0)

    def _count(self, value: object, path: str) -> int:
        if _is_integer(value) and isinstance(value, int) and value >= 1:
            return value
        self.wrong[path] = "must be a whole number, 1 or more"
        return 1

    def _word(self, value: object, path: str, words: tuple[str, ...]) -> str:
        if isinstance(value, str) and value in words:
            return value
        self.wrong[path] = f"must be one of {', '.join(words)}"
        return words[0]

    def _object(self, value: object, path: str, names: tuple[str, ...]) -> Json:
        if isinstance(value, dict) and set(value) == set(names):
            return value
        self.wrong[path] = f"must be an object with {' and '.join(names)}"
        return {}

    def _once(self, name: str, values: list[Any]) -> None:
        is_sound = not any(path.split(".")[0] == name for path in self.wrong)
        if is_sound and len(set(values)) < len(values):
            self.wrong[name] = "names something twice"

    def hex(self, name: str) -> Hex:
        return self._hex(self.raw.get(name), name)

    def count(self, name: str) -> int:
        return self._count(self.raw.get(name), name)

    def flag(self, name: str) -> bool:
        value = self.raw.get(name)
        if not isinstance(value, bool):
            self.wrong[name] = "must be true or false"
        return value is True

    def moves(self) -> tuple[tuple[Hex, Hex], ...]:
        moves: list[tuple[Hex, Hex]] = []
        for i, move in enumerate(self._list("moves", most=2)):
            if isinstance(move, list) and len(move) == 2:
                start = self._hex(move[0], f"moves.{i}.0")
                moves.append((start, self._hex(move[1], f"moves.{i}.1")))
            else:
                self.wrong[f"moves.{i}"] = "must be a move, [from, to]"
        return tuple(moves)

    def takes(self) -> tuple[str, ...]:
        if "takes" not in self.raw:
            return ()
        values = enumerate(self._list("takes", least=0))
        return tuple(self._word(value, f"takes.{i}", RESOURCES) for i, value in values)

    def builds(self) -> tuple[tuple[Hex, str], ...]:
        builds: list[tuple[Hex, str]] = []
        for i, value in enumerate(self._list("builds")):
            build = self._object(value, f"builds.{i}", ("at", "building"))
            if build:
                at = self._hex(build["at"], f"builds.{i}.at")
                words = ("village", "stronghold")
                builds.append((at, self._word(build["building"], f"builds.{i}.building", words)))
        self._once("builds", [at for at, _ in builds])
        return tuple(sorted(builds))

    def discard(self) -> tuple[int, int, int, int]:
        value = self.raw.get("discard")
        if not isinstance(value, dict) or not value:
            self.wrong["discard"] = "must be an object of counts by kind of token, not empty"
            return (0, 0, 0, 0)
        counts = dict.fromkeys(RESOURCES, 0)
        for name, count in value.items():
            self._word(name, f"discard.{name}", RESOURCES)
            counts[name] = self._count(count, f"discard.{name}")
        return (counts["mountain"], counts["forest"], counts["plain"], counts["field"])

    def cast(self) -> Cast:
        words = tuple(SPELLS)
        listed = self._list("spells")
        spells = [self._word(value, f"spells.{i}", words) for i, value in enumerate(listed)]
        self._once("spells", spells)
        if self.wrong:
            return Cast(())  # by unknown spells nobody can say which field is needed
        needed = sorted({SPELLS[spell] for spell in spells})
        given = [name for name in ("at", "path", "recruits") if name in self.raw]
        if len(given) != 1 or given[0] not in needed:
            self.wrong["spells"] = f"need exactly one field of: {', '.join(needed)}"
            return Cast(())
        names = tuple(sorted(spells))
        match given[0]:
            case "path":
                self.allow("spells", "path", "takes")
                path = enumerate(self._list("path", least=2, most=3))
                way = tuple(self._hex(at, f"path.{i}") for i, at in path)
                return Cast(names, path=way, takes=self.takes())
            case "recruits":
                self.allow("spells", "recruits")
                return Cast(names, recruits=self._recruits())
            case _:
                self.allow("spells", "at")
                return Cast(names, at=self.hex("at"))

    def _recruits(self) -> tuple[tuple[Hex, int], ...]:
        recruits: list[tuple[Hex, int]] = []
        for i, value in enumerate(self._list("recruits")):
            entry = self._object(value, f"recruits.{i}", ("at", "knights"))
            if entry:
                at = self._hex(entry["at"], f"recruits.{i}.at")
                recruits.append((at, self._count(entry["knights"], f"recruits.{i}.knights")))
        self._once("recruits", [at for at, _ in recruits])
        return tuple(sorted(recruits))


def _is_integer(value: object) -> bool:
    """An integer as JSON means it here: below 2^53 in size, and `true` is not 1."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGERS_BELOW


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
        case Cast(spells, path, takes, recruits, at):
            raw["spells"] = list(spells)
            if path:
                raw["path"] = [list(hex) for hex in path]
            if takes:
                raw["takes"] = list(takes)
            if recruits:
                raw["recruits"] = [{"at": list(hex), "knights": n} for hex, n in recruits]
            if at is not None:
                raw["at"] = list(at)
        case Pass() | Resign():
            pass
    return raw
