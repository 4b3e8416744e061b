"""The static files of pages: the style sheet, scripts and fonts, their addresses, and the view.

The style sheets of the features are served as one, `css/site.css`: every page needs all of them, because
scripts replace the content of a page by that of another one, and together they are a third smaller.

The package of a game may have a script for the verifier of the pages: its `set_up.js` is the static file
`games/NAME/set_up.js`.

Addresses contain a version, which changes whenever one of the files does, so that browsers may keep them for
ever, and scripts can import each other by relative addresses.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped] # has no annotations
import rcssmin  # type: ignore[import-untyped] # has no annotations
import rjsmin  # type: ignore[import-untyped] # has no annotations
from flask import Blueprint, Response, request, url_for
from werkzeug.exceptions import NotFound

from domain.contract import package_of
from domain.registry import RULES

FOLDER: Final = Path(__file__).parent / "static"
TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".ttf": "font/ttf",
    ".woff2": "font/woff2",
}
"""The media types of files, by how their names end."""
COMPRESSIBLE: Final = frozenset({".css", ".js", ".svg"})
"""How the names of files end that brotli makes much smaller."""
STYLE_SHEET: Final = "css/site.css"
_VERSION_CHARACTERS: Final = 12
_YEAR_SECONDS: Final = 365 * 24 * 3600

blueprint = Blueprint("static_files", __name__)


def asset(name: str) -> str:
    """Return the address of a static file."""
    return url_for("pages.static_files.get_file", version=current_version(), name=name)


def set_up_scripts() -> dict[str, str]:
    """Return the addresses of the scripts that draw set-ups, by the names of the games that have one."""
    return {game: asset(name) for game in RULES if (name := _set_up_name(game)) in files()}


def _set_up_name(game: str) -> str:
    return f"games/{game}/set_up.js"


@cache
def files() -> Mapping[str, bytes]:
    """Return the files by their names, which are paths below the folder. Scripts and the style sheet are
    without comments.
    """
    paths: dict[str, Traversable] = {
        path.relative_to(FOLDER).as_posix(): path
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in TYPES
    }
    for game, rules in RULES.items():
        if package := package_of(rules):
            paths[_set_up_name(game)] = resources.files(package) / "set_up.js"
    contents = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
    sheets = sorted(filter(_is_style_sheet, contents), key=_style_sheet_order)
    contents[STYLE_SHEET] = rcssmin.cssmin(b"\n".join(map(contents.pop, sheets)))
    return {
        name: rjsmin.jsmin(data) if _is_own_script(name) else data
        for name, data in contents.items()
    }


def _is_own_script(name: str) -> bool:
    return name.endswith(".js") and not name.startswith("vendor/")


def _is_style_sheet(name: str) -> bool:
    return name.startswith("css/")


def _style_sheet_order(name: str) -> tuple[bool, str]:
    """Return the place of a style sheet among the others: the general one comes first."""
    return name != "css/base.css", name


@cache
def compressed(name: str) -> bytes:
    """Return a file compressed by brotli at its highest level, which takes a tenth of a second once."""
    data: bytes = brotli.compress(files()[name])
    return data


@cache
def current_version() -> str:
    """Return the version of the files: a digest of all of them."""
    digest = sha256()
    for name, data in files().items():
        digest.update(f"{name}\0".encode() + data)
    return digest.hexdigest()[:_VERSION_CHARACTERS]


@blueprint.get("/static/<version>/<path:name>")
def get_file(version: str, name: str) -> Response:
    """Return a static file. One of another version is that of another release, and may not be kept."""
    data = files().get(name)
    if data is None:
        raise NotFound
    # Flask-Compress compresses every response again, and a streamed file in the context of the request, which
    # the threads that produce the parts of a response do not share. So the files are in memory, compressed
    # once.
    suffix = Path(name).suffix
    is_compressed = suffix in COMPRESSIBLE and request.accept_encodings["br"] > 0
    response = Response(compressed(name) if is_compressed else data, mimetype=TYPES[suffix])
    if is_compressed:
        response.content_encoding = "br"
    if version == current_version():
        # Browsers never ask for it again, so an ETag would only make the response longer.
        response.cache_control.public = True
        response.cache_control.max_age = _YEAR_SECONDS
        response.cache_control.immutable = True
    else:
        response.cache_control.no_cache = True
        response.add_etag()
        response.make_conditional(request)
    return response
