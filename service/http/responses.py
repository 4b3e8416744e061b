"""JSON responses, their headers, and the representations of games and players that several routes return.

Responses are encoded directly, not through marshmallow. The schemas in schemas/ only describe them; the tests
validate every response against the document.

Pages of any origin may read every response of the API (CORS `*`). This is safe because the API uses no
cookies: a request acts for a player only by the token that its sender adds, so another site can do no
more than its visitor could.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import orjson
from flask import Response, request
from typing_extensions import override
from werkzeug.datastructures import Headers
from werkzeug.http import quote_etag

from domain.game import Game
from domain.json_types import JsonObject
from service.accounts.account_reader import Player
from service.games.repository import AcceptedAction
from service.games.summary import Summary, summarize
from service.http.context import service

DEFAULT_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "ETag, Location, Retry-After, X-Request-ID"),
    ("Cache-Control", "no-store"),
)
_PREFLIGHT: Final = (
    (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-ID",
    ),
    ("Access-Control-Max-Age", "86400"),
)


class ApiResponse(Response):
    """A response with the headers `default_headers`, except where a view has set them."""

    default_headers: tuple[tuple[str, str], ...] = DEFAULT_HEADERS

    @override
    def get_wsgi_response(
        self, environ: dict[str, Any]
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        body, status, headers = super().get_wsgi_response(environ)
        present = {name.title() for name, _ in headers}
        headers += [header for header in self.default_headers if header[0] not in present]
        if environ["REQUEST_METHOD"] == "OPTIONS" and self.status_code == 200:
            headers.append(("Access-Control-Allow-Methods", self.headers.get("Allow", "")))
            headers += _PREFLIGHT
        return body, status, headers

    @override
    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        # Werkzeug copies the headers to correct those of a response without a body or with an unknown length.
        if self.status_code < 204 and "Content-Length" in self.headers:
            return self.headers
        return super().get_wsgi_headers(environ)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a JSON body."""
    return ApiResponse(orjson.dumps(value), status, headers, content_type="application/json")


def tagged_response(
    content: str | bytes | Callable[[], bytes],
    content_type: str,
    etag: str,
    headers: Mapping[str, str],
    *,
    is_weak: bool = False,
    is_conditional: bool = True,
) -> Response:
    """Return a response with an ETag: a 304 without the content if the client has it, and `is_conditional`.

    `content` may be a function, which is called only if the client does not have the content.
    """
    tagged = {**headers, "ETag": quote_etag(etag, weak=is_weak)}
    if is_conditional and request.if_none_match.contains_weak(etag):
        return ApiResponse(status=304, headers=tagged)
    body = content() if callable(content) else content
    return ApiResponse(body, headers=tagged, content_type=content_type)


def accepted_events(accepted: AcceptedAction) -> JsonObject:
    """Return the events of a request that was accepted, and the receipt, as JSON."""
    return {"events": accepted.events, "receipt": accepted.receipt}


MAX_SEEN_EVENTS: Final = 200
"""Events that come with a head."""


def continuation(game_id: str, player: str | None, query: Mapping[str, Any]) -> JsonObject:
    """Return how a game and the log continue what was seen before, as `HeadQuery` describes it."""
    queries = service().games.queries
    game = queries.visible_game(game_id, player)
    limit = min(query["limit"], MAX_SEEN_EVENTS)
    return queries.continuation(game, query["seq"], query["size"], limit)


def no_content() -> Response:
    """Return an empty response with status 204."""
    return Response(status=204)


def game_summaries(summaries: Sequence[Summary]) -> list[JsonObject]:
    """Return the summaries of games as JSON. Looks up the players of all games in one round trip."""
    players = [player for summary in summaries for player, _ in summary.players]
    arbiters = [summary.arbiter for summary in summaries if summary.arbiter is not None]
    invited = [id for summary in summaries for id in (*summary.invited, *summary.declined)]
    ids = tuple(dict.fromkeys([*players, *arbiters, *invited]))
    accounts = service().accounts.players.get(ids) if ids else []
    handles = {player.id: player.handle for player in accounts if player is not None}
    return [
        {
            "id": summary.id,
            "rules": summary.rules,
            "options": summary.options,
            "clock": summary.clock,
            "seats": summary.seats,
            "status": summary.status,
            "players": [
                {"id": player, "handle": handles.get(player), "seat": seat}
                | ({"bot": summary.bots[player]} if player in summary.bots else {})
                for player, seat in summary.players
            ],
            "head": {"seq": summary.seq, "hash": summary.hash},
            "to_act": summary.to_act,
            "deadline": summary.deadline,
            "invited": _invited_players(summary, handles),
            "winners": summary.winners,
            "vacant": summary.vacant,
            "arbiter": None
            if summary.arbiter is None
            else {"id": summary.arbiter, "handle": handles.get(summary.arbiter)},
            "dispute": summary.dispute,
            "takeback": summary.takeback,
            "timing": summary.timing,
        }
        for summary in summaries
    ]


def _invited_players(summary: Summary, handles: Mapping[str, str]) -> list[JsonObject]:
    """Return the players whom the creator of a game has invited, with their answers."""
    joined = {player for player, _ in summary.players}
    answers = dict.fromkeys(summary.declined, "declined") | {
        player: "accepted" if player in joined else None for player in summary.invited
    }
    return [
        {"id": player, "handle": handles.get(player), "answer": answer}
        for player, answer in answers.items()
    ]


def game_summary(game: Game) -> JsonObject:
    """Return the summary of a game as JSON."""
    return game_summaries([summarize(game)])[0]


def account(player: Player) -> JsonObject:
    """Return a player's account, as only that player sees it."""
    fields = {
        "id": player.id,
        "handle": player.handle,
        "created": player.created,
        "email": player.email,
        "email_status": player.email_status,
        "locale": player.locale,
        "time_zone": player.time_zone,
    }
    return {**fields, "guest": True} if player.is_guest else fields
