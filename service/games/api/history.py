"""History: the log of a game, single events, the event stream, the game record, and the keys to check it
with; a player's receipts and private notes.
"""

from flask import Response

from domain.json_types import JsonObject
from replay.history.event_filter import CONDITIONS, parse_filter
from service.games.exports import MAX_GAMES as MAX_EXPORTED_GAMES
from service.games.exports import note_json
from service.http.blueprint import (
    Blueprint,
    json_response,
    lines_response,
    response,
    response_with_lines,
)
from service.http.context import bearer_token, service
from service.http.event_streams import stream_response
from service.http.language import request_language, request_renderer, with_language
from service.http.ratelimits import limit_messages
from service.http.responses import continuation
from service.http.schemas.lobby import (
    MyNoteList,
    NotesQuery,
    PrivateNote,
    PrivateNoteList,
    WriteNote,
)
from service.http.schemas.requests import (
    EventFeedQuery,
    EventQuery,
    EventsQuery,
    ExportQuery,
    HeadQuery,
    ReceiptsQuery,
    RecordQuery,
    StreamQuery,
)
from service.http.schemas.responses import (
    Continuation,
    EventDetails,
    EventFeedPage,
    EventList,
    KeyList,
    ReceiptList,
)
from service.projections.event_feed import FeedCursor

blueprint = Blueprint("history", "The log of a game, and proofs of it.", auth="optional_auth")
notes = Blueprint("notes", "Private notes of a player.", auth="login_required")
receipts = Blueprint("receipts", "The receipts of a player.", auth="login_required")


@blueprint.get(
    "/games/<game_id>/events",
    "A page of events. `next` is the `after` of the next page.",
    EventList,
    query=EventsQuery(),
)
def list_events(game_id: str, player: str | None, query: JsonObject) -> JsonObject:
    """List the events of a game.

    Conditions select events: those that meet all of them are listed. Of several values of one condition,
    which are separated by commas (hexes by semicolons), one is enough. The work for a page with conditions is
    bounded, so it may have fewer events than `limit`, even none, and still a next page.
    """
    after, limit = query["after"], query["limit"]
    game, damage = service().games.queries.visible_history(game_id, player, after + 1)
    conditions = {name: query[name] for name in CONDITIONS if name in query}
    if conditions:
        event_filter = parse_filter(conditions, game.rules)
        events, next = service().games.events.filtered_page(game, after, limit, event_filter)
        if damage is not None and next is None:
            # The next page is the problem.
            next = game.seq
        return {"events": events, "next": next}
    # Reading one event more than the page shows whether there is a next page.
    events = service().games.queries.event_page(game_id, after, limit + 1)
    page = events[:limit]
    # A page also ends before a damaged event, and the next page is the problem.
    is_cut = bool(page) and (damage is not None or page[-1]["seq"] < game.seq)
    return {"events": page, "next": page[-1]["seq"] if len(events) > limit or is_cut else None}


@blueprint.get(
    "/events",
    "A page of events, in the order of the transparency log. `next` is the `after` of the next page, and"
    " `cursor` the one with which to go on later.",
    EventFeedPage,
    query=EventFeedQuery(),
    errors=(409,),
)
def list_public_events(player: str | None, query: JsonObject) -> JsonObject:
    """List the events of all public games, for mirrors and statistics.

    Each event is as a spectator sees it, and comes when a head of its game that covers it has been logged. To
    follow the feed, keep the last `cursor`. Events come at least once: after a loss, the events of a game are
    listed again from the first one. The work for a page is bounded, so it may have fewer events than `limit`,
    even none, and still a next page. The response is 409 if the log was restored and does not continue what
    was read.
    """
    page = service().games.event_feed.page(FeedCursor.parse(query["after"]), query["limit"])
    cursor = str(page.cursor)
    return {"events": page.events, "cursor": cursor, "next": None if page.is_last else cursor}


@blueprint.get(
    "/games/<game_id>/events/<int:seq>",
    "The event, the positions before and after, what changed, and the story of the event.",
    EventDetails,
    query=EventQuery(),
)
def get_event(game_id: str, seq: int, player: str | None, query: JsonObject) -> Response:
    """Get an event with its whole story, as far as the viewer may know it.

    Who acted and by what means, when, and how that relates to the deadline; the positions before and after
    it; what the seat saw and could do; what it did; what followed, by which clauses; and which notifications
    were sent.
    """
    game, _ = service().games.queries.visible_history(game_id, player, seq)
    events = service().games.events
    details = events.explain(
        game,
        events.transition(game, seq),
        player,
        request_renderer(),
        lists_all_actions=query["actions"] == "all",
    )
    return with_language(json_response(details), request_language())


@blueprint.get(
    "/games/<game_id>/head",
    "The signed head, and what links it with what was seen before.",
    Continuation,
    query=HeadQuery(),
)
def get_head(game_id: str, player: str | None, query: JsonObject) -> JsonObject:
    """Get the signed head of a game, with what shows that it continues what somebody has seen before.

    The browsers of visitors check with it that the game and the transparency log have only grown.
    """
    return continuation(game_id, player, query)


