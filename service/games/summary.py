"""The summary of a game, from which lists of games are made, without the handles of its players.

The summaries of games that are open or have ended are stored (`listings`). A stored summary is used
only if its hash is that of the last event of the log. Such a game is therefore listed without folding its
log, and a summary that is out of date does no harm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from domain.event import Clock
from domain.game import Game, Status
from domain.json_types import JsonObject
from ledger.canonical import format_timestamp
from ledger.clock.turn_clock import (
    bank_begins_at,
    bank_milliseconds,
    clock_stop,
    deadline_timestamp,
    pause_limit,
)
from service.games.alerts import counted_alerts
from service.games.dispute_view import open_dispute_summary, pending_takeback
from service.stored_objects import decode_object


@dataclass(frozen=True, slots=True)
class Summary:
    """A game after event `seq`, which has this hash. `players` are pairs of an id and a seat or None."""

    id: str
    rules: str
    options: Mapping[str, Any]
    clock: Clock | None
    seats: int
    status: Status
    players: Sequence[tuple[str, int | None]]
    seq: int
    hash: str
    to_act: int | None
    deadline: str | None
    # Summaries that were stored before these fields existed are of games without them.
    arbiter: str | None = None
    dispute: JsonObject | None = None
    takeback: JsonObject | None = None
    timing: JsonObject | None = None
    bots: Mapping[str, str] = field(default_factory=dict)
    """The names of bots, by the ids of their players."""
    creator: str = ""
    invited: Sequence[str] = ()
    """The ids of the invited players, including those who have joined."""
    declined: Sequence[str] = ()
    """The ids of the players who have declined an invitation."""
    winners: Sequence[int] = ()
    """The seats in the first place of the ranking; none until the game is finished."""

    vacant: Sequence[int] = ()
    """The seats that wait for a substitute."""

    concerns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The keys of the alerts that badges count, by player (`counted_alerts`); Redis has this name."""

    created: str = ""
    at: str = ""
    """The times of the first and of the last event."""

    round: int = 0
    scores: Sequence[int] = ()
    """The scores by seat, at the end from the ranking, else from the standings; none before the start."""

    @property
    def name(self) -> str | None:
        """The name that its creator has given the game."""
        return self.options.get("name")

    @property
    def awaited(self) -> tuple[str, ...]:
        """The ids of the invited players who have neither joined nor declined; none after the start."""
        if self.status != "open":
            return ()
        joined = {player for player, _ in self.players}
        return tuple(player for player in self.invited if player not in joined)


def summarize(game: Game) -> Summary:
    """Return the summary of a game."""
    return Summary(
        id=game.id,
        rules=game.rules.NAME,
        options=game.options,
        clock=game.clock,
        seats=game.seats,
        status=game.status,
        players=[(player, game.seat_of(player)) for player in game.participants],
        seq=game.seq,
        hash=game.hash,
        to_act=game.to_act,
        deadline=deadline_timestamp(game),
        arbiter=game.arbiter,
        dispute=open_dispute_summary(game),
        takeback=pending_takeback(game),
        creator=game.creator,
        invited=game.invited,
        declined=game.declined,
        winners=[entry["seat"] for entry in game.ranking or () if entry["place"] == 1],
        timing=timing(game),
        bots={place.player: place.bot for place in game.places if place.bot is not None},
        vacant=game.open_seats(),
        concerns=counted_alerts(game),
        created=game.created_at,
        at=game.at,
        round=game.round,
        scores=scores_of(game),
    )


def timing(game: Game) -> JsonObject | None:
    """Return the time banks, the pause and the holidays of a game, and until when its clock is stopped.

    None unless the game is in progress, with a clock. `banks_ms` are the milliseconds that were left in the
    time bank of each seat when the turn under way began, null without time banks. `bank_from` is the time at
    which that turn begins to use up the bank of its seat. `clock_stopped_until` is the latest time at which
    the clock runs again, after a pause or an open dispute; null if it was running at the time of the last
    event. `holidays` are the holidays that were not over at that time.
    """
    if game.clock is None or game.status != "playing":
        return None
    bank_from, stop = bank_begins_at(game), clock_stop(game, game.at)
    return {
        "banks_ms": [bank_milliseconds(game, seat) for seat in range(game.seats)]
        if "bank" in game.clock
        else None,
        "bank_from": None if bank_from is None else format_timestamp(bank_from),
        "clock_stopped_until": None if stop is None else stop.until,
        "pause": _pause(game),
        "holidays": [
            {"player": holiday.player, "from": holiday.begins, "to": holiday.until}
            for holiday in game.holidays
            if holiday.cancelled_at is None and game.at < holiday.until
        ],
    }


def _pause(game: Game) -> JsonObject | None:
    """Return who agrees to a pause, and when it begins and ends stopping the clock; None if nobody agrees."""
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


def scores_of(game: Game) -> tuple[int, ...]:
    """Return the scores by seat, at the end from the ranking; none before the start."""
    if game.state is None:
        return ()
    entries = game.ranking or game.rules.standings(game.state)
    by_seat = {entry["seat"]: entry["score"] for entry in entries}
    return tuple(by_seat.get(seat, 0) for seat in range(game.seats))


def encode_summary(summary: Summary) -> bytes:
    """Return a summary as JSON."""
    return orjson.dumps(summary)


def decode_summary(text: bytes | str) -> Summary | None:
    """Return a summary that was encoded as JSON; None if it is damaged or of another version."""
    try:
        return decode_object(Summary, text)
    except (TypeError, ValueError):
        return None
