"""Explains baronies and fights against barons, as the examples of the rulebook do: the battlefield, both
strengths, what each side gains and loses (BN-BAR, BN-FGT, BN-END-2).

A part of `explain`. Strengths, results and honour are those that the event recorded; the board shows what
they consist of.
"""

from collections.abc import Iterator

from domain.baron.battles import Board, barony, total_value
from domain.baron.explain_battles import Moment, explain_battle, explain_encounters
from domain.baron.formats import BaronyResult, Beaten, EstablishedBarony, Fight, Opponent
from domain.baron.phrases import baron_text, change_text, knight_text, tile_text
from domain.contract import Reason
from domain.hex_text import hex_text
from domain.hexes import Hex, hex_of, neighbours
from domain.phrases import counted, listing


def explain_baronies(
    board: Board, results: list[BaronyResult], occasion: Reason
) -> Iterator[Reason]:
    """BN-BAR, BN-FGT, BN-SIM, BN-END-2: the results of one moment on the board that they were resolved on.

    `occasion` explains why these knights are resolved now.
    """
    if not results:
        return
    moment = Moment(board, results)
    yield occasion
    if len(results) > 1:
        yield "BN-SIM-6", f"all {len(results)} are resolved at once, on the board as it stood"
    for result in results:
        yield _claim(moment, result)
    yield from explain_encounters(moment)
    for result in results:
        yield from explain_battle(moment, result)
    for result in results:
        yield from _barons_not_fought(moment, result)
        yield from _fight_and_gain(moment, result)


def tile_occasion(results: list[BaronyResult], tile: str, at: Hex) -> Reason:
    """BN-BAR-2: a tile completes baronies."""
    knights = listing(_knight_text(result) for result in results)
    return (
        "BN-BAR-2",
        (
            f"{tile_text(tile)} on {hex_text(at)} was what {knights} still lacked: it is resolved before "
            "the turn goes on"
        ),
    )


def keep_occasion(at: Hex) -> Reason:
    """BN-BAR-2: a keep is put down in a complete barony."""
    return "BN-BAR-2", f"all six tiles around {hex_text(at)} are there: it is resolved at once"


def end_occasion(results: list[BaronyResult]) -> Reason:
    """BN-END-2: the game ends."""
    verb = "try" if results[1:] else "tries"
    return (
        "BN-END-2",
        (
            f"{counted(len(results), 'knight')} still on the board {verb} to establish, complete or not; "
            "their strengths and gains are halved and rounded up"
        ),
    )


def _claim(moment: Moment, result: BaronyResult) -> Reason:
    """BN-BAR-1: the value of a knight's barony."""
    hexes, at = moment.claim(result).barony, hex_of(result["at"])
    laid, around = len(hexes - {at}), len(neighbours(at))
    claim = f"{_knight_text(result)} claims a barony worth {moment.sum_text(hexes)}"
    if laid == around:
        return "BN-BAR-1", claim
    return "BN-END-2", f"{claim}, with {laid or 'none'} of the {around} tiles around it"


