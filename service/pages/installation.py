"""What makes the site an application that can be installed: manifest, icons, service worker, turns."""

from typing import Final

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from domain.messages import message
from service.games.queries import MAX_EXAMINED_GAMES
from service.http.blueprint import ApiResponse, json_response
from service.http.context import service
from service.http.language import request_language, request_renderer
from service.pages.assets import files
from service.pages.session import current_player
from service.pages.templating import page

blueprint = Blueprint("installation", __name__)

_DAY_SECONDS: Final = 24 * 3600
_PAPER: Final = "#fffdf7"


@blueprint.get("/manifest.webmanifest")
def get_manifest() -> Response:
    """Return the web app manifest (W3C Application Manifest), with texts in the language of the browser."""
    render = request_renderer()
    icons = [
        {"src": f"/icons/{name}-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        | ({"purpose": "maskable"} if name == "maskable" else {})
        for name, size in (("icon", 192), ("icon", 512), ("maskable", 512))
    ]
    response = json_response(
        {
            "id": "/",
            "name": "Cartulary",
            "short_name": "Cartulary",
            "description": render(message("Board games by mail, move by move")),
            "lang": request_language(),
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": _PAPER,
            "theme_color": _PAPER,
            "icons": icons,
        }
    )
    response.mimetype = "application/manifest+json"
    response.cache_control.max_age = _DAY_SECONDS
    response.vary.update(("Accept-Language", "Cookie"))
    return response


@blueprint.get("/icons/<name>.png")
def get_icon(name: str) -> Response:
    """Return an icon of the application. Its address stays the same in every release."""
    data = files().get(f"icons/{name}.png")
    if data is None:
        raise NotFound
    response = ApiResponse(data, content_type="image/png")
    response.cache_control.public = True
    response.cache_control.max_age = _DAY_SECONDS
    return response


@blueprint.get("/service-worker.js")
def get_service_worker() -> Response:
    """Return the service worker. Its address is at the root, so that it may show any page."""
    response = ApiResponse(files()["js/service-worker.js"], content_type="text/javascript")
    response.cache_control.no_cache = True
    return response


@blueprint.get("/offline")
def show_offline_page() -> Response:
    """Show the page that the service worker keeps for the time without a connection."""
    return page("offline.html")


@blueprint.get("/turns")
def count_turns() -> Response:
    """Return in how many of the visitor's newest MAX_EXAMINED_GAMES games it is the visitor's turn.

    `player` is the id of the visitor, or null: for it, the service worker shows notifications.
    """
    player = current_player()
    turns = 0
    if player is not None:
        games, _ = service().games.queries.games_waiting_for(player, None, MAX_EXAMINED_GAMES)
        turns = len(games)
    response = json_response({"turns": turns, "player": player})
    response.cache_control.no_store = True
    return response
