"""Explains the battles of knights that are resolved at once (BN-SIM): which knights conflict, and which win.

A part of `explain`. Strengths and results are those that the event recorded; the board shows what they
consist of.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from domain.baron.battles import CARNAGE, LOST_BATTLE, WEAKER_RIVAL, Board, Claim, barony, claims
from domain.baron.components import BARON
from domain.baron.formats import BaronyResult, Battle, Fight, Opponent, Rival
from domain.baron.phrases import baron_text, knight_text, sum_text, tiles_text
from domain.contract import Reason
from domain.hexes import Hex, hex_of
from domain.phrases import listing


class Moment:
    """The knights that are resolved at one moment, and the board on which they are."""

    def __init__(self, board: Board, results: Sequence[BaronyResult]) -> None:
        self.board: Final = board
        self.results: Final = results
        self.claims: Final[Mapping[Hex, Claim]] = {
            claim.at: claim for claim in claims(board, [hex_of(it["at"]) for it in results])
        }
        self.barons: Final[Mapping[Hex, tuple[int, frozenset[Hex]]]] = {
            at: (seat, barony(board, at))
            for at, (seat, side) in sorted(board.keeps.items())
            if side == BARON
        }
        """The seat and the barony of each baron."""

    def claim(self, result: BaronyResult) -> Claim:
        """The claim of a knight."""
        return self.claims[hex_of(result["at"])]

    def baron_text(self, at: Hex) -> str:
        """The baron on a hex: `seat 1's baron on 2,0`."""
        return baron_text(self.barons[at][0], at)

    def tiles_text(self, hexes: Iterable[Hex]) -> str:
        """The tiles on these hexes."""
        return tiles_text(self.board, hexes)

    def sum_text(self, hexes: Iterable[Hex]) -> str:
        """The sum of the tiles on these hexes."""
        return sum_text(self.board, hexes)

    def strength_text(self, result: BaronyResult, conflict: Battle | Fight) -> str:
        """A knight's strength in a battle or fight, what it consists of, and how it was halved."""
        battlefield = set(map(hex_of, conflict["battlefield"]))
        rest = self.sum_text(self.claim(result).barony - battlefield)
        return f"{rest}, halved to {conflict['strength']}" if "unhalved" in conflict else rest

    def return_text(self, seat: int) -> str:
        """What happens to the keep of a beaten knight."""
        if seat in self.board.out:
            return f"its keep leaves the game, since seat {seat} is out"
        return f"seat {seat} takes back the keep"


def explain_encounters(moment: Moment) -> Iterator[Reason]:
    """BN-SIM-1: which knights are opponents or rivals, and why."""
    for one, other in combinations(moment.results, 2):
        if "battle" not in one:
            continue
        battle = one["battle"]
        both = f"{_knight_text(one)} and {_knight_text(other)}"
        if any(opponent["at"] == other["at"] for opponent in battle["opponents"]):
            yield "BN-SIM-1", f"{both} are opponents: {_common_ground(moment, one, other)}"
        elif any(rival["at"] == other["at"] for rival in battle["rivals"]):
            yield "BN-SIM-1", f"{both} are rivals: {_common_foes(moment, one, other)}"


def _common_ground(moment: Moment, one: BaronyResult, other: BaronyResult) -> str:
    """Why two knights are opponents."""
    mine, theirs = moment.claim(one), moment.claim(other)
    reasons = []
    if shared := mine.contestable & theirs.contestable:
        reasons.append(f"they share {moment.tiles_text(shared)}")
    if faced := sorted(mine.barons.keys() & theirs.barons.keys()):
        reasons.append(f"both face {listing(map(moment.baron_text, faced))}")
    return listing(reasons)


