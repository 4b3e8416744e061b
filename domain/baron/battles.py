"""Resolves baronies, fights and battles (BN-BAR, BN-FGT, BN-SIM, BN-END-2): the results of the knights of one
moment.

Everything is resolved on the board as it stands, and takes effect together: nothing here changes the board,
and no knight's result depends on another's, except for BN-BAR-4.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.baron.components import BARON, KNIGHT, MEADOW, VALUES
from domain.baron.formats import (
    BaronyResult,
    Battle,
    Beaten,
    DefeatReason,
    EstablishedBarony,
    Fight,
    Opponent,
    ReturnedKnight,
    Rival,
    Side,
    Tile,
)
from domain.hexes import Hex, neighbours


@dataclass(frozen=True, slots=True)
class Board:
    """The board at one moment: everything on which the resolution of baronies depends."""

    tiles: Mapping[Hex, Tile]
    keeps: Mapping[Hex, tuple[int, Side]]
    """The seat and the side of each keep."""
    out: frozenset[int]
    """Seats that are out: their keeps still fight, but their honour no longer changes (BN-OUB-2)."""


def barony(board: Board, keep: Hex) -> frozenset[Hex]:
    """BN-BAR-1: the hexes of the keep and around it that have tiles."""
    return frozenset(at for at in (keep, *neighbours(keep)) if at in board.tiles)


def total_value(board: Board, hexes: Iterable[Hex]) -> int:
    """The sum of the values of the tiles on these hexes (BN-MAT-1)."""
    return sum(VALUES[board.tiles[at]] for at in hexes)


def without_meadows(board: Board, hexes: Iterable[Hex]) -> frozenset[Hex]:
    """BN-FGT-1: the hexes that a fight can be about. Tiles of negative value are among them."""
    return frozenset(at for at in hexes if board.tiles[at] != MEADOW)


def complete_knights(board: Board) -> list[Hex]:
    """BN-BAR-1: the knights with all six tiles around them, in order of (q, r)."""
    return sorted(
        at
        for at, (_, side) in board.keeps.items()
        if side == KNIGHT and all(near in board.tiles for near in neighbours(at))
    )


LOST_BATTLE: Final[DefeatReason] = "lost_battle"
"""An opponent is stronger (BN-SIM-2)."""
CARNAGE: Final[DefeatReason] = "carnage"
"""An opponent is as strong, and none is stronger (BN-SIM-3)."""
WEAKER_RIVAL: Final[DefeatReason] = "weaker_rival"
"""No opponent prevails, but a knight of the same owner does (BN-SIM-5)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A knight that tries to be established, with its barony and the barons that it faces."""

    at: Hex
    seat: int
    barony: frozenset[Hex]
    contestable: frozenset[Hex]
    """The tiles of its barony that a fight can be about (BN-FGT-1)."""
    value: int
    barons: Mapping[Hex, frozenset[Hex]]
    """BN-FGT-1: each opposing baron that it faces, with that baron's barony; in order of (q, r)."""


@dataclass(frozen=True, slots=True)
class Contest:
    """BN-SIM-1, 2: a claim among the other claims of the same moment."""

    claim: Claim
    opponents: Sequence[Claim]
    rivals: Sequence[Claim]
    battlefield: frozenset[Hex]
    unhalved: int
    """The strength before BN-END-2 halves it."""
    strength: int

    @property
    def is_battle(self) -> bool:
        """BN-SIM-1: whether there are knights to fight before the barons."""
        return bool(self.opponents or self.rivals)

    @property
    def rank_among_rivals(self) -> tuple[int, int, int, int]:
        """BN-SIM-3: the greater, the stronger: by strength, then by value, then by the smaller hex."""
        q, r = self.claim.at
        return (self.strength, self.claim.value, -q, -r)


