"""The language of the command line: `--lang`, else that of the locale, else English."""

from typing import Final

import click

from domain.messages import Value
from replay.language.catalogue import choose_language, locale_tags
from replay.language.names import NO_NAMES, Names
from replay.language.renderer import Renderer, renderer

LANGUAGE: Final = "cartulary.language"
"""The name in the context's `meta` of the language that `--lang` selects."""


def command_renderer(names: Names = NO_NAMES) -> Renderer:
    """Return the renderer for the language of the command that runs."""
    context = click.get_current_context(silent=True)
    language = None if context is None else context.meta.get(LANGUAGE)
    return renderer(language or choose_language(locale_tags()), names)


def text(value: Value) -> str:
    """Return a message in the language of the command that runs."""
    return command_renderer()(value)


def select_language(ctx: click.Context, _: click.Parameter, tag: str | None) -> None:
    """Select the language of `--lang` for a command and its subcommands."""
    if tag is not None:
        ctx.meta[LANGUAGE] = choose_language([tag])
