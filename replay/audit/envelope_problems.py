"""Finds problems of the place, the actor and the action of an event, without regard to its data.

A part of the check of decisions (replay/audit/decisions.py).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from domain import lifecycle
from domain.administration import ADMINISTRATOR
from domain.clock.events import CLOCK_EVENTS, DEADLINE_EVENTS
from domain.disputes.events import DISPUTE_EVENTS
from domain.event import By, ByPlayer, BySeat, Event, acting_seat
from domain.game import Game
from domain.messages import Message, message
from ledger.clock.settings import clock_faults
from ledger.commands import ARBITER, CLOCK, SCORER, START, STORE, TAKEBACK, by_player
from replay.audit.dispute_decisions import result_problems
from replay.history.event_values import actor, quoted

_WITHOUT_ACTION: Final = frozenset(
    {
        "GameCreated",
        "SeatTaken",
        "SeatLeft",
        "PlayerInvited",
        "InvitationDeclined",
        "InvitationRevoked",
        "PlayerKeyAdded",
        "PlayerKeyRevoked",
        "GameStarted",
        "RoundScored",
        "TurnForfeited",
        "PlayerRemoved",
        "PlayResumed",
        "AdministratorDecided",
        "EventsLost",
        "HintGiven",
        "GameFinished",
        "GameAbandoned",
        *DEADLINE_EVENTS,
        *DISPUTE_EVENTS,
        *CLOCK_EVENTS,
    }
)
_OF_PEOPLE: Final = frozenset(
    {
        "SeatLeft",
        "PlayerKeyAdded",
        "PlayerKeyRevoked",
        "DisputeOpened",
        "DisputeAnswered",
        "DisputeWithdrawn",
        "TakebackRequested",
        "HintGiven",
    }
)
"""Types of events that bots do not cause, although the rules allow it."""


def envelope_problems(event: Event, before: Game | None) -> Iterator[Message]:
    """Yield the problems of the place, the actor and the action of an event, without regard to its data."""
    type, by = event["type"], event["by"]
    expected = None if before is None else _expected_next(before)
    if expected not in (None, type):
        yield message("{expected} follows immediately, not {type}", expected=expected, type=type)
    if before is None:
        yield from _creation_problems(event)
    elif before.seq == 1 and type == "SeatTaken" and by != {"player": before.creator}:
        yield message("the first place is not its creator's")
    if before is not None:
        yield from result_problems(event, before)
    if type in _WITHOUT_ACTION and event["action"] is not None:
        yield message("{type} follows from no action, but has one", type=type)
    if before is not None:
        yield from _absent_actor_problems(event, before)
    if by not in _possible_actors(event, before):
        yield message(
            "it is by {actor}, which cannot bring about {type}", actor=actor(by), type=type
        )


def _absent_actor_problems(event: Event, before: Game) -> Iterator[Message]:
    """Yield the reasons why the seat or the player of an event cannot have caused it."""
    by = event["by"]
    seat = acting_seat(by)
    if seat in before.vacant_seats:
        yield message("it is by {actor}, whose seat is vacant", actor=actor(by))
    is_bot = seat in before.bot_seats or any(
        place.bot is not None and by == {"player": place.player} for place in before.places
    )
    if is_bot and event["type"] in _OF_PEOPLE:
        yield message(
            "it is by {actor}, a bot, and only people bring about {type}",
            actor=actor(by),
            type=event["type"],
        )


def _expected_next(before: Game) -> str | None:
    """Return the type of the event that is appended together with the last one; None if any may follow."""
    if before.seq == 1:
        return "SeatTaken"
    if lifecycle.can_start(before):
        return "GameStarted"
    if lifecycle.is_without_people(before):
        return "GameAbandoned"
    return None


def _creation_problems(event: Event) -> Iterator[Message]:
    data = event["data"]
    if data["options"].get("rematch_of") == event["game"]:
        yield message("it is said to be a rematch of itself")
    if clock_faults(data["clock"]):
        yield message("its clock {clock} is not valid", clock=quoted(data["clock"]))
    invited = data.get("invited", [])
    if not isinstance(invited, list) or not all(isinstance(player, str) for player in invited):
        yield message("the invited players are not ids of players")
    elif len({*invited, *event["by"].values()}) != len(invited) + 1:
        yield message("the invited players are not other players than the creator, each once")
    arbiter = data.get("arbiter", "")
    if not isinstance(arbiter, str) or arbiter in event["by"].values():
        yield message("the arbiter is not another player than the creator")


def _possible_actors(event: Event, before: Game | None) -> Sequence[By]:
    type, by = event["type"], event["by"]
    match type:
        case "GameCreated":
            return [by] if "player" in by else []
        case "SeatTaken" | "PlayerInvited" | "InvitationRevoked" if before is not None and (
            type != "SeatTaken" or "bot" in event["data"]
        ):
            creator: ByPlayer = {"player": before.creator}
            return [creator]
        case "SeatTaken" | "SeatLeft" | "InvitationDeclined":
            player: ByPlayer = {"player": event["data"]["player"]}
            return [player]
        case "PlayerKeyAdded" | "PlayerKeyRevoked" | "HolidayAnnounced" | "HolidayCancelled":
            return [] if before is None else [by_player(before, event["data"]["player"])]
        case "HintGiven":
            hinted: BySeat = {"seat": event["data"]["seat"]}
            return [hinted]
        case "GameStarted":
            return [START]
        case "RoundScored" | "GameFinished":
            return [SCORER]
        case "TurnForfeited" | "DeadlineExcused":
            return [CLOCK]
        case "SeatVacated":
            leaver: BySeat = {"seat": event["data"]["seat"]}
            return [CLOCK, leaver]
        case "SubstituteSeated":
            substitute: ByPlayer = {"player": event["data"]["player"]}
            return [substitute, ADMINISTRATOR]
        case "PlayerRemoved":
            return [CLOCK, ARBITER]
        case "AdministratorDecided":
            return [ADMINISTRATOR]
        case "EventsLost":
            return [STORE]
        case "DisputeRuled":
            return [ARBITER]
        case "PlayResumed":
            return [ARBITER, TAKEBACK]
        case "GameAbandoned":
            is_empty = before is not None and lifecycle.is_without_people(before)
            return [START] if is_empty else [CLOCK, ARBITER]
        case _ if by == CLOCK:
            return [CLOCK] if event["action"] is not None else []
        case _:
            seat = acting_seat(by)
            seats = 0 if before is None else len(before.players)
            return [by] if seat is not None and seat < seats else []
