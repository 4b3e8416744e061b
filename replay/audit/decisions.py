"""The check of decisions: every event is decided again by the rules.

Each event is decided on the game as recorded just before it. A forged event is therefore found by itself, and
does not make later events look wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, cast

from domain import administration, hints, invitations, lifecycle
from domain.chance import FIRST_SEED_VERSION, Chance
from domain.clock.deadlines import is_deserted
from domain.clock.events import CLOCK_EVENTS
from domain.contract import DomainEvent
from domain.disputes.events import DISPUTE_EVENTS
from domain.errors import Malformed, NotNow, Refused, Unreadable, not_now
from domain.event import AdministratorDecided, Event, EventData, acting_seat, recorded_data
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from domain.messages import Message, Text, message, plural_message, semicolon_list
from domain.registry import rule_system_for
from ledger.canonical import canonical, decode_any, unhex
from ledger.clock.turn_clock import waits_for_ruling
from ledger.commands import CLOCK
from ledger.envelope import is_hash
from ledger.record import Record
from replay.audit.clock_decisions import (
    decide_clock_event,
    decide_deadline,
    decide_seat_event,
    is_clock_playing,
    is_left,
)
from replay.audit.conditional_actions import ConditionalActions
from replay.audit.dispute_decisions import check_foundation, decide_dispute_event, missing_result
from replay.audit.envelope_problems import envelope_problems
from replay.audit.findings import Check
from replay.audit.former_rules import FormerRules
from replay.history.diff import changes
from replay.history.event_values import game_status, quoted
from replay.history.timeline import Transition, unreadable_on_error

MADE_UP: Final = message(
    "The record was made up or changed here: a server that keeps to the rules cannot write this."
)
NEVER_RIGHT: Final = message(
    "This was never right, neither today nor by the rules of an earlier version: the record was made up or"
    " changed here."
)
_MOST_DIFFERENCES: Final = 3
"""The most differences that a finding lists."""
_LONGEST_VALUE: Final = 60
"""The most characters of a value that a finding quotes."""


class DecisionsCheck:
    """Decides every event again, and compares its actor, its action and its data."""

    def __init__(
        self, record: Record, secret: bytes | None, contradictions: Mapping[int, Text]
    ) -> None:
        """Prepare for the events of a record. `secret` is the game's secret, None while it is not published;
        `contradictions` are the reasons why no secret values allow an event, by seq.
        """
        self.check = Check("decisions")
        self._secret = secret
        self._opened = record.opened_values()
        self._contradictions = contradictions
        self._former_rules = FormerRules(record, self.check)
        self._conditional_actions = ConditionalActions(record)
        self._round_ends: dict[int, Game] = {}
        self._is_clock_playing = False
        """Whether the last event was an action of the clock after which the same turn continues."""
        self._play_seqs: set[int] = set()
        """The events of play so far, on all branches, and `GameStarted`."""
        self._hashes: set[str] = set()
        """The hashes of the events so far."""

    def examine(self, transition: Transition) -> None:
        """Check one event."""
        if self._is_clock_playing and transition.event["by"] != CLOCK:
            problem = message("the clock plays the whole rest of a turn without a break")
            self.check.add_at_event(transition.event["seq"], problem, MADE_UP)
        self._is_clock_playing = is_clock_playing(transition)
        self.decide_again(transition.event, transition.before, transition.origin)
        self._former_rules.follow(transition)
        self._conditional_actions.follow(transition)
        self._play_seqs.add(transition.after.position_seq)
        self._hashes.add(transition.event["hash"])
        for round, seq in transition.after.rounds_ended.items():
            if seq == transition.event["seq"]:
                self._round_ends[round] = transition.after

    def finish(self, last: Game) -> None:
        """Check that nothing is missing after the last event."""
        missing = None
        # A ruling that cannot be carried out is a separate finding.
        with suppress(Unreadable), unreadable_on_error(last.seq):
            missing = missing_result(last)
        if missing is not None:
            self.check.add_at_event(last.seq, missing, MADE_UP)

    def decide_again(self, event: Event, before: Game | None, origin: Game | None = None) -> None:
        """Check an event, even if it cannot be applied to the game before it.

        `origin` is the earlier game from which the event resumes play, if it does.
        """
        seq = event["seq"]
        self.check.count += 1
        contradiction = self._contradictions.get(seq)
        if contradiction is not None:
            self._add_contradiction(seq, contradiction)
        try:
            with unreadable_on_error(seq):
                for problem in (
                    *envelope_problems(event, before),
                    *self._conditional_actions.problems(event, before),
                ):
                    self.check.add_at_event(seq, problem, MADE_UP)
                differences = self._differences(event, before, origin)
                if before is not None:
                    check_foundation(self.check, event, before, MADE_UP)
        except Unreadable as unreadable:
            problem = message("it cannot be decided again: {reason}", reason=unreadable.why)
            self.check.add_at_event(seq, problem, MADE_UP)
            return
        if not differences or self._is_explained(event, before, origin, differences):
            return
        for difference in differences:
            self._add_contradiction(seq, difference)

    def _add_contradiction(self, seq: int, difference: Text) -> None:
        """Add a finding that no version of the rules explains."""
        problem = message("today's rules say otherwise: {difference}", difference=difference)
        self.check.add_at_event(seq, problem, NEVER_RIGHT, "today")

    def _is_explained(
        self, event: Event, before: Game | None, origin: Game | None, differences: Sequence[Text]
    ) -> bool:
        if before is None:
            return False
        return self._former_rules.explain(
            event,
            before,
            message("{differences}", differences=semicolon_list(differences)),
            lambda game: not self._differences(event, game, origin),
        )

    def _differences(self, event: Event, before: Game | None, origin: Game | None) -> list[Text]:
        """Return how the rules of `before` contradict an event, each difference as a clause of a sentence."""
        differences: list[Text] = []
        if _goes_on_deserted(event, before):
            differences.append(message("the clock abandons a deserted game immediately"))
        try:
            if event["type"] == "GameStarted" and before is not None:
                differences += self._set_up_faults(event, before)
            decided = self._decide(event, before, origin)
        except Refused as refused:
            refusal = message(
                "they do not allow {type} here ({reason})",
                type=event["type"],
                reason=refused.message,
            )
            return [*differences, refusal]
        difference = None if decided is None else _difference(event, decided)
        if difference is not None:
            differences.append(difference)
        return differences

    def _decide(self, event: Event, before: Game | None, origin: Game | None) -> DomainEvent | None:
        """Decide an event by the rules of `before`; None if nobody in the game did this. Raises Refused."""
        data = event["data"]
        if before is None:
            new = NewGame(
                rules=data["rules"],
                seats=data["seats"],
                options=data["options"],
                clock=data["clock"],
                invited=data.get("invited", ()),
                arbiter=data.get("arbiter"),
            )
            seed_version = data.get("seed", FIRST_SEED_VERSION)
            created = lifecycle.create(new, self._secret or b"", seed_version)
            return _with(created, commitment=data["commitment"])
        match event["type"]:
            case "SeatTaken":
                nonce = unhex(data["nonce"])
                return lifecycle.join(
                    before,
                    _player_of(data),
                    nonce,
                    data.get("nonce_from"),
                    data.get("bot"),
                    data.get("invited_by"),
                )
            case "SeatLeft":
                return lifecycle.leave(before, _player_of(data))
            case "PlayerInvited":
                return invitations.invite(before, _player_of(data))
            case "InvitationDeclined":
                return invitations.decline(before, _player_of(data))
            case "InvitationRevoked":
                return invitations.revoke(before, _player_of(data))
            case "PlayerKeyAdded":
                return lifecycle.add_key(before, _player_of(data), data["key"], data["public"])
            case "PlayerKeyRevoked":
                return lifecycle.revoke_key(before, _player_of(data), data["key"])
            case "GameStarted":
                return self._start(event, before)
            case "RoundScored":
                at_end = self._round_ends.get(data["round"])
                if at_end is None:
                    raise not_now("round {round} has not ended", round=quoted(data["round"]))
                return lifecycle.score(before, data["round"], at_end)
            case "GameFinished":
                if waits_for_ruling(before, event["at"]):
                    raise not_now("the end of the game waits for the ruling in a dispute")
                finish = lifecycle.finish(before, self._secret or b"")
                return _with(finish, secret=data.get("secret"))
            case "GameAbandoned":
                return self._abandon(event, before)
            case "TurnForfeited" | "DeadlineExcused":
                return decide_deadline(event, before)
            case "PlayerRemoved":
                if event["by"] == CLOCK:
                    return decide_deadline(event, before)
                return lifecycle.remove(before, data["seat"])
            case "SeatVacated" | "SubstituteSeated":
                return decide_seat_event(event, before)
            case "AdministratorDecided":
                return administration.decide_again(before, cast("AdministratorDecided", data))
            case "EventsLost":
                return self._lose_events(before, data["last"], data["hash"])
            case "PlayResumed":
                if origin is None:
                    raise not_now(
                        "there is no position after event {seq}", seq=quoted(data.get("from"))
                    )
                return lifecycle.resume(before, origin, data["because"], self._secret or b"")
            case "HintGiven":
                return hints.give_hint(before, data["seat"])
            case type if type in CLOCK_EVENTS and event["action"] is None:
                return decide_clock_event(event, before)
            case type if type in DISPUTE_EVENTS and event["action"] is None:
                return decide_dispute_event(event, before, self._play_seqs.__contains__)
            case _:
                return _act(event, before)

    def _lose_events(self, before: Game, last: object, hash: object) -> DomainEvent:
        """Return `EventsLost`. Raises Refused if the data does not name an event, or names one in the log."""
        if type(last) is not int or last < 1 or not is_hash(hash):
            raise not_now("it does not name an event")
        if hash in self._hashes:
            raise not_now("the event that was lost is in the log")
        return lifecycle.lose_events(before, last, str(hash))

    def _set_up_faults(self, event: Event, before: Game) -> Iterator[Text]:
        """Yield the reasons why chance cannot give this set-up; nothing if the game cannot start at all."""
        if lifecycle.can_start(before):
            opened = self._opened.get(event["seq"], {})
            yield from before.rules.set_up_faults(
                before.seats, before.options, event["data"], opened
            )

    def _start(self, event: Event, before: Game) -> DomainEvent:
        """Return a start in which all joined players are seated, with the set-up as recorded. The check of
        chance compares the set-up once the secret is published.
        """
        if not lifecycle.can_start(before):
            raise NotNow(
                None,
                plural_message(
                    "the game is {status}, and {count} of {seats} places is taken",
                    "the game is {status}, and {count} of {seats} places are taken",
                    count=len(before.places),
                    status=game_status(before.status),
                    seats=before.seats,
                ),
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


def _player_of(data: Mapping[str, Any]) -> str:
    """Return the player that an event is about. Raises Malformed if that is not a text."""
    player = data["player"]
    if not isinstance(player, str):
        raise Malformed({"player": message("must be a text")})
    return player


@lru_cache(100)
def _secret_names(rules: str, seats: int, options: bytes) -> frozenset[str]:
    """Return the names of the secrets of a set-up, which do not depend on chance."""
    whole = decode_any(options)
    return frozenset(rule_system_for(rules, whole).set_up(seats, whole, Chance(b"")).secrets)


def _with(decided: DomainEvent, **recorded: object) -> DomainEvent:
    """Return the event with the recorded values in these fields, which this check does not compare."""
    data = cast("EventData", {**decided.data, **recorded})
    return DomainEvent(decided.type, data, decided.secrets)


def _act(event: Event, before: Game) -> DomainEvent | None:
    if event["action"] is None:
        raise not_now("an event of this type follows only from an action")
    if event["by"] == CLOCK:
        return decide_deadline(event, before)
    seat = acting_seat(event["by"])
    if seat is None or seat >= before.seats:
        return None  # already a finding: nobody in the game can have done it
    return before.decide(seat, before.rules.parse_action(event["action"]))


def _goes_on_deserted(event: Event, before: Game | None) -> bool:
    """Return whether the event follows in a game that the clock should have abandoned before."""
    if before is None or not is_deserted(before) or is_left(event, before):
        return False
    return event["type"] != "GameAbandoned" or event["by"] != CLOCK


def _difference(event: Event, decided: DomainEvent) -> Message | None:
    if decided.type != event["type"]:
        return message(
            "it would be {decided}, not {recorded}", decided=decided.type, recorded=event["type"]
        )
    if decided.secrets.keys() != event.get("secrets", {}).keys():
        return message("it would keep other values secret")
    if canonical(event["data"]) == canonical(decided.data):
        return None
    different = changes(event["data"], cast("JsonObject", decided.data))
    parts = [_change(change) for change in different[:_MOST_DIFFERENCES]]
    if (rest := len(different) - _MOST_DIFFERENCES) > 0:
        parts.append(plural_message("and {count} more", "and {count} more", count=rest))
    return message("{differences}", differences=semicolon_list(parts))


def _change(change: JsonObject) -> Message:
    return message(
        "{path} would be {decided}, not {recorded}",
        path=change["path"],
        decided=_shortened(change["after"]),
        recorded=_shortened(change["before"]),
    )


def _shortened(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."
