"""The people of a game.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class PersonOfGame(TypedDict):
    """A player of a game, or its arbiter. `here` says whether a page of the game is open, `seen`
    when one was open last; it is null if that is not known, was over 30 days ago, or is hidden.
    `ready` is false once the game has started. `handle` is null if the account has been deleted.
    """

    id: str
    handle: str | None
    here: bool
    seen: str | None
    ready: bool


class PersonList(TypedDict):
    """The people of a game, without bots."""

    people: list[PersonOfGame]


class SetReady(TypedDict):
    """The body of a request: SetReady."""

    ready: bool


def list_people(game: str, /) -> Call[PersonList]:
    """List who of the players of a game and its arbiter is there, as one of them.

    Nobody else can see it, also in a public game, and players can hide it. Bots are left out.
    """
    return call("GET", f"/games/{segment(game)}/people", reader(PersonList))


def set_ready(game: str, /, **body: Unpack[SetReady]) -> Call[None]:
    """Say that the player is ready to begin, or no longer, before the game starts.

    The other players see it in the waiting room. The game starts as soon as all places are taken,
    even if not everybody is ready. If it has started, the response is a 409.
    """
    return call("PUT", f"/games/{segment(game)}/ready", read_nothing, body=body)


class PeopleCalls(Group[C_co]):
    """The people of a game."""

    list = Method(list_people)
    set_ready = Method(set_ready)
