"""Filters lists of games by rules, seats, free places and time for a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from domain.event import Clock
from domain.json_types import JsonObject
from domain.lifecycle import seat_counts
from domain.registry import EXPANSIONS, UnknownRules, registered_name, rule_system_for, rule_systems
from service.games.listings import GameKind
from service.games.summary import Summary

Pace: TypeAlias = Literal["none", "hour", "day", "slow"]
"""The time for a turn: any, at most an hour, more than that and at most a day, or more than a day."""
Result: TypeAlias = Literal["won", "lost"]
"""The result of a finished game for a player: the first place, or another one."""
RESULTS: Final[tuple[Result, ...]] = get_args(Result)
PACES: Final[tuple[Pace, ...]] = get_args(Pace)
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR


@dataclass(frozen=True, slots=True)
class GameFilter:
    """The conditions that a game must meet; None stands for no condition.

    `expansions` are options of the rules with the values that they must have; `free` is the least number of
    free places, which only games that have not started have. `result` is a player and the result for that
    player.
    """

    rules: str | None = None
    expansions: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    seats: int | None = None
    pace: Pace | None = None
    free: int | None = None
    result: tuple[str, Result] | None = None

    @property
    def needs_summaries(self) -> bool:
        """Whether the kinds of games (`kinds`) are not enough to decide which games pass."""
        return any(condition is not None for condition in (self.pace, self.free, self.result))

    @property
    def kinds(self) -> tuple[GameKind, ...] | None:
        """The kinds of the games that can pass; None for all."""
        if self.rules is None and self.seats is None and not self.expansions:
            return None
        entries = rule_systems()
        return tuple(
            kind
            for kind in all_kinds()
            if self.rules in (None, entries[kind.system].rules)
            and self.seats in (None, kind.seats)
            and self._has_expansions(entries[kind.system].options)
        )

    def passes(self, summary: Summary) -> bool:
        """Return whether a game meets all conditions."""
        return (
            self.rules in (None, summary.rules)
            and self.seats in (None, summary.seats)
            and self.pace in (None, pace_of(summary.clock))
            and (self.result is None or _has_result(summary, *self.result))
            and (self.free is None or _free_places(summary) >= self.free)
            and self._has_expansions(summary.options)
        )

    def _has_expansions(self, options: Mapping[str, Any]) -> bool:
        return all(
            bool(options.get(option, False)) == value for option, value in self.expansions.items()
        )


def all_kinds() -> tuple[GameKind, ...]:
    """Return all kinds of games that the installed rule systems have."""
    return tuple(
        GameKind(entry.name, seats)
        for entry in rule_systems().values()
        for seats in seat_counts(entry.system)
    )


def kind_of_created(settings: Mapping[str, Any]) -> GameKind | None:
    """Return the kind of a game by the data of its first event; None if its rules are not installed."""
    try:
        system = rule_system_for(settings["rules"], settings["options"])
    except UnknownRules:
        return None
    return GameKind(registered_name(system), settings["seats"])


def pace_of(clock: Clock | None) -> Pace:
    """Return the pace of a clock, from its time for a turn or, without one, from its time bank."""
    if clock is None:
        return "none"
    seconds = clock.get("per_turn", clock.get("bank", 0))
    if seconds <= _HOUR:
        return "hour"
    return "day" if seconds <= _DAY else "slow"


def _has_result(summary: Summary, player: str, result: Result) -> bool:
    has_won = any(id == player and seat in summary.winners for id, seat in summary.players)
    return summary.status == "finished" and has_won is (result == "won")


def _free_places(summary: Summary) -> int:
    return summary.seats - len(summary.players) if summary.status == "open" else 0


def filter_of_kinds(query: JsonObject) -> GameFilter:
    """Return the filter for the parameters of a query for rules, expansions and seats."""
    return GameFilter(
        rules=query["rules"],
        expansions={
            option: query[option] == "true" for _, option in EXPANSIONS if query[option] is not None
        },
        seats=query["seats"],
    )
