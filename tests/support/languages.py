"""Renderers for tests, without names."""

from typing import Final

from domain.scene import Scene
from replay.language.renderer import Renderer, english, renderer

ENGLISH: Final[Renderer] = renderer("en")
FRENCH: Final[Renderer] = renderer("fr")
SPANISH: Final[Renderer] = renderer("es")


def english_caption(scene: Scene) -> str:
    """Return the caption of a scene, which must have one, in English."""
    assert scene.caption is not None
    return english(scene.caption)
