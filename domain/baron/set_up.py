"""The set-up (BN-SET): tiles are dealt, laid open and piled up, in the order published in docs/formats.md.

`infer_secrets` finds values of the secrets that agree with the log of a game, while the secrets are not
opened (BN-MAT-1). Nearly everything in Baron is public, because everybody sees each tile that is drawn. A
seat conceals only the kind of the tile of value 1 that it was dealt, and nobody knows the order of the tiles
left in the pile. So an audit of a game in progress can decide every event again with secrets that agree with
the log. If there are none, the log was made up.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from math import perm, prod
from typing import Final, TypeAlias, cast

from domain.baron.components import (
    COUNTS,
    FEWEST_SEATS,
    KEEPS,
    MEADOW,
    MOST_SEATS,
    OF_VALUE_ONE,
    SLOTS,
    TILES,
    TILES_DEALT,
    VALUES,
)
from domain.baron.formats import SetUp, Tile
from domain.baron.legal import first_place
from domain.baron.state import Player, State
from domain.baron.terms import TILE_TERMS
from domain.chance import Chance
from domain.contract import DomainEvent, Inference, Opened, OwnOptions
from domain.errors import Malformed
from domain.event import EventData
from domain.messages import Message, message


def check_options(seats: int, options: Mapping[str, object]) -> OwnOptions:
    """Baron has no options of its own. Raises Malformed, which names every option that was given."""
    errors = {f"options.{name}": message("is not an option of this game") for name in options}
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        errors["seats"] = message("must be {least} to {most}", least=FEWEST_SEATS, most=MOST_SEATS)
    if errors:
        raise Malformed(errors)
    return {}


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BN-SET: `GameStarted` with the market, the start tile and the tiles taken out; the rest is secret."""
    counts = dict(COUNTS)
    ones = deal(seats, chance)
    for kind in ones:
        counts[kind] -= 1
    counts[MEADOW] -= seats
    removed = _take_out(counts, chance) if seats == MOST_SEATS else []
    pile = chance.shuffle(_tiles(counts, TILES))
    market, pile = pile[:SLOTS], pile[SLOTS:]
    start = draw_start_tile(pile)
    reserves = {f"reserve/{seat}": sorted((MEADOW, kind)) for seat, kind in enumerate(ones)}
    data: SetUp = {"market": market, "start": start, "removed": removed}
    return DomainEvent("GameStarted", data, {"pile": pile, **reserves})


def deal(seats: int, chance: Chance) -> list[Tile]:
    """BN-SET-2: the kind of value 1 that each seat is dealt; the kinds vary as much as possible."""
    kinds = chance.shuffle(OF_VALUE_ONE)
    return chance.shuffle([*kinds, *kinds][:seats])


def _take_out(counts: dict[Tile, int], chance: Chance) -> list[Tile]:
    """BN-SET-3: take a meadow and a tile of value 1, drawn tile by tile, out of the counts."""
    ones = _tiles(counts, OF_VALUE_ONE)
    removed: list[Tile] = [MEADOW, ones[chance.below(len(ones))]]
    for kind in removed:
        counts[kind] -= 1
    return removed


def _tiles(counts: Mapping[Tile, int], kinds: Sequence[Tile]) -> list[Tile]:
    """The tiles of these kinds one by one."""
    return [kind for kind in kinds for _ in range(counts[kind])]


