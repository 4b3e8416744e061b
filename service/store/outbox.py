"""What a game's log calls for: notes, written with the events and removed when the work is done.

    score/ROUND      {"seq"}         a round has ended with that event and is to be scored
    finish           {"seq"}         play is over: once all rounds are scored the game is finished
    deadline         {"turn", "at"}  the turn that is forfeited at that time
    notify/turn      {"seat", "seq"} it is that seat's turn since that event
    notify/round/N   {"seq"}         round N was scored by that event
    notify/over      {"seq"}         the game ended with that event
    index            {"seq"}         what the listings say of the game has changed with that event

A name has one note at most: a later one stands in for the earlier, whose work is no longer wanted.
Work that was done twice does no harm, so a note goes only after its work, and only if it is still
the same.
"""

from collections.abc import Sequence
from typing import Any

from domain.event import Event
from domain.game import Game
from ledger.canonical import canonical
from service.deadlines import deadline


def notes(before: Game | None, after: Game, events: Sequence[Event]) -> dict[str, str | None]:
    """The notes that one append sets, and (None) those that it removes.

    `events` lead from `before` (None: nothing) to `after`, and are one at least.
    """
    seq = after.seq
    noted: dict[str, Any] = {}
    if before is None or (before.status, before.places) != (after.status, after.places):
        noted["index"] = {"seq": seq}

    ended = {} if before is None else before.rounds_ended
    for round, at in after.rounds_ended.items():
        if round not in ended:
            noted[f"score/{round}"] = {"seq": at}
    if after.is_played_out and not (before is not None and before.is_played_out):
        noted["finish"] = {"seq": seq}

    if after.to_act is None:
        if before is not None and before.to_act is not None:
            noted |= {"deadline": None, "notify/turn": None}
    else:
        if before is None or before.to_act != after.to_act:
            noted["notify/turn"] = {"seat": after.to_act, "seq": seq}
        due = deadline(after)
        if due is not None and (before is None or _turn(before) != _turn(after)):
            noted["deadline"] = {"turn": _turn(after), "at": due}

    for event in events:
        match event["type"]:
            case "RoundScored":
                round = event["data"]["round"]
                noted[f"score/{round}"] = None
                noted[f"notify/round/{round}"] = {"seq": event["seq"]}
            case "GameFinished":
                noted["finish"] = None
                noted["notify/over"] = {"seq": event["seq"]}
            case "GameAbandoned":
                # Nobody is ranked, so nothing is left to be scored.
                noted |= {f"score/{round}": None for round in ended}
                noted["finish"] = None
                noted["notify/over"] = {"seq": event["seq"]}
            case _:
                pass
    return {
        name: None if value is None else canonical(value).decode() for name, value in noted.items()
    }


def _turn(game: Game) -> int:
    """The number of the turn under way; 0 before the start."""
    turn: int = 0 if game.state is None else game.state.turn
    return turn
