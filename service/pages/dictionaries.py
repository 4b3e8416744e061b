"""Compression dictionaries: what the pages of games have in common, which browsers keep (RFC 9842).

The page of a game links to the dictionary of its language. A browser that has loaded it names it in its later
requests, and receives what a page has besides. Others, which ignore the link, receive a page as before.

A dictionary has lines of pages of each game, which `python -m tests.games.make_dictionaries` collects. It
needs no change when the pages change: what it does not contain is sent.
"""

import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped] # has no annotations
from flask import Blueprint, Request, Response, request, url_for
from werkzeug.exceptions import NotFound

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FOLDER: Final = Path(__file__).parent / "dictionaries"
ENCODING: Final = "dcz"
"""The content encoding: Zstandard with a dictionary."""
REQUEST_HEADER: Final = "Available-Dictionary"
_MAGIC: Final = bytes.fromhex("5e2a4d1820000000")
"""How a response in this encoding begins, before the digest of the dictionary."""
_LEVEL: Final = 6
"""A page with a board takes a millisecond or two, which is less than brotli takes without a dictionary."""
_NAME_CHARACTERS: Final = 16
_YEAR_SECONDS: Final = 365 * 24 * 3600

blueprint = Blueprint("dictionaries", __name__)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dictionary, its digest, and what is sent of it: the text, compressed by brotli."""

    compressed: bytes
    digest: bytes
    zstd: "zstd.ZstdDict"

    @property
    def name(self) -> str:
        """The name in its address, which changes with its contents."""
        return self.digest.hex()[:_NAME_CHARACTERS]

    def compress(self, data: bytes) -> bytes:
        """Return data in the content encoding ENCODING."""
        return (
            _MAGIC
            + self.digest
            + zstd.compress(data, level=_LEVEL, zstd_dict=self.zstd.as_digested_dict)
        )


@cache
def dictionaries() -> Mapping[str, Dictionary]:
    """Return the dictionaries by their languages."""
    return {path.stem: _read(path) for path in sorted(FOLDER.glob("*.br"))}


def _read(path: Path) -> Dictionary:
    compressed = path.read_bytes()
    text: bytes = brotli.decompress(compressed)
    return Dictionary(compressed, sha256(text).digest(), zstd.ZstdDict(text, is_raw=True))


def dictionary_address(language: str) -> str | None:
    """Return the address of the dictionary for pages in a language; None if there is none."""
    dictionary = dictionaries().get(language)
    if dictionary is None:
        return None
    return url_for("pages.dictionaries.get_dictionary", name=dictionary.name)


def requested_dictionary(of: Request) -> Dictionary | None:
    """Return the dictionary with which a browser can read the response to a request; None without one."""
    if of.accept_encodings[ENCODING] <= 0:
        return None
    named = of.headers.get(REQUEST_HEADER)
    return next((each for each in dictionaries().values() if named == _header_of(each)), None)


def _header_of(dictionary: Dictionary) -> str:
    """Return how a request names a dictionary: as a byte sequence of a structured field."""
    return f":{b64encode(dictionary.digest).decode()}:"


@blueprint.get("/dictionaries/<name>.dict")
def get_dictionary(name: str) -> Response:
    """Return a dictionary. Browsers that use them read brotli."""
    dictionary = next((each for each in dictionaries().values() if each.name == name), None)
    if dictionary is None or request.accept_encodings["br"] <= 0:
        raise NotFound
    response = Response(dictionary.compressed, mimetype="application/octet-stream")
    response.content_encoding = "br"
    response.headers["Use-As-Dictionary"] = 'match="/*", match-dest=("document" "empty")'
    response.cache_control.public = True
    response.cache_control.max_age = _YEAR_SECONDS
    response.cache_control.immutable = True
    response.vary.add("Accept-Encoding")
    return response
