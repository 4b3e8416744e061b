"""What if: games beside their logs.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment
from domain.json_types import JsonObject


class ActInSandbox(TypedDict):
    """The body of a request: ActInSandbox."""

    action: JsonObject
    seat: NotRequired[int | None]
    after: NotRequired[int | None]


class CreateSandbox(TypedDict):
    """The body of a request: CreateSandbox."""

    game: str
    seq: NotRequired[int | None]
    seed: NotRequired[str | None]


class LetBotsAct(TypedDict):
    """The body of a request: LetBotsAct."""

    seats: list[int]
    bot: NotRequired[str]
    turns: NotRequired[int]
    after: NotRequired[int | None]


class SandboxAction(TypedDict):
    """An action in a sandbox: the seat, the action as JSON and in its short form, and what came
    of it, in sentences. `bot` is the name of the bot that chose it, or null.
    """

    seat: int
    action: JsonObject
    bot: str | None
    text: str
    outcome: list[str]


Sandbox = TypedDict(
    "Sandbox",
    {
        "id": str,
        "game": str,
        "seq": int,
        "as": int | None,
        "rules": str,
        "seats": int,
        "to_act": int | None,
        "position": JsonObject,
        "legal_actions": list[JsonObject],
        "actions": list[SandboxAction],
        "expires": str,
    },
)
"""The body of a request: Sandbox."""


class UndoInSandbox(TypedDict):
    """The body of a request: UndoInSandbox."""

    count: NotRequired[int]
    after: NotRequired[int | None]


def create_sandbox(**body: Unpack[CreateSandbox]) -> Call[Sandbox]:
    """Make a sandbox.

    In a sandbox, a game goes on from any of its events, without a trace in the game. If the game
    has ended, the sandbox knows everything. If the game is in progress, only its players can make a
    sandbox, and it knows what their seat may see: other secrets are drawn at random among those
    possible. Everybody who has the link of a sandbox can see all of it, so it shows them the
    secrets of its maker's seat.
    """
    return call("POST", "/sandboxes", reader(Sandbox), body=body)


def get_sandbox(sandbox: str, /) -> Call[Sandbox]:
    """Get a sandbox.

    Everybody who knows its id can see it.
    """
    return call("GET", f"/sandboxes/{segment(sandbox)}", reader(Sandbox))


def delete_sandbox(sandbox: str, /) -> Call[None]:
    """Delete a sandbox."""
    return call("DELETE", f"/sandboxes/{segment(sandbox)}", read_nothing)


def act_in_sandbox(sandbox: str, /, **body: Unpack[ActInSandbox]) -> Call[Sandbox]:
    """Let a seat act in a sandbox.

    The player who made the sandbox acts for every seat.
    """
    return call("POST", f"/sandboxes/{segment(sandbox)}/actions", reader(Sandbox), body=body)


def let_bots_act_in_sandbox(sandbox: str, /, **body: Unpack[LetBotsAct]) -> Call[Sandbox]:
    """Let a bot act in a sandbox.

    The bot acts for the seats that are named, until it is another seat's turn or its turns are
    over. One request takes a bounded number of actions.
    """
    return call("POST", f"/sandboxes/{segment(sandbox)}/bots", reader(Sandbox), body=body)


def undo_in_sandbox(sandbox: str, /, **body: Unpack[UndoInSandbox]) -> Call[Sandbox]:
    """Take back the last actions of a sandbox."""
    return call("POST", f"/sandboxes/{segment(sandbox)}/undo", reader(Sandbox), body=body)


class SandboxesCalls(Group[C_co]):
    """What if: games beside their logs."""

    create = Method(create_sandbox)
    get = Method(get_sandbox)
    delete = Method(delete_sandbox)
    act = Method(act_in_sandbox)
    let_bots_act = Method(let_bots_act_in_sandbox)
    undo = Method(undo_in_sandbox)
