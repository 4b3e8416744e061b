"""The form of actions with casts among them: JSON to values and back (docs/formats.md, Actions)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.barony.action_json import FORMS as BASE_FORMS
from domain.barony.action_json import BaronyForm
from domain.barony.action_json import action_to_json as base_action_to_json
from domain.barony.action_json import parse_action as base_parse
from domain.barony.sorcery.actions import Action, Cast
from domain.barony.sorcery.components import CONSTRUCTION, FAMILY, MOVEMENT, RECRUITMENT, SPELLS
from domain.contract import Json
from domain.hexes import Hex


def parse_action(raw: object) -> Action:
    """The action that decoded JSON stands for. Raises Malformed with every wrong field."""
    action: Action = base_parse(raw, FORMS)
    return action


def action_to_json(action: Action) -> Json:
    """The action as JSON; what may be left out when empty is."""
    if not isinstance(action, Cast):
        return base_action_to_json(action)
    raw: Json = {"type": action.type, "spells": list(action.spells)}
    if action.path:
        raw["path"] = [list(hex) for hex in action.path]
    if action.takes:
        raw["takes"] = list(action.takes)
    if action.recruits:
        raw["recruits"] = [{"at": list(hex), "knights": n} for hex, n in action.recruits]
    if action.at is not None:
        raw["at"] = list(action.at)
    return raw


def _cast(form: BaronyForm) -> Cast:
    """Whether the spells suit each other is for the rules to say, which field they need is of the form."""
    listed = form.entries("spells")
    spells = [form.word(value, f"spells.{i}", SPELLS) for i, value in enumerate(listed)]
    form.once("spells", spells)
    if form.wrong:
        return Cast(())  # by unknown spells nobody can say which field is needed
    needed = sorted({FAMILY[spell] for spell in spells})
    given = [name for name in (CONSTRUCTION, MOVEMENT, RECRUITMENT) if name in form.raw]
    if len(given) != 1 or given[0] not in needed:
        form.wrong["spells"] = f"need exactly one field of: {', '.join(needed)}"
        return Cast(())
    names = tuple(sorted(spells))
    if given == [MOVEMENT]:
        form.allow("spells", "path", "takes")
        path = enumerate(form.entries("path", least=2, most=3))
        way = tuple(form.hex_of(at, f"path.{i}") for i, at in path)
        return Cast(names, path=way, takes=form.takes())
    if given == [RECRUITMENT]:
        form.allow("spells", "recruits")
        return Cast(names, recruits=_recruits(form))
    return Cast(names, at=form.allow("spells", "at").hex("at"))


def _recruits(form: BaronyForm) -> tuple[tuple[Hex, int], ...]:
    recruits: list[tuple[Hex, int]] = []
    for i, value in enumerate(form.entries("recruits")):
        entry = form.entry(value, f"recruits.{i}", ("at", "knights"))
        if entry:
            at = form.hex_of(entry["at"], f"recruits.{i}.at")
            recruits.append((at, form.count_of(entry["knights"], f"recruits.{i}.knights")))
    form.once("recruits", [at for at, _ in recruits])
    return tuple(sorted(recruits))


FORMS: Final[Mapping[str, Callable[[BaronyForm], Any]]] = {**BASE_FORMS, "cast": _cast}
"""What reads an action of each type."""
