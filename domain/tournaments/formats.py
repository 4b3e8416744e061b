"""The formats of tournaments: who plays in the next round, when it is over, and who is before whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, TypeVar, get_args

from domain.json_types import JsonObject
from domain.tournaments.pairing import Player, Table
from domain.tournaments.standings import Result, Standing

Format: TypeAlias = Literal["single_group", "round_robin", "swiss", "knockout", "league", "ladder"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
T = TypeVar("T")


class Draw(Protocol):
    """The draw of lots: choices that follow from the revealed seed of a tournament and a label."""

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        """Return the items in an order that depends on the seed and the label alone."""


@dataclass(frozen=True, slots=True)
class FormatSettings:
    """The settings of a format. Those that a format does not use have their defaults."""

    format: Format
    table_size: int = 2
    """How many players sit at a table, at most."""
    rounds: int = 1
    """Single group, Swiss and ladder: how many rounds are played."""
    cycles: int = 1
    """Round robin and league: how often each two players meet (in a season)."""
    advance: int = 1
    """Knockout: how many players of a table go on to the next round."""
    divisions: int = 1
    """League: how many divisions there are, at most."""
    promoted: int = 1
    """League: how many players change places with the division above after a season."""
    seasons: int = 1
    """League: how many seasons are played."""

    @classmethod
    def from_json(cls, raw: object) -> "FormatSettings":
        """Read settings. Raises Malformed, which names every wrong field."""
        raise NotImplementedError

    def to_json(self) -> JsonObject:
        """Return the settings that the format uses, as `from_json` reads them."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Round:
    """A round of which the tables are drawn."""

    tables: tuple[Table, ...]
    results: tuple[Result | None, ...]
    """The result of each table, None while it plays; a bye has a result at once."""


@dataclass(frozen=True, slots=True)
class Group:
    """Players who compete for the same places: a division, a group, or all."""

    standings: tuple[Standing, ...]
    """The best first."""


def next_round(
    settings: FormatSettings,
    players: Sequence[Player],
    rounds: Sequence[Round],
    absent: frozenset[Player],
    draw: Draw,
) -> tuple[Table, ...] | None:
    """Return the tables of the next round, after all `rounds` have their results; None if it is over."""
    raise NotImplementedError


def standings(
    settings: FormatSettings, players: Sequence[Player], rounds: Sequence[Round]
) -> list[Group]:
    """Return the standings after the results that there are, for each group; the first division first."""
    raise NotImplementedError
