"""The check of the signatures with which players vouch for their actions.

A signature is checked with the keys that the log itself has registered for the player by then, so nobody
needs the server for it. It must cover the position on which the player acted: one that was made for another
game, for another history of this game, or for an earlier moment is a finding. An action without a signature
rests on the word of the server, which authenticated its player; that is no fault, and the report says of how
many actions it is true.
"""

from collections import Counter
from typing import Final

from domain.event import ActionSignature, Event, acting_seat
from domain.game import Game
from domain.messages import Message, PlayerAt, Text, message, plural_message
from ledger.canonical import unhex
from ledger.keys import BadSignature, check_public_key, key_id
from ledger.player_signatures import check_action
from ledger.record import Record
from replay.audit.findings import Check
from replay.timeline import Step

FORGED: Final = message("The author of this record cannot show that the player took this action.")


class PlayerSignaturesCheck:
    """Checks the signature of each action, and the keys that players register."""

    def __init__(self, record: Record) -> None:
        """Prepare for the events of a record."""
        self.check = Check("signatures")
        self._seqs = {event["hash"]: event["seq"] for event in record.events}
        self._actions: Counter[int] = Counter()
        self._signed: Counter[int] = Counter()
        self._keys: dict[str, int] = {}
        """The keys that have signed, each with its seat."""

    def examine(self, step: Step) -> None:
        """Check one event."""
        event, before = step.event, step.before
        if event["type"] == "PlayerKeyAdded":
            self._check_key(event)
        seat = acting_seat(event["by"])
        if event["action"] is not None and seat is not None:
            self._actions[seat] += 1
        if (signature := event.get("signature")) is None:
            return
        self.check.count += 1
        problem = _problem(event, before, signature) or self._problem_of_head(before, signature)
        if problem is not None:
            self.check.add_at_event(event["seq"], problem, FORGED)
        elif seat is not None:
            self._signed[seat] += 1
            self._keys.setdefault(signature["key"], seat)

    def finish(self) -> None:
        """Note how many actions of each seat its player has signed, once every event was examined."""
        if self._actions and not self.check.count:
            self.check.note(
                message("No player signed an action: all actions rest on the server's word.")
            )
            return
        for seat, actions in sorted(self._actions.items()):
            self.check.note(_signed_actions(seat, self._signed[seat], actions))
        for key, seat in self._keys.items():
            self.check.note(
                message(
                    "By the log, key {key} is that of {player}: only this player can confirm it.",
                    key=key,
                    player=PlayerAt(seat),
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

    def _problem_of_head(self, before: Game | None, signature: ActionSignature) -> Message | None:
        """Return what is wrong with the position for which an action was signed; None if nothing is."""
        seq = self._seqs.get(signature["head"])
        if seq is None:
            return message(
                "the player signed this action after an event that is not in this record: they saw another"
                " history of the game, or the signature was made for another game"
            )
        if before is None or seq > before.seq:
            return message(
                "it was signed for the position after event {seq}, which comes later", seq=seq
            )
        if seq < before.position_seq:
            return message(
                "it was signed for the position after event {seq}, which changed with event {changed}: the"
                " signature was used again, or too late",
                seq=seq,
                changed=before.position_seq,
            )
        return None


def _problem(event: Event, before: Game | None, signature: ActionSignature) -> Message | None:
    """Return why a signature is not one of the acting player for this action; None if it is."""
    seat = acting_seat(event["by"])
    if event["action"] is None or before is None or seat is None or seat >= len(before.players):
        return message("it has a signature, but no action of a player that it could cover")
    keys = before.keys.get(before.players[seat], {})
    key = signature["key"]
    if key not in keys:
        return message(
            "it is signed with key {key}, which {player} has not registered",
            key=key,
            player=PlayerAt(seat),
        )
    public = keys[key]
    if public is None:
        return message(
            "it is signed with key {key}, which {player} has revoked",
            key=key,
            player=PlayerAt(seat),
        )
    try:
        check_action(signature, public, event["game"], event["action"])
    except BadSignature as bad:
        return message(
            "the signature by key {key} is not valid: {reason}", key=key, reason=bad.message
        )
    return None


def _signed_actions(seat: int, signed: int, actions: int) -> Message:
    """Return how many of the actions of a seat its player has signed."""
    if not signed:
        return plural_message(
            "{player} did not sign the only action: it rests on the server's word.",
            "{player} signed none of {count} actions: all of them rest on the server's word.",
            count=actions,
            player=PlayerAt(seat),
        )
    if signed == actions:
        return plural_message(
            "{player} signed {count} of {actions} actions.",
            "{player} signed {count} of {actions} actions.",
            count=signed,
            player=PlayerAt(seat),
            actions=actions,
        )
    return plural_message(
        "{player} signed {count} of {actions} actions: the others rest on the server's word.",
        "{player} signed {count} of {actions} actions: the others rest on the server's word.",
        count=signed,
        player=PlayerAt(seat),
        actions=actions,
    )
