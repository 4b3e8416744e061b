"""A kind of change by an organiser, and what its decision is based on.

Each kind is described once, in `domain.tournaments.changes`. From the description follow the call of
the HTTP interface, the audit and the fold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from domain.errors import Malformed
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import Text, message
from domain.tournaments.events import TournamentData, TournamentEvent
from domain.tournaments.tournament import Tournament

MAX_REASON: Final = 500
_Apply: TypeAlias = Callable[[Tournament, TournamentEvent, Any], Tournament]


class Dates(Protocol):
    """Arithmetic of timestamps, which is not a part of the domain."""

    def is_timestamp(self, value: object) -> bool:
        """Return whether the value is a timestamp of a day in the calendar."""

    def plus(self, moment: str, seconds: int) -> str:
        """Return the timestamp so many seconds later."""

    def moved(self, moment: str, since: str, until: str) -> str:
        """Return the timestamp that is later by the time from `since` to `until`."""


class ChangeFields:
    """Reads the fields that an organiser chooses, and collects their faults.

    Every method returns a value of the right type; it is only used if `check` raises nothing.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw: Final = raw
        self.faults: Final[dict[str, Text]] = {}

    def integer(self, name: str, least: int, most: int) -> int:
        """The whole number in a field."""
        value = self.raw.get(name)
        if not is_integer(value) or not least <= value <= most:
            self.faults[name] = message(
                "must be a whole number from {least} to {most}", least=least, most=most
            )
            return least
        return value

    def timestamp(self, name: str, dates: Dates) -> str:
        """The timestamp in a field."""
        value = self.raw.get(name)
        if not isinstance(value, str) or not dates.is_timestamp(value):
            self.faults[name] = message("must be a time such as 2026-12-31T18:00:00.000Z")
            return ""
        return value

    def players(self, name: str, least: int, most: int) -> list[str]:
        """The players in a field, each once."""
        value = self.raw.get(name)
        if not isinstance(value, list) or not all(isinstance(player, str) for player in value):
            self.faults[name] = message("must be a list of players")
            return []
        if not least <= len(value) <= most or len(set(value)) != len(value):
            self.faults[name] = message(
                "must have from {least} to {most} players, each once", least=least, most=most
            )
        return value

    def check(self) -> None:
        """Raise Malformed if there is a fault."""
        if self.faults:
            raise Malformed(self.faults)


@dataclass(frozen=True, slots=True)
class Situation:
    """What a change is decided in."""

    tournament: Tournament
    fields: ChangeFields
    at: str
    dates: Dates


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A kind of change."""

    data: type[TournamentData]
    """The data of its event, after which the event type is named."""
    chosen: tuple[str, ...] = ()
    """The fields of the data that the organiser chooses, besides the reason; the others follow from them."""
    handles: tuple[str, ...] = ()
    """The chosen fields that name players, in requests by their handles and in the data by their ids."""
    supplied: tuple[str, ...] = ()
    """The fields that the server adds to what the organiser chooses, from the record of a game."""
    has_reason: bool = True
    """Whether it needs a reason; an announcement is its own."""
    decide: Callable[[Situation], JsonObject]
    """Returns the data without the reason. Raises NotNow, Malformed."""
    apply: _Apply

    @property
    def type(self) -> str:
        """The type of the event."""
        return self.data.__name__

    @property
    def given(self) -> tuple[str, ...]:
        """The fields that the decision is based on."""
        return (*self.chosen, *self.supplied)
