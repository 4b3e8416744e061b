"""The pictures of positions that pages link to. The session cookie says whose view they show."""

from typing import Final

from flask import Blueprint, Response, request

from domain.json_types import JsonObject
from service.http.schemas.requests import PictureQuery
from service.http.validation import validate
from service.pages.session import current_player
from service.pictures.api import png_response, svg_response

blueprint = Blueprint("pictures", __name__)

_QUERY: Final = PictureQuery()


@blueprint.get("/games/<game_id>/position.svg")
def get_svg(game_id: str) -> Response:
    """Return the position as SVG, as the visitor may see it."""
    return _by_cookie(svg_response(game_id, current_player(), _query()))


@blueprint.get("/games/<game_id>/position.png")
def get_png(game_id: str) -> Response:
    """Return the position as PNG, as the visitor may see it."""
    return _by_cookie(png_response(game_id, current_player(), _query()))


def _query() -> JsonObject:
    return validate(_QUERY, request.args.to_dict())


def _by_cookie(response: Response) -> Response:
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response
