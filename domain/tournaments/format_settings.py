"""The settings of the formats of tournaments, and their bounds (docs/tournaments.md, Formats)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from domain.errors import Malformed
from domain.json_fields import is_integer, one_of
from domain.json_types import JsonObject
from domain.messages import Text, message
from domain.tournaments.pairing import MAX_TABLE, MIN_TABLE

Scoring: TypeAlias = Literal["boards", "sums"]
SCORINGS: Final[tuple[Scoring, ...]] = get_args(Scoring)
MAX_BOARDS: Final = 8
Format: TypeAlias = Literal[
    "single_group", "round_robin", "swiss", "knockout", "league", "ladder", "arena"
]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "table_size": (MIN_TABLE, MAX_TABLE),
    "rounds": (1, 50),
    "accelerated": (0, 49),
    "cycles": (1, 4),
    "advance": (1, MAX_TABLE - 1),
    "divisions": (1, 16),
    "promoted": (0, 8),
    "seasons": (1, 20),
    "boards": (0, MAX_BOARDS),
    "minutes": (10, 720),
}
"""The least and the largest value of each setting."""
FORMATS_WITH_FREE_PAIRING: Final[frozenset[Format]] = frozenset({"swiss", "single_group"})
"""The formats in which anybody can meet anybody in each round."""
FORMATS_WITH_PROHIBITIONS: Final = FORMATS_WITH_FREE_PAIRING | {"arena"}
"""The formats in which pairings can be prohibited."""
FIELDS: Final[Mapping[Format, tuple[str, ...]]] = {
    "single_group": ("table_size", "rounds"),
    "round_robin": ("table_size", "cycles"),
    "swiss": ("table_size", "rounds", "accelerated"),
    "knockout": ("table_size", "advance"),
    "league": ("table_size", "cycles", "divisions", "promoted", "seasons"),
    "ladder": ("table_size", "rounds"),
    "arena": ("table_size", "minutes"),
}
"""The settings that each format uses, besides those of teams."""
TEAM_FIELDS: Final = ("boards", "scoring")
MAX_PLAYERS: Final = 128
MAX_IN_ARENA: Final = 256
MAX_IN_ROUND_ROBIN: Final = 32
"""How many players can meet each other: those of a round robin, or of a division."""


@dataclass(frozen=True, slots=True)
class FormatSettings:
    """The settings of a format. Those that a format does not use have their defaults."""

    format: Format
    table_size: int = MIN_TABLE
    """How many players sit at a table, at most."""
    rounds: int = 1
    """Single group, Swiss and ladder: how many rounds are played."""
    accelerated: int = 0
    """Swiss: in how many rounds the first half of the starting order has points in advance."""
    cycles: int = 1
    """Round robin and league: how often each two players meet (in a season), at least."""
    advance: int = 1
    """Knockout: how many players of a table go on to the next round, but never all of them."""
    divisions: int = 1
    """League: how many divisions there are, at most."""
    promoted: int = 1
    """League: how many players go up from each division after a season, and as many down."""
    seasons: int = 1
    """League: how many seasons are played."""
    minutes: int = 60
    """Arena: how long players are seated."""
    boards: int = 0
    """At how many boards teams meet; 0 if single players take part."""
    scoring: Scoring = "boards"
    """What a match of teams counts: by who has won more at the boards, or the sum of the points there."""

    @classmethod
    def from_json(cls, raw: object) -> "FormatSettings":
        """Read settings, with defaults for missing ones. Raises Malformed, which names every wrong field."""
        if not isinstance(raw, dict):
            raise Malformed({"": message("must be an object")})
        format = raw.get("format")
        if format not in FORMATS:
            raise Malformed({"format": one_of(FORMATS)})
        faults: dict[str, Text] = {}
        for name, value in raw.items():
            if name == "format":
                continue
            if name == "scoring" and format != "arena":
                if value not in SCORINGS:
                    faults[name] = one_of(SCORINGS)
                elif not raw.get("boards"):
                    faults[name] = message("is for teams: they need boards")
                continue
            of_teams = () if format == "arena" else TEAM_FIELDS
            if name not in (*FIELDS[format], *of_teams):
                faults[name] = message("is not a setting of this format")
                continue
            least, most = BOUNDS[name]
            if not is_integer(value) or not least <= value <= most:
                faults[name] = message(
                    "must be a whole number from {least} to {most}", least=least, most=most
                )
        if not faults and raw.get("advance", 1) >= raw.get("table_size", MIN_TABLE):
            faults["advance"] = message("must be less than the number of players at a table")
        if not faults and 0 < raw.get("accelerated", 0) >= raw.get("rounds", 1):
            faults["accelerated"] = message("must be less than the number of rounds")
        if faults:
            raise Malformed(faults)
        return cls(**raw)

    def to_json(self) -> JsonObject:
        """Return the settings that the format uses, as `from_json` reads them."""
        return {
            "format": self.format,
            # Without acceleration, it is as before there was any.
            **{
                name: getattr(self, name)
                for name in FIELDS[self.format]
                if name != "accelerated" or self.accelerated
            },
            **({"boards": self.boards, "scoring": self.scoring} if self.boards else {}),
        }

    @property
    def is_arena(self) -> bool:
        """Whether players are seated as soon as they are free, instead of in rounds."""
        return self.format == "arena"

    @property
    def most_players(self) -> int:
        """How many players can take part, or teams: so many that they do not have more players together."""
        if self.is_arena:
            return MAX_IN_ARENA
        return min(self._most_entrants, MAX_PLAYERS // max(1, self.boards))

    @property
    def _most_entrants(self) -> int:
        if self.format == "round_robin":
            return MAX_IN_ROUND_ROBIN
        if self.format == "league":
            return min(MAX_PLAYERS, MAX_IN_ROUND_ROBIN * self.divisions)
        return MAX_PLAYERS

    def check_players(self, count: int) -> None:
        """Raise Malformed (field `players`) if so many players cannot take part."""
        if not MIN_TABLE <= count <= self.most_players:
            fault = message(
                "must be a whole number from {least} to {most}",
                least=MIN_TABLE,
                most=self.most_players,
            )
            raise Malformed({"players": fault})
