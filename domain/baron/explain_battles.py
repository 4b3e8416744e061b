"""Explains battles between knights (BN-SIM), and what knights gain and beaten barons cost (BN-BAR-3, 4,
BN-FGT-5).

A part of `explain`. Strengths, results, gains and losses are those in the event; the board shows how they add
up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from domain.baron.battles import Board, Claim, barony, claims, total_value
from domain.baron.components import BARON
from domain.baron.formats import (
    BaronyResult,
    Battle,
    Beaten,
    EstablishedBarony,
    Fight,
    Opponent,
    Rival,
)
from domain.baron.terms import HONOUR, baron, honour_change, knight, sum_of_tiles, tiles_with_values
from domain.contract import Reason
from domain.hexes import Hex, hex_of
from domain.messages import (
    Listing,
    Message,
    PlayerAt,
    counted,
    listing,
    message,
    plural_message,
    reason,
    semicolon_list,
)


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

    def baron(self, at: Hex) -> Message:
        """The baron on a hex: `seat 1's baron on 2,0`."""
        return baron(self.barons[at][0], at)

    def tiles(self, hexes: Iterable[Hex]) -> Listing:
        """The tiles on these hexes."""
        return tiles_with_values(self.board, hexes)

    def sum_of_tiles(self, hexes: Iterable[Hex]) -> Message:
        """The sum of the tiles on these hexes."""
        return sum_of_tiles(self.board, hexes)

    def sum_outside_battlefield(self, result: BaronyResult, conflict: Battle | Fight) -> Message:
        """The sum of the tiles of a knight's barony that are not in the battlefield of a battle or fight."""
        battlefield = set(map(hex_of, conflict["battlefield"]))
        return self.sum_of_tiles(self.claim(result).barony - battlefield)

    def return_of_keep(self, seat: int) -> Message:
        """What happens to the keep of a beaten knight."""
        player = PlayerAt(seat)
        if seat in self.board.out:
            return message("its keep leaves the game, since {player} is out", player=player)
        return message("{player} takes back the keep", player=player)


def explain_encounters(moment: Moment) -> Iterator[Reason]:
    """BN-SIM-1: which knights are opponents or rivals, and why."""
    for one, other in combinations(moment.results, 2):
        if "battle" not in one:
            continue
        battle = one["battle"]
        if any(opponent["at"] == other["at"] for opponent in battle["opponents"]):
            yield reason(
                "BN-SIM-1",
                "{knight} and {other} are opponents: {reasons}",
                knight=_knight(one),
                other=_knight(other),
                reasons=_common_ground(moment, one, other),
            )
        elif any(rival["at"] == other["at"] for rival in battle["rivals"]):
            yield reason(
                "BN-SIM-1",
                "{knight} and {other} are rivals: both have {foes} against them",
                knight=_knight(one),
                other=_knight(other),
                foes=_common_foes(moment, one, other),
            )


def _common_ground(moment: Moment, one: BaronyResult, other: BaronyResult) -> Listing:
    """Why two knights are opponents."""
    mine, theirs = moment.claim(one), moment.claim(other)
    reasons = []
    if shared := mine.contestable & theirs.contestable:
        reasons.append(message("they share {tiles}", tiles=moment.tiles(shared)))
    if faced := sorted(mine.barons.keys() & theirs.barons.keys()):
        reasons.append(message("both face {barons}", barons=listing(map(moment.baron, faced))))
    return semicolon_list(reasons)


def _common_foes(moment: Moment, one: BaronyResult, other: BaronyResult) -> Listing:
    """The barons and knights that two knights of one owner both face."""
    mine, theirs = moment.claim(one), moment.claim(other)
    foes = [moment.baron(at) for at in sorted(mine.barons.keys() & theirs.barons.keys())]
    opponents = [hex_of(knight["at"]) for knight in _opponents(other)]
    foes += [_opponent(knight) for knight in _opponents(one) if hex_of(knight["at"]) in opponents]
    return listing(foes)