def draw_start_tile(pile: list[Tile]) -> Tile:
    """BN-SET-4: take the start tile off the pile; a tile of negative value goes back into its middle."""
    start = pile.pop(0)
    while VALUES[start] < 0:
        another = pile.pop(0)
        pile.insert(len(pile) // 2, start)
        start = another
    return start


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """The state in which seat 0 is to draw; secrets that are not in `opened` are unknown in it."""
    public = cast("SetUp", data)
    reserves = [cast("list[Tile] | None", opened.get(f"reserve/{seat}")) for seat in range(seats)]
    state = State([Player(KEEPS[seats], reserve, TILES_DEALT) for reserve in reserves])
    state.lay_tile((0, 0), public["start"])
    state.market, state.removed = tuple(public["market"]), tuple(public["removed"])
    pile = cast("list[Tile] | None", opened.get("pile"))
    state.pile = None if pile is None else tuple(pile)
    elsewhere = TILES_DEALT * seats + len(state.removed) + len(state.market) + len(state.tiles)
    state.pile_left = sum(COUNTS.values()) - elsewhere
    return state


def redraw(state: State, chance: Chance) -> Mapping[str, object]:
    """BN-MAT-1: shuffle the tiles left in the pile again, when play resumes from this state."""
    pile = state.tiles_in_pile()
    counts = {kind: pile.count(kind) for kind in TILES}
    return {"pile": chance.shuffle(_tiles(counts, TILES))}


def apply_redraw(state: State, opened: Mapping[str, object]) -> None:
    """Replace the pile by the tiles that were shuffled again; their order may be unknown."""
    pile = cast("list[Tile] | None", opened.get("pile"))
    state.pile = None if pile is None else tuple(pile)


def copy(state: State) -> State:
    """A state that can be changed without changing this one."""
    return state.copy()


Deal: TypeAlias = tuple[str, ...]
"""By seat, the kind of the tile of value 1 that it was dealt."""

_PUBLIC: Final = ("market", "start", "removed")
"""The fields of `GameStarted` that have tiles."""
_DEALT: Final = [sorted((MEADOW, kind)) for kind in OF_VALUE_ONE]
"""The reserves that a seat can be dealt (BN-SET-1)."""


def set_up_faults(
    seats: int, options: object, data: Mapping[str, object], opened: Mapping[str, object]
) -> list[Message]:
    """BN-SET-1 to 4: why no set-up can give these data of `GameStarted` and these secrets; [] if one can."""
    if seats not in KEEPS:
        return [message("the game is not played with {seats} seats", seats=seats)]
    faults = [
        message("it has no field {name}", name=name)
        for name in data
        if name not in ("players", *_PUBLIC)
    ]
    market, start, removed = (data.get(name) for name in _PUBLIC)
    if not isinstance(market, list) or len(market) != SLOTS or len(_tiles_in(market)) != SLOTS:
        faults.append(message("the market does not have {slots} tiles", slots=SLOTS))
    if not _tiles_in(start) or VALUES[_tiles_in(start)[0]] < 0:
        faults.append(message("the start tile is not one of value 0 or more"))
    if removed not in ([[MEADOW, kind] for kind in OF_VALUE_ONE] if seats == MOST_SEATS else [[]]):
        faults.append(message("the tiles removed are not those for {seats} seats", seats=seats))
    for name, value in opened.items():
        if name != "pile" and value not in _DEALT:
            faults.append(message("{name} is not a meadow and a tile of value 1", name=name))
    if not faults and not _Knowledge(seats, data, opened).is_possible:
        faults.append(message("more tiles of one kind are public or dealt than there are"))
    return faults


def infer_secrets(
    seats: int,
    options: object,
    start: tuple[int, Mapping[str, object]],
    played: Iterable[tuple[int, State, DomainEvent]],
    opened: Opened,
    chance: Chance | None = None,
) -> Inference:
    """BN-MAT-1, BN-SET-2, BN-LAY-1, 4: secrets with which these events can have happened.

    An event that no secrets allow, given those before it, is ignored. It is a contradiction if `decide` with
    the returned secrets would not refuse it. With `chance`, the deal is drawn by its probability, given the
    tiles that have turned up, and the rest of the pile in any order (but without regard to BN-SET-4, which
    puts a tile of negative value back into the middle of the pile).
    """
    start_seq, public = start
    knowledge = _Knowledge(seats, public, opened.get(start_seq, {}), start_seq)
    contradictions = {}
    for seq, state, event in played:
        match event.data:
            case {"from": int(origin)} if event.type == "PlayResumed":
                knowledge.resume(seq, origin)
            case {"seat": int(seat), "tile": str(tile), **rest} if 0 <= seat < seats:
                refill = rest.get("refill")
                if event.type == "TileDrawn":
                    knowledge.draw(seat, tile)
                    if refill is not None and not knowledge.turn_up(refill):
                        contradictions[seq] = _impossible_refill(refill)
                elif event.type == "TilePlaced":
                    knowledge.give_up(seat, tile)
                elif event.type == "TileDiscarded":
                    stuck = [kind for kind in COUNTS if first_place(state, [kind]) is None]
                    knowledge.give_up(seat, tile, only=stuck)
            case _:
                pass
        knowledge.keep(seq)
    inferred = knowledge.secrets(chance)
    return Inference(
        {seq: {**values, **opened.get(seq, {})} for seq, values in inferred.items()}, contradictions
    )


def _impossible_refill(refill: object) -> Message:
    """Why a recorded tile, which may be anything, cannot have come off the pile."""
    tiles = [] if isinstance(refill, list) else _tiles_in(refill)
    if not tiles:
        return message("what came off the pile is not a tile")
    return message("no {tile} can have been left in the pile", tile=TILE_TERMS[tiles[0]])


class _Pile:
    """What the log shows of the pile of a game, or of a game that was resumed."""

    def __init__(self, seq: int, size: int, unseen: Counter[str]) -> None:
        self.seq = seq
        """The event that commits to the order of the pile."""
        self.size = size
        self.unseen = unseen
        """The tiles still in the pile, together with the tiles of value 1 that were dealt."""
        self.first_unseen = unseen.copy()
        """The same when the first tile of the pile, or of the set-up, was about to be drawn."""
        self.turned_up: list[str] = []
        """The tiles that came off the pile, in order."""

    def copy(self) -> "_Pile":
        """A pile that can be changed without changing this one."""
        duplicate = _Pile(self.seq, self.size, self.unseen.copy())
        duplicate.first_unseen = self.first_unseen
        duplicate.turned_up = self.turned_up.copy()
        return duplicate

    def tiles(self, deal: Deal, chance: Chance | None) -> list[str]:
        """An order of the pile, when it was made, in which all of this can have happened.

        With `chance`, any of these orders; without, always the same one.
        """
        left = [*(self.unseen - Counter(deal)).elements()]
        rest = left if chance is None else chance.shuffle(left)
        return [*self.turned_up, *rest, *[MEADOW] * self.size][: self.size]

    def ways(self, deal: Deal) -> int:
        """In how many ways the tiles that were drawn can have been drawn, but for a factor that is the same
        for all deals.
        """
        return prod(
            perm(max(0, self.first_unseen[kind] - deal.count(kind)), drawn)
            for kind in OF_VALUE_ONE
            if (drawn := self.first_unseen[kind] - self.unseen[kind]) > 0
        )


class _Knowledge:
    """What the log up to one moment of the game allows its secrets to be."""

    def __init__(
        self, seats: int, start: Mapping[str, object], opened: Mapping[str, object], seq: int = 0
    ) -> None:
        self.deals = [deal for deal in product(OF_VALUE_ONE, repeat=seats) if _is_varied(deal)]
        """The deals with which everything up to now can have happened, except what is ignored."""
        unseen = Counter[str]({str(kind): count for kind, count in COUNTS.items()})
        unseen.subtract([MEADOW] * seats)
        unseen.subtract(tile for name in _PUBLIC for tile in _tiles_in(start.get(name)))
        size = initial_state(seats, {}, cast("EventData", start), {}).pile_left
        self.pile = _Pile(seq, size, unseen)
        self.pile.first_unseen = Counter[str]({str(kind): count for kind, count in COUNTS.items()})
        self.superseded: list[_Pile] = []
        """The piles of the branches on which play did not continue."""
        self.public = [Counter[str]({MEADOW: 1}) for _ in range(seats)]
        """The tiles of each reserve but for the one dealt; -1 once that one has been laid."""
        self.is_possible = self._keep(lambda deal: _agrees(deal, opened)) and self._keep(
            lambda deal: all(left >= deal.count(kind) for kind, left in unseen.items())
        )
        """Whether a deal agrees with what is opened, and leaves no more tiles of a kind than there are
        (BN-MAT-1).
        """
        self._earlier: dict[int, tuple[_Pile, list[Counter[str]]]] = {}
        """By seq, the pile and the reserves after that event."""
        self.keep(seq)

    def keep(self, seq: int) -> None:
        """Keep the pile and the reserves as they are after event `seq`; play may resume from it."""
        self._earlier[seq] = (self.pile.copy(), [reserve.copy() for reserve in self.public])

    def resume(self, seq: int, origin: int) -> None:
        """With event `seq`, play resumed after event `origin`, and the pile was shuffled again."""
        if origin not in self._earlier:
            return
        pile, public = self._earlier[origin]
        self.superseded.append(self.pile)
        self.pile = _Pile(seq, pile.size - len(pile.turned_up), pile.unseen.copy())
        self.public = [reserve.copy() for reserve in public]

    def draw(self, seat: int, tile: str) -> None:
        """The seat took a tile from the market."""
        self.public[seat][tile] += 1

    def turn_up(self, tile: object) -> bool:
        """A tile came off the pile. Returns whether it can have been there (BN-MAT-1)."""
        if not isinstance(tile, str):
            return False
        pile = self.pile
        pile.turned_up.append(tile)
        pile.unseen[tile] -= 1
        is_possible = self._keep(lambda deal: pile.unseen[tile] >= deal.count(tile))
        if not is_possible:
            pile.unseen[tile] += 1
        return is_possible

    def give_up(self, seat: int, tile: str, only: Collection[str] = tuple(COUNTS)) -> None:
        """The seat laid or discarded a tile, when it had none but of the kinds `only`."""

        def can_be(deal: Deal) -> bool:
            reserve = self.public[seat] + Counter([deal[seat]])
            return reserve[tile] > 0 and all(kind in only for kind in +reserve)

        if self._keep(can_be):
            self.public[seat][tile] -= 1

    def secrets(self, chance: Chance | None) -> dict[int, dict[str, object]]:
        """All secrets of a game in which all of this can have happened, by seq and name."""
        deal = self.deals[0] if chance is None else self._draw_deal(chance)
        secrets: dict[int, dict[str, object]] = {
            pile.seq: {"pile": pile.tiles(deal, chance)} for pile in (*self.superseded, self.pile)
        }
        for seat, kind in enumerate(deal):
            secrets[min(secrets)][f"reserve/{seat}"] = sorted((MEADOW, kind))
        return secrets

    def _draw_deal(self, chance: Chance) -> Deal:
        """Draw a deal by its probability: all were equally probable when they were dealt (BN-SET-2)."""
        piles = (*self.superseded, self.pile)
        ways = [prod(pile.ways(deal) for pile in piles) for deal in self.deals]
        # `below` draws from at most 2^64; more than 2^32 steps make no difference.
        scale = max(1, sum(ways) >> 32)
        weights = [max(1, count // scale) for count in ways]
        number = chance.below(sum(weights))
        for deal, weight in zip(self.deals, weights, strict=True):
            number -= weight
            if number < 0:
                return deal
        raise AssertionError("the number is below the sum of the weights")

    def _keep(self, can_be: Callable[[Deal], bool]) -> bool:
        """Keep only the deals that are possible, if there are any. Returns whether there are."""
        kept = [deal for deal in self.deals if can_be(deal)]
        self.deals = kept or self.deals
        return bool(kept)


def _is_varied(deal: Deal) -> bool:
    """BN-SET-2: whether the kinds vary as much as possible."""
    counts = [deal.count(kind) for kind in OF_VALUE_ONE]
    return max(counts) - min(counts) <= 1


def _agrees(deal: Deal, opened: Mapping[str, object]) -> bool:
    """Whether the opened reserves were dealt so."""
    reserves = {f"reserve/{seat}": sorted((MEADOW, kind)) for seat, kind in enumerate(deal)}
    return all(opened.get(name, reserve) == reserve for name, reserve in reserves.items())


def _tiles_in(value: object) -> list[Tile]:
    """The tiles among recorded values that may be anything: those of a list, or a single one."""
    values = value if isinstance(value, list) else [value]
    return [cast("Tile", tile) for tile in values if isinstance(tile, str) and tile in COUNTS]
