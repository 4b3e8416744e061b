"""The data of the events of disputes and takebacks, and the rulings of a dispute.

`disputes` and `takebacks` decide these events, and `records` folds them.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias, TypedDict, final

from domain.json_types import Bytes, PlayerId, PositiveCount, Seat, Timestamp

Nonce: TypeAlias = Annotated[
    Bytes,
    "What the player's program adds to the seed if play resumes; left out if it has sent nothing.",
]


class NonceData(TypedDict):
    """The data of an event with which a person can add a nonce to what is drawn when play resumes.

    Only games with seed version 2 have such nonces.
    """

    nonce: NotRequired[Nonce]


@final
class Dismiss(TypedDict):
    """The dispute is dismissed; play goes on as it is."""

    type: Literal["dismiss"]


# `from` is a keyword of Python.
Resume = TypedDict(
    "Resume",
    {
        "type": Literal["resume"],
        "from": Annotated[PositiveCount, "The event after which play continues."],
    },
)
"""Play resumes from an earlier position of the current branch."""


@final
class RemoveSeat(TypedDict):
    """A seat is removed from the game, as if it had resigned."""

    type: Literal["remove_seat"]
    seat: Seat


@final
class ResultStands(TypedDict):
    """Everything stands as it is; the statement of the ruling has the note."""

    type: Literal["result_stands"]


@final
class Abandon(TypedDict):
    """The game ends without a ranking."""

    type: Literal["abandon"]


Ruling: TypeAlias = Dismiss | Resume | RemoveSeat | ResultStands | Abandon
"""What ends a dispute. Never changed in place."""

RULING_FIELDS: Final[Mapping[str, str | None]] = {
    "dismiss": None,
    "resume": "from",
    "remove_seat": "seat",
    "result_stands": None,
    "abandon": None,
}
"""By the type of a ruling, the name of its other field, if it has one."""


class DisputeOpened(NonceData):
    """A player disputes an event. The game's clock stops until the ruling, but no longer than until
    `clock_stopped_until`, which is null in a game without a clock.
    """

    seat: Seat
    about: Annotated[PositiveCount, "The event that the dispute is about."]
    clock_stopped_until: Timestamp | None


class DisputeAnswered(NonceData):
    """A player comments on a dispute. `dispute` is the seq of `DisputeOpened`, here and in other events."""

    dispute: PositiveCount
    seat: Seat


class RulingProposed(NonceData):
    """In a game without an arbiter, a player proposes a ruling, or agrees to one that was proposed."""

    dispute: PositiveCount
    seat: Seat
    ruling: Ruling


class DisputeWithdrawn(TypedDict):
    """The player who opened the dispute ends it."""

    dispute: PositiveCount
    seat: Seat


class DisputeRuled(NonceData):
    """The dispute has ended by the ruling of `arbiter`, or, if that is null, of the seats that agreed."""

    dispute: PositiveCount
    ruling: Ruling
    arbiter: PlayerId | None
    agreed_by: list[Seat]


TakebackRequested = TypedDict(
    "TakebackRequested",
    {
        "seat": Seat,
        "from": Annotated[
            PositiveCount, "The event before the action, after which play would continue."
        ],
        "nonce": NotRequired[Nonce],
    },
)
"""The player who acted last, apart from conditional actions, asks to take back that action."""


class TakebackAnswered(NonceData):
    """A player agrees to a takeback or declines it. `request` is the seq of `TakebackRequested`."""

    request: PositiveCount
    seat: Seat
    agree: bool


DISPUTE_EVENTS: Final[Mapping[str, type]] = {
    "DisputeOpened": DisputeOpened,
    "DisputeAnswered": DisputeAnswered,
    "RulingProposed": RulingProposed,
    "DisputeWithdrawn": DisputeWithdrawn,
    "DisputeRuled": DisputeRuled,
    "TakebackRequested": TakebackRequested,
    "TakebackAnswered": TakebackAnswered,
}
"""By event type, the data of the events of disputes and takebacks, which every game can have."""
