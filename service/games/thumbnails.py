"""Small pictures of boards for lists of games, as every viewer of a game sees it.

    cartulary:{GAME}:thumbnail    the picture of the last event at which one was requested; it expires

A value is `SEQ VISIBILITY`, a line break, and the SVG document, compressed by brotli. A game that is listed
from its stored summary is therefore not folded for its picture either, unless it is private, or its picture
was not requested for some days.
"""

from typing import Final, NamedTuple

import brotli  # type: ignore[import-untyped] # has no annotations
import redis

from domain.game import Game
from replay.render.embedded_map import thumbnail_svg
from service.connection import unavailable_on_error
from service.errors import NotFound
from service.games.loader import GameLoader
from service.store.redis_event_store import game_key

STORED_SECONDS: Final = 7 * 24 * 3600
_PUBLIC: Final = b"public"
_PRIVATE: Final = b"private"


class Thumbnail(NamedTuple):
    """The board after event `seq`, as an SVG document that is compressed by brotli."""

    seq: int
    is_public: bool
    compressed_svg: bytes

    @property
    def svg(self) -> bytes:
        """The SVG document."""
        document: bytes = brotli.decompress(self.compressed_svg)
        return document


class Thumbnails:
    """Draws and stores the pictures of all games. Thread-safe.

    Raises Unavailable if Redis does not respond.
    """

    def __init__(self, client: redis.Redis, loader: GameLoader) -> None:
        self._redis = client
        self._loader = loader

    def get(self, game_id: str, viewer: str | None, seq: int | None) -> Thumbnail:
        """Return the picture of a game at its head.

        A stored picture is returned if it shows event `seq`, even if the game has later events. Raises
        NotFound for a game that the player `viewer` may not see, and for a game that has no board yet.
        """
        stored = self._stored(game_id)
        if stored is not None and stored.is_public and stored.seq == seq:
            return stored
        game = self._loader.visible_game(game_id, viewer)
        if stored is not None and stored.seq == game.seq:
            return stored
        thumbnail = _draw(game)
        self._store(game_id, thumbnail)
        return thumbnail

    def _stored(self, game_id: str) -> Thumbnail | None:
        with unavailable_on_error():
            value = self._redis.get(game_key(game_id, "thumbnail"))
        if not isinstance(value, bytes):
            return None
        head, _, document = value.partition(b"\n")
        seq, _, visibility = head.partition(b" ")
        return Thumbnail(int(seq), visibility == _PUBLIC, document)

    def _store(self, game_id: str, thumbnail: Thumbnail) -> None:
        visibility = _PUBLIC if thumbnail.is_public else _PRIVATE
        value = b"%d %b\n%b" % (thumbnail.seq, visibility, thumbnail.compressed_svg)
        with unavailable_on_error():
            self._redis.set(game_key(game_id, "thumbnail"), value, ex=STORED_SECONDS)


def _draw(game: Game) -> Thumbnail:
    if game.state is None:
        raise NotFound.with_message("the game has not started: it has no board yet")
    # The position is a spectator's, because lists must not show what a seat keeps hidden.
    scene = game.rules.scene(game.position(None), None)
    document = thumbnail_svg(scene).encode()
    compressed: bytes = brotli.compress(document, mode=brotli.MODE_TEXT, quality=5)
    return Thumbnail(game.seq, not game.options["private"], compressed)
