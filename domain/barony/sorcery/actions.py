"""The one action that the expansion adds."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from domain.barony.actions import Action as BaseAction
from domain.hexes import Hex


@dataclass(frozen=True, slots=True)
class Cast:
    """Spells of one family (BS-SPL), in alphabetical order, with a path, recruits or a hex."""

    type: ClassVar[str] = "cast"
    spells: tuple[str, ...]
    path: tuple[Hex, ...] = ()
    """The start, then where each step ends."""
    takes: tuple[str, ...] = ()
    recruits: tuple[tuple[Hex, int], ...] = ()
    at: Hex | None = None


Action: TypeAlias = BaseAction | Cast
