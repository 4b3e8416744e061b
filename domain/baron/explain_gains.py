"""Explains what an established knight gains, and what the barons that it beat cost their owners (BN-BAR-3, 4,
BN-FGT-5).

A part of `explain`. Gains and losses are those that the event recorded; the board shows what they consist of.
"""

from collections.abc import Iterator

from domain.baron.battles import barony, total_value
from domain.baron.explain_battles import Moment
from domain.baron.formats import Beaten, EstablishedBarony
from domain.baron.phrases import baron, honour_change, knight
from domain.baron.terms import HONOUR
from domain.contract import Reason
from domain.hexes import Hex, hex_of
from domain.messages import Message, PlayerAt, counted, message


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
        yield (
            "BN-END-2",
            message(
                "half of {points} for {knight} is {gain}, rounded up",
                points=points,
                knight=claimant,
                gain=result["gain"],
            ),
        )
    if seat in board.out:
        yield (
            "BN-OUB-2",
            message(
                "{player} is out: the honour of this seat stays as it is, whatever {knight} won",
                player=PlayerAt(seat),
                knight=claimant,
            ),
        )
    elif "fight" in result:
        yield (
            "BN-FGT-5",
            message(
                "{knight} is established with a barony of {value}, the battlefield included: {change}",
                knight=claimant,
                value=result["value"],
                change=honour_change(seat, result["gain"]),
            ),
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
        yield (
            "BN-BAR-4",
            message(
                "{player} already has a barony with {tiles}, whose value of {points} is not earned again",
                player=PlayerAt(seat),
                tiles=moment.tiles(standing),
                points=total_value(moment.board, standing),
            ),
        )
    if of_knights := before - of_barons:
        yield (
            "BN-SIM-6",
            message(
                "another knight of {player} was established before it with {tiles}, whose value of "
                "{points} is not earned again",
                player=PlayerAt(seat),
                tiles=moment.tiles(of_knights),
                points=total_value(moment.board, of_knights),
            ),
        )


def _loss(moment: Moment, result: EstablishedBarony, beaten: Beaten) -> Reason:
    """BN-FGT-5, BN-OUB-2: what a beaten baron costs its owner."""
    seat, tiles = beaten["seat"], set(map(hex_of, beaten["tiles"]))
    if seat in moment.board.out:
        return (
            "BN-OUB-2",
            message(
                "{baron} is beaten, but {player} is out: the keep leaves the game, and no honour changes",
                baron=baron(seat, beaten["at"]),
                player=PlayerAt(seat),
            ),
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
