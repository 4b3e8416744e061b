"""What a tournament states at its beginning about who enters late, who rests, which clubs meet, and when it
starts.

These rules never change (docs/tournaments.md, Half-point byes and Late entry).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from domain.json_fields import is_integer, one_of
from domain.json_types import CLUB_ID, JsonObject
from domain.messages import Text, message
from domain.tournaments.format_settings import FORMATS_WITH_FREE_PAIRING, FormatSettings
from domain.tournaments.pairing import MIN_TABLE

LatePoints: TypeAlias = Literal["0", "1/2"]
LATE_POINTS: Final[tuple[LatePoints, ...]] = get_args(LatePoints)
MAX_HALF_POINT_BYES: Final = 8
CLUBS_OF_MATCH: Final = 2


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The rules of a tournament. The defaults are those of a tournament that states nothing."""

    half_point_byes: int = 0
    """For how many rounds each player may ask for half a point instead of a table."""
    late_rounds: int = 0
    """How many rounds, at most, a player has missed who enters late; 0 if nobody may."""
    late_points: LatePoints = "0"
    """What a late player has for each missed round."""
    starts_when_full: bool = False
    """Whether registration closes as soon as all places are taken."""
    clubs: Mapping[str, str] = field(default_factory=dict)
    """The names of the two clubs whose teams meet in a match, by their ids; none for another tournament."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "EntryRules":
        """Return the rules in the data of `TournamentCreated`."""
        return cls(**{name: data[name] for name in ENTRY_RULES if name in data})

    def to_json(self) -> JsonObject:
        """Return the rules that differ from the defaults, by name."""
        values = {name: getattr(self, name) for name in ENTRY_RULES}
        return {
            name: value for name, value in values.items() if value != getattr(NO_ENTRY_RULES, name)
        }


ENTRY_RULES: Final = ("half_point_byes", "late_rounds", "late_points", "starts_when_full", "clubs")
NO_ENTRY_RULES: Final = EntryRules()


def entry_rule_faults(
    rules: Mapping[str, object], settings: FormatSettings | None
) -> dict[str, Text]:
    """Return the faults of the rules of a new tournament by name; of its format, if that is known."""
    faults: dict[str, Text] = {}
    for name, most in (("half_point_byes", MAX_HALF_POINT_BYES), ("late_rounds", None)):
        value = rules.get(name, 0)
        if value == 0 and is_integer(value):
            continue
        if settings is not None and settings.format not in FORMATS_WITH_FREE_PAIRING:
            faults[name] = message("are for a Swiss tournament and a single group only")
            continue
        rounds = settings.rounds - 1 if settings is not None else MAX_HALF_POINT_BYES
        limit = rounds if most is None else min(most, rounds)
        if not is_integer(value) or not 0 <= value <= limit:
            faults[name] = message(
                "must be a whole number from {least} to {most}", least=0, most=limit
            )
    points = rules.get("late_points", "0")
    if points not in LATE_POINTS:
        faults["late_points"] = one_of(LATE_POINTS)
    elif points != "0" and "late_rounds" not in faults and not rules.get("late_rounds", 0):
        faults["late_points"] = message("are for late players: nobody may enter late")
    if not isinstance(rules.get("starts_when_full", False), bool):
        faults["starts_when_full"] = message("must be true or false")
    if (clubs := rules.get("clubs", {})) != {} and not _are_clubs(clubs):
        faults["clubs"] = message("must be the names of two clubs by their ids")
    elif clubs and settings is not None and not settings.boards:
        faults["clubs"] = message("is for teams: they need boards")
    return faults


def entrant_faults(
    least: object, most: object, rules: Mapping[str, object], limit: int
) -> dict[str, Text]:
    """Return the faults of the numbers of entrants of a new tournament, by field; `limit` is the greatest."""
    errors: dict[str, Text] = {}
    for name, value in (("least", least), ("most", most)):
        if not is_integer(value) or not MIN_TABLE <= value <= limit:
            errors[name] = message(
                "must be a whole number from {least} to {most}", least=MIN_TABLE, most=limit
            )
    if errors:
        return errors
    if is_integer(least) and is_integer(most) and least > most:
        errors["most"] = message("must not be smaller than least")
    elif rules.get("clubs") and (least, most) != (CLUBS_OF_MATCH, CLUBS_OF_MATCH):
        errors["most"] = message("must be {count} in a match of clubs", count=CLUBS_OF_MATCH)
    return errors


def _are_clubs(value: object) -> bool:
    if not isinstance(value, dict) or len(value) != CLUBS_OF_MATCH:
        return False
    are_ids = all(isinstance(id, str) and re.fullmatch(CLUB_ID, id) for id in value)
    names = {name.casefold() for name in value.values() if isinstance(name, str) and name}
    return are_ids and len(names) == CLUBS_OF_MATCH
