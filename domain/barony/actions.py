"""The actions of Barony, those of Sorcery included, as values.

`action_json` converts them from and to JSON, `action_text` from and to their short form.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from domain.barony.components import Resource, Spell
from domain.contract import Resign
from domain.hexes import Hex

Site: TypeAlias = tuple[Hex, Literal["village", "stronghold"]]
"""A hex, and what to build on it."""


@dataclass(frozen=True, slots=True)
class PlaceCity:
    """Set-up: a city and a knight (BY-SET-3)."""

    type: ClassVar[Literal["place_city"]] = "place_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Recruit:
    """A. Recruitment (BY-REC)."""

    type: ClassVar[Literal["recruit"]] = "recruit"
    at: Hex
    knights: int


@dataclass(frozen=True, slots=True)
class Move:
    """B. Movement (BY-MOV): one or two moves (from, to); `takes` are kinds of token to take (BY-CON-3)."""

    type: ClassVar[Literal["move"]] = "move"
    moves: tuple[tuple[Hex, Hex], ...]
    takes: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """C. Construction (BY-BLD), on sites in order of hexes."""

    type: ClassVar[Literal["build"]] = "build"
    builds: tuple[Site, ...]


@dataclass(frozen=True, slots=True)
class NewCity:
    """D. New city (BY-CTY)."""

    type: ClassVar[Literal["new_city"]] = "new_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Expedition:
    """E. Expedition (BY-EXP)."""

    type: ClassVar[Literal["expedition"]] = "expedition"
    to: Hex


@dataclass(frozen=True, slots=True)
class NobleTitle:
    """F. Noble title (BY-TTL): tokens to discard, counted by kind in the order of BY-MAT-2."""

    type: ClassVar[Literal["noble_title"]] = "noble_title"
    discard: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass, where no other action is legal (BY-TURN-2)."""

    type: ClassVar[Literal["pass"]] = "pass"


@dataclass(frozen=True, slots=True)
class AgreeToEnd:
    """Ask for the end by agreement, or withdraw that (BY-END-5)."""

    type: ClassVar[Literal["agree_to_end"]] = "agree_to_end"
    agree: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """Spells of one family (BS-SPL), in alphabetical order, with a path, recruits or a hex.

    A cast is a well-formed action in every game of Barony; without Sorcery the rules refuse it (BS-SPL-1).
    """

    type: ClassVar[Literal["cast"]] = "cast"
    spells: tuple[Spell, ...]
    path: tuple[Hex, ...] = ()
    """The start, then the hex on which each step ends."""
    takes: tuple[Resource, ...] = ()
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
