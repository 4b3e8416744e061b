"""Filters of events, by seat, type, clause, time or seq, and hex: one parser, and one predicate.

A filter has a text for each of its conditions; the command line and the HTTP interface pass these on as the
user entered them. An event passes if it meets all conditions. If a condition has several values, one of them
is enough.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.errors import CartularyError, Malformed
from domain.event import Event, acting_seat
from domain.hexes import Hex
from domain.json_types import JsonObject
from domain.messages import Text, comma_list, message
from ledger.canonical import format_timestamp
from ledger.envelope import MAX_SEATS
from replay.history.event_hexes import event_hexes
from replay.history.inspect import explained_clauses
from replay.history.timeline import Transition

MAX_VALUES: Final = 50
"""The most values of one condition."""
_EXAMPLES: Final = comma_list(["seat=1", "hex=0,-1"])
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?", re.ASCII
)
_HEX: Final = re.compile(r"(-?\d{1,15}),(-?\d{1,15})", re.ASCII)
_SEQ: Final = re.compile(r"\d{1,15}", re.ASCII)
_SEAT: Final = re.compile(r"\d{1,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The conditions of a filter; an empty one, or None, is no condition.

    `clauses` are ids, or beginnings of ids such as `BY-MOV`. `since` and `until` are timestamps, `first` and
    `last` seqs; all four are included.
    """

    seats: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    clauses: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    first: int = 1
    last: int | None = None
    hexes: frozenset[Hex] = frozenset()

    @property
    def needs_games(self) -> bool:
        """Whether the filter asks for clauses, for which the games around an event are needed."""
        return bool(self.clauses)

    def matches_event(self, event: Event, rules: AnyRuleSystem) -> bool:
        """Return whether an event meets all conditions except that on clauses."""
        return (
            (not self.types or event["type"] in self.types)
            and (not self.seats or not self.seats.isdisjoint(_seats_of(event)))
            and (self.since is None or event["at"] >= self.since)
            and not self.is_past(event)
            and event["seq"] >= self.first
            and (not self.hexes or not self.hexes.isdisjoint(event_hexes(event, rules)))
        )

    def matches(self, transition: Transition, openings: JsonObject | None = None) -> bool:
        """Return whether an event meets all conditions; `openings` are those of its secrets.

        Raises Unreadable.
        """
        if not self.matches_event(transition.event, transition.after.rules):
            return False
        if not self.clauses:
            return True
        explained = explained_clauses(transition, openings or {})
        return any(_is_named(id, clause) for id, _ in explained for clause in self.clauses)

    def is_past(self, event: Event) -> bool:
        """Return whether neither this event nor a later one can match: seqs and times never decrease."""
        return (self.last is not None and event["seq"] > self.last) or (
            self.until is not None and event["at"] > self.until
        )


NO_FILTER: Final = EventFilter()
"""The filter that every event passes."""


def parse_filter(conditions: Mapping[str, str], rules: AnyRuleSystem) -> EventFilter:
    """Return the filter with these conditions, by name, for a game of these rules.

    Raises Malformed, which names every invalid condition and says what is expected.
    """
    values: dict[str, Any] = {}
    faults: dict[str, Text] = {}
    for name, text in conditions.items():
        parser = _PARSERS.get(name)
        if parser is None:
            faults[name] = message(
                "is not a condition: they are {names}", names=comma_list(_PARSERS)
            )
            continue
        try:
            values |= parser(text.strip(), rules)
        except _InvalidCondition as error:
            faults[name] = error.message
    for start, end in (("since", "until"), ("first", "last")):
        if start in values and end in values and values[start] > values[end]:
            faults["to"] = message("must not be earlier than {start}", start="from")
    if faults:
        raise Malformed(faults)
    return EventFilter(**values)


def split_conditions(texts: tuple[str, ...]) -> dict[str, str]:
    """Return the conditions in texts such as `seat=1 type=KnightsMoved`, by name. Raises Malformed."""
    conditions: dict[str, str] = {}
    for word in (word for text in texts for word in text.split()):
        name, equals, value = word.partition("=")
        if not equals:
            raise Malformed(
                {word: message("is not a condition such as {examples}", examples=_EXAMPLES)}
            )
        if name in conditions:
            raise Malformed(
                {name: message("is given more than once: separate several values by commas")}
            )
        conditions[name] = value
    return conditions


