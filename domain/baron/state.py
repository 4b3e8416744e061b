"""The state of a game of Baron: where the tiles and keeps are, and whose turn it is. It contains no rules.

Secrets that the caller does not know (the order of the pile, the tiles that were dealt) are None. Only
`apply` changes states, in place, on a copy that the caller owns. It writes recorded events into them, and
never refuses and never decides; the data of each event are described in docs/formats.md and typed in
`domain.baron.formats`.

`position` shows a state as a viewer may see it. No position contains the order of the pile. A reserve is
visible to its owner, and to everyone once the game has ended; `state` in an event is the hash of the
position that a spectator sees during the game.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from domain.baron.battles import Board
from domain.baron.components import BARON, KNIGHT
from domain.baron.formats import (
    BaronPosition,
    Consequences,
    GoingOut,
    KeepPlaced,
    Phase,
    PlayerJson,
    PlayerResigned,
    Result,
    Side,
    Then,
    Tile,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
    TurnEnded,
)
from domain.contract import ALL_SECRETS
from domain.event import EventData, RankingEntry
from domain.hexes import Hex, hex_of, neighbours


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
        "drawn",
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
        self.drawn: Tile | None = None
        """The tile that was drawn in the last event; None after any other event."""
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
        duplicate.drawn = self.drawn
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


def _tile_drawn(state: State, data: TileDrawn) -> None:
    player = state.players[data["seat"]]
    player.honour -= data["cost"]
    player.reserve_size += 1
    if player.reserve is not None:
        player.reserve = tuple(sorted((*player.reserve, data["tile"])))
    slot, refill = data["slot"], data["refill"]
    state.market = state.market[: slot - 1] + state.market[slot:]
    if refill is not None:
        state.market += (refill,)
        state.pile_left -= 1
    _apply_then(state, data["then"])
    state.drawn = data["tile"]


def _tile_placed(state: State, data: TilePlaced) -> None:
    place_tile(state, data["seat"], hex_of(data["at"]), data["tile"])
    apply_consequences(state, data)
    _apply_then(state, data["then"])


def _tile_discarded(state: State, data: TileDiscarded) -> None:
    _take_from_reserve(state.players[data["seat"]], data["tile"])
    _apply_then(state, data["then"])


def _keep_placed(state: State, data: KeepPlaced) -> None:
    place_keep(state, data["seat"], hex_of(data["at"]))
    apply_consequences(state, data)
    _apply_then(state, data["then"])


def _turn_ended(state: State, data: TurnEnded) -> None:
    _apply_then(state, data["then"])


def _player_departed(state: State, data: PlayerResigned) -> None:
    go_out(state, data["out"])
    _apply_then(state, data["then"])


def _game_finished(state: State, data: Result) -> None:
    apply_consequences(state, data)
    state.ranking = data["ranking"]
    _apply_then(state, data["then"])


def place_tile(state: State, seat: int, at: Hex, tile: Tile) -> None:
    """Lay a tile of the seat's reserve."""
    state.lay_tile(at, tile)
    _take_from_reserve(state.players[seat], tile)


def _take_from_reserve(player: Player, tile: Tile) -> None:
    player.reserve_size -= 1
    if player.reserve is not None:
        reserve = list(player.reserve)
        reserve.remove(tile)
        player.reserve = tuple(reserve)


def place_keep(state: State, seat: int, at: Hex) -> None:
    """Put down a keep of the seat, knight side up."""
    state.keeps[at] = (seat, KNIGHT)
    state.players[seat].keeps -= 1


def apply_consequences(state: State, data: Consequences) -> None:
    """Change keeps, honour and seats by what a tile, a keep or the end of the game leads to."""
    for result in data.get("baronies", ()):
        at = hex_of(result["at"])
        if result["result"] == "established":
            state.keeps[at] = (result["seat"], BARON)
            state.values[at] = result["value"]
            for beaten in result["beaten"]:
                baron = hex_of(beaten["at"])
                del state.keeps[baron], state.values[baron]
        else:
            del state.keeps[at]
    for change in data.get("honour", ()):
        state.players[change["seat"]].honour += change["change"]
    for returned in data.get("returned", ()):
        state.players[returned["seat"]].resting += returned["keeps"]
    if "out" in data:
        go_out(state, data["out"])


