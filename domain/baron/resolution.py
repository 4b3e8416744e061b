"""What one moment sets off (BN-BAR-3, 4, BN-FGT, BN-SIM-4, 6, BN-END-2): fights, baronies, honour.

All is reckoned on the board as it stands and comes about together: nothing here changes the board, and
no knight's outcome alters another's, but for BN-BAR-4.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.baron.baronies import Standing, barony, complete, worth
from domain.baron.battles import Claim, Contest, claims, contests, for_a_knight, why_returned
from domain.baron.components import BARON
from domain.contract import Json
from domain.hexes import Hex

__all__ = ["ESTABLISHED", "LOST_FIGHT", "RETURNED", "Standing", "complete", "resolve"]

ESTABLISHED: Final = "established"
RETURNED: Final = "returned"
"""What comes of a knight: his barony is established, or his keep goes back to its owner."""

LOST_FIGHT: Final = "lost_fight"
"""He went on, and the strongest baron was as strong or stronger (BN-FGT-3)."""


@dataclass(frozen=True, slots=True)
class Fight:
    """BN-FGT-2: a knight against the barons that he faces. `unhalved` is his strength but for BN-END-2."""

    battlefield: frozenset[Hex]
    unhalved: int
    strength: int
    barons: Mapping[Hex, int]
    """The strength of each."""

    @property
    def is_won(self) -> bool:
        """BN-FGT-3: stronger than the strongest; nobody to face is a fight won."""
        return all(strength < self.strength for strength in self.barons.values())


def resolve(board: Standing, knights: Collection[Hex], *, at_the_end: bool) -> list[Json]:
    """BN-SIM-6: what comes of each of these knights, in order of (q, r). `at_the_end`: by BN-END-2.

    Each entry has `at`, `seat`, `result`, `gain` and `beaten` (`at`, `seat`, `loss`, and in `tiles` what is
    lost); one established also `value`, and `counted_before` if BN-BAR-4 left tiles out of the gain; one
    returned also `why`. What led to it stands in `battle` and `fight`, for those who were in one; at the end
    `unhalved` beside a strength or a gain has what it was before.
    """
    moment = contests(board, claims(board, knights), at_the_end=at_the_end)
    by_hex = {contest.claim.at: contest for contest in moment}
    earned = _earned_by_barons(board)
    return [_outcome(board, contest, by_hex, earned, at_the_end=at_the_end) for contest in moment]


def _earned_by_barons(board: Standing) -> dict[int, set[Hex]]:
    """BN-BAR-4: by seat the tiles of its barons, those that are about to fall included."""
    earned: dict[int, set[Hex]] = {}
    for at, (seat, side) in board.keeps.items():
        if side == BARON:
            earned.setdefault(seat, set()).update(barony(board, at))
    return earned


def _outcome(
    board: Standing,
    contest: Contest,
    by_hex: Mapping[Hex, Contest],
    earned: dict[int, set[Hex]],
    *,
    at_the_end: bool,
) -> Json:
    """One knight's entry. A barony established is added to `earned`, for the knights that come after."""
    claim = contest.claim
    course: Json = {}
    if contest.is_a_battle:
        course["battle"] = _battle_json(contest, by_hex, at_the_end=at_the_end)
    why = why_returned(contest, by_hex)
    if why is None and claim.barons:
        fight = _fight(board, claim, at_the_end=at_the_end)
        course["fight"] = _fight_json(board, fight, at_the_end=at_the_end)
        why = None if fight.is_won else LOST_FIGHT
    who = {"at": list(claim.at), "seat": claim.seat}
    if why is not None:
        return {**who, "result": RETURNED, "why": why, "gain": 0, "beaten": [], **course}
    before = earned.setdefault(claim.seat, set())
    unhalved = worth(board, claim.barony - before)
    gain = for_a_knight(unhalved, at_the_end=at_the_end)
    entry = {
        **who,
        "result": ESTABLISHED,
        "value": claim.value,
        "gain": 0 if claim.seat in board.out else gain,
        "beaten": _beaten(board, claim),
    }
    if at_the_end:
        entry["unhalved"] = unhalved
    if counted_before := claim.barony & before:
        entry["counted_before"] = _sorted(counted_before)
    before |= claim.barony
    return {**entry, **course}


def _fight(board: Standing, claim: Claim, *, at_the_end: bool) -> Fight:
    """BN-FGT-2, BN-SIM-4: the battlefield is what he shares with barons; other knights are gone or afar."""
    battlefield = claim.barony & frozenset().union(*claim.barons.values())
    unhalved = worth(board, claim.barony - battlefield)
    strengths = {at: worth(board, theirs - battlefield) for at, theirs in claim.barons.items()}
    strength = for_a_knight(unhalved, at_the_end=at_the_end)
    return Fight(battlefield, unhalved, strength, strengths)


def _beaten(board: Standing, claim: Claim) -> list[Json]:
    """BN-FGT-5: the barons that fall, and what each costs its owner. What two barons of one owner shared with
    the knight is lost with the first of them, by their hexes.
    """
    lost: dict[int, frozenset[Hex]] = {}
    beaten = []
    for at, theirs in claim.barons.items():
        seat, _ = board.keeps[at]
        before = lost.get(seat, frozenset())
        tiles = (claim.barony & theirs) - before
        lost[seat] = before | tiles
        loss = 0 if seat in board.out else worth(board, tiles)
        beaten.append({"at": list(at), "seat": seat, "loss": loss, "tiles": _sorted(tiles)})
    return beaten


def _battle_json(contest: Contest, by_hex: Mapping[Hex, Contest], *, at_the_end: bool) -> Json:
    own: Json = {"battlefield": _sorted(contest.battlefield), "strength": contest.strength}
    if at_the_end:
        own["unhalved"] = contest.unhalved
    return {
        **own,
        "value": contest.claim.value,
        "opponents": [
            {"at": list(it.at), "seat": it.seat, "strength": by_hex[it.at].strength}
            for it in contest.opponents
        ],
        "rivals": [
            {"at": list(it.at), "strength": by_hex[it.at].strength, "value": it.value}
            for it in contest.rivals
        ],
    }


def _fight_json(board: Standing, fight: Fight, *, at_the_end: bool) -> Json:
    own: Json = {"battlefield": _sorted(fight.battlefield), "strength": fight.strength}
    if at_the_end:
        own["unhalved"] = fight.unhalved
    barons = [
        {"at": list(at), "seat": board.keeps[at][0], "strength": strength}
        for at, strength in fight.barons.items()
    ]
    return {**own, "barons": barons}


def _sorted(hexes: Iterable[Hex]) -> list[list[int]]:
    """Hexes as JSON has them, in order of (q, r)."""
    return [list(at) for at in sorted(hexes)]
