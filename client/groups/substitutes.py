"""Vacant seats, and who takes them.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.groups.shared import SignatureOfStatement
from client.methods import C_co, Group, Method
from client.requests import Call, call, new_key, reader, segment
from client.results import GameSummary


class OnlySignature(TypedDict):
    """The body of a request: OnlySignature."""

    signature: NotRequired[SignatureOfStatement | None]


class TakeSeat(TypedDict):
    """The body of a request: TakeSeat."""

    seat: int
    signature: NotRequired[SignatureOfStatement | None]


def leave_seat(
    game: str, /, *, idempotency_key: str | None = None, **body: Unpack[OnlySignature]
) -> Call[GameSummary]:
    """Leave your seat to a substitute, in a game in progress with the option `substitutes`.

    The clock ends the turns of a vacant seat at once, as the game's options say for missed turns.
    You cannot come back. When no people are left in the game, it is abandoned.
    """
    return call(
        "DELETE",
        f"/games/{segment(game)}/seats/me",
        reader(GameSummary),
        body=body,
        key=new_key(idempotency_key),
    )


def take_seat(
    game: str, /, *, idempotency_key: str | None = None, **body: Unpack[TakeSeat]
) -> Call[GameSummary]:
    """Take a vacant seat of a game, as a substitute for its former player.

    From then on, the seat and everything that belongs to it is yours. Players who have or had a
    seat in the game, and its arbiter, cannot be substitutes. `GET /games?vacant=true` lists games
    with vacant seats.
    """
    return call(
        "POST",
        f"/games/{segment(game)}/substitutes",
        reader(GameSummary),
        body=body,
        key=new_key(idempotency_key),
    )


class SubstitutesCalls(Group[C_co]):
    """Vacant seats, and who takes them."""

    leave_seat = Method(leave_seat)
    take_seat = Method(take_seat)
