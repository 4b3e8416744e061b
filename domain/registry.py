"""The rule systems there are: those of this package, which only this module names, and installed ones.

A new game of this package adds its lines here. Another distribution provides a game by an entry point.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final, TypeAlias

from domain import baron, barony
from domain.baron.actions import Action as BaronAction
from domain.baron.formats import BaronPosition
from domain.baron.state import State as BaronState
from domain.barony import sorcery
from domain.barony.actions import Action as BaronyAction
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State as BaronyState
from domain.contract import AnyRuleSystem, RuleSystem
from domain.errors import Malformed
from domain.json_fields import one_of
from domain.messages import message

Barony: TypeAlias = RuleSystem[BaronyState, BaronyAction, BaronyPosition]
Sorcery: TypeAlias = RuleSystem[SorceryState, BaronyAction, BaronyPosition]
Baron: TypeAlias = RuleSystem[BaronState, BaronAction, BaronPosition]

BARONY: Final[Barony] = barony
SORCERY: Final[Sorcery] = sorcery
BARON: Final[Baron] = baron

ENTRY_POINTS: Final = "cartulary.rules"
"""The group of the entry points of rule systems."""


def with_installed_games(games: Mapping[str, AnyRuleSystem]) -> Mapping[str, AnyRuleSystem]:
    """These games, and those of other installed distributions, in order of their names.

    Raises whatever the import of such a game raises, and ValueError for one whose name is taken: a process
    that ignored it would read its logs by other rules.
    """
    installed = dict(games)
    for entry_point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        rules: AnyRuleSystem = entry_point.load()
        if rules.NAME in installed:
            raise ValueError(f"{entry_point.value}: there is a game called {rules.NAME} already")
        installed[rules.NAME] = rules
    return installed


_GAMES: Final = dict(with_installed_games({barony.NAME: BARONY, baron.NAME: BARON}))
RULES: Final[Mapping[str, AnyRuleSystem]] = _GAMES
"""The games by name; the first is the default where a command needs one."""
EXPANSIONS: Final[Mapping[tuple[str, str], AnyRuleSystem]] = {(barony.NAME, "sorcery"): SORCERY}
"""Rule systems that replace a game's where an option is true, by the game and the option."""


@contextmanager
def with_game(game: AnyRuleSystem) -> Iterator[None]:
    """Have a game that is not installed in this process, until the end of the block."""
    former = dict(_GAMES)
    _GAMES[game.NAME] = game
    try:
        yield
    finally:
        _GAMES.clear()
        _GAMES.update(former)


@dataclass(frozen=True, slots=True)
class RegisteredRuleSystem:
    """A rule system, its own name in addresses and forms, and what a game of it has as `rules` and `options`.

    The name of an expansion is that of the option that selects it.
    """

    name: str
    system: AnyRuleSystem
    rules: str
    options: Mapping[str, bool]


class UnknownRules(Malformed):
    """There is no game of this name."""


def rule_system_for(name: object, options: object) -> AnyRuleSystem:
    """The rule system of that name, with the expansion that the options ask for.

    Raises UnknownRules, and Malformed if the options are not an object.
    Only `true` asks for an expansion; `check_options` rejects other values.
    """
    if not isinstance(name, str) or name not in RULES:
        raise UnknownRules({"rules": one_of(sorted(RULES))})
    if not isinstance(options, Mapping):
        raise Malformed({"options": message("must be an object")})
    for (game, option), rules in EXPANSIONS.items():
        if game == name and options.get(option) is True:
            return rules
    return RULES[name]


def rule_systems() -> Mapping[str, RegisteredRuleSystem]:
    """All rule systems by their own names: each game, followed by its expansions."""
    return {entry.name: entry for entry in _rule_systems()}


def registered_name(system: AnyRuleSystem) -> str:
    """Return the own name of a rule system; that of its game if it is not registered."""
    return next((entry.name for entry in _rule_systems() if entry.system is system), system.NAME)


def _rule_systems() -> Iterator[RegisteredRuleSystem]:
    for name, system in RULES.items():
        options = [option for game, option in EXPANSIONS if game == name]
        yield RegisteredRuleSystem(name, system, name, dict.fromkeys(options, False))
        for option in options:
            selected = {other: other == option for other in options}
            yield RegisteredRuleSystem(option, EXPANSIONS[name, option], name, selected)
