"""The board of a game as a picture for a mail, as its reader may see it."""

import logging
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

from domain.errors import CartularyError
from domain.game import Game
from domain.messages import message
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.descriptions import player_label
from replay.render.styles import Styler
from replay.render.svg import svg
from replay.render.text import text
from service.bootstrap import Service
from service.errors import log_text
from service.games.visibility import visibility_for
from service.notifications.titles import game_name

log = logging.getLogger(__name__)

FORMS: Final = ((558, 32), (558, 16), (440, 16), (360, 12))
"""The width in pixels and the colours of a picture: the first of these with which it is light enough. The
first width is that of a mail."""
MIN_BYTES: Final = 10_000
"""No board is as light as this, so none is drawn in fewer bytes."""
COLUMNS: Final = 72
"""Columns of the diagram, as in mails of text."""
_one_picture: Final = Lock()
"""A process draws one picture at a time for mails: beyond its bound, pictures are refused."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A seat as a mail lists it below the picture."""

    player: str
    heading: str
    score: int


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A position for a mail: the board as a picture, a sentence in its place, and all of it as text."""

    png: bytes | None = field(repr=False)
    description: str
    standings: tuple[Standing, ...]
    diagram: str


def board_picture(
    service: Service, game: Game, player: str, renderer: Renderer, max_bytes: int
) -> BoardPicture | None:
    """Return the position of a game at its head for a player, with texts by the renderer.

    Returns None if the game has no position, because it has not started. If the picture cannot be drawn now,
    or would exceed `max_bytes`, it is left out: the mail has the text.
    """
    position = visibility_for(game, player).position(game)
    if position is None:
        return None
    try:
        event: Any = service.games.queries.event(game.id, game.seq)
    except CartularyError as error:
        log.warning("a mail has no board of game %s: %s", game.id, log_text(error))
        return None
    scene: Scene = game.rules.scene(position, event)
    try:
        png = _draw(service, scene, renderer, max_bytes)
    except CartularyError as error:
        log.warning("a mail has no picture of game %s: %s", game.id, log_text(error))
        png = None
    return BoardPicture(
        png,
        renderer.sentence(
            message(
                "This picture shows the board of {game} after event {seq}.",
                game=game_name(game),
                seq=game.seq,
            )
        ),
        tuple(
            Standing(
                renderer(player_label(panel.seat)), renderer.sentence(panel.heading), panel.score
            )
            for panel in scene.panels
        ),
        text(scene, renderer, Styler(is_on=False), COLUMNS),
    )


def _draw(service: Service, scene: Scene, renderer: Renderer, max_bytes: int) -> bytes | None:
    """Return the picture of a board that is light enough; None if there is none."""
    if max_bytes < MIN_BYTES:
        return None
    # The cards of the seats would weigh as much as the board. The mail lists the standings instead.
    board = svg(replace(scene, panels=(), common_rows=()), renderer, with_legend=False)
    with _one_picture:
        for width, colours in FORMS:
            png = service.pictures.png(board, width, colours)
            if len(png) <= max_bytes:
                return png
    return None
