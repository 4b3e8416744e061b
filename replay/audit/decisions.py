"""The check that needs the rules: every decision made again.

A decision is made on the game as the record has it just before, so one that is made up shows by itself and
does not make all that follow look wrong.
"""

from collections.abc import Iterator
from typing import Any, cast

from domain import lifecycle
from domain.chance import Chance
from domain.contract import DomainEvent, Json
from domain.errors import NotNow, Refused, Unreadable
from domain.event import Event, EventData, acting_seat
from domain.game import Game
from ledger.canonical import canonical, unhex
from ledger.turn_clock import clock_faults, has_passed
from replay.audit.findings import Check
from replay.diff import changes
from replay.timeline import Step, reading

MADE_UP = (
    "The record was made up or changed here: a server that keeps to the rules cannot write this."
)
MENDED = (
    "Either the rules have been changed since this game was played (then it stands as it was played), or the"
    " record was made up."
)


class DecisionsCheck:
    """Every event decided again: allowed then, by whom it says, with what came of it."""

    def __init__(self, secret: bytes | None, closed_from: int | None) -> None:
        self.check = Check("decisions", "made again")
        self._secret = secret
        self._closed_from = closed_from
        """The first event with secret values that are not opened: the rules may need them."""
        self._round_ends: dict[int, Game] = {}
        self._closed = 0

    def look(self, step: Step) -> None:
        """At one event."""
        seq = step.event["seq"]
        after = step.after
        self.judge(step.event, step.before)
        for round, ended in after.rounds_ended.items():
            if ended == seq:
                self._round_ends[round] = after

    def judge(self, event: Event, before: Game | None) -> None:
        """Decide an event again on the game before it."""
        seq = event["seq"]
        if (
            self._closed_from is not None
            and seq > self._closed_from
            and event["type"] != "GameAbandoned"
        ):
            self._closed += 1
            self.check.left_out = f"{self._closed} that may depend on secrets not yet opened"
            return
        self.check.looked_at += 1
        try:
            with reading(seq):
                for what in self._wrong(event, before):
                    self.check.finds_at(seq, what, MADE_UP)
                fact = self._decide(event, before)
                if fact is not None:
                    self._compare(event, fact)
        except Refused as refused:
            self.check.finds_at(
                seq,
                f"today's rules say otherwise: they do not allow {event['type']} here ({refused})",
                MENDED,
                "today",
            )
        except Unreadable as unreadable:
            self.check.finds_at(seq, f"it cannot be decided again: {unreadable.why}", MADE_UP)

    def _compare(self, event: Event, fact: DomainEvent) -> None:
        seq = event["seq"]
        if fact.type != event["type"]:
            what = f"it would be {fact.type}, not {event['type']}"
        elif fact.secrets.keys() != event.get("secrets", {}).keys():
            what = "it would keep other things secret"
        elif different := changes(event["data"], cast("Json", fact.data)):
            what = "; ".join(_said(change) for change in different[:3])
            if len(different) > 3:
                what += f"; and {len(different) - 3} more"
        else:
            return
        self.check.finds_at(seq, f"today's rules say otherwise: {what}", MENDED, "today")

    def _wrong(self, event: Event, before: Game | None) -> Iterator[str]:
        """Whether it is by whom it may be, with an action exactly where there is one."""
        type, by = event["type"], cast("Json", event["by"])
        seats = 0 if before is None else len(before.players)
        match type:
            case "GameCreated":
                if clock_faults(event["data"]["clock"]):
                    yield f"its clock {event['data']['clock']} is none"
                allowed: list[Json] = [by] if "player" in by else []
            case "SeatTaken" | "SeatLeft":
                allowed = [{"player": event["data"]["player"]}]
                if (
                    before is not None
                    and before.seq == 1
                    and event["by"] != {"player": before.creator}
                ):
                    yield "the first place is not its creator's"
            case "GameStarted":
                allowed = [{"system": "start"}]
            case "RoundScored" | "GameFinished":
                allowed = [{"system": "scorer"}]
            case "TurnForfeited":
                allowed = [{"system": "clock"}]
            case "PlayerRemoved":
                allowed = [{"system": "clock"}, {"system": "arbiter"}]
            case "GameAbandoned":
                nobody = before is not None and before.status == "open" and not before.places
                allowed = [{"system": "arbiter"}, *([{"system": "start"}] if nobody else [])]
            case _:
                allowed = [by] if 0 <= by.get("seat", -1) < seats else []
        if type in _WITHOUT_ACTION and event["action"] is not None:
            yield f"{type} comes of no action, and has one"
        if by not in allowed:
            yield f"it is by {_who(by)}, who cannot bring about {type}"

    def _decide(self, event: Event, before: Game | None) -> DomainEvent | None:
        """What the rules say today; None where there is nothing to compare. Raises Refused."""
        data = event["data"]
        if before is None:
            created = lifecycle.create(
                data["rules"],
                data["seats"],
                data["options"],
                data["clock"],
                self._secret or b"",
                data.get("invited", ()),
            )
            return DomainEvent(
                created.type,
                cast("EventData", {**created.data, "commitment": data["commitment"]}),
            )
        match event["type"]:
            case "SeatTaken":
                return lifecycle.join(before, data["player"], unhex(data["nonce"]))
            case "SeatLeft":
                return lifecycle.leave(before, data["player"])
            case "GameStarted":
                return self._started(event, before)
            case "RoundScored":
                at_end = self._round_ends.get(data["round"])
                if at_end is None:
                    raise NotNow(None, f"round {data['round']} has not ended")
                return lifecycle.score(before, data["round"], at_end)
            case "GameFinished":
                return self._with_secret(lifecycle.finish(before, self._secret or b""), data)
            case "GameAbandoned":
                return self._with_secret(lifecycle.abandon(before, self._secret or b""), data)
            case "TurnForfeited":
                return self._forfeited(event, before)
            case "PlayerRemoved":
                if event["by"] == {"system": "clock"}:
                    return self._forfeited(event, before)
                return lifecycle.remove(before, data["seat"])
            case _:
                return self._acted(event, before)

    def _with_secret(self, fact: DomainEvent, data: Json) -> DomainEvent:
        """Whether the secret is the right one is another check's business."""
        opened = {**fact.data, "secret": data.get("secret")}
        return DomainEvent(fact.type, cast("EventData", opened), fact.secrets)

    def _started(self, event: Event, before: Game) -> DomainEvent:
        """Places all taken and each player seated once; where to is chance's, or the order of joining.

        Which things are secret is the same with any chance, so that nobody can make up a secret that keeps
        all that follows from being judged while the game is on.
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
        opening = before.rules.set_up(before.seats, before.options, Chance(b""))
        started = {**event["data"], "players": joined}
        return DomainEvent(event["type"], cast("EventData", started), opening.secrets)

    def _forfeited(self, event: Event, before: Game) -> DomainEvent:
        if not has_passed(before, event["at"]):
            raise NotNow(None, "the turn's time was not over")
        return lifecycle.forfeit(before)

    def _acted(self, event: Event, before: Game) -> DomainEvent | None:
        if event["action"] is None:
            raise NotNow(None, "no event of this type comes of anything but an action")
        seat = acting_seat(event["by"])
        if seat is None or seat >= before.seats:
            return None  # found already: nobody at the table has done it
        return lifecycle.act(before, seat, before.rules.parse_action(event["action"]))


_WITHOUT_ACTION = frozenset(
    {
        "GameCreated",
        "SeatTaken",
        "SeatLeft",
        "GameStarted",
        "RoundScored",
        "TurnForfeited",
        "PlayerRemoved",
        "GameFinished",
        "GameAbandoned",
    }
)


def _said(change: Json) -> str:
    def short(value: Any) -> str:
        text = canonical(value).decode()
        return text if len(text) <= 60 else f"{text[:57]}..."

    return f"{change['path']} would be {short(change['after'])}, not {short(change['before'])}"


def _who(by: Json) -> str:
    ((kind, which),) = by.items()
    return f"{kind} {which}"
