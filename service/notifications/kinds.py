"""The kinds of notifications, the subjects within each kind, and the channels by which players receive them.

A kind is what a player chooses to receive, or not. A subject is more precise, and is what programs read.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from domain.administration import ADMINISTRATOR
from domain.event import Event

Kind: TypeAlias = Literal[
    "invited",
    "game_started",
    "your_turn",
    "deadline_near",
    "turn_forfeited",
    "round_scored",
    "game_over",
    "message",
    "dispute",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

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

SUBJECTS_OF_KIND: Final[Mapping[Kind, tuple[Subject, ...]]] = {
    "invited": ("invited",),
    "game_started": ("game_started",),
    "your_turn": ("your_turn",),
    "deadline_near": ("deadline_near",),
    "turn_forfeited": (
        "turn_forfeited",
        "turn_excused",
        "turn_played_by_bot",
        "player_removed",
        "seat_vacated",
        "seat_moved",
    ),
    "round_scored": ("round_scored",),
    "game_over": ("game_over",),
    "message": ("message",),
    "dispute": (
        "dispute_opened",
        "dispute_answered",
        "ruling_proposed",
        "dispute_withdrawn",
        "dispute_ruled",
        "takeback_requested",
        "takeback_answered",
        "play_resumed",
        "pause_agreed",
    ),
}
KIND_OF_SUBJECT: Final[Mapping[Subject, Kind]] = {
    subject: kind for kind, subjects in SUBJECTS_OF_KIND.items() for subject in subjects
}

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


PlayerChannel: TypeAlias = Literal["email", "webhook", "push"]
PLAYER_CHANNELS: Final[tuple[PlayerChannel, ...]] = get_args(PlayerChannel)
"""The channels whose endpoints belong to players."""

OPERATOR: Final = ""
"""The `player` of a delivery that goes to the operator of the server, and not to a player."""
