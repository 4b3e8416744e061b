"""The static files of pages: style sheets, scripts and fonts, and their addresses.

Addresses contain a version, which changes whenever one of the files does, so that browsers may keep them for
ever, and scripts can import each other by relative addresses.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped] # has no annotations
from flask import url_for

FOLDER: Final = Path(__file__).parent / "static"
TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".ttf": "font/ttf",
    ".woff2": "font/woff2",
}
"""The media types of files, by how their names end."""
COMPRESSIBLE: Final = frozenset({".css", ".js", ".svg"})
"""How the names of files end that brotli makes much smaller."""
_VERSION_CHARACTERS: Final = 12


def asset(name: str) -> str:
    """Return the address of a static file."""
    return url_for("pages.static_files.get_file", version=version(), name=name)


def style_sheets() -> list[str]:
    """Return the addresses of all style sheets, the general one first.

    Every page has all of them, because scripts replace the content of a page by that of another one.
    """
    names = sorted((path.name for path in (FOLDER / "css").glob("*.css")), key=_order)
    return [asset(f"css/{name}") for name in names]


def _order(name: str) -> tuple[bool, str]:
    return name != "base.css", name


@cache
def files() -> Mapping[str, bytes]:
    """Return the files by their names, which are paths below the folder."""
    paths = (path for path in sorted(FOLDER.rglob("*")) if path.suffix in TYPES)
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}


@cache
def compressed(name: str) -> bytes:
    """Return a file compressed by brotli as far as possible, which takes a tenth of a second once."""
    data: bytes = brotli.compress(files()[name])
    return data


@cache
def version() -> str:
    """Return the version of the files: a digest of all of them."""
    digest = sha256()
    for name, data in files().items():
        digest.update(f"{name}\0".encode() + data)
    return digest.hexdigest()[:_VERSION_CHARACTERS]