def _common_foes(moment: Moment, one: BaronyResult, other: BaronyResult) -> str:
    """Why two knights of one owner are rivals."""
    mine, theirs = moment.claim(one), moment.claim(other)
    foes = [moment.baron_text(at) for at in sorted(mine.barons.keys() & theirs.barons.keys())]
    opponents = [hex_of(knight["at"]) for knight in _opponents(other)]
    foes += [
        _opponent_text(knight) for knight in _opponents(one) if hex_of(knight["at"]) in opponents
    ]
    return f"both have {listing(foes)} against them"


def explain_battle(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-SIM-2, 3, 5: the result of a knight's battle."""
    if "battle" not in result:
        return
    battle, knight = result["battle"], _knight_text(result)
    tiles = moment.tiles_text(map(hex_of, battle["battlefield"]))
    strength = moment.strength_text(result, battle)
    yield (
        "BN-SIM-2",
        f"battlefield of {knight}: {tiles}; the rest of its barony gives it {strength}",
    )
    defeat = result["why"] if result["result"] == "returned" else None
    if defeat == LOST_BATTLE:
        foe = max(battle["opponents"], key=lambda opponent: opponent["strength"])
        yield (
            "BN-SIM-2",
            (
                f"{_opponent_text(foe)} has {foe['strength']}, more than {battle['strength']}: {knight} is "
                f"beaten, and {moment.return_text(result['seat'])}"
            ),
        )
    elif defeat == CARNAGE:
        equals = [foe for foe in battle["opponents"] if foe["strength"] == battle["strength"]]
        verb = "have" if equals[1:] else "has"
        yield (
            "BN-SIM-3",
            (
                f"{listing(map(_opponent_text, equals))} {verb} {battle['strength']} as well: it is "
                f"carnage, and {moment.return_text(result['seat'])}"
            ),
        )
    elif defeat == WEAKER_RIVAL:
        yield from _explain_giving_way(moment, result, battle)
    else:
        others = [f"{foe['strength']} of {_opponent_text(foe)}" for foe in battle["opponents"]]
        others += [
            f"{rival['strength']} of {_rival_text(result, rival)}" for rival in battle["rivals"]
        ]
        yield (
            "BN-SIM-2",
            f"{knight} has {battle['strength']} against {listing(others)}, and goes on",
        )
        for rival in battle["rivals"]:
            if rival["strength"] == battle["strength"]:
                yield "BN-SIM-3", _tie_text(knight, battle["value"], rival["value"])


def _explain_giving_way(moment: Moment, result: BaronyResult, battle: Battle) -> Iterator[Reason]:
    """BN-SIM-5, 3: a knight whose rival goes on in its place."""
    best = max(
        battle["rivals"],
        key=lambda it: (it["strength"], it["value"], -it["at"][0], -it["at"][1]),
    )
    rival = _rival_text(result, best)
    if best["strength"] == battle["strength"]:
        yield "BN-SIM-3", _tie_text(rival, best["value"], battle["value"])
    yield (
        "BN-SIM-5",
        (
            f"{rival} with {best['strength']} is the stronger of them: {_knight_text(result)} with "
            f"{battle['strength']} does not fight, and {moment.return_text(result['seat'])}"
        ),
    )


def _tie_text(stronger: str, value: int, other_value: int) -> str:
    """Why one of two rivals of equal strength counts as the stronger."""
    if value > other_value:
        why = f"its barony is worth {value}, and the other's {other_value}"
    else:
        why = "their baronies are worth the same, and its hex comes first"
    return f"equal as they are, {stronger} counts as the stronger: {why}"


def _knight_text(result: BaronyResult) -> str:
    return knight_text(result["seat"], result["at"])


def _opponent_text(opponent: Opponent) -> str:
    return knight_text(opponent["seat"], opponent["at"])


def _rival_text(result: BaronyResult, rival: Rival) -> str:
    """Rivals have the same owner as the knight."""
    return knight_text(result["seat"], rival["at"])


def _opponents(result: BaronyResult) -> Sequence[Opponent]:
    return result["battle"]["opponents"] if "battle" in result else ()
