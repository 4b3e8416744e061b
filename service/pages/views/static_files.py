"""The static files."""

from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from service.pages.assets import COMPRESSIBLE, TYPES, compressed, files
from service.pages.assets import version as current_version

_YEAR_SECONDS: Final = 365 * 24 * 3600

blueprint = Blueprint("static_files", __name__)


@blueprint.get("/static/<version>/<path:name>")
def get_file(version: str, name: str) -> Response:
    """Return a static file. One of another version is that of another release, and may not be kept."""
    data = files().get(name)
    if data is None:
        raise NotFound
    # Flask-Compress compresses every response anew, and a streamed file in the context of the request, which
    # the threads that produce the parts of a response do not share. So the files are in memory, compressed
    # once.
    suffix = Path(name).suffix
    is_compressed = suffix in COMPRESSIBLE and request.accept_encodings["br"] > 0
    response = Response(compressed(name) if is_compressed else data, mimetype=TYPES[suffix])
    if is_compressed:
        response.content_encoding = "br"
    response.add_etag()
    response.make_conditional(request)
    if version == current_version():
        response.cache_control.public = True
        response.cache_control.max_age = _YEAR_SECONDS
        response.cache_control.immutable = True
    else:
        response.cache_control.no_cache = True
    return response
