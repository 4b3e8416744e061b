"""Explains baronies and fights against barons, as the examples of the rulebook do: the claim of each knight,
the battlefield and both strengths (BN-BAR, BN-FGT, BN-END-2).

A part of `explain`; what each side gains and loses is explained in `explain_battles`. Strengths and results
are those in the event; the board shows how they add up.
"""

from collections.abc import Iterator

from domain.baron.battles import Board, barony
from domain.baron.explain_battles import Moment, explain_battle, explain_encounters, explain_gain
from domain.baron.formats import BaronyResult, EstablishedBarony, Fight, Opponent, Tile
from domain.baron.terms import TILE_TERMS, baron, knight
from domain.contract import Reason
from domain.hexes import Hex, hex_of, neighbours
from domain.messages import Message, hex_at, listing, message, plural_message, plural_reason, reason


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
        yield reason(
            "BN-SIM-6",
            "all {count} knights are resolved together, on the board as it stood",
            count=len(results),
        )
    for result in results:
        yield _claim(moment, result)
    yield from explain_encounters(moment)
    for result in results:
        yield from explain_battle(moment, result)
    for result in results:
        yield from _barons_not_fought(moment, result)
        yield from _fight_and_gain(moment, result)


def tile_occasion(results: list[BaronyResult], tile: Tile, at: Hex) -> Reason:
    """BN-BAR-2: a tile completes baronies."""
    return plural_reason(
        "BN-BAR-2",
        "{tile:a} on {hex} completes the barony of {knights}, which is resolved before the turn goes "
        "on",
        "{tile:a} on {hex} completes the baronies of {knights}, which are resolved before the turn "
        "goes on",
        count=len(results),
        tile=TILE_TERMS[tile],
        hex=hex_at(at),
        knights=listing(map(_knight, results)),
    )


def keep_occasion(at: Hex) -> Reason:
    """BN-BAR-2: a keep is put down in a complete barony."""
    return reason(
        "BN-BAR-2",
        "all six tiles around {hex} are there: the barony is resolved immediately",
        hex=hex_at(at),
    )


def end_occasion(results: list[BaronyResult]) -> Reason:
    """BN-END-2: the game ends."""
    return plural_reason(
        "BN-END-2",
        "{count} knight still on the board tries to establish a barony, complete or not; its strength "
        "and gain are halved and rounded up",
        "{count} knights still on the board try to establish baronies, complete or not; their "
        "strengths and gains are halved and rounded up",
        count=len(results),
    )


def _claim(moment: Moment, result: BaronyResult) -> Reason:
    """BN-BAR-1: the value of a knight's barony."""
    hexes, at = moment.claim(result).barony, hex_of(result["at"])
    laid, around = len(hexes - {at}), len(neighbours(at))
    claimant, value = _knight(result), moment.sum_of_tiles(hexes)
    if laid == around:
        return reason(
            "BN-BAR-1", "{knight} claims a barony worth {value}", knight=claimant, value=value
        )
    return reason(
        "BN-END-2",
        "{knight} claims a barony worth {value}, with {laid} of the {around} tiles around it",
        knight=claimant,
        value=value,
        laid=laid,
        around=around,
    )