def explain_battle(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-SIM-2, 3, 5: the result of a knight's battle."""
    if "battle" not in result:
        return
    battle = result["battle"]
    yield "BN-SIM-2", _battlefield(moment, result, battle)
    match result["why"] if result["result"] == "returned" else None:
        case "lost_battle":
            yield "BN-SIM-2", _lost_battle(moment, result, battle)
        case "carnage":
            yield "BN-SIM-3", _carnage(moment, result, battle)
        case "weaker_rival":
            yield from _explain_giving_way(moment, result, battle)
        case _:
            yield from _explain_victory(result, battle)


def _battlefield(moment: Moment, result: BaronyResult, battle: Battle) -> Message:
    """The battlefield of a knight in a battle, and its strength."""
    tiles = moment.tiles(map(hex_of, battle["battlefield"]))
    rest = moment.sum_outside_battlefield(result, battle)
    if "unhalved" in battle:
        return message(
            "battlefield of {knight}: {tiles}; the rest of its barony gives it {sum}, halved to {strength}",
            knight=_knight(result),
            tiles=tiles,
            sum=rest,
            strength=battle["strength"],
        )
    return message(
        "battlefield of {knight}: {tiles}; the rest of its barony gives it {strength}",
        knight=_knight(result),
        tiles=tiles,
        strength=rest,
    )


def _lost_battle(moment: Moment, result: BaronyResult, battle: Battle) -> Message:
    strongest = max(battle["opponents"], key=lambda opponent: opponent["strength"])
    return message(
        "{opponent} has {other}, more than {strength}: {knight} is beaten, and {keep}",
        opponent=_opponent(strongest),
        other=strongest["strength"],
        strength=battle["strength"],
        knight=_knight(result),
        keep=moment.return_of_keep(result["seat"]),
    )


def _carnage(moment: Moment, result: BaronyResult, battle: Battle) -> Message:
    equals = [foe for foe in battle["opponents"] if foe["strength"] == battle["strength"]]
    return plural_message(
        "{opponents} has {strength} as well: it is carnage, and {keep}",
        "{opponents} have {strength} as well: it is carnage, and {keep}",
        count=len(equals),
        opponents=listing(map(_opponent, equals)),
        strength=battle["strength"],
        keep=moment.return_of_keep(result["seat"]),
    )


def _explain_victory(result: BaronyResult, battle: Battle) -> Iterator[Reason]:
    """BN-SIM-2, 3: a knight that is stronger than its opponents and rivals."""
    knight = _knight(result)
    others = [
        message("{strength} of {knight}", strength=foe["strength"], knight=_opponent(foe))
        for foe in battle["opponents"]
    ]
    others += [
        message("{strength} of {knight}", strength=rival["strength"], knight=_rival(result, rival))
        for rival in battle["rivals"]
    ]
    yield reason(
        "BN-SIM-2",
        "{knight} has {strength} against {others}, and goes on",
        knight=knight,
        strength=battle["strength"],
        others=listing(others),
    )
    for rival in battle["rivals"]:
        if rival["strength"] == battle["strength"]:
            yield "BN-SIM-3", _tie(knight, battle["value"], rival["value"])


def _explain_giving_way(moment: Moment, result: BaronyResult, battle: Battle) -> Iterator[Reason]:
    """BN-SIM-5, 3: a knight whose rival goes on in its place."""
    best = max(
        battle["rivals"], key=lambda it: (it["strength"], it["value"], -it["at"][0], -it["at"][1])
    )
    rival = _rival(result, best)
    if best["strength"] == battle["strength"]:
        yield "BN-SIM-3", _tie(rival, best["value"], battle["value"])
    yield reason(
        "BN-SIM-5",
        "{rival} with {other} is the stronger of them: {knight} with {strength} does not fight, and "
        "{keep}",
        rival=rival,
        other=best["strength"],
        knight=_knight(result),
        strength=battle["strength"],
        keep=moment.return_of_keep(result["seat"]),
    )


def _tie(stronger: Message, value: int, other_value: int) -> Message:
    """Why one of two rivals of equal strength counts as the stronger."""
    if value > other_value:
        return message(
            "equal as they are, {knight} counts as the stronger: its barony is worth {value}, and the "
            "other's {other}",
            knight=stronger,
            value=value,
            other=other_value,
        )
    return message(
        "equal as they are, {knight} counts as the stronger: their baronies are worth the same, and its "
        "hex comes first",
        knight=stronger,
    )


def _knight(result: BaronyResult) -> Message:
    return knight(result["seat"], result["at"])


def _opponent(opponent: Opponent) -> Message:
    return knight(opponent["seat"], opponent["at"])


def _rival(result: BaronyResult, rival: Rival) -> Message:
    """Rivals have the same owner as the knight."""
    return knight(result["seat"], rival["at"])


def _opponents(result: BaronyResult) -> Sequence[Opponent]:
    return result["battle"]["opponents"] if "battle" in result else ()


def explain_gain(moment: Moment, result: EstablishedBarony) -> Iterator[Reason]:
    """BN-BAR-3, 4, BN-FGT-5, BN-END-2, BN-OUB-2: what the owner of an established knight gains, and what
    the owners of the barons that it beat lose.
    """
    seat, board = result["seat"], moment.board
    claimant = knight(seat, result["at"])
    before = set(map(hex_of, result.get("counted_before", ())))
    if before:
        yield from _counted_before(moment, seat, before)
    points = total_value(board, moment.claim(result).barony - before)
    if "unhalved" in result and result["gain"] != points and seat not in board.out:
        yield reason(
            "BN-END-2",
            "half of {points} for {knight} is {gain}, rounded up",
            points=points,
            knight=claimant,
            gain=result["gain"],
        )
    if seat in board.out:
        yield reason(
            "BN-OUB-2",
            "{player} is out: the honour of this seat stays as it is, whatever {knight} won",
            player=PlayerAt(seat),
            knight=claimant,
        )
    elif "fight" in result:
        yield reason(
            "BN-FGT-5",
            "{knight} is established with a barony of {value}, the battlefield included: {change}",
            knight=claimant,
            value=result["value"],
            change=honour_change(seat, result["gain"]),
        )
    else:
        yield "BN-BAR-3", honour_change(seat, result["gain"])
    for beaten in result["beaten"]:
        yield _loss(moment, result, beaten)


def _counted_before(moment: Moment, seat: int, before: set[Hex]) -> Iterator[Reason]:
    """BN-BAR-4, and BN-SIM-6 for knights of the same moment."""
    own = [theirs for owner, theirs in moment.barons.values() if owner == seat]
    of_barons = set[Hex]().union(*own)
    if standing := before & of_barons:
        yield reason(
            "BN-BAR-4",
            "{player} already has a barony with {tiles}, whose value of {points} is not earned again",
            player=PlayerAt(seat),
            tiles=moment.tiles(standing),
            points=total_value(moment.board, standing),
        )
    if of_knights := before - of_barons:
        yield reason(
            "BN-SIM-6",
            "another knight of {player} was established before it with {tiles}, whose value of "
            "{points} is not earned again",
            player=PlayerAt(seat),
            tiles=moment.tiles(of_knights),
            points=total_value(moment.board, of_knights),
        )


def _loss(moment: Moment, result: EstablishedBarony, beaten: Beaten) -> Reason:
    """BN-FGT-5, BN-OUB-2: what a beaten baron costs its owner."""
    seat, tiles = beaten["seat"], set(map(hex_of, beaten["tiles"]))
    if seat in moment.board.out:
        return reason(
            "BN-OUB-2",
            "{baron} is beaten, but {player} is out: the keep leaves the game, and no honour changes",
            baron=baron(seat, beaten["at"]),
            player=PlayerAt(seat),
        )
    shared = moment.claim(result).barony & barony(moment.board, hex_of(beaten["at"]))
    loss = _cost(moment, beaten, tiles)
    if earlier := shared - tiles:
        loss = message("{loss}; lost only once: {tiles}", loss=loss, tiles=moment.tiles(earlier))
    return "BN-FGT-5", loss


def _cost(moment: Moment, beaten: Beaten, tiles: set[Hex]) -> Message:
    """What the owner of a beaten baron loses for tiles, or gains if their sum is negative."""
    seat, loss, shared = beaten["seat"], beaten["loss"], moment.tiles(tiles)
    loser, player = baron(seat, beaten["at"]), PlayerAt(seat)
    if loss > 0:
        return message(
            "{baron} is beaten: {player} takes back the keep and loses {honour} for {tiles}",
            baron=loser,
            player=player,
            honour=counted(loss, HONOUR),
            tiles=shared,
        )
    if loss < 0:
        return message(
            "{baron} is beaten: {player} takes back the keep and gains {honour} for {tiles}",
            baron=loser,
            player=player,
            honour=counted(-loss, HONOUR),
            tiles=shared,
        )
    return message(
        "{baron} is beaten: {player} takes back the keep and neither gains nor loses honour for {tiles}",
        baron=loser,
        player=player,
        tiles=shared,
    )
