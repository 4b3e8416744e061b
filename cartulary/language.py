"""The language of the command line: `--lang`, else that of the locale, else English; and its time zone."""

import gettext
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, tzinfo
from typing import Final

from domain.messages import Value
from ledger.clock.time_zones import is_time_zone, time_zone
from replay.language.catalogue import DOMAIN, FOLDER, choose_language, locale_tags
from replay.language.renderer import NO_NAMES, Names, Renderer, renderer

LANGUAGE_OPTION: Final = "--lang"

_GETTEXT_VARIABLE: Final = "LANGUAGE"
"""The environment variable that gettext considers before all others."""
_selected: Final[ContextVar[str | None]] = ContextVar("language", default=None)


def command_renderer(names: Names = NO_NAMES, *, in_utc: bool = False) -> Renderer:
    """Return the renderer for the language of the command that runs, and the time zone of this machine.

    Text in JSON is for programs too: there, `in_utc` has moments shown in UTC.
    """
    language = _selected.get() or choose_language(locale_tags())
    return renderer(language, names, UTC if in_utc else local_zone())


def local_zone() -> tzinfo:
    """Return the time zone of this machine: that of the environment variable TZ, else the system's."""
    from babel.localtime import get_localzone

    try:
        zone = get_localzone()
    except LookupError:
        # There is no such zone. The C library takes UTC too.
        return UTC
    # A zone of pytz, which Babel prefers where it is installed, has its name in `zone`.
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    return time_zone(name) if is_time_zone(name) else zone


def text(value: Value) -> str:
    """Return a message in the language of the command that runs."""
    return command_renderer()(value)


@contextmanager
def language_of(arguments: Sequence[str]) -> Iterator[None]:
    """Select the language of a command line, for our own messages and those of click.

    The language is known before the arguments are parsed, so that errors in them are reported in it. click
    looks up its messages with the global functions of gettext, which read the environment.
    """
    tag, _ = _separate(arguments)
    language = choose_language(locale_tags() if tag is None else [tag])
    token = _selected.set(language)
    earlier_folder = gettext.bindtextdomain(DOMAIN)
    earlier_variable = os.environ.get(_GETTEXT_VARIABLE)
    gettext.bindtextdomain(DOMAIN, str(FOLDER))
    os.environ[_GETTEXT_VARIABLE] = language
    try:
        yield
    finally:
        _selected.reset(token)
        gettext.bindtextdomain(DOMAIN, earlier_folder)
        if earlier_variable is None:
            del os.environ[_GETTEXT_VARIABLE]
        else:
            os.environ[_GETTEXT_VARIABLE] = earlier_variable


def without_language(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command line without `--lang` and its values."""
    return _separate(arguments)[1]


def _separate(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the last value of `--lang` (None if there is none), and the other arguments."""
    tag = None
    others: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        name, is_joined, value = argument.partition("=")
        if name == LANGUAGE_OPTION:
            tag = value if is_joined else next(remaining, None)
        else:
            others.append(argument)
            if argument == "--":
                others += remaining
    return tag, others
