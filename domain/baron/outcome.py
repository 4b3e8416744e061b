"""What a tile, a keep or the end of the game sets off, as the fields of a fact: baronies, honour, who is out.

The baronies themselves are reckoned in `reckoning`; here it is summed up what they mean to the seats.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from domain.baron.components import DEEPEST_DEBT, KNIGHT
from domain.baron.resolution import complete, resolve
from domain.baron.state import State
from domain.contract import Json


def set_off(after: State, bonus: Json | None = None) -> Json:
    """BN-BAR-2: all that comes of the baronies that are complete now, on the board of `after`.

    `bonus` is what the tile laid has earned (BN-LAY-3), as an entry of `honour`.
    """
    board = after.standing()
    knights = complete(board)
    baronies = resolve(board, knights, at_the_end=False) if knights else []
    return _summed_up(after, baronies, [bonus] if bonus else [])


def set_off_by_the_end(after: State) -> Json:
    """BN-END-2: all that comes of the knights still on the board when play is over."""
    knights = sorted(at for at, (_, side) in after.keeps.items() if side == KNIGHT)
    baronies = resolve(after.standing(), knights, at_the_end=True) if knights else []
    return _summed_up(after, baronies, [])


def going_out(state: State, seats: Sequence[int]) -> Json:
    """BN-OUB-4: seats that go out together, and at the how-manieth moment that is."""
    before = max((player.out or 0 for player in state.players), default=0)
    return {"seats": list(seats), "moment": before + 1}


def _summed_up(after: State, baronies: list[Json], earned: Iterable[Json]) -> Json:
    """The fields that a fact has of this; each is left out where there is nothing to say."""
    players = after.players
    change: Counter[int] = Counter()
    returned: Counter[int] = Counter()
    for entry in earned:
        change[entry["seat"]] += entry["change"]
    for barony in baronies:
        if barony["result"] == "established":
            change[barony["seat"]] += barony["gain"]
            for beaten in barony["beaten"]:
                change[beaten["seat"]] -= beaten["loss"]
                returned[beaten["seat"]] += 1
        else:
            returned[barony["seat"]] += 1
    honour = [{"seat": seat, "change": change[seat]} for seat in sorted(change) if change[seat]]
    out = [seat for seat in after.in_game() if players[seat].honour + change[seat] < DEEPEST_DEBT]
    back = [
        {"seat": seat, "keeps": returned[seat]}
        for seat in sorted(returned)
        if players[seat].out is None and seat not in out
    ]
    fields: Json = {"baronies": baronies, "honour": honour, "returned": back}
    whole = {name: entries for name, entries in fields.items() if entries}
    if out:
        whole["out"] = going_out(after, out)
    return whole
