"""The actions of Barony, those of Sorcery included, as values.

`action_json` converts them from and to JSON, `action_text` from and to their short form.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from domain.contract import Resign
from domain.hexes import Hex


@dataclass(frozen=True, slots=True)
class PlaceCity:
    """Set-up: a city and a knight (BY-SET-3)."""

    type: ClassVar[str] = "place_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Recruit:
    """A. Recruitment (BY-REC)."""

    type: ClassVar[str] = "recruit"
    at: Hex
    knights: int


@dataclass(frozen=True, slots=True)
class Move:
    """B. Movement (BY-MOV): one or two moves (from, to); `takes` are kinds of token by BY-CON-3."""

    type: ClassVar[str] = "move"
    moves: tuple[tuple[Hex, Hex], ...]
    takes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """C. Construction (BY-BLD): (hex, `village` or `stronghold`) each, in order of hexes."""

    type: ClassVar[str] = "build"
    builds: tuple[tuple[Hex, str], ...]


@dataclass(frozen=True, slots=True)
class NewCity:
    """D. New city (BY-CTY)."""

    type: ClassVar[str] = "new_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Expedition:
    """E. Expedition (BY-EXP)."""

    type: ClassVar[str] = "expedition"
    to: Hex


@dataclass(frozen=True, slots=True)
class NobleTitle:
    """F. Noble title (BY-TTL): tokens to discard, by kind in the order of BY-MAT-2."""

    type: ClassVar[str] = "noble_title"
    discard: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Pass:
    """Where no other action is to be had (BY-TURN-2)."""

    type: ClassVar[str] = "pass"


@dataclass(frozen=True, slots=True)
class AgreeToEnd:
    """Ask for the end by agreement, or take it back (BY-END-5)."""

    type: ClassVar[str] = "agree_to_end"
    agree: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """Spells of one family (BS-SPL), in alphabetical order, with a path, recruits or a hex.

    A cast is a well-formed action in every game of Barony; without Sorcery the rules refuse it (BS-SPL-1).
    """

    type: ClassVar[str] = "cast"
    spells: tuple[str, ...]
    path: tuple[Hex, ...] = ()
    """The start, then the hex on which each step ends."""
    takes: tuple[str, ...] = ()
    recruits: tuple[tuple[Hex, int], ...] = ()
    at: Hex | None = None


Action: TypeAlias = (
    PlaceCity
    | Recruit
    | Move
    | Build
    | NewCity
    | Expedition
    | NobleTitle
    | Pass
    | Cast
    | AgreeToEnd
    | Resign
)