@blueprint.get(
    "/games/<game_id>/record",
    query=RecordQuery(),
    responses=response_with_lines("The game record, one JSON object a line."),
)
def get_record(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Get the game record, at any time.

    It contains everything that the viewer may see, and can be replayed and audited without the server. With
    `seq`, it is the record as it was after that event. A long record is sent in parts as they are read. If
    that fails, the connection is closed before the record is complete.
    """
    seq = query["seq"]
    game, _ = service().games.queries.visible_history(game_id, player, seq)
    seat = None if player is None else game.seat_of(player)
    return lines_response(service().games.queries.record(game_id, seat, seq), game.id)


@blueprint.get(
    "/games/<game_id>/stream",
    query=StreamQuery(),
    request_headers={"Last-Event-ID": "Seq of the last event that the client has."},
    responses={
        200: response("One server-sent event per event.", content_type="text/event-stream"),
        204: response("The game is over, and the client has all of its events."),
    },
)
def stream_events(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Stream the events of a game as they are appended.

    The `id` of a server-sent event is the seq. The stream begins after `Last-Event-ID` or `after`, and ends
    with an event named `end` when the game is over. If the client has events that are not in the log, the
    stream ends with an event named `reset`, and the client must read the game again from the beginning. A
    stream also ends when its token is revoked.
    """
    game = service().games.queries.visible_game(game_id, player)
    return stream_response(game, player, bearer_token(), query["after"] or 0)


@receipts.get(
    "/me/records",
    query=ExportQuery(),
    responses=response_with_lines(
        "One JSON object a line for each game: `game`, `cursor`, `notes` and `record`.", "export"
    ),
)
def export_records(player: str, query: JsonObject) -> Response:
    """Export the records of all games in which the player has a place, newest first.

    `notes` are the player's private notes on its events. `record` is the text that `GET
    /games/{game_id}/record` returns to the player, or null if the game cannot be read now. The export is sent
    in parts as they are read. One that is interrupted, or has `limit` games, is continued by a request with
    the `cursor` of its last complete line.
    """
    limit = min(query["limit"], MAX_EXPORTED_GAMES)
    return lines_response(
        service().games.exports.export(player, query["cursor"], limit),
        "games",
        disposition="attachment",
    )


@notes.get("/games/<game_id>/notes", "The player's notes, by event.", PrivateNoteList)
def list_notes(game_id: str, player: str) -> JsonObject:
    """List the private notes of the player on the events of a game. Nobody else can read them."""
    stored = service().games.private_notes.of_game(game_id, player)
    return {"notes": list(map(note_json, stored)), "next": None}


@notes.put(
    "/games/<game_id>/notes/<int:seq>",
    "The note.",
    PrivateNote,
    limit=limit_messages,
    json_body=WriteNote(),
    errors=(409,),
)
def write_note(game_id: str, seq: int, player: str, body: JsonObject) -> JsonObject:
    """Write a private note on an event of a game, in the place of an earlier one.

    The game may be any that the player can see. 409 if the player has as many notes as the server allows.
    """
    return note_json(service().games.private_notes.write(game_id, player, seq, body["text"]))


@notes.delete(
    "/games/<game_id>/notes/<int:seq>", "There is no note on the event.", limit=limit_messages
)
def delete_note(game_id: str, seq: int, player: str) -> None:
    """Delete the private note on an event. The request can be repeated."""
    service().games.private_notes.delete(game_id, player, seq)


@notes.get("/me/notes", "Notes, those on one game together.", MyNoteList, query=NotesQuery())
def list_all_notes(player: str, query: JsonObject) -> JsonObject:
    """List the private notes of the player on all games, also on those in which others play."""
    stored, cursor = service().games.private_notes.page(player, **query)
    return {"notes": [{"game": note.game, **note_json(note)} for note in stored], "next": cursor}


@blueprint.get("/keys", "All keys, the oldest first.", KeyList, ignores_query=True)
def list_keys(player: str | None) -> JsonObject:
    """List the public keys that receipts and records are checked with, including retired ones."""
    keyring = service().keyring
    return {
        "keys": keyring.public_keys(),
        "origin": keyring.origin or None,
        "log": service().transparency.proofs.log_name(),
        "next": None,
    }


@receipts.get(
    "/me/receipts",
    "A page of receipts: by game, the newest first, and within a game by seq. A page may have fewer"
    " receipts than `limit`, even none, before the last one.",
    ReceiptList,
    query=ReceiptsQuery(),
    errors=(404,),
)
def list_receipts(player: str, query: JsonObject) -> JsonObject:
    """List the receipts for the player's own actions.

    A receipt is the server's signature for an action that it accepted. Keep your receipts: they prove what
    the server accepted even if it denies it later.
    """
    game_id = query["game"]
    if game_id is not None:
        service().games.queries.visible_game(game_id, player)
    page = service().games.receipts.page(player, query["cursor"], query["limit"], game_id)
    return {"receipts": page.receipts, "left_out": page.left_out, "next": page.next}