def _barons_not_fought(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-FGT-1: barons with which a knight shares nothing to fight about; BN-SIM-4: barons left in peace."""
    claim, claimant = moment.claim(result), _knight(result)
    for at, (seat, theirs) in moment.barons.items():
        shared = claim.barony & theirs
        if shared and at not in claim.barons:
            yield "BN-FGT-1", _no_fight(moment, claimant, at, shared, is_own=seat == claim.seat)
    if "fight" not in result and claim.barons:
        fought = {hex_of(baron["at"]) for other in moment.results for baron in _fought(other)}
        in_peace = [moment.baron(at) for at in claim.barons if at not in fought]
        if in_peace:
            yield plural_reason(
                "BN-SIM-4",
                "{barons} takes no part, since {knight} does not go on",
                "{barons} take no part, since {knight} does not go on",
                count=len(in_peace),
                barons=listing(in_peace),
                knight=claimant,
            )


def _no_fight(
    moment: Moment, claimant: Message, baron: Hex, shared: frozenset[Hex], *, is_own: bool
) -> Message:
    """Why a knight does not fight a baron with which it shares tiles."""
    if is_own:
        return message(
            "{knight} does not fight {baron}, which has the same owner",
            knight=claimant,
            baron=moment.baron(baron),
        )
    return message(
        "{knight} does not fight {baron}, with which it shares only {tiles}",
        knight=claimant,
        baron=moment.baron(baron),
        tiles=moment.tiles(shared),
    )


def _fight_and_gain(moment: Moment, result: BaronyResult) -> Iterator[Reason]:
    """BN-SIM-4, BN-FGT, BN-BAR-3: a knight that gets past its battle."""
    claimant = _knight(result)
    if "fight" in result:
        yield from _fight(moment, result, result["fight"])
    if result["result"] == "returned":
        if "fight" in result:
            yield reason(
                "BN-FGT-4",
                "{knight} is beaten: {keep}, and no honour changes hands",
                knight=claimant,
                keep=moment.return_of_keep(result["seat"]),
            )
        return
    if "fight" not in result:
        yield "BN-BAR-3", _unopposed(claimant, result)
    yield from explain_gain(moment, result)


def _unopposed(claimant: Message, result: EstablishedBarony) -> Message:
    """How a knight is established without a fight."""
    if "battle" in result:
        return message(
            "no baron is left to oppose {knight}: it is established with {value}",
            knight=claimant,
            value=result["value"],
        )
    return message(
        "nobody opposes {knight}: it is established with {value}",
        knight=claimant,
        value=result["value"],
    )


def _fight(moment: Moment, result: BaronyResult, fight: Fight) -> Iterator[Reason]:
    """BN-FGT-1, 2, 3, BN-SIM-4: the fight against the barons that a knight faces."""
    claimant, board = _knight(result), moment.board
    battlefield = set(map(hex_of, fight["battlefield"]))
    for opponent in fight["barons"]:
        shared = moment.claim(result).contestable & barony(board, hex_of(opponent["at"]))
        yield reason(
            "BN-FGT-1",
            "{knight} fights {baron} over {tiles}",
            knight=claimant,
            baron=_baron(opponent),
            tiles=moment.tiles(shared),
        )
    if "battle" in result:
        freed = set(map(hex_of, result["battle"]["battlefield"])) - battlefield
        yield "BN-SIM-4", _smaller_battlefield(moment, claimant, freed)
    yield reason(
        "BN-FGT-2",
        "battlefield of {knight}, which counts for nobody: {tiles}",
        knight=claimant,
        tiles=moment.tiles(battlefield),
    )
    yield "BN-FGT-2", _strength_of_knight(moment, result, fight)
    for opponent in fight["barons"]:
        rest = barony(board, hex_of(opponent["at"])) - battlefield
        yield reason(
            "BN-FGT-2",
            "without it {fighter} has {strength}",
            fighter=_baron(opponent),
            strength=moment.sum_of_tiles(rest),
        )
    yield "BN-FGT-3", _outcome(claimant, fight)


def _smaller_battlefield(moment: Moment, claimant: Message, freed: set[Hex]) -> Message:
    """What leaves the battlefield of a knight with the knights that were beaten."""
    if not freed:
        return message(
            "the battlefield of {knight} without the knights that left: nothing changes",
            knight=claimant,
        )
    return plural_message(
        "the battlefield of {knight} without the knights that left: {tiles} counts again",
        "the battlefield of {knight} without the knights that left: {tiles} count again",
        count=len(freed),
        knight=claimant,
        tiles=moment.tiles(freed),
    )


def _strength_of_knight(moment: Moment, result: BaronyResult, fight: Fight) -> Message:
    rest = moment.sum_outside_battlefield(result, fight)
    if "unhalved" in fight:
        return message(
            "without it {fighter} has {sum}, halved to {strength}",
            fighter=_knight(result),
            sum=rest,
            strength=fight["strength"],
        )
    return message("without it {fighter} has {strength}", fighter=_knight(result), strength=rest)


def _outcome(claimant: Message, fight: Fight) -> Message:
    """The strengths in a fight, and the winner."""
    strongest = max(fight["barons"], key=lambda baron: baron["strength"])
    opponent = _baron(strongest)
    if len(fight["barons"]) > 1:
        opponent = message("the strongest of them, {baron}", baron=opponent)
    mine, theirs = fight["strength"], strongest["strength"]
    if mine == theirs:
        return message(
            "{knight} loses against {baron}: equal is not enough", knight=claimant, baron=opponent
        )
    if mine > theirs:
        return message(
            "{knight} wins against {baron}, {strength} to {other}",
            knight=claimant,
            baron=opponent,
            strength=mine,
            other=theirs,
        )
    return message(
        "{knight} loses against {baron}, {strength} to {other}",
        knight=claimant,
        baron=opponent,
        strength=mine,
        other=theirs,
    )


def _knight(result: BaronyResult) -> Message:
    return knight(result["seat"], result["at"])


def _baron(opponent: Opponent) -> Message:
    return baron(opponent["seat"], opponent["at"])


def _fought(result: BaronyResult) -> list[Opponent]:
    return result["fight"]["barons"] if "fight" in result else []
