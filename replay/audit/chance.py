"""The check of chance: seating and set-up drawn again, once the game's secret is published."""

from typing import Any

from domain import lifecycle
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow, Unreadable
from domain.event import Event
from ledger.canonical import canonical
from ledger.record import Record
from replay.audit.findings import Check
from replay.timeline import Step, reading

CHOSEN = "Somebody chose what chance should have, or the set-up is drawn in another way today."


class ChanceCheck:
    """Seating and set-up drawn again from the game's secret and the nonces."""

    def __init__(self, record: Record, secret: bytes | None) -> None:
        self.check = Check("chance", "drawn again")
        self._secret = secret
        self._opens = record.opens
        if secret is None:
            self.check.left_out = "the secret that all chance comes from is not known"

    def look(self, step: Step) -> None:
        """At one event; chance is only in the start."""
        event, before = step.event, step.before
        if event["type"] != "GameStarted" or self._secret is None or before is None:
            return
        self.check.looked_at += 1
        seq = event["seq"]
        try:
            with reading(seq):
                drawn = lifecycle.start(before, self._secret)
        except (Unreadable, NotNow, Malformed):
            self.check.left_out = "the start as it is recorded cannot be drawn again"
            return
        for name in sorted(drawn.data.keys() | event["data"].keys()):
            if _differs(drawn.data.get(name), event["data"].get(name)):
                self.check.finds_at(
                    seq,
                    f"{name} is not what the seed gives",
                    CHOSEN,
                )
        self._compare_secrets(event, drawn)

    def _compare_secrets(self, event: Event, drawn: DomainEvent) -> None:
        opens = self._opens.get(event["seq"], {})
        for name in sorted(drawn.secrets.keys() | event.get("secrets", {}).keys()):
            self.check.looked_at += 1
            if name not in drawn.secrets or name not in event.get("secrets", {}):
                self.check.finds_at(
                    event["seq"], f"the secret {name} is drawn or recorded, not both", CHOSEN
                )
            elif name in opens and _differs(opens[name]["value"], drawn.secrets[name]):
                self.check.finds_at(
                    event["seq"],
                    f"the secret {name} is not what the seed gives",
                    CHOSEN,
                )


def _differs(one: Any, other: Any) -> bool:
    return canonical(one) != canonical(other)