def _barons_not_fought(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-FGT-1: barons with which a knight shares nothing to fight about; BN-SIM-4: barons left in peace."""
    claim, knight = moment.claim(result), _knight_text(result)
    for at, (seat, theirs) in moment.barons.items():
        shared = claim.barony & theirs
        if shared and at not in claim.barons:
            if seat == claim.seat:
                why = "which has the same owner"
            else:
                why = f"with which it shares only {moment.tiles_text(shared)}"
            yield "BN-FGT-1", f"{knight} does not fight {moment.baron_text(at)}, {why}"
    if "fight" not in result and claim.barons:
        fought = {hex_of(baron["at"]) for other in moment.results for baron in _fought(other)}
        in_peace = [moment.baron_text(at) for at in claim.barons if at not in fought]
        if in_peace:
            verb = "take" if in_peace[1:] else "takes"
            yield "BN-SIM-4", f"{listing(in_peace)} {verb} no part, since {knight} does not go on"


def _fight_and_gain(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-SIM-4, BN-FGT, BN-BAR-3: a knight that gets past its battle."""
    knight = _knight_text(result)
    if "fight" in result:
        yield from _fight(moment, result, result["fight"])
    if result["result"] == "returned":
        if "fight" in result:
            keep = moment.return_text(result["seat"])
            yield "BN-FGT-4", f"{knight} is beaten: {keep}, and no honour changes hands"
        return
    if "fight" not in result:
        nobody = "no baron is left to oppose" if "battle" in result else "nobody opposes"
        yield "BN-BAR-3", f"{nobody} {knight}: it is established with {result['value']}"
    yield from _gain(moment, result)
    for beaten in result["beaten"]:
        yield _loss(moment, result, beaten)


def _fight(moment: Moment, result: BaronyResult, fight: Fight) -> Iterator[Reason]:
    """BN-FGT-1, 2, 3, BN-SIM-4: the fight against the barons that a knight faces."""
    knight, board = _knight_text(result), moment.board
    battlefield = set(map(hex_of, fight["battlefield"]))
    for baron in fight["barons"]:
        shared = moment.claim(result).contestable & barony(board, hex_of(baron["at"]))
        yield "BN-FGT-1", f"{knight} fights {_baron_text(baron)} over {moment.tiles_text(shared)}"
    if "battle" in result:
        freed = set(map(hex_of, result["battle"]["battlefield"])) - battlefield
        again = f"{moment.tiles_text(freed)} counts again" if freed else "nothing changes"
        yield "BN-SIM-4", f"the battlefield of {knight} without the knights that left: {again}"
    tiles = moment.tiles_text(battlefield)
    yield "BN-FGT-2", f"battlefield of {knight}: {tiles}, which counts for nobody"
    yield "BN-FGT-2", f"without it {knight} has {moment.strength_text(result, fight)}"
    for baron in fight["barons"]:
        rest = barony(board, hex_of(baron["at"])) - battlefield
        yield "BN-FGT-2", f"without it {_baron_text(baron)} has {moment.sum_text(rest)}"
    yield _outcome(knight, fight)


def _outcome(knight: str, fight: Fight) -> Reason:
    """BN-FGT-3."""
    strongest = max(fight["barons"], key=lambda baron: baron["strength"])
    baron = _baron_text(strongest)
    if fight["barons"][1:]:
        baron = f"the strongest of them, {baron}"
    mine, theirs = fight["strength"], strongest["strength"]
    if mine > theirs:
        return "BN-FGT-3", f"{knight} wins against {baron}, {mine} to {theirs}"
    odds = "equal is not enough" if mine == theirs else f"{mine} to {theirs}"
    return "BN-FGT-3", f"{knight} loses against {baron}: {odds}"


def _gain(moment: Moment, result: EstablishedBarony) -> Iterator[Reason]:
    """BN-BAR-3, 4, BN-FGT-5, BN-END-2, BN-OUB-2: what the owner of an established knight gains."""
    seat, knight, board = result["seat"], _knight_text(result), moment.board
    before = set(map(hex_of, result.get("counted_before", ())))
    if before:
        yield from _counted_before(moment, seat, before)
    points = total_value(board, moment.claim(result).barony - before)
    if "unhalved" in result and result["gain"] != points and seat not in board.out:
        yield "BN-END-2", f"half of {points} for {knight} is {result['gain']}, rounded up"
    if seat in board.out:
        yield (
            "BN-OUB-2",
            f"seat {seat} is out: its honour stays as it is, whatever {knight} won",
        )
    elif "fight" in result:
        gains = f"seat {seat} {change_text(result['gain'])} honour"
        barony_of = f"for a barony of {result['value']}, the battlefield included"
        yield "BN-FGT-5", f"{knight} is established: {gains} {barony_of}"
    else:
        yield "BN-BAR-3", f"seat {seat} {change_text(result['gain'])} honour"


def _counted_before(moment: Moment, seat: int, before: set[Hex]) -> Iterator[Reason]:
    """BN-BAR-4, and BN-SIM-6 for knights of the same moment."""
    own = [theirs for owner, theirs in moment.barons.values() if owner == seat]
    of_barons = set[Hex]().union(*own)
    if standing := before & of_barons:
        yield (
            "BN-BAR-4",
            (
                f"seat {seat} has a barony already with {moment.tiles_text(standing)}: "
                f"{total_value(moment.board, standing)} that it does not earn again"
            ),
        )
    if of_knights := before - of_barons:
        yield (
            "BN-SIM-6",
            (
                f"{moment.tiles_text(of_knights)} went to seat {seat}'s knight that was established before "
                f"it: {total_value(moment.board, of_knights)} that it does not earn again"
            ),
        )


def _loss(moment: Moment, result: EstablishedBarony, beaten: Beaten) -> Reason:
    """BN-FGT-5, BN-OUB-2: what a beaten baron costs its owner."""
    seat, tiles = beaten["seat"], set(map(hex_of, beaten["tiles"]))
    baron = baron_text(seat, beaten["at"])
    if seat in moment.board.out:
        return (
            "BN-OUB-2",
            (
                f"{baron} is beaten, but seat {seat} is out: the keep leaves the game, and its honour stays "
                "as it is"
            ),
        )
    shared = moment.claim(result).barony & barony(moment.board, hex_of(beaten["at"]))
    earlier = shared - tiles
    once = f"; {moment.tiles_text(earlier)} is lost once" if earlier else ""
    loses = f"{change_text(-beaten['loss'])} honour for {moment.tiles_text(tiles)}"
    return (
        "BN-FGT-5",
        f"{baron} is beaten: seat {seat} takes back the keep and {loses}{once}",
    )


def _knight_text(result: BaronyResult) -> str:
    return knight_text(result["seat"], result["at"])


def _baron_text(baron: Opponent) -> str:
    return baron_text(baron["seat"], baron["at"])


def _fought(result: BaronyResult) -> list[Opponent]:
    """The barons that a knight fought."""
    return result["fight"]["barons"] if "fight" in result else []
