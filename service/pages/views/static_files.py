"""Style sheets, scripts and fonts.

Their addresses contain a version, which changes whenever one of the files does, so that browsers may keep
them for ever, and scripts can import each other by relative addresses.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request, url_for
from werkzeug.exceptions import NotFound

FOLDER: Final = Path(__file__).parents[1] / "static"
TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".ttf": "font/ttf",
    ".woff2": "font/woff2",
}
"""The media types of files, by how their names end."""
_VERSION_CHARACTERS: Final = 12
_YEAR_SECONDS: Final = 365 * 24 * 3600

blueprint = Blueprint("static_files", __name__)


def asset(name: str) -> str:
    """Return the address of a static file."""
    return url_for("pages.static_files.get_file", version=_version(), name=name)


def style_sheets() -> list[str]:
    """Return the addresses of all style sheets, the general one first.

    Every page has all of them, because scripts replace the content of a page by that of another one.
    """
    names = sorted((path.name for path in (FOLDER / "css").glob("*.css")), key=_order)
    return [asset(f"css/{name}") for name in names]


def _order(name: str) -> tuple[bool, str]:
    return name != "base.css", name


@blueprint.get("/static/<version>/<path:name>")
def get_file(version: str, name: str) -> Response:
    """Return a static file. One of another version is that of another release, and may not be kept."""
    data = _files().get(name)
    if data is None:
        raise NotFound
    # Flask-Compress would compress a streamed file in the context of the request, which the threads that
    # produce the parts of a response do not share. So the files are in memory.
    response = Response(data, mimetype=TYPES[Path(name).suffix])
    response.add_etag()
    response.make_conditional(request)
    if version == _version():
        response.cache_control.public = True
        response.cache_control.max_age = _YEAR_SECONDS
        response.cache_control.immutable = True
    else:
        response.cache_control.no_cache = True
    return response


@cache
def _files() -> Mapping[str, bytes]:
    """Return the files by their names, which are paths below the folder."""
    paths = (path for path in sorted(FOLDER.rglob("*")) if path.suffix in TYPES)
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}


@cache
def _version() -> str:
    digest = sha256()
    for name, data in _files().items():
        digest.update(f"{name}\0".encode() + data)
    return digest.hexdigest()[:_VERSION_CHARACTERS]
