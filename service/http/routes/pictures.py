"""Pictures: the board of a position as SVG and PNG. The pages have addresses of their own for them."""

from hashlib import sha256
from typing import Any, Final, NamedTuple

from flask import Response, request
from werkzeug.http import quote_etag

from domain.json_types import JsonObject
from domain.messages import message
from domain.scene import Scene
from replay.render.podium import Finisher, finishers
from replay.render.svg import svg
from service.errors import NotFound
from service.games.viewpoint import viewpoint_of
from service.http.blueprint import Blueprint, response
from service.http.context import service
from service.http.language import language_headers, request_language, request_renderer
from service.http.schemas.requests import PictureQuery

ETAG_DIGITS: Final = 32
_WIDTH: Final = 720
_WIDE_WIDTH: Final = 1440
_REQUEST_HEADERS: Final = {"If-None-Match": "ETag of the picture that the client has."}
_HEADERS: Final = {"ETag": "A digest of what the picture shows."}
_NOT_MODIFIED: Final = response("The picture is still the one that the client has.")

blueprint = Blueprint("pictures", "Pictures of positions.", auth="optional_auth")


class _Picture(NamedTuple):
    """A picture as an SVG document, with the headers of a response that contains it."""

    document: str
    headers: dict[str, str]
    is_modified: bool
    """Whether the client does not have it yet."""


@blueprint.get(
    "/games/<game_id>/position.svg",
    query=PictureQuery(),
    request_headers=_REQUEST_HEADERS,
    responses={
        200: response("The picture.", content_type="image/svg+xml", headers=_HEADERS),
        304: _NOT_MODIFIED,
    },
)
def get_position_svg(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Draw the position after an event as SVG, as the viewer may see it, with texts in their language.

    Without `width`, the picture takes the width that it is given.
    """
    return svg_response(game_id, player, query)


@blueprint.get(
    "/games/<game_id>/position.png",
    query=PictureQuery(),
    request_headers=_REQUEST_HEADERS,
    responses={
        200: response("The picture.", content_type="image/png", headers=_HEADERS, is_binary=True),
        304: _NOT_MODIFIED,
    },
)
def get_position_png(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Draw the position after an event as PNG, as the viewer may see it, with texts in their language.

    Drawing takes some time. If too many pictures wait for it, the response is a 503: repeat the request.
    """
    return png_response(game_id, player, query)


def svg_response(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Return the response with a picture as SVG; `query` is that of `PictureQuery`."""
    picture = _picture(game_id, player, query, is_png=False)
    if not picture.is_modified:
        return Response(status=304, headers=picture.headers)
    return Response(
        picture.document, headers=picture.headers, content_type="image/svg+xml; charset=utf-8"
    )


def png_response(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Return the response with a picture as PNG; `query` is that of `PictureQuery`."""
    picture = _picture(game_id, player, query, is_png=True)
    if not picture.is_modified:
        return Response(status=304, headers=picture.headers)
    width = query["width"] or (_WIDE_WIDTH if _is_wide(query) else _WIDTH)
    png = service().pictures.png(picture.document, width)
    return Response(png, headers=picture.headers, content_type="image/png")


def _picture(game_id: str, player: str | None, query: JsonObject, *, is_png: bool) -> _Picture:
    scene, order = _scene(game_id, player, query["seq"])
    document = svg(
        scene, request_renderer(), wide=_is_wide(query), pixels=query["width"], order=order
    )
    shown = f"{'png' if is_png else 'svg'} {document}"
    etag = sha256(shown.encode()).hexdigest()[:ETAG_DIGITS]
    headers = {
        **language_headers(request_language()),
        "ETag": quote_etag(etag, weak=True),
        "Cache-Control": "private, no-cache",
    }
    return _Picture(document, headers, not request.if_none_match.contains_weak(etag))


def _scene(game_id: str, player: str | None, seq: int | None) -> tuple[Scene, list[Finisher]]:
    """Return what the viewer may see after an event, by default the last one, and the seats by place.

    There are no places before the end of a game, nor in one that is too long for them. Raises NotFound.
    """
    queries = service().games.queries
    head = queries.visible_game(game_id, player)
    game = head if seq is None or seq == head.seq else queries.game_at(game_id, seq)
    position = viewpoint_of(head, player).position(game)
    if position is None:
        raise NotFound(
            message(
                "there is no position after event {seq}: the game had not started", seq=game.seq
            )
        )
    event: Any = queries.event(game_id, game.seq)
    scene: Scene = game.rules.scene(position, event)
    chart = service().games.replays.scores(game) if game.ranking else None
    return scene, [] if chart is None else finishers(scene, chart)


def _is_wide(query: JsonObject) -> bool:
    return bool(query["wide"] == "true")
