"""Keys in the WSGI environ by which the gateway and the application communicate about a request.

WSGI has no event streams.
"""

from dataclasses import dataclass
from typing import Final

STREAMS_ARE_FULL: Final = "cartulary.streams_are_full"
"""Set by the gateway if no further event stream can be opened."""

STREAM_REQUEST: Final = "cartulary.stream_request"
"""Set by the application if the response is an event stream: a `StreamRequest`."""


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """An event stream that a client is allowed to open: the events of `game_id` after seq `after`.

    `evict_on_leave` is the id of a player who may see this game only while they have a place in it: the
    stream ends when they leave the game.
    """

    game_id: str
    after: int
    evict_on_leave: str | None = None