class _InvalidCondition(CartularyError):
    """The text of a condition is invalid; the message says what is expected."""


def _seats(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    seats = _split(text, ",")
    if not all(_SEAT.fullmatch(seat) and int(seat) < MAX_SEATS for seat in seats):
        raise _InvalidCondition.with_message(
            "must be a seat such as 0, or several separated by commas"
        )
    return {"seats": frozenset(map(int, seats))}


def _types(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    types = _split(text, ",")
    for type in types:
        if type not in rules.EVENTS:
            raise _InvalidCondition.with_message(
                "names no type of event of this game: they are {types}",
                types=comma_list(sorted(rules.EVENTS)),
            )
    return {"types": frozenset(types)}


def _clauses(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    clauses = tuple(clause.upper() for clause in _split(text, ","))
    for clause in clauses:
        if not any(_is_named(id, clause) for id in rules.CLAUSES):
            raise _InvalidCondition.with_message(
                "names no clause of this game: it must be an id such as {clause}, or its beginning"
                " up to a hyphen",
                clause=next(iter(rules.CLAUSES)),
            )
    return {"clauses": clauses}


def _from(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    is_seq = _SEQ.fullmatch(text)
    return {"first": int(text)} if is_seq else {"since": _timestamp(text, is_end=False)}


def _to(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    is_seq = _SEQ.fullmatch(text)
    return {"last": int(text)} if is_seq else {"until": _timestamp(text, is_end=True)}


def _hexes(text: str, rules: AnyRuleSystem) -> dict[str, Any]:
    matches = [_HEX.fullmatch(hex) for hex in _split(text, ";")]
    hexes = [(int(match[1]), int(match[2])) for match in matches if match is not None]
    if len(hexes) != len(matches):
        raise _InvalidCondition.with_message(
            "must be a hex such as 0,-1, or several separated by semicolons"
        )
    return {"hexes": frozenset(hexes)}


_PARSERS: Final[Mapping[str, Callable[[str, AnyRuleSystem], dict[str, Any]]]] = {
    "seat": _seats,
    "type": _types,
    "clause": _clauses,
    "from": _from,
    "to": _to,
    "hex": _hexes,
}
"""The parsers of conditions, by name; they return fields of an EventFilter. Raise _InvalidCondition."""

CONDITIONS: Final = tuple(_PARSERS)
"""The names of the conditions."""


def _split(text: str, separator: str) -> list[str]:
    values = [value.strip() for value in text.split(separator)]
    if len(values) > MAX_VALUES:
        raise _InvalidCondition.with_message("must have at most {count} values", count=MAX_VALUES)
    return values


def _timestamp(text: str, *, is_end: bool) -> str:
    """Return the timestamp of a time or a day; for a day, its first millisecond, or the last if `is_end`."""
    is_day = _DAY.fullmatch(text) is not None
    try:
        # `fromisoformat` also reads forms that few people expect, such as week numbers.
        moment = datetime.fromisoformat(text if is_day or _TIME.fullmatch(text) else "")
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if is_day and is_end:
            moment += timedelta(days=1) - timedelta(milliseconds=1)
        return format_timestamp(moment)
    except (ValueError, OverflowError):
        raise _InvalidCondition.with_message(
            "must be a time such as {time}, a day such as {day} (in UTC), or a seq",
            time="2026-11-20T09:15:00Z",
            day="2026-11-20",
        ) from None


def _seats_of(event: Event) -> set[int]:
    seats = (acting_seat(event["by"]), event["data"].get("seat"))
    return {seat for seat in seats if type(seat) is int}


def _is_named(id: str, clause: str) -> bool:
    """Return whether a condition names the clause by its id, or by the beginning of the id up to a hyphen."""
    return id == clause or id.startswith(f"{clause}-")
