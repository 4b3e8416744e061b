"""The kinds of notifications, and the channels by which players receive them.

A kind is what a player chooses to receive, or not. A subject is more precise, and is what programs read
(`subjects.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from domain.messages import Message, message

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


@dataclass(frozen=True, slots=True)
class KindDescription:
    """What players choose with a kind."""

    label: Message
    is_sent_by_default: bool = True
    """Whether players who have chosen nothing receive it by e-mail and push."""
    is_later: bool = False
    """Whether there are versions that cannot read preferences with this kind among the others, as it is with
    all new ones (`preferences.py`)."""


KIND_DESCRIPTIONS: Final[Mapping[Kind, KindDescription]] = {
    "invited": KindDescription(message("You are invited to a game")),
    "player_joined": KindDescription(message("Somebody has joined your open game")),
    "invitation_declined": KindDescription(
        message("Somebody has declined your invitation"), is_later=True
    ),
    "game_started": KindDescription(message("A game of yours has begun")),
    "your_turn": KindDescription(message("It is your turn")),
    "deadline_near": KindDescription(message("The time for your turn ends soon")),
    "turn_forfeited": KindDescription(message("A deadline was missed")),
    "round_scored": KindDescription(message("A round is scored"), is_sent_by_default=False),
    "game_over": KindDescription(message("A game is over")),
    "message": KindDescription(message("Somebody has written a message")),
    "dispute": KindDescription(message("A dispute, a takeback, a pause or more time")),
    "tournament": KindDescription(message("Rounds and the end of a tournament")),
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