def knights_share(points: int, *, at_end: bool) -> int:
    """BN-END-2: the points that count for a knight, at the end half of them, rounded up: −3 gives −1."""
    return -(-points // 2) if at_end else points


def claims(board: Board, knights: Collection[Hex]) -> list[Claim]:
    """The claims of these knights, in order of (q, r)."""
    barons = {
        at: (seat, barony(board, at))
        for at, (seat, side) in sorted(board.keeps.items())
        if side == BARON
    }
    return [_claim(board, knight, barons) for knight in sorted(knights)]


def _claim(board: Board, knight: Hex, barons: Mapping[Hex, tuple[int, frozenset[Hex]]]) -> Claim:
    seat, _ = board.keeps[knight]
    own = barony(board, knight)
    contestable = without_meadows(board, own)
    faced = {
        at: theirs
        for at, (other, theirs) in barons.items()
        if other != seat and not contestable.isdisjoint(theirs)
    }
    return Claim(knight, seat, own, contestable, total_value(board, own), faced)


def contests(board: Board, all_claims: Sequence[Claim], *, at_end: bool) -> list[Contest]:
    """BN-SIM-1, 2: each claim with its opponents and rivals, and its strength against them."""
    opponents = {
        claim.at: [other for other in all_claims if _are_opponents(claim, other)]
        for claim in all_claims
    }
    result = []
    for claim in all_claims:
        own_opponents = opponents[claim.at]
        rivals = [
            other
            for other in all_claims
            if other.seat == claim.seat
            and other.at != claim.at
            and (_face_a_common_baron(claim, other) or _overlap(own_opponents, opponents[other.at]))
        ]
        contested = [opponent.barony for opponent in own_opponents]
        battlefield = claim.barony & frozenset().union(*contested, *claim.barons.values())
        unhalved = total_value(board, claim.barony - battlefield)
        strength = knights_share(unhalved, at_end=at_end)
        result.append(Contest(claim, own_opponents, rivals, battlefield, unhalved, strength))
    return result


def _are_opponents(one: Claim, other: Claim) -> bool:
    """BN-SIM-1: whether two knights of different owners share a contestable tile or face a common baron."""
    return one.seat != other.seat and (
        not one.contestable.isdisjoint(other.contestable) or _face_a_common_baron(one, other)
    )


def _face_a_common_baron(one: Claim, other: Claim) -> bool:
    return not one.barons.keys().isdisjoint(other.barons)


def _overlap(some: Sequence[Claim], others: Sequence[Claim]) -> bool:
    return not {claim.at for claim in some}.isdisjoint(claim.at for claim in others)


def battle_defeat(contest: Contest, by_hex: Mapping[Hex, Contest]) -> DefeatReason | None:
    """BN-SIM-2, 3, 5: why the knight does not get past its battle; None if it does.

    `by_hex` has all contests of the moment. All battles of a moment are decided together, so a knight that is
    beaten can still beat others.
    """
    strongest = max((by_hex[other.at].strength for other in contest.opponents), default=None)
    if strongest is not None and strongest > contest.strength:
        return LOST_BATTLE
    if strongest == contest.strength:
        return CARNAGE
    rank = contest.rank_among_rivals
    if any(by_hex[other.at].rank_among_rivals > rank for other in contest.rivals):
        return WEAKER_RIVAL
    return None


LOST_FIGHT: Final[DefeatReason] = "lost_fight"
"""The strongest baron is as strong as the knight, or stronger (BN-FGT-3)."""


@dataclass(frozen=True, slots=True)
class BaronFight:
    """BN-FGT-2: a knight against the barons that it faces."""

    battlefield: frozenset[Hex]
    unhalved: int
    """The knight's strength before BN-END-2 halves it."""
    strength: int
    barons: Mapping[Hex, int]
    """The strength of each baron."""

    @property
    def is_won(self) -> bool:
        """BN-FGT-3: whether the knight is stronger than every baron."""
        return all(strength < self.strength for strength in self.barons.values())


def resolve(board: Board, knights: Collection[Hex], *, at_end: bool) -> list[BaronyResult]:
    """BN-SIM-6: the result of each of these knights, in order of (q, r). `at_end`: by BN-END-2.

    The fields of the results are those of docs/formats.md.
    """
    moment = contests(board, claims(board, knights), at_end=at_end)
    by_hex = {contest.claim.at: contest for contest in moment}
    counted = _counted_for_barons(board)
    return [_result(board, contest, by_hex, counted, at_end=at_end) for contest in moment]


def _counted_for_barons(board: Board) -> dict[int, set[Hex]]:
    """BN-BAR-4: by seat, the tiles of its barons, including those that are beaten at this moment."""
    counted: dict[int, set[Hex]] = {}
    for at, (seat, side) in board.keeps.items():
        if side == BARON:
            counted.setdefault(seat, set()).update(barony(board, at))
    return counted


def _result(
    board: Board,
    contest: Contest,
    by_hex: Mapping[Hex, Contest],
    counted: dict[int, set[Hex]],
    *,
    at_end: bool,
) -> BaronyResult:
    """The result of one knight. The tiles of an established barony are added to `counted`."""
    claim = contest.claim
    fight: BaronFight | None = None
    defeat = battle_defeat(contest, by_hex)
    if defeat is None and claim.barons:
        fight = _fight(board, claim, at_end=at_end)
        defeat = None if fight.is_won else LOST_FIGHT
    result: BaronyResult
    if defeat is None:
        result = _established(board, claim, counted.setdefault(claim.seat, set()), at_end=at_end)
    else:
        result = _returned(claim, defeat)
    if contest.is_battle:
        result["battle"] = _battle_json(contest, by_hex, at_end=at_end)
    if fight is not None:
        result["fight"] = _fight_json(board, fight, at_end=at_end)
    return result


def _returned(claim: Claim, defeat: DefeatReason) -> ReturnedKnight:
    """BN-FGT-4, BN-SIM-2, 3, 5: the keep goes back to its owner."""
    return {
        "at": list(claim.at),
        "seat": claim.seat,
        "result": "returned",
        "why": defeat,
        "gain": 0,
        "beaten": [],
    }


def _established(
    board: Board, claim: Claim, counted: set[Hex], *, at_end: bool
) -> EstablishedBarony:
    """BN-BAR-3, 4, BN-FGT-5: the barony is established. Its tiles are added to `counted`."""
    unhalved = total_value(board, claim.barony - counted)
    gain = knights_share(unhalved, at_end=at_end)
    result: EstablishedBarony = {
        "at": list(claim.at),
        "seat": claim.seat,
        "result": "established",
        "value": claim.value,
        "gain": 0 if claim.seat in board.out else gain,
        "beaten": _beaten(board, claim),
    }
    if at_end:
        result["unhalved"] = unhalved
    if counted_before := claim.barony & counted:
        result["counted_before"] = _hexes_json(counted_before)
    counted |= claim.barony
    return result


def _fight(board: Board, claim: Claim, *, at_end: bool) -> BaronFight:
    """BN-FGT-2, BN-SIM-4: the battlefield is what the knight shares with barons, not with other knights."""
    battlefield = claim.barony & frozenset().union(*claim.barons.values())
    unhalved = total_value(board, claim.barony - battlefield)
    strengths = {
        at: total_value(board, theirs - battlefield) for at, theirs in claim.barons.items()
    }
    return BaronFight(battlefield, unhalved, knights_share(unhalved, at_end=at_end), strengths)


def _beaten(board: Board, claim: Claim) -> list[Beaten]:
    """BN-FGT-5: the beaten barons, and what each costs its owner. A tile that two barons of one owner shared
    with the knight is lost with the first of them, in order of their hexes.
    """
    lost: dict[int, frozenset[Hex]] = {}
    beaten: list[Beaten] = []
    for at, theirs in claim.barons.items():
        seat, _ = board.keeps[at]
        before = lost.get(seat, frozenset())
        tiles = (claim.barony & theirs) - before
        lost[seat] = before | tiles
        loss = 0 if seat in board.out else total_value(board, tiles)
        beaten.append({"at": list(at), "seat": seat, "loss": loss, "tiles": _hexes_json(tiles)})
    return beaten


def _battle_json(contest: Contest, by_hex: Mapping[Hex, Contest], *, at_end: bool) -> Battle:
    opponents: list[Opponent] = [
        {"at": list(other.at), "seat": other.seat, "strength": by_hex[other.at].strength}
        for other in contest.opponents
    ]
    rivals: list[Rival] = [
        {"at": list(other.at), "strength": by_hex[other.at].strength, "value": other.value}
        for other in contest.rivals
    ]
    battle: Battle = {
        "battlefield": _hexes_json(contest.battlefield),
        "strength": contest.strength,
        "value": contest.claim.value,
        "opponents": opponents,
        "rivals": rivals,
    }
    if at_end:
        battle["unhalved"] = contest.unhalved
    return battle


def _fight_json(board: Board, fight: BaronFight, *, at_end: bool) -> Fight:
    barons: list[Opponent] = [
        {"at": list(at), "seat": board.keeps[at][0], "strength": strength}
        for at, strength in fight.barons.items()
    ]
    result: Fight = {
        "battlefield": _hexes_json(fight.battlefield),
        "strength": fight.strength,
        "barons": barons,
    }
    if at_end:
        result["unhalved"] = fight.unhalved
    return result


def _hexes_json(hexes: Iterable[Hex]) -> list[list[int]]:
    return [list(at) for at in sorted(hexes)]
