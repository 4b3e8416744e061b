"""Draws pictures as PNG: a bounded number at a time, each in a separate process, and caches them."""

import logging
import math
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Final

from cachetools import LRUCache

from domain.messages import message
from service.bounds import Bounds
from service.errors import Unavailable

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 2
"""Seconds after which a client may repeat the request for a picture that could not be drawn."""
_PROGRAM: Final = Path(__file__).with_name("draw.py")


class PngPictures:
    """Draws SVG documents as PNG. Thread-safe.

    At most `picture_threads` pictures are drawn at a time. The cache holds the most recently used pictures,
    by the digest of the SVG document and their form, so viewers never get pictures of positions that only
    others see.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.picture_seconds
        self._slots = BoundedSemaphore(bounds.picture_threads)
        self._cache: LRUCache[tuple[bytes, int, int], bytes] = LRUCache(
            bounds.cached_picture_bytes, getsizeof=len
        )
        self._lock = Lock()

    def png(self, svg: str, width: int, colours: int = 0) -> bytes:
        """Return the picture of an SVG document as a PNG that is `width` pixels wide.

        `colours` is the size of its palette, at most 256; 0 for no palette.

        Raises Unavailable if too many pictures are being drawn, if this one takes too long, or if the process
        that draws it dies.
        """
        document = svg.encode()
        key = (sha256(document).digest(), width, colours)
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None:
            return cached
        # The gateway has as many threads for pictures, so that pictures are rarely refused here.
        if not self._slots.acquire(blocking=False):
            raise Unavailable(
                message("the server is drawing too many pictures at the moment"), RETRY_SECONDS
            )
        try:
            picture = self._draw(document, width, colours)
        finally:
            self._slots.release()
        with self._lock:
            if len(picture) <= self._cache.maxsize:
                self._cache[key] = picture
        return picture

    def _draw(self, document: bytes, width: int, colours: int) -> bytes:
        seconds = str(math.ceil(self._seconds))
        try:
            result = subprocess.run(
                [sys.executable, "-I", str(_PROGRAM), str(width), seconds, str(colours)],
                input=document,
                capture_output=True,
                timeout=self._seconds,
                check=True,
            )
        except subprocess.TimeoutExpired:
            log.warning("a picture that is %d pixels wide took too long", width)
            raise Unavailable(message("the picture took too long to draw"), RETRY_SECONDS) from None
        except subprocess.CalledProcessError as error:
            output = error.stderr.decode(errors="replace")
            log.error("drawing a picture ended with status %d: %s", error.returncode, output)  # noqa: TRY400 # the output of the process says more than our traceback
            raise Unavailable(message("the picture could not be drawn"), RETRY_SECONDS) from None
        return result.stdout
