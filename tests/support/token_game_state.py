"""The states and actions of the game in `token_game`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from domain.contract import Resign
from domain.event import RankingEntry


@dataclass(frozen=True, slots=True)
class Take:
    """Take stones."""

    stones: int
    type: ClassVar[Literal["take"]] = "take"


Action: TypeAlias = Take | Resign


class State:
    """A position of the game; all values are immutable."""

    def __init__(self, seats: int, stones: int, values: Sequence[int] | None) -> None:
        self.phase: Literal["play", "scoring", "finished"] = "play"
        self.round = 1
        self.turn = 1
        self.to_act: int | None = 0
        self.stones = stones
        # The values of the remaining stones, the next one first; None if they are not known.
        self.values = None if values is None else tuple(values)
        self.points = (0,) * seats
        self.out: tuple[int, ...] = ()
        self.lucky: tuple[int | None, ...] = (None,) * seats
        self.limit: int | None = None
        self.ranking: list[RankingEntry] | None = None

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat in range(len(self.points)) if seat not in self.out]
