"""Positions and actions.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment
from domain.json_types import JsonObject


class Hint(TypedDict):
    """What a bot would do that knows only what the seat sees, after event `seq`: also in short
    form.
    """

    seq: int
    action: JsonObject
    text: str


def give_hint(game: str, /) -> Call[Hint]:
    """Get a hint for the player's turn, in a game against bots whose option `hints` is true.

    It is recorded as an event, once for each position. If another person plays, or the game is
    rated, or it is not the player's turn, the response is a 409.
    """
    return call("POST", f"/games/{segment(game)}/hints", reader(Hint))


class PlayCalls(Group[C_co]):
    """Positions and actions."""

    give_hint = Method(give_hint)
