"""Explains one event as data: the actor, the time, the position, the legal actions, and the outcome.

`explain_event` needs the event, the games around it and an `EventContext`, which a record or a service can
give. `replay.history.inspect_page` makes text of an explanation. Nothing is checked here; `replay.audit` does
that.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domain import chance
from domain.chance import FIRST_SEED_VERSION
from domain.contract import AnyRuleSystem, DomainEvent, Reason, secret_owner
from domain.errors import Malformed
from domain.event import Event, acting_seat, recorded_data
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical, format_timestamp
from ledger.clock import turn_clock
from ledger.player_signatures import author
from ledger.record import Record
from replay.history.branches import can_be_superseded
from replay.history.diff import changes
from replay.history.event_text import (
    actor_message,
    outcome_message,
    remaining_milliseconds,
    scored_round_end,
    seat_in_play,
)
from replay.history.inspect_messages import CHANGED_RECORD, conclusion
from replay.history.timeline import Transition, unreadable_on_error
from replay.language.renderer import Names, Renderer

MAX_POSITION_BYTES: Final = 24 * 1024
"""The largest position of which the legal actions are determined; real ones have at most 10 KiB. A forged one
could have so many that they fill the memory.
"""
MAX_LISTED_ACTIONS: Final = 24
"""The most legal actions that are listed by default; if there are more, they are only counted."""


@dataclass(frozen=True, slots=True)
class EventContext:
    """The data for the explanation of an event besides the event and the games around it.

    `viewer` is the seat whose view of the positions is shown (None: a spectator); `has_ended` states that the
    game has ended since, so that nothing in it is secret. `openings` are the openings of the event's secrets
    that the viewer may see, `{NAME: {"salt", "value"}}`. `others` are events of the same game, in order,
    among which the consequences and the nonces of the players are searched. `secret` is the game's secret in
    hex, if it is published. `deliveries` are the stored deliveries of notifications about the event, None if
    they are not known or not for this viewer.
    """

    viewer: int | None = None
    has_ended: bool = False
    sees_actor: bool = True
    """Whether the viewer may see everything that the acting seat saw."""
    openings: Mapping[str, Any] = field(default_factory=dict)
    others: Sequence[Event] = ()
    secret: str | None = None
    deliveries: list[JsonObject] | None = None
    is_signed_as_it_is: bool = True
    """Whether the signature of the server covers the event."""


NO_CONTEXT: Final = EventContext()
"""A context without any additional data."""


def record_context(
    record: Record,
    event: Event,
    deliveries: list[JsonObject] | None = None,
    *,
    is_signed_as_it_is: bool,
) -> EventContext:
    """Return the context that a record gives for one of its events.

    `replay.audit.signatures.is_signed_as_it_is` determines whether a signature covers the event.
    """
    seat = seat_in_play(event)
    return EventContext(
        has_ended=record.has_ended,
        sees_actor=not any(
            seat is not None and secret_owner(name) == seat
            for other in record.events[: event["seq"]]
            for name in other.get("secrets", ())
            if name not in record.openings.get(other["seq"], {})
        ),
        openings=record.openings.get(event["seq"], {}),
        others=record.events,
        secret=published_secret(record.events[-1]),
        deliveries=deliveries,
        is_signed_as_it_is=is_signed_as_it_is,
    )


def published_secret(last: Event) -> str | None:
    """Return the secret that the last event of a game publishes, in hex; None if it publishes none."""
    secret = last["data"].get("secret")
    return secret if isinstance(secret, str) else None


def explain_event(
    transition: Transition,
    renderer: Renderer,
    context: EventContext = NO_CONTEXT,
    *,
    lists_all_actions: bool = False,
) -> JsonObject:
    """Return the explanation of an event as JSON; docs/http.md describes its fields.

    The texts in it are in the language of the renderer, which also has the names of the players.
    If there are many legal actions, only their number is given, unless `lists_all_actions`. Raises
    Unreadable.
    """
    event, rules = transition.event, transition.after.rules
    with unreadable_on_error(event["seq"]):
        ended = context.has_ended
        before = (
            None
            if transition.before is None
            else transition.before.position(context.viewer, ended=ended)
        )
        after = transition.after.position(context.viewer, ended=ended)
        clauses = explained_clauses(transition, context.openings)
        actor, time = _actor(transition, renderer.names), _time(transition)
        sentence, meaning = (
            conclusion(event, actor, time) if context.is_signed_as_it_is else CHANGED_RECORD
        )
        return {
            "event": event,
            "conclusion": {"sentence": renderer(sentence), "meaning": list(map(renderer, meaning))},
            "by": renderer(actor_message(event)),
            "actor": actor,
            "time": time,
            "seen_position": _seen_position(transition, context),
            "legal_actions": _legal_actions(transition, context, lists_all=lists_all_actions),
            "action_text": _action_text(rules, event),
            "event_text": renderer(outcome_message(rules, event)),
            "clauses": [
                {
                    "id": id,
                    "sentence": renderer(rules.CLAUSES[id]) if id in rules.CLAUSES else None,
                    "text": renderer(text),
                }
                for id, text in clauses
            ],
            "opened": dict(context.openings),
            "consequences": _consequences(transition, context),
            "deliveries": context.deliveries,
            "start": _start(transition, context, renderer.names)
            if event["type"] == "GameStarted"
            else None,
            "before": before,
            "after": after,
            "changes": changes(before, after),
        }


def explained_clauses(transition: Transition, openings: Mapping[str, Any]) -> list[Reason]:
    """Return the clauses that applied to an event: their ids, and the meaning of each on this board.

    `openings` are those of the event's secrets that the reader may see. Raises Unreadable.
    """
    event = transition.event
    with unreadable_on_error(event["seq"]):
        secrets = {name: opening["value"] for name, opening in openings.items()}
        decided = DomainEvent(event["type"], recorded_data(event), secrets)
        state = None if transition.before is None else transition.before.state
        seat = acting_seat(event["by"]) if event["action"] is None else seat_in_play(event)
        return transition.after.rules.explain(state, seat, decided)


def _actor(transition: Transition, names: Names) -> JsonObject:
    by: Mapping[str, Any] = transition.event["by"]
    players = transition.after.players
    seat: int | None = by.get("seat")
    player: str | None = by.get("player")
    if seat is not None and seat < len(players):
        player = players[seat]
    signature: Any = transition.event.get("signature") or transition.event.get("prepared")
    means = "token" if signature is None else "signature"
    if "system" in by:
        player = None if signature is None else author(transition.event, transition.before)
        means = "server" if player is None else means
    return {
        "seat": seat,
        "player": player,
        "handle": None if player is None else names.handle(player),
        "system": by.get("system"),
        "means": means,
        "key": None if signature is None else signature["key"],
        "signed_head": None if signature is None else signature["head"],
    }


def _time(transition: Transition) -> JsonObject:
    before, after = transition.before, transition.after
    turn = None if before is None or before.to_act is None else before
    deadline = None if turn is None else turn_clock.deadline(turn)
    return {
        "at": transition.event["at"],
        "round": (turn or after).round,
        "turn": (turn or after).turn,
        "turn_of": None if turn is None else turn.to_act,
        "turn_began": None if turn is None else turn.turn_at,
        "deadline": None if deadline is None else format_timestamp(deadline),
        "clock_stopped_until": None
        if turn is None
        else _clock_stopped_until(turn, transition.event),
        "remaining_ms": remaining_milliseconds(transition),
        "bank_ms": None
        if turn is None or turn.to_act is None
        else turn_clock.bank_milliseconds(turn, turn.to_act),
    }


def _clock_stopped_until(game: Game, event: Event) -> str | None:
    """Return the latest time at which a clock that was stopped at an event would run again."""
    stop = turn_clock.clock_stop(game, event["at"])
    return None if stop is None else stop.until


def _seen_position(transition: Transition, context: EventContext) -> JsonObject | None:
    before, seat = transition.before, seat_in_play(transition.event)
    if before is None or before.state is None or seat is None or not context.sees_actor:
        return None
    return {"seat": seat, "seq": before.seq, "position": before.rules.position(before.state, seat)}


def _legal_actions(
    transition: Transition, context: EventContext, *, lists_all: bool
) -> JsonObject | None:
    """Return the legal actions of the acting seat, besides `resign` and `agree_to_end`."""
    before, seat = transition.before, seat_in_play(transition.event)
    if before is None or before.to_act is None or seat is None or not context.sees_actor:
        return None
    rules = before.rules
    if len(canonical(rules.position(before.state, seat))) > MAX_POSITION_BYTES:
        return None
    actions = rules.legal_actions(before.state, seat)
    is_listed = lists_all or len(actions) <= MAX_LISTED_ACTIONS
    return {
        "seat": seat,
        "count": len(actions),
        "by_type": dict(Counter(action.type for action in actions)),
        "actions": [rules.action_text(action) for action in actions] if is_listed else None,
    }


def _action_text(rules: AnyRuleSystem, event: Event) -> str | None:
    """Return the action in short form; None if there is none, or if the current rules cannot read it."""
    if event["action"] is None:
        return None
    try:
        return rules.action_text(rules.parse_action(event["action"]))
    except Malformed:
        return None


def _consequences(transition: Transition, context: EventContext) -> JsonObject:
    """Return the consequences of the event that needed no action, from the clock and the scorer."""
    event, before, after = transition.event, transition.before, transition.after
    seq = event["seq"]
    later = [other for other in context.others if other["seq"] > seq]
    round_ended_by = scored_round_end(transition)
    # A scored round belongs to the branch of the event that ended it, which may be before a resumption.
    branch_seq = round_ended_by or seq
    resumed = next((other for other in later if _supersedes(other, branch_seq)), None)
    on_branch = later if resumed is None else later[: later.index(resumed)]
    deadline = turn_clock.deadline(after)
    earlier = None if before is None else (before.turn, before.turn_at, turn_clock.deadline(before))
    # A dispute stops the clock, and a ruling starts it again, so the deadline can change within a turn.
    is_changed = earlier != (after.turn, after.turn_at, deadline)
    ends_play = after.is_played_out and not (before is not None and before.is_played_out)
    return {
        "to_act": after.to_act if is_changed else None,
        "deadline": format_timestamp(deadline) if is_changed and deadline is not None else None,
        "clock_stopped_until": _clock_stopped_until(after, event) if is_changed else None,
        "rounds": [
            {"round": round, "scored_by": _seq_of(on_branch, "RoundScored", round)}
            for round, ended_by in after.rounds_ended.items()
            if ended_by == seq
        ],
        "round_ended_by": round_ended_by,
        "ends_play": ends_play,
        "finished_by": _seq_of(on_branch, "GameFinished") if ends_play else None,
        "superseded_by": None
        if resumed is None or not can_be_superseded(event)
        else resumed["seq"],
    }


def _supersedes(event: Event, seq: int) -> bool:
    origin = event["data"].get("from")
    return event["type"] == "PlayResumed" and type(origin) is int and origin < seq


def _seq_of(events: Sequence[Event], type: str, round: int | None = None) -> int | None:
    return next(
        (
            event["seq"]
            for event in events
            if event["type"] == type and (round is None or event["data"].get("round") == round)
        ),
        None,
    )


def _start(transition: Transition, context: EventContext, names: Names) -> JsonObject:
    """Return the sources of the game's chance: the server's secret, and the nonces in the order of joining.

    With seed version 2, these include nonces of players who have left.
    """
    after = transition.after
    taken = [
        other["data"]
        for other in context.others
        if other["type"] == "SeatTaken" and other["seq"] < transition.event["seq"]
    ]
    if after.seed_version == FIRST_SEED_VERSION:
        sources = {data["player"]: data.get("nonce_from") for data in taken}
        nonces = [
            _nonce(place.player, place.nonce, sources.get(place.player), names)
            for place in after.places
        ]
    else:
        nonces = [
            _nonce(data["player"], data["nonce"], data.get("nonce_from"), names)
            # The creator of the game can supply the nonce of a bot.
            | ({"bot": data["bot"]} if "bot" in data else {})
            for data in taken
        ]
    seed = None
    if context.secret is not None:
        secret, seed_nonces = bytes.fromhex(context.secret), map(bytes.fromhex, after.seed_nonces)
        seed = chance.seed(secret, seed_nonces, after.seed_version).hex()
    return {
        "commitment": after.commitment,
        "secret": context.secret,
        "seed": seed,
        "nonces": nonces,
    }


def _nonce(player: str, nonce: str, source: str | None, names: Names) -> JsonObject:
    return {"player": player, "handle": names.handle(player), "nonce": nonce, "nonce_from": source}
