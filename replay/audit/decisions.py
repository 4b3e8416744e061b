"""The check of decisions: every event is decided again by the rules.

Each is decided on the game as recorded just before it. So an event that was made up is found by itself, and
does not make those after it look wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, cast

from domain import lifecycle
from domain.chance import Chance
from domain.contract import DomainEvent
from domain.dispute_events import DISPUTE_EVENTS
from domain.errors import NotNow, Refused, Unreadable
from domain.event import By, ByPlayer, Event, EventData, acting_seat, recorded_data
from domain.game import Game
from domain.json_types import JsonObject
from domain.registry import rule_system_for
from ledger.canonical import canonical, decode_any, unhex
from ledger.commands import ARBITER, CLOCK, SCORER, START, TAKEBACK, by_player
from ledger.record import Record
from ledger.turn_clock import clock_faults, has_passed, waits_for_ruling
from replay.audit.dispute_decisions import (
    decide_dispute_event,
    missing_result,
    note_unfounded_result,
    result_problems,
)
from replay.audit.findings import Check
from replay.audit.former_rules import FormerRules
from replay.diff import changes
from replay.timeline import Step, unreadable_on_error

MADE_UP: Final = (
    "The record was made up or changed here: a server that keeps to the rules cannot write this."
)
NEVER_RIGHT: Final = (
    "This was never right, neither today nor by the rules of an earlier version: the record was made up or"
    " changed here."
)
_WITHOUT_ACTION: Final = frozenset(
    {
        "GameCreated",
        "SeatTaken",
        "SeatLeft",
        "PlayerKeyAdded",
        "PlayerKeyRevoked",
        "GameStarted",
        "RoundScored",
        "TurnForfeited",
        "PlayerRemoved",
        "PlayResumed",
        "GameFinished",
        "GameAbandoned",
        *DISPUTE_EVENTS,
    }
)
_MOST_DIFFERENCES: Final = 3
"""Differences listed in one finding."""
_LONGEST_VALUE: Final = 60
"""Characters of a value that a finding quotes."""


class DecisionsCheck:
    """Decides every event again, and compares its actor, its action and its data."""

    def __init__(
        self, record: Record, secret: bytes | None, contradictions: Mapping[int, str]
    ) -> None:
        """Prepare for the events of a record. `secret` is the game's own, None while it is not published;
        `contradictions` are reasons why no secret values allow an event, by seq.
        """
        self.check = Check("decisions", "decided again")
        self._secret = secret
        self._opened = record.opened_values()
        self._contradictions = contradictions
        self._former_rules = FormerRules(record, self.check)
        self._round_ends: dict[int, Game] = {}
        self._play_seqs: set[int] = set()
        """The events of play so far, on all branches, and `GameStarted`."""

    def examine(self, step: Step) -> None:
        """Check one event."""
        self.decide_again(step.event, step.before, step.origin)
        self._play_seqs.add(step.after.play_seq)
        for round, seq in step.after.rounds_ended.items():
            if seq == step.event["seq"]:
                self._round_ends[round] = step.after

    def finish(self, last: Game) -> None:
        """Check that nothing is missing after the last event."""
        missing = None
        # A ruling of which nothing can be made is a finding of its own.
        with suppress(Unreadable), unreadable_on_error(last.seq):
            missing = missing_result(last)
        if missing is not None:
            self.check.add_at_event(last.seq, missing, MADE_UP)

    def decide_again(self, event: Event, before: Game | None, origin: Game | None = None) -> None:
        """Check one event, which need not be applicable to the game before it.

        `origin` is the earlier game from which the event resumes play, if it does.
        """
        seq = event["seq"]
        self.check.count += 1
        contradiction = self._contradictions.get(seq)
        if contradiction is not None:
            self._add_contradiction(seq, contradiction)
        try:
            with unreadable_on_error(seq):
                for problem in _envelope_problems(event, before):
                    self.check.add_at_event(seq, problem, MADE_UP)
                differences = self._differences(event, before, origin)
                if before is not None:
                    note_unfounded_result(self.check, event, before)
        except Unreadable as unreadable:
            problem = f"it cannot be decided again: {unreadable.why}"
            self.check.add_at_event(seq, problem, MADE_UP)
            return
        if not differences or self._is_explained(event, before, origin, differences):
            return
        for difference in differences:
            self._add_contradiction(seq, difference)

    def _add_contradiction(self, seq: int, difference: str) -> None:
        """Add a finding that no version of the rules explains."""
        problem = f"today's rules say otherwise: {difference}"
        self.check.add_at_event(seq, problem, NEVER_RIGHT, "today")

    def _is_explained(
        self, event: Event, before: Game | None, origin: Game | None, differences: Sequence[str]
    ) -> bool:
        """Whether the rules of an earlier version allow the event."""
        if before is None:
            return False
        return self._former_rules.explain(
            event,
            before,
            "; ".join(differences),
            lambda game: not self._differences(event, game, origin),
        )

    def _differences(self, event: Event, before: Game | None, origin: Game | None) -> list[str]:
        """How the rules of `before` contradict an event, each difference as a clause of a sentence."""
        differences = []
        if _goes_on_deserted(event, before):
            differences.append("the clock abandons a deserted game at once")
        try:
            if event["type"] == "GameStarted" and before is not None:
                differences += self._set_up_faults(event, before)
            decided = self._decide(event, before, origin)
        except Refused as refused:
            return [*differences, f"they do not allow {event['type']} here ({refused})"]
        if decided is not None and (difference := _difference(event, decided)):
            differences.append(difference)
        return differences

    def _decide(self, event: Event, before: Game | None, origin: Game | None) -> DomainEvent | None:
        """Return what the rules of `before` decide; None if nobody in the game did this. Raises Refused."""
        data = event["data"]
        if before is None:
            created = lifecycle.create(
                data["rules"],
                data["seats"],
                data["options"],
                data["clock"],
                self._secret or b"",
                data.get("invited", ()),
                data.get("arbiter"),
            )
            return _with(created, commitment=data["commitment"])
        match event["type"]:
            case "SeatTaken":
                nonce = unhex(data["nonce"])
                return lifecycle.join(before, data["player"], nonce, data.get("nonce_from"))
            case "SeatLeft":
                return lifecycle.leave(before, data["player"])
            case "PlayerKeyAdded":
                return lifecycle.add_key(before, data["player"], data["key"], data["public"])
            case "PlayerKeyRevoked":
                return lifecycle.revoke_key(before, data["player"], data["key"])
            case "GameStarted":
                return self._start(event, before)
            case "RoundScored":
                at_end = self._round_ends.get(data["round"])
                if at_end is None:
                    raise NotNow(None, f"round {data['round']} has not ended")
                return lifecycle.score(before, data["round"], at_end)
            case "GameFinished":
                if waits_for_ruling(before, event["at"]):
                    raise NotNow(None, "the end of the game waits for the ruling in a dispute")
                finish = lifecycle.finish(before, self._secret or b"")
                return _with(finish, secret=data.get("secret"))
            case "GameAbandoned":
                return self._abandon(event, before)
            case "TurnForfeited":
                return _forfeit(event, before)
            case "PlayerRemoved":
                if event["by"] == {"system": "clock"}:
                    return _forfeit(event, before)
                return lifecycle.remove(before, data["seat"])
            case "PlayResumed":
                if origin is None:
                    raise NotNow(None, f"there is no position after event {data.get('from')}")
                return lifecycle.resume(before, origin, data["because"], self._secret or b"")
            case type if type in DISPUTE_EVENTS and event["action"] is None:
                return decide_dispute_event(event, before, self._play_seqs.__contains__)
            case _:
                return _act(event, before)

    def _set_up_faults(self, event: Event, before: Game) -> Iterator[str]:
        """Yield why chance gives no such set-up; nothing if the game cannot start at all."""
        if lifecycle.can_start(before):
            opened = self._opened.get(event["seq"], {})
            faults = before.rules.set_up_faults(before.seats, before.options, event["data"], opened)
            yield from map(str, faults)

    def _start(self, event: Event, before: Game) -> DomainEvent:
        """Return a start in which all joined players are seated, with the set-up as recorded. Which of the
        possible set-ups it was, the check of chance compares once the secret is published.
        """
        if not lifecycle.can_start(before):
            raise NotNow(
                None,
                f"{len(before.places)} of {before.seats} places are taken, it is {before.status}",
            )
        joined = [place.player for place in before.places]
        seated = event["data"]["players"]
        if before.options["seating"] == "drawn" and sorted(seated) == sorted(joined):
            joined = seated
        names = _secret_names(before.rules.NAME, before.seats, canonical(before.options))
        secrets = dict.fromkeys(names)
        recorded = DomainEvent(event["type"], recorded_data(event), secrets)
        return _with(recorded, players=joined)

    def _abandon(self, event: Event, before: Game) -> DomainEvent:
        """The clock abandons only a deserted game, an arbiter any."""
        is_by_clock = event["by"] == CLOCK
        decide = lifecycle.abandon_deserted if is_by_clock else lifecycle.abandon
        return _with(decide(before, self._secret or b""), secret=event["data"].get("secret"))


@lru_cache(100)
def _secret_names(rules: str, seats: int, options: bytes) -> frozenset[str]:
    """The names of the secrets that a set-up has, which are the same whatever chance gives."""
    whole = decode_any(options)
    return frozenset(rule_system_for(rules, whole).set_up(seats, whole, Chance(b"")).secrets)


def _with(decided: DomainEvent, **recorded: object) -> DomainEvent:
    """The event with recorded values in these fields, which are not for this check to compare."""
    data = cast("EventData", {**decided.data, **recorded})
    return DomainEvent(decided.type, data, decided.secrets)


def _forfeit(event: Event, before: Game) -> DomainEvent:
    if not has_passed(before, event["at"]):
        raise NotNow(None, "the time for the turn was not over")
    return lifecycle.forfeit(before)


def _act(event: Event, before: Game) -> DomainEvent | None:
    if event["action"] is None:
        raise NotNow(None, "an event of this type follows only from an action")
    seat = acting_seat(event["by"])
    if seat is None or seat >= before.seats:
        return None  # already a finding: nobody in the game can have done it
    return lifecycle.act(before, seat, before.rules.parse_action(event["action"]))


def _envelope_problems(event: Event, before: Game | None) -> Iterator[str]:
    """Yield what is wrong with the place, the actor and the action of an event, whatever its data are."""
    type, by = event["type"], event["by"]
    expected = None if before is None else _expected_next(before)
    if expected not in (None, type):
        yield f"{expected} follows at once, not {type}"
    if before is None:
        yield from _creation_problems(event)
    elif before.seq == 1 and type == "SeatTaken" and by != {"player": before.creator}:
        yield "the first place is not its creator's"
    if before is not None:
        yield from result_problems(event, before)
    if type in _WITHOUT_ACTION and event["action"] is not None:
        yield f"{type} follows from no action, but has one"
    if by not in _possible_actors(event, before):
        ((kind, name),) = by.items()
        yield f"it is by {kind} {name}, which cannot bring about {type}"


def _goes_on_deserted(event: Event, before: Game | None) -> bool:
    """Whether this is not the end of a game that the clock must abandon before anything else happens."""
    if before is None or not lifecycle.is_deserted(before):
        return False
    return event["type"] != "GameAbandoned" or event["by"] != CLOCK


def _expected_next(before: Game) -> str | None:
    """The type of the event that is appended together with the last one; None if any event may be next."""
    if before.seq == 1:
        return "SeatTaken"
    if lifecycle.can_start(before):
        return "GameStarted"
    if before.status == "open" and not before.places:
        return "GameAbandoned"
    return None


def _creation_problems(event: Event) -> Iterator[str]:
    data = event["data"]
    if clock_faults(data["clock"]):
        yield f"its clock {data['clock']} is not valid"
    invited = data.get("invited", [])
    if not isinstance(invited, list) or not all(isinstance(player, str) for player in invited):
        yield "the invited players are not ids of players"
    elif len({*invited, *event["by"].values()}) != len(invited) + 1:
        yield "the invited players are not other players than the creator, each once"
    arbiter = data.get("arbiter", "")
    if not isinstance(arbiter, str) or arbiter in event["by"].values():
        yield "the arbiter is not another player than the creator"


def _possible_actors(event: Event, before: Game | None) -> Sequence[By]:
    """The values of `by` that an event of this type can have."""
    type, by = event["type"], event["by"]
    match type:
        case "GameCreated":
            return [by] if "player" in by else []
        case "SeatTaken" | "SeatLeft":
            player: ByPlayer = {"player": event["data"]["player"]}
            return [player]
        case "PlayerKeyAdded" | "PlayerKeyRevoked":
            return [] if before is None else [by_player(before, event["data"]["player"])]
        case "GameStarted":
            return [START]
        case "RoundScored" | "GameFinished":
            return [SCORER]
        case "TurnForfeited":
            return [CLOCK]
        case "PlayerRemoved":
            return [CLOCK, ARBITER]
        case "DisputeRuled":
            return [ARBITER]
        case "PlayResumed":
            return [ARBITER, TAKEBACK]
        case "GameAbandoned":
            is_empty = before is not None and before.status == "open" and not before.places
            return [START] if is_empty else [CLOCK, ARBITER]
        case _:
            seat = acting_seat(by)
            seats = 0 if before is None else len(before.players)
            return [by] if seat is not None and seat < seats else []


def _difference(event: Event, decided: DomainEvent) -> str:
    """What is different in the event that was decided again, in words; empty if nothing is."""
    if decided.type != event["type"]:
        return f"it would be {decided.type}, not {event['type']}"
    if decided.secrets.keys() != event.get("secrets", {}).keys():
        return "it would keep other values secret"
    if canonical(event["data"]) == canonical(decided.data):
        return ""
    different = changes(event["data"], cast("JsonObject", decided.data))
    texts = [_as_text(change) for change in different[:_MOST_DIFFERENCES]]
    if len(different) > _MOST_DIFFERENCES:
        texts.append(f"and {len(different) - _MOST_DIFFERENCES} more")
    return "; ".join(texts)


def _as_text(change: JsonObject) -> str:
    """One change of `replay.diff` from the recorded to the decided value."""
    recorded, decided = (_quoted(change[name]) for name in ("before", "after"))
    return f"{change['path']} would be {decided}, not {recorded}"


def _quoted(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."
