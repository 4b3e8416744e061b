"""The language and the time zone of a request.

The language is that of the player's own setting, else that of `Accept-Language`, else English.

It is determined when text is first produced for a request, so that responses without text cost nothing.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from flask import Flask, Response, g, request
from flask_babel import Babel  # type: ignore[import-untyped] # has no annotations
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from domain.errors import CartularyError
from ledger.clock.time_zones import UTC_NAME, time_zone
from replay.language.catalogue import DOMAIN, ENGLISH, FOLDER, languages, primary_subtag
from replay.language.renderer import Names, Renderer, renderer
from replay.language.times import locale_of
from service.accounts.names import AccountNames
from service.http.context import player_locale, service

MAX_HEADER_LENGTH: Final = 512
"""Characters of an `Accept-Language` header. A longer one, as no browser sends, selects English."""


def register(app: Flask) -> None:
    """Have Flask-Babel use the language of each request to the application."""
    Babel(
        app,
        configure_jinja=False,
        default_locale=ENGLISH,
        default_domain=DOMAIN,
        default_translation_directories=str(FOLDER),
        locale_selector=lambda: locale_of(request_language()),
    )


def request_language() -> str:
    """Return the language of the current request, one of `languages()`."""
    return select_language(player_locale(), request.environ.get("HTTP_ACCEPT_LANGUAGE", ""))


def request_renderer() -> Renderer:
    """Return a renderer for the language of the current request.

    It has the names of the players of the game that the request is about. On pages, moments are in the time
    zone of the visitor; the HTTP API has them in UTC.
    """
    zone = g.get("time_zone") or UTC_NAME
    return renderer(request_language(), _request_names(), time_zone(zone))


def _request_names() -> Names:
    """Return the names of the players of the game that the current request is about."""
    names: Names | None = g.get("names")
    if names is None:
        arguments = request.view_args or {}
        sandbox = g.get("sandbox")
        game_id = arguments.get("game_id") if sandbox is None else sandbox.game
        names = g.names = game_names(game_id)
    return names


def game_names(game_id: str | None) -> Names:
    """Return the names of players, by seat those of a game. They are read when one is first shown."""

    def players_by_seat() -> Sequence[str]:
        try:
            return () if game_id is None else service().games.queries.players(game_id)
        except CartularyError:
            return ()

    return AccountNames(service().accounts.players, players_by_seat)


def with_language(response: Response, language: str) -> Response:
    """Add the headers of a response with text in a language that was selected by the request."""
    response.headers.update(language_headers(language))
    return response


def language_headers(language: str) -> dict[str, str]:
    """Return the headers of a response with text in a language that was selected by the request."""
    return {"Content-Language": language, "Vary": "Accept-Language, Authorization"}


@lru_cache(maxsize=1024)
def select_language(locale: str | None, header: str) -> str:
    """Return the language for a player with this setting, and for this `Accept-Language` header."""
    if locale is not None and (language := primary_subtag(locale)) in languages():
        return language
    return accepted_language(header)


def accepted_language(header: str) -> str:
    """Return the language that an `Accept-Language` header prefers; English if it names none that we have.

    A range such as `fr-CH` accepts the language `fr`. Anything may be passed.
    """
    if len(header) > MAX_HEADER_LENGTH:
        return ENGLISH
    qualities: dict[str, float] = {}
    # Ranges with a higher quality come first; those with the same quality are in the order of the header.
    for language_range, quality in parse_accept_header(header, LanguageAccept):
        qualities.setdefault(primary_subtag(language_range), quality)
    others = qualities.get("*", 0)
    preferred = max(
        (language for language in (*qualities, *languages()) if language in languages()),
        key=lambda language: qualities.get(language, others),
    )
    return preferred if qualities.get(preferred, others) > 0 else ENGLISH
