"""What a tile, a keep or the end of the game leads to: baronies, honour, seats that go out.

`battles` resolves the baronies; this module adds up the consequences for the seats.
"""

from collections import Counter
from collections.abc import Sequence

from domain.baron.battles import complete_knights, resolve
from domain.baron.components import KNIGHT, LEAST_HONOUR
from domain.baron.formats import BaronyResult, Consequences, GoingOut
from domain.baron.state import State


def consequences_of_turn(after: State, bonus: Counter[int] | None = None) -> Consequences:
    """BN-BAR-2: what follows from the baronies that are complete on the board of `after`.

    `bonus` is the honour that the tile has earned (BN-LAY-3), by seat.
    """
    board = after.board()
    knights = complete_knights(board)
    results = resolve(board, knights, at_end=False) if knights else []
    return _sum_up(after, results, bonus or Counter())


def consequences_of_end(after: State) -> Consequences:
    """BN-END-2: what follows from the knights that are still on the board when play is over."""
    knights = sorted(at for at, (_, side) in after.keeps.items() if side == KNIGHT)
    results = resolve(after.board(), knights, at_end=True) if knights else []
    return _sum_up(after, results, Counter())


def going_out(state: State, seats: Sequence[int]) -> GoingOut:
    """BN-OUB-4: seats that go out together, and the number of that moment, counted from 1."""
    before = max((player.out or 0 for player in state.players), default=0)
    return {"seats": list(seats), "moment": before + 1}


def _sum_up(after: State, results: list[BaronyResult], bonus: Counter[int]) -> Consequences:
    """The changes that all results make together; a field is left out when it is empty."""
    players = after.players
    change = bonus.copy()
    returned: Counter[int] = Counter()
    for result in results:
        if result["result"] == "established":
            change[result["seat"]] += result["gain"]
            for beaten in result["beaten"]:
                change[beaten["seat"]] -= beaten["loss"]
                returned[beaten["seat"]] += 1
        else:
            returned[result["seat"]] += 1
    out = [seat for seat in after.in_game() if players[seat].honour + change[seat] < LEAST_HONOUR]
    consequences: Consequences = {}
    if results:
        consequences["baronies"] = results
    if any(change.values()):
        consequences["honour"] = [
            {"seat": seat, "change": change[seat]} for seat in sorted(change) if change[seat]
        ]
    keepers = [seat for seat in sorted(returned) if players[seat].out is None and seat not in out]
    if keepers:
        consequences["returned"] = [{"seat": seat, "keeps": returned[seat]} for seat in keepers]
    if out:
        consequences["out"] = going_out(after, out)
    return consequences


def add_consequences(data: Consequences, consequences: Consequences) -> None:
    """Add the fields to the data of an event that can have them."""
    data.update(consequences)
