"""The state of a game of Baron: where the tiles and keeps are, and whose turn it is. It contains no rules.

Only `domain.baron.apply` changes states, in place, on a copy that the caller owns. Secrets that the caller
does not know (the order of the pile, the tiles that were dealt) are None.
"""

from collections.abc import Mapping, Sequence

from domain.baron.battles import Board
from domain.baron.formats import Phase, Side, Tile
from domain.event import RankingEntry
from domain.hexes import Hex, neighbours


class Player:
    """What a seat has beside the board."""

    __slots__ = ("honour", "keeps", "out", "reserve", "reserve_size", "resting")

    def __init__(self, keeps: int, reserve: Sequence[Tile] | None, reserve_size: int) -> None:
        self.honour = 0
        self.keeps = keeps
        """The keeps that can be put down now."""
        self.resting = 0
        """The keeps that came back during this turn (BN-KEP-2)."""
        self.reserve = None if reserve is None else tuple(sorted(reserve))
        """The tiles in reserve, sorted; None if the tiles dealt to the seat are not known."""
        self.reserve_size = reserve_size
        self.out: int | None = None
        """The moment at which the seat went out; None while it plays."""

    def copy(self) -> "Player":
        """A player that can be changed without changing this one."""
        duplicate = Player.__new__(Player)
        duplicate.honour = self.honour
        duplicate.keeps = self.keeps
        duplicate.resting = self.resting
        duplicate.reserve = self.reserve
        duplicate.reserve_size = self.reserve_size
        duplicate.out = self.out
        return duplicate


class State:
    """One position of Baron, with the secrets that the caller knows."""

    __slots__ = (
        "keeps",
        "market",
        "phase",
        "pile",
        "pile_left",
        "players",
        "ranking",
        "removed",
        "rim_cache",
        "round",
        "tiles",
        "to_act",
        "turn",
        "turns_left",
        "values",
    )

    def __init__(self, players: Sequence[Player]) -> None:
        self.phase: Phase = "draw"
        self.round = 1
        self.turn = 1
        self.to_act: int | None = 0
        self.tiles: dict[Hex, Tile] = {}
        self.rim_cache: dict[Hex, tuple[Tile, ...]] | None = None
        self.keeps: dict[Hex, tuple[int, Side]] = {}
        """The seat and the side of each keep on the board."""
        self.values: dict[Hex, int] = {}
        """By the hex of each baron, the value with which its barony was established."""
        self.market: tuple[Tile, ...] = ()
        self.pile: tuple[Tile, ...] | None = None
        """The whole pile of the set-up, whose last `pile_left` tiles are left, the next one first."""
        self.pile_left = 0
        self.removed: tuple[Tile, ...] = ()
        self.players = list(players)
        self.turns_left: tuple[int, ...] | None = None
        """By seat, the turns of BN-END-1 that are left; None until they are counted."""
        self.ranking: list[RankingEntry] | None = None

    def copy(self) -> "State":
        """A state that can be changed without changing this one; values that never change are shared."""
        duplicate = State.__new__(State)
        duplicate.phase = self.phase
        duplicate.round = self.round
        duplicate.turn = self.turn
        duplicate.to_act = self.to_act
        duplicate.tiles = self.tiles.copy()
        rim = self.rim_cache
        duplicate.rim_cache = None if rim is None else rim.copy()
        duplicate.keeps = self.keeps.copy()
        duplicate.values = self.values.copy()
        duplicate.market = self.market
        duplicate.pile = self.pile
        duplicate.pile_left = self.pile_left
        duplicate.removed = self.removed
        duplicate.players = [player.copy() for player in self.players]
        duplicate.turns_left = self.turns_left
        duplicate.ranking = self.ranking
        return duplicate

    def lay_tile(self, at: Hex, tile: Tile) -> None:
        """Put a tile on an empty hex."""
        tiles, rim = self.tiles, self.rim_cache
        tiles[at] = tile
        if rim is not None:
            rim.pop(at, None)
            for near in neighbours(at):
                if near not in tiles:
                    rim[near] = (*rim.get(near, ()), tile)

    @property
    def rim(self) -> Mapping[Hex, tuple[Tile, ...]]:
        """The empty hexes adjacent to tiles, each with the tiles around it.

        Computed at the first use, since folding a log needs no rim, and then kept up to date. It is complete
        before it is stored, so that threads that share this state never see a part of it.
        """
        rim = self.rim_cache
        if rim is None:
            rim = {}
            for at, tile in self.tiles.items():
                for near in neighbours(at):
                    if near not in self.tiles:
                        rim[near] = (*rim.get(near, ()), tile)
            self.rim_cache = rim
        return rim

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat, player in enumerate(self.players) if player.out is None]

    def board(self) -> Board:
        """The board as baronies are resolved on it."""
        out = frozenset(seat for seat, player in enumerate(self.players) if player.out is not None)
        return Board(self.tiles, self.keeps, out)

    def tiles_in_pile(self) -> tuple[Tile, ...]:
        """The tiles left in the pile, from its top; their order must be known."""
        if not self.pile_left:
            return ()
        assert self.pile is not None, "the tiles in the pile are only known with their order"
        return self.pile[-self.pile_left :]

    def top_of_pile(self) -> Tile | None:
        """The next tile of the pile, whose order must be known; None if the pile is empty."""
        if not self.pile_left:
            return None
        assert self.pile is not None, "a draw requires the order of the pile"
        return self.pile[-self.pile_left]