def go_out(state: State, out: GoingOut) -> None:
    """Let seats go out of the game together, with everything in their reserves."""
    for seat in out["seats"]:
        player = state.players[seat]
        player.out = out["moment"]
        player.keeps = player.resting = player.reserve_size = 0
        player.reserve = ()


def _apply_then(state: State, then: Then) -> None:
    state.drawn = None
    state.phase = then["phase"]
    state.round = then["round"]
    state.turn = then["turn"]
    state.to_act = then["to_act"]
    state.turns_left = tuple(then["turns_left"]) if "turns_left" in then else None
    for entry in then.get("rested", ()):
        player = state.players[entry["seat"]]
        player.resting -= entry["keeps"]
        player.keeps += entry["keeps"]


EVENT_APPLIERS: Final[Mapping[str, Callable[[State, Any], None]]] = {
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": _turn_ended,
    "TurnForfeited": _turn_ended,
    "PlayerResigned": _player_departed,
    "PlayerRemoved": _player_departed,
    "GameFinished": _game_finished,
}
"""By event type. The data is Any in this table alone: the type of an event determines the TypedDict of its
data, as `formats.EVENTS` states; a test compares the two.
"""


def apply(state: State, type: str, data: EventData) -> None:
    """Write a recorded event into a state that the caller owns."""
    EVENT_APPLIERS[type](state, data)


def position(state: State, viewer: int | None) -> BaronPosition:
    """The position for the seat `viewer`; None: for a spectator, ALL_SECRETS: after the game has ended."""
    left = state.turns_left
    result: BaronPosition = {
        "rules": "baron",
        "phase": state.phase,
        "round": state.round,
        "to_act": state.to_act,
        "tiles": [{"at": list(at), "tile": tile} for at, tile in sorted(state.tiles.items())],
        "keeps": [
            {"at": list(at), "seat": seat, "side": side, "value": state.values.get(at)}
            for at, (seat, side) in sorted(state.keeps.items())
        ],
        "market": list(state.market),
        "pile": state.pile_left,
        "removed": list(state.removed),
        "players": [
            {
                "seat": seat,
                "status": "active" if player.out is None else "out",
                "out": player.out,
                "honour": player.honour,
                "keeps": player.keeps,
                "keeps_resting": player.resting,
                "turns_left": None if left is None else left[seat],
                "reserve": _reserve(player) if viewer in (seat, ALL_SECRETS) else None,
                "reserve_size": player.reserve_size,
            }
            for seat, player in enumerate(state.players)
        ],
    }
    if state.ranking is not None:
        result["ranking"] = state.ranking
    return result


def _reserve(player: Player) -> list[Tile] | None:
    """The tiles; None if they were never opened, even for a viewer who may see them."""
    return None if player.reserve is None else list(player.reserve)


def from_position(position: BaronPosition, *, turn: int = 1) -> State:
    """The state that a position shows; `turn` is not part of a position, and the pile stays unknown."""
    state = State([_player(entry) for entry in position["players"]])
    state.phase, state.round, state.to_act = (
        position["phase"],
        position["round"],
        position["to_act"],
    )
    state.turn = turn
    for entry in position["tiles"]:
        state.lay_tile(hex_of(entry["at"]), entry["tile"])
    for keep in position["keeps"]:
        at = hex_of(keep["at"])
        state.keeps[at] = (keep["seat"], keep["side"])
        if keep["value"] is not None:
            state.values[at] = keep["value"]
    state.market, state.removed = tuple(position["market"]), tuple(position["removed"])
    state.pile_left = position["pile"]
    left = [player["turns_left"] for player in position["players"]]
    counted = tuple(turns for turns in left if turns is not None)
    state.turns_left = counted if len(counted) == len(left) else None
    state.ranking = position.get("ranking")
    return state


def _player(entry: PlayerJson) -> Player:
    player = Player(entry["keeps"], entry["reserve"], entry["reserve_size"])
    player.honour, player.resting = entry["honour"], entry["keeps_resting"]
    player.out = entry["out"]
    return player
