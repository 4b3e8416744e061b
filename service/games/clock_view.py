"""The clock of a game in progress as JSON, as everybody who may see the game sees it."""

from datetime import datetime

from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import format_timestamp
from ledger.turn_clock import bank_begins_at, bank_milliseconds, pause_limit


def timing(game: Game) -> JsonObject | None:
    """Return the time banks, the pause and the holidays of a game.

    None unless the game is in progress, with a clock. `banks_ms` are the milliseconds that were left in the
    time bank of each seat when the turn under way began, null without time banks. `bank_from` is the time at
    which that turn begins to use up the bank of its seat. `holidays` are those that are not over at the time
    of the last event.
    """
    if game.clock is None or game.status != "playing":
        return None
    return {
        "banks_ms": [bank_milliseconds(game, seat) for seat in range(game.seats)]
        if "bank" in game.clock
        else None,
        "bank_from": _timestamp(bank_begins_at(game)),
        "pause": _pause(game),
        "holidays": [
            {"player": holiday.player, "from": holiday.begins, "to": holiday.until}
            for holiday in game.holidays
            if holiday.cancelled_at is None and game.at < holiday.until
        ],
    }


def _pause(game: Game) -> JsonObject | None:
    """Return who agrees to a pause, and since when and until when it stops the clock; None if nobody does."""
    record = game.pauses
    if not record.agreed_by:
        return None
    return {
        "agreed_by": [
            seat for seat in game.seats_of_people() if game.players[seat] in record.agreed_by
        ],
        "since": None if record.current is None else record.current.since,
        "until": pause_limit(game),
    }


def _timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else format_timestamp(moment)
