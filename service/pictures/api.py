"""Pictures: the board of a position as SVG and PNG. The pages have separate addresses for them."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, Final

from flask import Response

from domain.json_types import JsonObject
from domain.scene import Scene
from replay.history.score_chart import finishers
from replay.render.podium import Finisher
from replay.render.svg import svg
from service.errors import NotFound
from service.games.visibility import visibility_for
from service.http.blueprint import Blueprint, View, response, tagged_response
from service.http.context import service
from service.http.language import language_headers, request_language, request_renderer
from service.http.schemas.requests import PictureQuery

ETAG_DIGITS: Final = 32
_WIDTH: Final = 720
_WIDE_WIDTH: Final = 1440

blueprint = Blueprint("pictures", "Pictures of positions.", auth="optional_auth")


def _get_picture(
    suffix: str, content_type: str, *, is_binary: bool = False
) -> Callable[[View], View]:
    """Register a view that returns a picture of a position."""
    headers = {"ETag": "A digest of what the picture shows."}
    return blueprint.get(
        f"/games/<game_id>/position.{suffix}",
        query=PictureQuery(),
        request_headers={"If-None-Match": "ETag of the picture that the client has."},
        responses={
            200: response(
                "The picture.", content_type=content_type, headers=headers, is_binary=is_binary
            ),
            304: response("The picture is still the one that the client has."),
        },
    )


@_get_picture("svg", "image/svg+xml")
def get_position_svg(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Draw the position after an event as SVG, as the viewer may see it, with texts in their language.

    Without `width`, the picture takes the width that it is given.
    """
    return svg_response(game_id, player, query)


@_get_picture("png", "image/png", is_binary=True)
def get_position_png(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Draw the position after an event as PNG, as the viewer may see it, with texts in their language.

    Drawing takes some time. If too many pictures wait for it, the response is a 503: repeat the request.
    """
    return png_response(game_id, player, query)


def svg_response(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Return the response with a picture as SVG; `query` is that of `PictureQuery`."""
    return _response(game_id, player, query, "image/svg+xml; charset=utf-8", str.encode)


def png_response(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Return the response with a picture as PNG; `query` is that of `PictureQuery`."""
    width = query["width"] or (_WIDE_WIDTH if _is_wide(query) else _WIDTH)
    return _response(
        game_id,
        player,
        query,
        "image/png",
        lambda document: service().pictures.png(document, width),
    )


def _response(
    game_id: str,
    player: str | None,
    query: JsonObject,
    content_type: str,
    encode: Callable[[str], bytes],
) -> Response:
    """Return the response with a picture. `encode` returns its content for the SVG document."""
    scene, order = _scene(game_id, player, query["seq"])
    document = svg(
        scene, request_renderer(), wide=_is_wide(query), pixels=query["width"], order=order
    )
    return tagged_response(
        partial(encode, document),
        content_type,
        sha256(f"{content_type} {document}".encode()).hexdigest()[:ETAG_DIGITS],
        {**language_headers(request_language()), "Cache-Control": "private, no-cache"},
        is_weak=True,
    )


def _scene(game_id: str, player: str | None, seq: int | None) -> tuple[Scene, list[Finisher]]:
    """Return what the viewer may see after an event, by default the last one, and the seats by place.

    There are no places before the end of a game, nor in one that is too long for them. Raises NotFound.
    """
    queries = service().games.queries
    head, _ = queries.visible_history(game_id, player, seq)
    game = head if seq is None or seq == head.seq else queries.game_at(game_id, seq)
    position = visibility_for(head, player).position(game)
    if position is None:
        raise NotFound.with_message(
            "there is no position after event {seq}: the game had not started", seq=game.seq
        )
    event: Any = queries.event(game_id, game.seq)
    scene: Scene = game.rules.scene(position, event)
    chart = service().games.replays.scores(game) if game.ranking else None
    return scene, [] if chart is None else finishers(scene, chart)


def _is_wide(query: JsonObject) -> bool:
    return bool(query["wide"] == "true")
