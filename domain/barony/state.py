"""The state of a game of Barony: where pawns and tokens are and whose turn it is. No rule lives here.

Only `domain.barony.apply` changes a state, in place, on a copy that the caller owns.
"""

from typing import Self, TypeVar

from domain.barony.board import Board
from domain.barony.components import (
    BANK_OF_EACH,
    CITIES,
    KNIGHTS,
    NO_BUILDING,
    STRONGHOLDS,
    VILLAGES,
    Phase,
)
from domain.event import RankingEntry

Value = TypeVar("Value")


def replaced(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    """The tuple with another value at the index. Raises IndexError."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


class State:
    """One position of Barony. A hex is its number in `board`, a kind of token its index in `RESOURCES`.

    `knights[seat][hex]` counts the knights on the board. `building[hex]` is the number of a building and
    `owner[hex]` its seat, which means nothing where there is no building: no hex ever has two (BY-BLD-2).

    The other attributes of a seat are in one sequence each, by seat: lists where they change often, tuples
    where they change rarely. Copies share the tuples and the knights: `knights_to_change` returns knights
    that no other state shares.
    """

    __slots__ = (
        "bank",
        "board",
        "building",
        "end_agreed_by",
        "end_by_agreement",
        "is_out",
        "knights",
        "new_cities",
        "owner",
        "passed",
        "phase",
        "rank",
        "ranking",
        "removed_knights",
        "reserve_cities",
        "reserve_knights",
        "reserve_strongholds",
        "reserve_villages",
        "resources",
        "round",
        "round_limit",
        "score",
        "to_act",
        "turn",
    )

    def __init__(self, board: Board, seats: int) -> None:
        size = len(board.hexes)
        self.board = board
        self.phase: Phase = "setup"
        self.round = 0
        self.turn = 1
        self.to_act: int | None = 0
        self.round_limit: int | None = None
        self.end_by_agreement = False
        self.passed: tuple[int, ...] = ()
        self.end_agreed_by: tuple[int, ...] = ()
        self.knights = [bytearray(size) for _ in range(seats)]
        self.building = bytearray([NO_BUILDING]) * size
        self.owner = bytearray(size)
        self.reserve_knights = [KNIGHTS] * seats
        self.reserve_villages = [VILLAGES] * seats
        self.reserve_strongholds = [STRONGHOLDS] * seats
        self.reserve_cities = [CITIES] * seats
        self.resources: list[tuple[int, ...]] = [(0, 0, 0, 0)] * seats
        """Resource tokens by seat, counted by kind."""
        self.removed_knights = (0,) * seats
        """Knights that expeditions removed from the game, by seat."""
        self.rank = (0,) * seats
        self.new_cities = (0,) * seats
        self.score = (0,) * seats
        self.is_out = (False,) * seats
        self.bank = [BANK_OF_EACH] * 4
        self.ranking: tuple[RankingEntry, ...] = ()
        """The entries of `position.ranking` once the game is finished."""

    def copy(self) -> Self:
        """A state that may be changed without changing this one; they share only what never changes."""
        kind = type(self)
        duplicate = kind.__new__(kind)
        duplicate.board = self.board
        duplicate.phase = self.phase
        duplicate.round = self.round
        duplicate.turn = self.turn
        duplicate.to_act = self.to_act
        duplicate.round_limit = self.round_limit
        duplicate.end_by_agreement = self.end_by_agreement
        duplicate.passed = self.passed
        duplicate.end_agreed_by = self.end_agreed_by
        duplicate.knights = self.knights.copy()
        duplicate.building = self.building.copy()
        duplicate.owner = self.owner.copy()
        duplicate.reserve_knights = self.reserve_knights.copy()
        duplicate.reserve_villages = self.reserve_villages.copy()
        duplicate.reserve_strongholds = self.reserve_strongholds.copy()
        duplicate.reserve_cities = self.reserve_cities.copy()
        duplicate.removed_knights = self.removed_knights
        duplicate.resources = self.resources.copy()
        duplicate.rank = self.rank
        duplicate.new_cities = self.new_cities
        duplicate.score = self.score
        duplicate.is_out = self.is_out
        duplicate.bank = self.bank.copy()
        duplicate.ranking = self.ranking
        return duplicate

    @property
    def seats(self) -> int:
        """How many seats the game has, those that are out included."""
        return len(self.is_out)

    def knights_to_change(self, seat: int) -> bytearray:
        """The knights of the seat by hex, which the caller may change: copies do not share them any more."""
        knights = self.knights[seat] = self.knights[seat].copy()
        return knights

    def add_tokens(self, seat: int, kind: int, count: int) -> None:
        """The seat gains that many tokens of the kind, or loses them where `count` is negative."""
        tokens = [*self.resources[seat]]
        tokens[kind] += count
        self.resources[seat] = tuple(tokens)

    def occupied(self, seat: int) -> bytes:
        """By hex, nonzero where another seat may have a building or a knight: faster than checking every hex.

        Buildings of the seat itself count as well.
        """
        whole = int.from_bytes(self.building)
        for other, knights in enumerate(self.knights):
            if other != seat:
                whole |= int.from_bytes(knights)
        return whole.to_bytes(len(self.building))

    def built(self, seat: int, building: int) -> list[int]:
        """The hexes with a building of this number and seat, in order."""
        hexes, owner = [], self.owner
        hex = self.building.find(building)
        while hex >= 0:
            if owner[hex] == seat:
                hexes.append(hex)
            hex = self.building.find(building, hex + 1)
        return hexes

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat, is_out in enumerate(self.is_out) if not is_out]


StateT = TypeVar("StateT", bound=State)
