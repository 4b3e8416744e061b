"""History: the log of a game, one event of it, the stream of what comes, and the record to keep."""

from typing import Any, Final

from flask import Response, request

from domain.errors import Malformed
from replay.diff import changes
from service.errors import Unavailable
from service.http import auth
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.responses import answer
from service.http.schemas.fields import LARGEST
from service.http.schemas.play import After, EventInFull, Events, StreamAfter
from service.server.streams import FULL, HANDED_OVER, StreamRequest

MOST_EVENTS: Final = 500

blueprint = Blueprint("history", __name__, description="What has happened, and what happens.")


@blueprint.call("GET", "/games/<game_id>/events")
@blueprint.gives(200, Events(), "events; `next` is the `after` of the page after")
@blueprint.refuses(400, 401, 404)
@auth.hide_private
@auth.optional_auth
@blueprint.asks(After())
def events(game_id: str, query: dict[str, Any]) -> Response:
    """The log of a game."""
    service().queries.visible_game(game_id, auth.viewer())
    limit = min(query["limit"], MOST_EVENTS)
    # One more than is shown says whether there are more, whatever is appended meanwhile.
    found = service().queries.events(game_id, query["after"], limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return answer({"events": shown, "next": shown[-1]["seq"] if more else None})


@blueprint.call("GET", f"/games/<game_id>/events/<int(max={LARGEST}):seq>")
@blueprint.gives(200, EventInFull(), "the event, the positions before and after, their differences")
@blueprint.refuses(400, 401, 404)
@auth.hide_private
@auth.optional_auth
@blueprint.asks_nothing
def event(game_id: str, seq: int) -> Response:
    """One event."""
    known = auth.viewer()
    game = service().queries.visible_game(game_id, known)
    seat = None if known is None else game.seat_of(known)
    found, before, after = service().queries.event(game_id, seq, seat)
    told = {"event": found, "before": before, "after": after, "changes": changes(before, after)}
    return answer(told)


@blueprint.call("GET", "/games/<game_id>/record")
@blueprint.gives(
    200,
    None,
    "the record, one JSON a line",
    headers={"Content-Disposition": "a name for the file"},
)
@blueprint.refuses(400, 401, 404)
@auth.hide_private
@auth.optional_auth
@blueprint.asks_nothing
def record(game_id: str) -> Response:
    """The game record, at any time: all that the viewer may see, to replay and to check."""
    known = auth.viewer()
    game = service().queries.visible_game(game_id, known)
    seat = None if known is None else game.seat_of(known)
    return Response(
        service().queries.record(game_id, seat),
        content_type="application/jsonl",
        headers={
            "Content-Disposition": f'inline; filename="{game.id}.jsonl"',
            "Vary": "Authorization",
        },
    )


@blueprint.call("GET", "/games/<game_id>/stream")
@blueprint.gives(200, None, "events as they come", content_type="text/event-stream")
@blueprint.gives(
    204, None, "the game is over, and all of it is known: there is nothing to wait for"
)
@blueprint.refuses(400, 401, 404)
@blueprint.header("Last-Event-ID", "the seq of the last event that is known")
@auth.hide_private
@auth.optional_auth
@blueprint.asks(StreamAfter())
def stream(game_id: str, query: dict[str, Any]) -> Response:
    """The events of a game as they come (server-sent events), from the first one not yet known.

    Here it is only judged; the stream itself is held open outside of the threads (streams.py).
    """
    known = auth.viewer()
    game = service().queries.visible_game(game_id, known)
    after = _last_event_id(query["after"] or 0)
    if game.status in ("finished", "abandoned") and after >= game.seq:
        return Response(status=204)
    if FULL in request.environ:
        raise Unavailable("no more streams can be held open here for now", retry_after=5)
    guest = known is not None and known in game.invited
    leaver = known if game.options["private"] and not guest else None
    request.environ[HANDED_OVER] = StreamRequest(game_id, after, leaver)
    return Response(
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _last_event_id(otherwise: int) -> int:
    sent = request.headers.get("Last-Event-ID")
    if not sent:
        return otherwise
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 16 and int(sent) <= LARGEST):
        raise Malformed({"Last-Event-ID": "must be the seq of an event"})
    return int(sent)
