"""What the knights of one moment come to (BN-BAR-3, 4, BN-FGT, BN-SIM-4, 6, BN-END-2): fights and baronies.

Everything is resolved on the board as it stands, and takes effect together: nothing here changes the board,
and no knight's result depends on another's, except for BN-BAR-4.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.baron.battles import (
    Board,
    Claim,
    Contest,
    barony,
    battle_defeat,
    claims,
    contests,
    knights_share,
    total_value,
)
from domain.baron.components import BARON
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
)
from domain.hexes import Hex

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
    """BN-SIM-6: what each of these knights comes to, in order of (q, r). `at_end`: by BN-END-2.

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
    """Hexes as JSON, in order of (q, r)."""
    return [list(at) for at in sorted(hexes)]
