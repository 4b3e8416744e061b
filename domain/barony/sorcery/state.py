"""The state of a game with Sorcery: the base game's, with magic tokens, imprints and open spells."""

from functools import cached_property
from typing import Self

from domain.barony.board import Board
from domain.barony.components import MYSTERIOUS_PLACE, Spell
from domain.barony.sorcery.components import BANK_OF_EACH
from domain.barony.state import State


class SorceryBoard(Board):
    """A board with mysterious places."""

    @cached_property
    def can_be_settled(self) -> tuple[bool, ...]:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """Whether the terrain of the hex and around it allows a first city (BY-SET-4, BS-SET-3)."""
        return tuple(
            allowed and not is_by_a_place
            for allowed, is_by_a_place in zip(super().can_be_settled, self.by_a_place, strict=True)
        )

    @cached_property
    def by_a_place(self) -> tuple[bool, ...]:
        """Whether the hex is a mysterious place or adjacent to one (BS-SET-3)."""
        return tuple(
            MYSTERIOUS_PLACE in (self.terrain[hex], *(self.terrain[at] for at in near))
            for hex, near in enumerate(self.neighbours)
        )


class SorceryState(State):
    """One position of Barony with Sorcery."""

    __slots__ = ("imprints", "magic", "spells")

    def __init__(self, board: SorceryBoard, seats: int) -> None:
        super().__init__(board, seats)
        self.bank = [BANK_OF_EACH] * 4
        self.spells: tuple[Spell, ...] = ()
        """The open spells, in alphabetical order."""
        self.magic = [0] * seats
        """Magic tokens by seat."""
        self.imprints: list[tuple[int, ...]] = [()] * seats
        """By seat, the hexes with an imprint of the seat, sorted."""

    def copy(self) -> Self:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """A state that may be changed without changing this one; they share only what never changes."""
        duplicate = State.copy(self)
        duplicate.spells = self.spells
        duplicate.magic = self.magic.copy()
        duplicate.imprints = self.imprints.copy()
        return duplicate
