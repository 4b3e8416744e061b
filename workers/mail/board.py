"""The board of a game as a picture for a mail, as its reader may see it."""

import logging
import subprocess
from dataclasses import dataclass, field
from typing import Any, Final

from domain.errors import CartularyError
from domain.game import Game
from replay.language.renderer import Renderer
from replay.render.descriptions import describe_scene
from replay.render.svg import svg
from service.bootstrap import Service
from service.errors import log_text
from service.games.viewpoint import viewpoint_of

log = logging.getLogger(__name__)

WIDTH: Final = 720
"""Pixels of the picture, of which a mail shows two on one of a screen that is not fine."""


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """The picture of a position, and what it shows in words."""

    png: bytes = field(repr=False)
    description: str


def board_picture(
    service: Service, game: Game, player: str, renderer: Renderer
) -> BoardPicture | None:
    """Return the picture of a game at its head for a player, with texts by the renderer.

    Returns None if the game has no position, because it has not started, and if the picture cannot be drawn
    now: the mail is then sent without it, since it has more to say.
    """
    position = viewpoint_of(game, player).position(game)
    if position is None:
        return None
    try:
        event: Any = service.queries.event(game.id, game.seq)
        scene = game.rules.scene(position, event)
        png = service.pictures.png(svg(scene, renderer, with_legend=False, pixels=WIDTH), WIDTH)
    except (CartularyError, subprocess.CalledProcessError) as error:
        log.warning("a mail has no picture of game %s: %s", game.id, log_text(error))
        return None
    return BoardPicture(png, f"{renderer.sentence(scene.title)}. {describe_scene(scene, renderer)}")
