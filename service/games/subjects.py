"""The subjects of notifications: what an event of a game is to the players whom it concerns."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from domain.administration import ADMINISTRATOR
from domain.event import Event

Subject: TypeAlias = Literal[
    "invited",
    "game_started",
    "your_turn",
    "deadline_near",
    "turn_forfeited",
    "turn_excused",
    "turn_played_by_bot",
    "player_removed",
    "seat_vacated",
    "seat_moved",
    "round_scored",
    "game_over",
    "message",
    "dispute_opened",
    "dispute_answered",
    "ruling_proposed",
    "dispute_withdrawn",
    "dispute_ruled",
    "takeback_requested",
    "takeback_answered",
    "play_resumed",
    "pause_agreed",
]

SUBJECT_OF_EVENT: Final[Mapping[str, Subject]] = {
    "TurnForfeited": "turn_forfeited",
    "DeadlineExcused": "turn_excused",
    "PlayerRemoved": "player_removed",
    "SeatVacated": "seat_vacated",
    "DisputeOpened": "dispute_opened",
    "DisputeAnswered": "dispute_answered",
    "RulingProposed": "ruling_proposed",
    "DisputeWithdrawn": "dispute_withdrawn",
    "DisputeRuled": "dispute_ruled",
    "TakebackRequested": "takeback_requested",
    "TakebackAnswered": "takeback_answered",
    "PlayResumed": "play_resumed",
    "PauseAgreed": "pause_agreed",
}
"""By event type, the subject of the notification about one such event."""


def subject_of(event: Event) -> Subject | None:
    """Return the subject of the notification about an event; None if nobody is notified of it."""
    if event["action"] is not None and event["by"] == {"system": "clock"}:
        return "turn_played_by_bot"
    if event["type"] == "SubstituteSeated" and event["by"] == ADMINISTRATOR:
        return "seat_moved"
    return SUBJECT_OF_EVENT.get(event["type"])
