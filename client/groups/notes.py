"""Private notes of a player.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class MyNote(TypedDict):
    """A private note with the game that it is about."""

    seq: int
    at: str
    text: str
    game: str


class MyNoteList(TypedDict):
    """Private notes of a player on several games."""

    notes: list[MyNote]
    next: str | None


class PrivateNote(TypedDict):
    """A private note on event `seq` of a game, and when it was written."""

    seq: int
    at: str
    text: str


class PrivateNoteList(TypedDict):
    """The private notes of a player on a game, by event."""

    notes: list[PrivateNote]
    next: str | None


class WriteNote(TypedDict):
    """The body of a request: WriteNote."""

    text: str


def list_notes(game: str, /) -> Call[PrivateNoteList]:
    """List the private notes of the player on the events of a game. Nobody else can read them."""
    return call("GET", f"/games/{segment(game)}/notes", reader(PrivateNoteList))


def write_note(game: str, seq: int, /, **body: Unpack[WriteNote]) -> Call[PrivateNote]:
    """Write a private note on an event of a game, in the place of an earlier one.

    The game may be any that the player can see. 409 if the player has as many notes as the server
    allows.
    """
    return call(
        "PUT", f"/games/{segment(game)}/notes/{segment(seq)}", reader(PrivateNote), body=body
    )


def delete_note(game: str, seq: int, /) -> Call[None]:
    """Delete the private note on an event. The request can be repeated."""
    return call("DELETE", f"/games/{segment(game)}/notes/{segment(seq)}", read_nothing)


def list_all_notes(*, cursor: str | None = None, limit: int | None = None) -> Call[MyNoteList]:
    """List the private notes of the player on all games, also on those in which others play."""
    return call("GET", "/me/notes", reader(MyNoteList), params={"cursor": cursor, "limit": limit})


class NotesCalls(Group[C_co]):
    """Private notes of a player."""

    list = Method(list_notes)
    write = Method(write_note)
    delete = Method(delete_note)
    list_all = Method(list_all_notes)
