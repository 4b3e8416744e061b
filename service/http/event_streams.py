"""The response that opens an event stream, which the gateway then sends (service/server/streams.py)."""

from typing import Final, assert_never

from flask import Response, request

from domain.errors import Malformed
from domain.game import Game
from domain.messages import message
from service.errors import TooManyRequests, Unavailable
from service.http.environ import STREAM_REFUSAL, STREAM_REQUEST, ReachedBound, StreamRequest
from service.http.responses import no_content
from service.http.schemas.fields import whole_number
from service.players.tokens import token_key
from service.visitors import network_of

RETRY_STREAM_SECONDS: Final = 5


def stream_response(game: Game, player: str | None, token: str | None, after: int) -> Response:
    """Return the response that opens a stream of the events of a game, which the player may see.

    The stream begins after `Last-Event-ID` or, without this header, after event `after`, and ends when the
    token is revoked. Raises Malformed (the header), and Unavailable or TooManyRequests if this visitor may
    not open another stream.
    """
    after = _last_event_id(default=after)
    if game.has_ended and after == game.seq:
        return no_content()
    visitor = player or network_of(request.remote_addr or "")
    _check_stream_bounds(visitor)
    is_invited = player is not None and player in game.invited
    request.environ[STREAM_REQUEST] = StreamRequest(
        game.id,
        after,
        visitor=visitor,
        player=player,
        token_key=None if token is None else token_key(token),
        evict_on_leave=player if game.options["private"] and not is_invited else None,
        evict_without_invitation=player if game.options["private"] else None,
        must_reset=after > game.seq,
    )
    return Response(
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _check_stream_bounds(visitor: str) -> None:
    """Raise Unavailable or TooManyRequests if this visitor may not open another stream."""
    find_refusal = request.environ.get(STREAM_REFUSAL)
    reached: ReachedBound | None = None if find_refusal is None else find_refusal(visitor)
    match reached:
        case "max_streams":
            raise Unavailable(
                message("the server cannot open more event streams now"),
                retry_after=RETRY_STREAM_SECONDS,
            )
        case "max_streams_per_visitor":
            raise TooManyRequests(
                message("too many event streams are open: close one of them first"),
                retry_after=RETRY_STREAM_SECONDS,
            )
        case None:
            return
        case _:
            assert_never(reached)


def _last_event_id(default: int) -> int:
    header = request.headers.get("Last-Event-ID")
    if not header:
        return default
    seq = whole_number(header)
    if seq is None:
        raise Malformed({"Last-Event-ID": message("must be the seq of an event")})
    return seq
