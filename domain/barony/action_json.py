"""Actions from and to JSON (docs/formats.md, Actions). JSON of any other form breaks FORMAT.

Only the form is checked here, never the board: a step from a hex to itself has the right form.
"""

from collections.abc import Callable, Mapping
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
from domain.barony.components import (
    CONSTRUCTION,
    FAMILY,
    MOVEMENT,
    RECRUITMENT,
    RESOURCES,
    SPELLS,
)
from domain.contract import Json, Resign
from domain.hexes import Hex
from domain.json_fields import FieldReader, parse_action_fields


class BaronyForm(FieldReader):
    """Reads the fields that only Barony's actions have."""

    def moves(self) -> tuple[tuple[Hex, Hex], ...]:
        """The field `moves`."""
        moves: list[tuple[Hex, Hex]] = []
        for i, move in enumerate(self.entries("moves", most=2)):
            if isinstance(move, list) and len(move) == 2:
                start = self.hex_of(move[0], f"moves.{i}.0")
                moves.append((start, self.hex_of(move[1], f"moves.{i}.1")))
            else:
                self.errors[f"moves.{i}"] = "must be a move, [from, to]"
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
        self.require_unique("builds", [at for at, _ in builds])
        return tuple(sorted(builds))

    def discard(self) -> tuple[int, int, int, int]:
        """The field `discard`, as counts in the order of BY-MAT-2."""
        value = self.raw.get("discard")
        if not isinstance(value, dict) or not value:
            self.errors["discard"] = "must be an object of counts by kind of token, not empty"
            return (0, 0, 0, 0)
        counts = dict.fromkeys(RESOURCES, 0)
        for name, count in value.items():
            self.word(name, f"discard.{name}", RESOURCES)
            counts[name] = self.count_of(count, f"discard.{name}")
        return (counts["mountain"], counts["forest"], counts["plain"], counts["field"])

    def recruits(self) -> tuple[tuple[Hex, int], ...]:
        """The field `recruits`, sorted by hex."""
        recruits: list[tuple[Hex, int]] = []
        for i, value in enumerate(self.entries("recruits")):
            entry = self.entry(value, f"recruits.{i}", ("at", "knights"))
            if entry:
                at = self.hex_of(entry["at"], f"recruits.{i}.at")
                recruits.append((at, self.count_of(entry["knights"], f"recruits.{i}.knights")))
        self.require_unique("recruits", [at for at, _ in recruits])
        return tuple(sorted(recruits))

    def cast(self) -> Cast:
        """A cast. Its form depends on the families of its spells; whether these may be cast together is
        for the rules to decide (BS-SPL-1).
        """
        listed = self.entries("spells")
        spells = [self.word(value, f"spells.{i}", SPELLS) for i, value in enumerate(listed)]
        self.require_unique("spells", spells)
        if self.errors:
            return Cast(())  # unknown spells do not tell which field is needed
        needed = sorted({FAMILY[spell] for spell in spells})
        given = [name for name in (CONSTRUCTION, MOVEMENT, RECRUITMENT) if name in self.raw]
        if len(given) != 1 or given[0] not in needed:
            self.errors["spells"] = f"need exactly one field of: {', '.join(needed)}"
            return Cast(())
        names = tuple(sorted(spells))
        if given == [MOVEMENT]:
            self.allow("spells", "path", "takes")
            hexes = enumerate(self.entries("path", least=2, most=3))
            path = tuple(self.hex_of(at, f"path.{i}") for i, at in hexes)
            return Cast(names, path=path, takes=self.takes())
        if given == [RECRUITMENT]:
            return Cast(names, recruits=self.allow("spells", "recruits").recruits())
        return Cast(names, at=self.allow("spells", "at").hex("at"))


FORMS: Final[Mapping[str, Callable[[BaronyForm], Action]]] = {
    "place_city": lambda form: PlaceCity(form.allow("at").hex("at")),
    "recruit": lambda form: Recruit(form.allow("at", "knights").hex("at"), form.count("knights")),
    "move": lambda form: Move(form.allow("moves", "takes").moves(), form.takes()),
    "build": lambda form: Build(form.allow("builds").builds()),
    "new_city": lambda form: NewCity(form.allow("at").hex("at")),
    "expedition": lambda form: Expedition(form.allow("to").hex("to")),
    "noble_title": lambda form: NobleTitle(form.allow("discard").discard()),
    "pass": lambda form: form.without_fields(Pass()),
    "cast": BaronyForm.cast,
    "agree_to_end": lambda form: AgreeToEnd(form.allow("agree").flag("agree")),
    "resign": lambda form: form.without_fields(Resign()),
}
"""What reads an action of each type."""


def parse_action(raw: object) -> Action:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field."""
    action: Action = parse_action_fields(raw, BaronyForm, FORMS)
    return action


def action_to_json(action: Action) -> Any:
    """The action as JSON, without optional fields that are empty."""
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
        case AgreeToEnd(agree):
            raw["agree"] = agree
        case Pass() | Resign():
            pass
    return raw
