"""The check of the signatures with which players vouch for their actions and statements.

A signature is checked with the keys that the log itself has registered for the player by then, so the server
is not needed. It must cover the position on which the player acted: a signature for another game, for another
history of this game, or for an earlier moment is a finding. An action without a signature rests on the word
of the server, which authenticated its player; that is not a fault, and the report counts these actions. It
also counts such statements, in a record in which anybody has signed one.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from domain.event import Event, PreparedSignature, acting_seat
from domain.game import Game
from domain.messages import Message, PlayerAt, PlayerWithId, Text, message, plural_message
from ledger.canonical import unhex
from ledger.keys import BadSignature, check_public_key, key_id
from ledger.player_signatures import (
    MAX_EVENTS_BETWEEN,
    author,
    check_event,
    check_prepared,
    steps_to,
)
from ledger.record import Record
from replay.audit.findings import Check
from replay.history.timeline import Transition

_Name: TypeAlias = PlayerAt | PlayerWithId

FORGED: Final = message("The author of this record cannot show that the player took this action.")
NOT_STATED: Final = message("The author of this record cannot show that the player stated this.")


class PlayerSignaturesCheck:
    """Checks the signature of each action and each statement, and the keys that players register."""

    def __init__(self, record: Record) -> None:
        """Prepare for the events of a record."""
        self.check = Check("signatures")
        self._events = record.events
        self._seqs = {event["hash"]: event["seq"] for event in record.events}
        self._actions: Counter[_Name] = Counter()
        self._signed_actions: Counter[_Name] = Counter()
        self._statements: Counter[_Name] = Counter()
        self._signed_statements: Counter[_Name] = Counter()
        self._last_statements: dict[str, int] = {}
        """The seq of the last statement of each person."""
        self._keys: dict[str, _Name] = {}
        """The keys that have signed, each with its owner."""
        self._is_action_signed = False

    def examine(self, transition: Transition) -> None:
        """Check one event."""
        event, before = transition.event, transition.before
        if event["type"] == "PlayerKeyAdded":
            self._check_key(event)
        person = author(event, before)
        is_action = event["action"] is not None
        signed = event.get("signature") or event.get("prepared")
        problem = None
        if signed is not None:
            self.check.count += 1
            self._is_action_signed |= is_action
            problem = self._problem(event, before, person)
            if problem is not None:
                meaning = FORGED if is_action or person is None else NOT_STATED
                self.check.add_at_event(event["seq"], problem, meaning)
        if person is None:
            return
        name = _name(event, person)
        (self._actions if is_action else self._statements)[name] += 1
        if not is_action:
            self._last_statements[person] = event["seq"]
        if signed is not None and problem is None:
            (self._signed_actions if is_action else self._signed_statements)[name] += 1
            self._keys.setdefault(signed["key"], name)

    def finish(self) -> None:
        """Note the numbers of signed actions and statements of each person, after all events."""
        if self._actions and not self._is_action_signed:
            self.check.note(
                message("No player signed an action: all actions rest on the server's word.")
            )
        else:
            for name, actions in sorted(self._actions.items(), key=_order):
                self.check.note(_signed_actions(name, self._signed_actions[name], actions))
        if self._signed_statements:
            for name, statements in sorted(self._statements.items(), key=_order):
                signed = self._signed_statements[name]
                self.check.note(_signed_statements(name, signed, statements))
        for key, name in self._keys.items():
            self.check.note(
                message(
                    "By the log, key {key} is that of {player}: only this player can confirm it.",
                    key=key,
                    player=name,
                )
            )

    def _check_key(self, event: Event) -> None:
        data = event["data"]
        try:
            public = unhex(data.get("public"))
            check_public_key(public)
            problem: Text | None = None
            if key_id(public) != data.get("key"):
                problem = message("its id is that of another key")
        except BadSignature as bad:
            problem = bad.message
        except ValueError:
            problem = message("it is not bytes in lowercase hex")
        if problem is not None:
            self.check.add_at_event(
                event["seq"],
                message("the key that it adds is not valid: {reason}", reason=problem),
                message("A server that checks keys does not register this one."),
            )

    def _problem(self, event: Event, before: Game | None, person: str | None) -> Message | None:
        """Return the reason why the signatures of an event are not those of its person; None if they are."""
        signature, prepared = event.get("signature"), event.get("prepared")
        if before is None or person is None:
            return message("it has a signature, but no action or statement that it could cover")
        for signed in (signature, prepared):
            if signed is not None and (
                problem := _problem_of_key(event, before, person, signed["key"])
            ):
                return problem
        if prepared is not None and (
            problem := self._problem_of_prepared(event, before, person, prepared)
        ):
            return problem
        if signature is None:
            return None
        public = before.keys[person][signature["key"]] or ""
        return _fault(
            signature["key"], partial(check_event, event, signature, public)
        ) or self._problem_of_head(event, before, person, signature["head"])

    def _problem_of_head(
        self, event: Event, before: Game, person: str, head: str
    ) -> Message | None:
        """Return the problem of the position for which something was signed; None if there is none."""
        seq = self._seqs.get(head)
        if seq is None or seq > before.seq:
            return _problem_of_history(seq)
        if seq < before.position_seq:
            return message(
                "it was signed for the position after event {seq}, which changed with event {changed}: the"
                " signature was used again, or too late",
                seq=seq,
                changed=before.position_seq,
            )
        stated = self._last_statements.get(person, 0)
        if seq < stated and event["action"] is None:
            return message(
                "it was signed after event {seq}, and the same player made another statement with event"
                " {later}: the signature was used again, or too late",
                seq=seq,
                later=stated,
            )
        return None

    def _problem_of_prepared(
        self, event: Event, before: Game, person: str, prepared: PreparedSignature
    ) -> Message | None:
        """Return the reason why an action was not prepared and signed by its player; None if it was."""
        if event["action"] is None or "conditional" not in event:
            return message("it has the proof of a conditional action, but is not marked as one")
        seq = self._seqs.get(prepared["head"])
        if seq is None or seq > before.seq:
            return _problem_of_history(seq)
        between = self._events[seq : min(before.seq, seq + MAX_EVENTS_BETWEEN + 1)]
        steps = steps_to(event, between, prepared)
        if isinstance(steps, int):
            return message(
                "what the player had prepared after event {seq} was void with event {void}",
                seq=seq,
                void=steps,
            )
        public = before.keys[person][prepared["key"]] or ""
        return _fault(
            prepared["key"], partial(check_prepared, prepared, public, event["game"], steps)
        )


def _problem_of_key(event: Event, before: Game, person: str, key: str) -> Message | None:
    keys = before.keys.get(person, {})
    if key not in keys:
        return message(
            "it is signed with key {key}, which {player} has not registered",
            key=key,
            player=_name(event, person),
        )
    if keys[key] is None:
        return message(
            "it is signed with key {key}, which {player} has revoked",
            key=key,
            player=_name(event, person),
        )
    return None


def _problem_of_history(seq: int | None) -> Message:
    """Return the problem of a signature for an event that does not precede it in this record."""
    if seq is None:
        return message(
            "it was signed after an event that is not in this record: the player saw another history"
            " of the game, or the signature was made for another game"
        )
    return message("it was signed for the position after event {seq}, which comes later", seq=seq)


def _fault(key: str, check: Callable[[], None]) -> Message | None:
    try:
        check()
    except BadSignature as bad:
        return message(
            "the signature by key {key} is not valid: {reason}", key=key, reason=bad.message
        )
    return None


def _name(event: Event, person: str) -> _Name:
    seat = acting_seat(event["by"])
    return PlayerWithId(person) if seat is None else PlayerAt(seat)


def _order(entry: tuple[_Name, int]) -> tuple[bool, str | int]:
    """Return the sorting key of an entry with a name: first seats, in order, then people without one."""
    name, _ = entry
    return (False, name.seat) if isinstance(name, PlayerAt) else (True, name.id)


def _signed_actions(player: _Name, signed: int, actions: int) -> Message:
    if not signed:
        return plural_message(
            "{player} did not sign the only action: it rests on the server's word.",
            "{player} signed none of {count} actions: all of them rest on the server's word.",
            count=actions,
            player=player,
        )
    if signed == actions:
        return plural_message(
            "{player} signed {count} of {actions} actions.",
            "{player} signed {count} of {actions} actions.",
            count=signed,
            player=player,
            actions=actions,
        )
    return plural_message(
        "{player} signed {count} of {actions} actions: the others rest on the server's word.",
        "{player} signed {count} of {actions} actions: the others rest on the server's word.",
        count=signed,
        player=player,
        actions=actions,
    )


def _signed_statements(player: _Name, signed: int, statements: int) -> Message:
    return plural_message(
        "{player} signed {signed} of {count} statement on takebacks, disputes, pauses and seats.",
        "{player} signed {signed} of {count} statements on takebacks, disputes, pauses and seats.",
        count=statements,
        player=player,
        signed=signed,
    )
