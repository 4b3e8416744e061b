"""Draws the board of a game, as the reader of a mail sees it, as a picture for the mail."""

import logging
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

from domain.errors import CartularyError
from domain.game import Game
from domain.messages import message
from domain.scene import Scene
from replay.language.renderer import Renderer
from replay.render.arms import arms_document
from replay.render.descriptions import player_label
from replay.render.styles import Styler
from replay.render.svg import svg
from replay.render.text import text
from service.bootstrap import Service
from service.errors import log_text
from service.games.visibility import visibility_for
from service.notifications.titles import game_name
from workers.mail.layout import Picture

log = logging.getLogger(__name__)

FORMS: Final = ((558, 32), (558, 16), (440, 16), (360, 12))
"""Widths in pixels and numbers of colours: the first pair that makes the picture small enough is used. The
first width is that of a mail."""
MIN_BYTES: Final = 10_000
"""Every picture of a board is larger than this, so none is drawn for a smaller limit."""
ARMS_WIDTH: Final = 40
"""The width of the picture of a coat of arms, which is shown at half of it."""
ARMS_COLOURS: Final = 16
COLUMNS: Final = 72
"""The width of the diagram, as in plain text mails."""
_one_picture: Final = Lock()
"""A process draws one picture for mails at a time, because it refuses pictures beyond its bound."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A seat as a mail lists it below the picture, with the coat of arms of its player if it was drawn."""

    player: str
    heading: str
    score: int
    arms: Picture | None = None


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A position for a mail: the board as a picture, its alternative text, and the whole position as text."""

    png: bytes | None = field(repr=False)
    description: str
    standings: tuple[Standing, ...]
    diagram: str


def board_picture(
    service: Service, game: Game, player: str, renderer: Renderer, max_bytes: int
) -> BoardPicture | None:
    """Return the current position of a game for a player, with texts by the renderer.

    Returns None if the game has no position because it has not started. If the picture cannot be drawn now,
    or would exceed `max_bytes`, it is left out, and the mail has only the text.
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
    png, arms = None, dict[int, Picture]()
    try:
        png = _draw(service, scene, renderer, max_bytes)
        if png is not None:
            arms = _draw_arms(service, game)
    except CartularyError as error:
        log.warning("a mail lacks pictures of game %s: %s", game.id, log_text(error))
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
                renderer(player_label(panel.seat)),
                renderer.sentence(panel.heading),
                panel.score,
                arms.get(panel.seat),
            )
            for panel in scene.panels
        ),
        text(scene, renderer, Styler(is_on=False), COLUMNS),
    )


def _draw(service: Service, scene: Scene, renderer: Renderer, max_bytes: int) -> bytes | None:
    """Return a picture of the board within `max_bytes`; None if there is none."""
    if max_bytes < MIN_BYTES:
        return None
    # The cards of the seats would take as many bytes as the board. The mail lists the standings instead.
    board = svg(replace(scene, panels=(), common_rows=()), renderer, with_legend=False)
    with _one_picture:
        for width, colours in FORMS:
            png = service.pictures.png(board, width, colours)
            if len(png) <= max_bytes:
                return png
    return None


def _draw_arms(service: Service, game: Game) -> dict[int, Picture]:
    """Return the coats of arms of the players of a game by seat, which weigh little."""
    return {
        seat: Picture(
            f"arms-{player}", service.pictures.png(arms_document(player), ARMS_WIDTH, ARMS_COLOURS)
        )
        for seat, player in enumerate(game.players)
    }
