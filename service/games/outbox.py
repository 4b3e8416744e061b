"""Determines the outbox entries that an append sets and removes; `outbox_table.py` lists the entries."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain.bot_tasks import has_searching_bot, needs_search, next_bot_task
from domain.event import Event
from domain.game import Game, Turn
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.clock import turn_clock
from service import wall_clock
from service.notification_subjects.table import TYPES_WITH_SUBJECT, subject_of

SHORTEST_REMINDER: Final = timedelta(minutes=1)
LONGEST_REMINDER: Final = timedelta(hours=24)
"""The limits of the time between a reminder and its deadline, which is otherwise a quarter of the time for
the turn. There is no reminder in a turn that is shorter than twice the first limit.
"""
LONGEST_QUIET_HOURS: Final = timedelta(hours=16)
"""The longest quiet hours of a player, so that each day has hours in which the player can be reached."""


def outbox_entries(
    before: Game | None, after: Game, events: Sequence[Event]
) -> dict[str, str | None]:
    """Return the payloads of the entries that one append sets, by name; None removes an entry.

    `events`, at least one, lead from `before` (None: a new game) to `after`.
    """
    entries: dict[str, JsonObject | None] = {}
    if before is None or listing_inputs(before) != listing_inputs(after):
        entries["index"] = {"seq": after.seq}
        entries |= _invitation_entries(before, after)
    entries |= _scoring_entries(before, after)
    earlier = None if before is None else before.turn_under_way
    turn, bots = after.turn_under_way, after.bot_seats
    if earlier is None or turn is None:
        entries |= _finish_entries(before, after)
    if bots:
        entries |= _bot_entries(after)
    if turn is None:
        if earlier is not None:
            entries |= {"deadline": None, "notify/turn": None}
            if after.clock is not None:
                entries["remind"] = None
    else:
        if earlier is None or (earlier.seat, earlier.player) != (turn.seat, turn.player):
            is_person = turn.player is not None and turn.seat not in bots
            entries["notify/turn"] = {"seat": turn.seat, "seq": after.seq} if is_person else None
        if (
            before is None
            or earlier is None
            or _deadline_inputs(before, earlier) != _deadline_inputs(after, turn)
        ):
            if before is not None and after.clock is not None:
                entries["remind"] = None
            entries |= _deadline_entries(after, turn)
    if before is not None and earlier is not None and not _is_same_turn(earlier, turn):
        entries |= _cancellation_entries(before, earlier, events[-1])
    for event in events:
        entries |= _event_entries(before, event)
        match event["type"]:
            case "GameCreated" if "club" in after.options and "tournament" not in after.options:
                entries["notify/created"] = {"seq": event["seq"]}
            case "SeatTaken" if after.status == "open" and _is_joining_person(after, event):
                entries[f"notify/joined/{event['data']['player']}"] = {"seq": event["seq"]}
            case "InvitationDeclined":
                entries[f"notify/declined/{event['data']['player']}"] = {"seq": event["seq"]}
            case "SeatLeft":
                entries[f"notify/joined/{event['data']['player']}"] = None
            case "GameStarted":
                entries["notify/started"] = {"seq": event["seq"]}
            case "RoundScored":
                round = event["data"]["round"]
                entries[f"score/{round}"] = None
                entries[f"notify/round/{round}"] = {"seq": event["seq"]}
            case "GameFinished":
                entries["finish"] = None
                entries["notify/over"] = {"seq": event["seq"]}
            case "GameAbandoned":
                # An abandoned game has no ranking, so its other rounds need not be scored.
                entries |= {f"score/{round}": None for round in after.rounds_ended}
                entries["finish"] = None
                entries["notify/over"] = {"seq": event["seq"]}
            case _:
                pass
    return {
        name: None if payload is None else canonical(payload).decode()
        for name, payload in entries.items()
    }


def _event_entries(before: Game | None, event: Event) -> dict[str, JsonObject | None]:
    """Return the entry for the notification about an event, if the event itself concerns players.

    The actions of the clock for a vacant seat concern nobody.
    """
    is_by_clock, is_action = event["by"] == {"system": "clock"}, event["action"] is not None
    name, payload = f"notify/event/{event['seq']}", {"seq": event["seq"]}
    has_subject = event["type"] in TYPES_WITH_SUBJECT and subject_of(event) is not None
    if not is_by_clock or before is None:
        return {name: payload} if has_subject else {}
    seat = event["data"].get("seat", before.to_act)
    if is_action and seat in before.seats_of_people():
        return {name: {**payload, "seat": seat, "turn": before.turn}}
    if not is_action and has_subject and seat in before.seats_of_people():
        return {name: payload}
    return {}


def _invitation_entries(before: Game | None, after: Game) -> dict[str, JsonObject | None]:
    """Return entries for the players invited since `before`; None for those who no longer have to answer."""
    awaited_before = () if before is None else before.awaited
    seq = 1 if before is None else after.seq
    entries: dict[str, JsonObject | None] = {
        f"notify/invited/{player}": {"seq": seq}
        for player in after.awaited
        if player not in awaited_before
    }
    answered = (player for player in awaited_before if player not in after.awaited)
    return entries | {f"notify/invited/{player}": None for player in answered}


def _is_joining_person(game: Game, event: Event) -> bool:
    """Return whether a person other than the creator of the game takes a place with this event."""
    data = event["data"]
    return "bot" not in data and data["player"] != game.creator


def listing_inputs(game: Game) -> tuple[object, ...]:
    """Return the values of a game that determine how lists of games show it."""
    return (game.status, game.places, game.players, game.vacant_seats, game.invited, game.declined)


def rebuild_outbox(game: Game) -> dict[str, str]:
    """Return the entries that can be derived from a game: for its rounds, its end, its deadline and its bots.

    Other notifications cannot be rebuilt, because they may have been delivered.
    """
    if game.status != "playing":
        return {}
    turn = game.turn_under_way
    entries = _scoring_entries(None, game) | _finish_entries(None, game) | _bot_entries(game)
    if turn is not None:
        entries |= _deadline_entries(game, turn)
    return {
        name: canonical(payload).decode()
        for name, payload in entries.items()
        if payload is not None
    }


def _scoring_entries(before: Game | None, after: Game) -> dict[str, JsonObject | None]:
    """Return entries for the rounds that have ended since `before`.

    After play has resumed, the entries of superseded events are removed.
    """
    ended_before = {} if before is None else before.rounds_ended
    entries: dict[str, JsonObject | None] = {
        f"score/{round}": {"seq": seq}
        for round, seq in after.rounds_ended.items()
        if ended_before.get(round) != seq
    }
    for round in ended_before.keys() - after.rounds_ended.keys():
        entries[f"score/{round}"] = None
    return entries


def _finish_entries(before: Game | None, after: Game) -> dict[str, JsonObject | None]:
    """Return the entry for the end of play, if that has changed since `before`."""
    finish = _finish_payload(after)
    return {} if finish == _finish_payload(before) else {"finish": finish}


def _bot_entries(game: Game) -> dict[str, JsonObject | None]:
    """Return the entries for the bot that a game waits for, with None for those that it does not need."""
    payload: JsonObject | None = None if next_bot_task(game) is None else {"seq": game.seq}
    if not has_searching_bot(game):
        return {"bot": payload}
    return (
        {"bot": None, "think": payload} if needs_search(game) else {"bot": payload, "think": None}
    )


def _finish_payload(game: Game | None) -> JsonObject | None:
    """Return the payload of the entry `finish` of a game; None unless play is over."""
    if game is None or not game.is_played_out:
        return None
    limit = turn_clock.ruling_limit(game)
    payload: JsonObject = {"seq": game.play_seq}
    return payload if limit is None else {**payload, "at": limit}


def _deadline_inputs(game: Game, turn: Turn) -> tuple[object, ...]:
    """Return the values of a game that determine its entry `deadline` in a turn."""
    return (
        turn.number,
        turn.since,
        turn.extension,
        turn.player is None and game.is_vacant_turn,
        game.players,
        game.disputes,
        game.pauses.pauses,
        game.holidays,
    )


def _deadline_entries(game: Game, turn: Turn) -> dict[str, JsonObject | None]:
    """Return the entries for the deadline of the turn under way and its reminder, if there are any.

    The turn of a vacant seat is ended without delay.
    """
    if turn.player is None and game.is_vacant_turn:
        return {"deadline": {"turn": turn.number, "at": turn.since}}
    if game.clock is None:
        return {}
    moment = turn_clock.deadline(game)
    if moment is None:
        return {}
    deadline = wall_clock.format(moment)
    reminder = {} if turn.seat in game.bot_seats else _reminder_entries(game, deadline)
    return {"deadline": {"turn": turn.number, "at": deadline}, **reminder}


def _is_same_turn(earlier: Turn, later: Turn | None) -> bool:
    """Return whether a turn continues, without its time having started again."""
    if later is None:
        return False
    return (earlier.number, earlier.seat, earlier.since) == (later.number, later.seat, later.since)


def _cancellation_entries(game: Game, turn: Turn, event: Event) -> dict[str, JsonObject | None]:
    """Return the entry that cancels the reminder of a turn of `game` that an event has ended.

    There is none if no reminder can wait: its entry was not due yet, or the deadline has passed.
    """
    reminder = _deadline_entries(game, turn).get("remind")
    if reminder is None or not reminder["at"] <= event["at"] < reminder["deadline"]:
        return {}
    payload = {"seq": event["seq"], "player": turn.player, "deadline": reminder["deadline"]}
    return {f"cancel/reminder/{turn.seat}": payload}


def _reminder_entries(game: Game, deadline: str) -> dict[str, JsonObject | None]:
    """Return the entry for the reminder of a deadline; none if the time for the turn is too short for it.

    No time passes while a pause or a dispute stops the clock, so nobody is reminded before its end.
    """
    start, end = wall_clock.parse(game.turn_at), wall_clock.parse(deadline)
    if end - start < 2 * SHORTEST_REMINDER:
        return {}
    remind_at = end - min(LONGEST_REMINDER, max(SHORTEST_REMINDER, (end - start) / 4))
    stop = turn_clock.clock_stop(game, game.turn_at)
    if stop is not None:
        remind_at = max(remind_at, wall_clock.parse(stop.until))
    if remind_at >= end:
        return {}
    return {
        "remind": {
            "seat": game.to_act,
            "turn": game.turn,
            "seq": game.seq,
            "deadline": deadline,
            "remind_at": wall_clock.format(remind_at),
            "at": wall_clock.format(max(start, remind_at - LONGEST_QUIET_HOURS)),
        }
    }
