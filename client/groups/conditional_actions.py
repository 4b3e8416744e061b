"""Actions that players prepare while they wait.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment
from domain.json_types import JsonObject


class ConditionalBranch(TypedDict):
    """An action that may come next. An action of another seat is a condition. An action of the
    player's own seat is taken by the server once the game has come there. `outcome` is left out
    if any outcome will do; otherwise it has fields of the event's data that chance decides, as
    strings, such as `{"refill": "forest"}`. `then` are the actions that may come after this one;
    it is left out if there are none.
    """

    seat: int
    action: JsonObject
    outcome: NotRequired[dict[str, str]]
    then: NotRequired["list[ConditionalBranch]"]


class VoidConditionalActions(TypedDict):
    """Why the last conditional actions of the player are void: with event `seq` something else
    happened (`event`), or after event `seq` the rules refused the action (`refused`), by this
    clause. `text` is for people.
    """

    seq: int
    reason: str
    clause: str | None
    action: JsonObject | None
    text: str


class ConditionalActions(TypedDict):
    """What a player has prepared: the actions that may come after event `seq`, the last one of
    the game. `void` is null unless the last conditional actions of the player have become void;
    it stays until the player prepares other ones or deletes them.
    """

    seq: int
    branches: list[ConditionalBranch]
    void: VoidConditionalActions | None


class SignatureOfTree(TypedDict):
    """The body of a request: SignatureOfTree."""

    key: str
    signature: str
    salt: str


class PrepareActions(TypedDict):
    """The body of a request: PrepareActions."""

    branches: list[ConditionalBranch]
    expected_seq: int
    signature: NotRequired[SignatureOfTree | None]


def get_conditional_actions(game: str, /) -> Call[ConditionalActions]:
    """Get what the player has prepared in a game.

    Nobody else can see it, or that there is anything.
    """
    return call("GET", f"/games/{segment(game)}/conditional-actions", reader(ConditionalActions))


def put_conditional_actions(
    game: str, /, **body: Unpack[PrepareActions]
) -> Call[ConditionalActions]:
    """Prepare actions while another player is to act.

    They replace what the player had prepared. Each entry of `branches` is an action that may come
    next, and contains those that may come after it. When the game has come to an action of the
    player's own seat, the server takes it without delay, and its event is marked as `conditional`.
    Everything is void when anything else happens.

    Each action is checked as far as it can be known what will be possible then: what the rules
    certainly refuse is a 422 with the clause. Actions that contradict each other are a 400. If the
    position has changed since event `expected_seq`, or if it is the player's own turn, the response
    is a 409.

    With `signature`, an event that plays one of the actions proves that the player had prepared it.
    The actions must be those of the response, in the form in which events have them.
    """
    return call(
        "PUT", f"/games/{segment(game)}/conditional-actions", reader(ConditionalActions), body=body
    )


def delete_conditional_actions(game: str, /) -> Call[None]:
    """Delete what the player has prepared in a game.

    Nothing of it is played after the response.
    """
    return call("DELETE", f"/games/{segment(game)}/conditional-actions", read_nothing)


class ConditionalActionsCalls(Group[C_co]):
    """Actions that players prepare while they wait."""

    get = Method(get_conditional_actions)
    put = Method(put_conditional_actions)
    delete = Method(delete_conditional_actions)
