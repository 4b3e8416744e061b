"""The kinds of notifications, the subjects within each kind, and the channels by which players receive them.

A kind is what a player chooses to receive, or not. A subject is more precise, and is what programs read.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from service.games.outbox import Subject

Kind: TypeAlias = Literal[
    "invited",
    "player_joined",
    "invitation_declined",
    "game_started",
    "your_turn",
    "deadline_near",
    "turn_forfeited",
    "round_scored",
    "game_over",
    "message",
    "dispute",
    "tournament",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

SUBJECTS_OF_KIND: Final[Mapping[Kind, tuple[Subject, ...]]] = {
    "invited": ("invited",),
    "player_joined": ("player_joined",),
    "invitation_declined": ("invitation_declined",),
    "game_started": ("game_started", "game_created"),
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
        "time_given",
        "events_lost",
    ),
    "tournament": ("tournament_round", "tournament_last_date", "tournament_over"),
}
KIND_OF_SUBJECT: Final[Mapping[Subject, Kind]] = {
    subject: kind for kind, subjects in SUBJECTS_OF_KIND.items() for subject in subjects
}

PlayerChannel: TypeAlias = Literal["email", "webhook", "push"]
PLAYER_CHANNELS: Final[tuple[PlayerChannel, ...]] = get_args(PlayerChannel)
"""The channels whose endpoints belong to players."""

OPERATOR: Final = ""
"""The `player` of a delivery that goes to the operator of the server, and not to a player."""
_CLUB: Final = "club-"


def club_reader(club_id: str) -> str:
    """Return the `player` of a delivery that goes to the webhook of a club. No player has such an id."""
    return _CLUB + club_id


def club_of_reader(player: str) -> str | None:
    """Return the id of the club to whose webhook a delivery goes; None if it goes to a player."""
    return player.removeprefix(_CLUB) if player.startswith(_CLUB) else None
