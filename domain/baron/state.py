"""The state of a game of Baron: where tiles and keeps are and whose turn it is. No rule lives here.

States are changed in place by `domain.baron.apply` alone, on a copy that the caller owns. What only some
may know (the order of the pile, the tiles dealt) is None where it was not opened.
"""

from collections.abc import Mapping, Sequence

from domain.baron.resolution import Standing
from domain.contract import Json
from domain.hexes import Hex, neighbours


class Player:
    """What a seat has beside the board. `out` is the moment at which it went out, None while it plays."""

    __slots__ = ("honour", "keeps", "out", "reserve", "reserve_size", "resting")

    def __init__(self, keeps: int, reserve: Sequence[str] | None, reserve_size: int) -> None:
        self.honour = 0
        self.keeps = keeps
        """Those that can be put down now."""
        self.resting = 0
        """Those that came back during this turn (BN-KEP-2)."""
        self.reserve = None if reserve is None else tuple(sorted(reserve))
        """Its tiles, sorted; None where those dealt to it are not known."""
        self.reserve_size = reserve_size
        self.out: int | None = None

    def copy(self) -> "Player":
        """A player that may be changed without changing this one."""
        duplicate = Player.__new__(Player)
        duplicate.honour = self.honour
        duplicate.keeps = self.keeps
        duplicate.resting = self.resting
        duplicate.reserve = self.reserve
        duplicate.reserve_size = self.reserve_size
        duplicate.out = self.out
        return duplicate


class State:
    """One position of Baron.

    `keeps` has each keep's seat and side, `values` the value that a baron's barony was established with.
    `pile` is the whole pile of the set-up, of which the last `pile_left` tiles are still there, the next one
    first. `turns_left` counts by seat the turns of BN-END-1, None until they are counted.
    """

    __slots__ = (
        "keeps",
        "known_rim",
        "market",
        "phase",
        "pile",
        "pile_left",
        "players",
        "ranking",
        "removed",
        "round",
        "tiles",
        "to_act",
        "turn",
        "turns_left",
        "values",
    )

    def __init__(self, players: Sequence[Player]) -> None:
        self.phase = "draw"
        self.round = 1
        self.turn = 1
        self.to_act: int | None = 0
        self.tiles: dict[Hex, str] = {}
        self.known_rim: dict[Hex, tuple[str, ...]] | None = None
        self.keeps: dict[Hex, tuple[int, str]] = {}
        self.values: dict[Hex, int] = {}
        self.market: tuple[str, ...] = ()
        self.pile: tuple[str, ...] | None = None
        self.pile_left = 0
        self.removed: tuple[str, ...] = ()
        self.players = list(players)
        self.turns_left: tuple[int, ...] | None = None
        self.ranking: list[Json] | None = None

    def copy(self) -> "State":
        """A state that may be changed without changing this one; what never changes is shared."""
        duplicate = State.__new__(State)
        duplicate.phase = self.phase
        duplicate.round = self.round
        duplicate.turn = self.turn
        duplicate.to_act = self.to_act
        duplicate.tiles = self.tiles.copy()
        duplicate.known_rim = None if self.known_rim is None else self.known_rim.copy()
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

    def lay(self, at: Hex, tile: str) -> None:
        """A tile comes to lie on a hex."""
        tiles, rim = self.tiles, self.known_rim
        tiles[at] = tile
        if rim is not None:
            rim.pop(at, None)
            for near in neighbours(at):
                if near not in tiles:
                    rim[near] = (*rim.get(near, ()), tile)

    @property
    def rim(self) -> Mapping[Hex, tuple[str, ...]]:
        """The empty hexes beside tiles, each with the tiles around it.

        Made when first asked for, since folding a log never asks, and kept up from then on.
        """
        if self.known_rim is None:
            self.known_rim = {}
            for at, tile in self.tiles.items():
                for near in neighbours(at):
                    if near not in self.tiles:
                        self.known_rim[near] = (*self.known_rim.get(near, ()), tile)
        return self.known_rim

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat, player in enumerate(self.players) if player.out is None]

    def standing(self) -> Standing:
        """The board as baronies are reckoned on it."""
        out = frozenset(seat for seat, player in enumerate(self.players) if player.out is not None)
        return Standing(self.tiles, self.keeps, out)

    def top_of_pile(self) -> str | None:
        """The next tile of the pile, None where there is none. The order must be known."""
        if not self.pile_left:
            return None
        assert self.pile is not None, "a draw needs what is known of the pile"
        return self.pile[-self.pile_left]
