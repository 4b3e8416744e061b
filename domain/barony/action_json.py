"""The form of actions: JSON to values and back (docs/formats.md, Actions). What is not of it breaks FORMAT.

Only the form is looked at, never a board: a step from a hex to itself is of the form.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

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
from domain.barony.components import RESOURCES
from domain.contract import Json, Resign
from domain.hexes import Hex
from domain.json_fields import Form, read_action


class BaronyForm(Form):
    """Reads the fields that only Barony's actions have."""

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


FORMS: Final[Mapping[str, Callable[[BaronyForm], Action]]] = {
    "place_city": lambda form: PlaceCity(form.allow("at").hex("at")),
    "recruit": lambda form: Recruit(form.allow("at", "knights").hex("at"), form.count("knights")),
    "move": lambda form: Move(form.allow("moves", "takes").moves(), form.takes()),
    "build": lambda form: Build(form.allow("builds").builds()),
    "new_city": lambda form: NewCity(form.allow("at").hex("at")),
    "expedition": lambda form: Expedition(form.allow("to").hex("to")),
    "noble_title": lambda form: NobleTitle(form.allow("discard").discard()),
    "pass": lambda form: form.bare(Pass()),
    "agree_to_end": lambda form: AgreeToEnd(form.allow("agree").flag("agree")),
    "resign": lambda form: form.bare(Resign()),
}
"""What reads an action of each type."""


def parse_action(raw: object, forms: Mapping[str, Callable[[BaronyForm], Any]] = FORMS) -> Any:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field.

    `forms`: what reads the fields of each type.
    """
    return read_action(raw, BaronyForm, forms)


def action_to_json(action: Action) -> Json:
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
