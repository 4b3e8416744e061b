"""Several knights at once (BN-SIM-1, 2, 3, 5): who contends with whom, and who goes on to meet barons."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.baron.baronies import Standing, barony, worth, worth_a_fight
from domain.baron.components import BARON
from domain.hexes import Hex

LOST_BATTLE: Final = "lost_battle"
"""An opponent is stronger (BN-SIM-2)."""
CARNAGE: Final = "carnage"
"""An opponent is as strong, and none is stronger (BN-SIM-3)."""
WEAKER_RIVAL: Final = "weaker_rival"
"""No opponent is in the way, but a knight of the same owner (BN-SIM-5)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A knight who tries to be established, and what he has to do with barons. `barons`: whom he faces."""

    at: Hex
    seat: int
    barony: frozenset[Hex]
    fought_for: frozenset[Hex]
    """The tiles of his barony that are worth a fight (BN-FGT-1)."""
    value: int
    barons: Mapping[Hex, frozenset[Hex]]
    """BN-FGT-1: each opposing baron that he faces, with that baron's barony; in order of (q, r)."""


@dataclass(frozen=True, slots=True)
class Contest:
    """BN-SIM-1, 2: a claim beside the others of its moment. `unhalved`: the strength but for BN-END-2."""

    claim: Claim
    opponents: Sequence[Claim]
    rivals: Sequence[Claim]
    battlefield: frozenset[Hex]
    unhalved: int
    strength: int

    @property
    def is_a_battle(self) -> bool:
        """BN-SIM-1: whether there is anybody to fight before the barons."""
        return bool(self.opponents or self.rivals)

    @property
    def rank_among_rivals(self) -> tuple[int, int, int, int]:
        """BN-SIM-3: the higher, the stronger: by strength, by value, then the smaller hex."""
        q, r = self.claim.at
        return (self.strength, self.claim.value, -q, -r)


def for_a_knight(points: int, *, at_the_end: bool) -> int:
    """What a knight has of these points: at the end half, rounded up: 3 gives 2, −3 gives −1 (BN-END-2)."""
    return -(-points // 2) if at_the_end else points


def claims(board: Standing, knights: Collection[Hex]) -> list[Claim]:
    """What each of these knights claims, in order of (q, r)."""
    barons = {
        at: (seat, barony(board, at))
        for at, (seat, side) in sorted(board.keeps.items())
        if side == BARON
    }
    return [_claim(board, knight, barons) for knight in sorted(knights)]


def _claim(board: Standing, knight: Hex, barons: Mapping[Hex, tuple[int, frozenset[Hex]]]) -> Claim:
    seat, _ = board.keeps[knight]
    own = barony(board, knight)
    fought_for = worth_a_fight(board, own)
    faced = {
        at: theirs
        for at, (other, theirs) in barons.items()
        if other != seat and not fought_for.isdisjoint(theirs)
    }
    return Claim(knight, seat, own, fought_for, worth(board, own), faced)


def contests(board: Standing, all_claims: Sequence[Claim], *, at_the_end: bool) -> list[Contest]:
    """BN-SIM-1, 2: for each claim whom it meets in battle, and how strong it is there."""
    opponents = {
        claim.at: [other for other in all_claims if _are_opponents(claim, other)]
        for claim in all_claims
    }
    found = []
    for claim in all_claims:
        against = opponents[claim.at]
        rivals = [
            other
            for other in all_claims
            if other.seat == claim.seat
            and other.at != claim.at
            and (_face_a_common_baron(claim, other) or _share_any(against, opponents[other.at]))
        ]
        in_the_way = [other.barony for other in against]
        battlefield = claim.barony & frozenset().union(*in_the_way, *claim.barons.values())
        unhalved = worth(board, claim.barony - battlefield)
        strength = for_a_knight(unhalved, at_the_end=at_the_end)
        found.append(Contest(claim, against, rivals, battlefield, unhalved, strength))
    return found


def _are_opponents(one: Claim, other: Claim) -> bool:
    """BN-SIM-1: of different owners, with a tile worth a fight or a baron in common."""
    return one.seat != other.seat and (
        not one.fought_for.isdisjoint(other.fought_for) or _face_a_common_baron(one, other)
    )


def _face_a_common_baron(one: Claim, other: Claim) -> bool:
    return not one.barons.keys().isdisjoint(other.barons)


def _share_any(some: Sequence[Claim], others: Sequence[Claim]) -> bool:
    return not {claim.at for claim in some}.isdisjoint(claim.at for claim in others)


def why_returned(contest: Contest, by_hex: Mapping[Hex, Contest]) -> str | None:
    """BN-SIM-2, 3, 5: what keeps the knight from going on, None if nothing does.

    `by_hex` has all contests of the moment: they are judged at once, so one who leaves still beats others.
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
