"""Keys in the WSGI environ by which the gateway and the application communicate about a request.

WSGI has no event streams.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

STREAM_REFUSAL: Final = "cartulary.stream_refusal"
"""Set by the gateway: a function that takes the key of a visitor (service/bounds.py) and returns which bound
forbids the visitor another event stream; None if it may be opened."""

STREAM_REQUEST: Final = "cartulary.stream_request"
"""Set by the application if the response is an event stream: a `StreamRequest`."""

ReachedBound: TypeAlias = Literal["max_streams", "max_streams_per_visitor"]
"""The name of a bound that has been reached."""


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """An event stream that a client is allowed to open: the events of `game_id` after seq `after`.

    `visitor` is the key by which its streams are counted. `player` and `token_key` are the player who opened
    it and the key of the token in Redis, if any: the stream ends when the token is no longer valid.
    `evict_on_leave` is the id of a player who may see this game only while they have a place in it: the
    stream ends when they leave the game. `evict_without_invitation` is the id of a player who may see it only
    while they are invited or have a place: the stream ends when they decline, when the invitation is revoked,
    or when an administrator moves their seat to another account.
    `must_reset`: the log has no event `after`.
    """

    game_id: str
    after: int
    visitor: str = ""
    player: str | None = None
    token_key: str | None = field(default=None, repr=False)
    evict_on_leave: str | None = None
    evict_without_invitation: str | None = None
    must_reset: bool = False
    positions: Mapping[str, int] | None = None
    """For a stream over all games of `player`, whose `game_id` is "": by game, the last seq that the client
    has.
    """
