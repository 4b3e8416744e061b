"""The state of a game of Barony: where pawns and tokens are and whose turn it is. No rule lives here.

States are changed in place by `domain.barony.apply` alone, on a copy that the caller owns.
"""

from typing import Self

from domain.barony.board import Board
from domain.barony.components import (
    BANK_OF_EACH,
    CITIES,
    KNIGHTS,
    NO_BUILDING,
    STRONGHOLDS,
    VILLAGES,
)
from domain.contract import Json


class Player:
    """What a seat has beside the board. Pawns are those in reserve, `resources` tokens by kind."""

    __slots__ = (
        "cities",
        "is_out",
        "knights",
        "new_cities",
        "rank",
        "removed_knights",
        "resources",
        "score",
        "strongholds",
        "villages",
    )

    def __init__(self) -> None:
        self.knights = KNIGHTS
        self.villages = VILLAGES
        self.strongholds = STRONGHOLDS
        self.cities = CITIES
        self.removed_knights = 0
        self.resources = [0, 0, 0, 0]
        self.rank = 0
        self.new_cities = 0
        self.score = 0
        self.is_out = False

    def copy(self) -> "Player":
        """A player that may be changed without changing this one."""
        duplicate = Player.__new__(Player)
        duplicate.knights = self.knights
        duplicate.villages = self.villages
        duplicate.strongholds = self.strongholds
        duplicate.cities = self.cities
        duplicate.removed_knights = self.removed_knights
        duplicate.resources = self.resources[:]
        duplicate.rank = self.rank
        duplicate.new_cities = self.new_cities
        duplicate.score = self.score
        duplicate.is_out = self.is_out
        return duplicate


class State:
    """One position of Barony. Hexes are numbers of `board`.

    `knights[seat][hex]` counts knights; `building[hex]` is a building's number and `owner[hex]` its seat
    (meaningless where there is none): no hex ever has two buildings (BY-BLD-2).
    """

    __slots__ = (
        "bank",
        "board",
        "building",
        "end_agreed_by",
        "end_by_agreement",
        "knights",
        "owned",
        "owner",
        "passed",
        "phase",
        "players",
        "ranking",
        "round",
        "round_limit",
        "to_act",
        "turn",
    )

    def __init__(self, board: Board, seats: int) -> None:
        size = len(board.hexes)
        self.board = board
        self.phase = "setup"
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
        self.players = [Player() for _ in range(seats)]
        self.owned = 0
        """Bit by bit, the seats whose player no other state shares (`own_player`)."""
        self.bank = [BANK_OF_EACH] * 4
        self.ranking: list[Json] | None = None

    def copy(self) -> Self:
        """A state that may be changed without changing this one.

        The board is shared, and so are players until `own_player` is asked for one.
        """
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
        duplicate.knights = [counts[:] for counts in self.knights]
        duplicate.building = self.building[:]
        duplicate.owner = self.owner[:]
        duplicate.players = self.players[:]
        duplicate.owned = self.owned = 0
        duplicate.bank = self.bank[:]
        duplicate.ranking = self.ranking
        return duplicate

    def own_player(self, seat: int) -> Player:
        """The seat's player as one that only this state has, to be changed."""
        player = self.players[seat]  # first: recorded facts may name any number as a seat
        if not self.owned >> seat & 1:
            self.owned |= 1 << seat
            player = self.players[seat] = player.copy()
        return player

    def occupied(self, seat: int) -> bytes:
        """By hex, not 0 where a building or a knight of another seat is. Cheaper than a look at every hex."""
        whole = int.from_bytes(self.building)
        for other, knights in enumerate(self.knights):
            if other != seat:
                whole |= int.from_bytes(knights)
        return whole.to_bytes(len(self.building))

    def built(self, seat: int, building: int) -> list[int]:
        """The hexes with a building of this number and seat, in order."""
        found, owner = [], self.owner
        hex = self.building.find(building)
        while hex >= 0:
            if owner[hex] == seat:
                found.append(hex)
            hex = self.building.find(building, hex + 1)
        return found

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat, player in enumerate(self.players) if not player.is_out]
