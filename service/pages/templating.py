"""What templates can use: texts in the visitor's language, addresses of static files, the visitor.

{{ text("{player} is to play", player=PlayerAt(seat)) }}    a message, which is extracted for translation
{{ plural_text("one game", "{count} games", count=n) }}     a message whose wording depends on a number
{{ render(message) }}, {{ sentence(message) }}              a message from Python; the latter as a sentence
{{ with_code(sentence(message)) }}                          the same; what is between backticks is code
{{ asset("css/site.css") }}                                 the address of a static file
{{ csrf_field() }}                                          the hidden field that every form needs
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from babel import Locale, UnknownLocaleError
from flask import Flask, Response, g, render_template
from flask_wtf.csrf import generate_csrf  # type: ignore[import-untyped] # has no annotations
from markupsafe import Markup, escape

from domain.errors import CartularyError
from domain.game import Game
from domain.hexes import Hex
from domain.json_types import JsonObject
from domain.lifecycle import can_bring_keys
from domain.messages import (
    Day,
    Instant,
    Listing,
    Message,
    PlayerAt,
    PlayerWithId,
    Text,
    Value,
    comma_list,
    english_word,
    hex_at,
    listing,
    message,
)
from domain.registry import rule_system_for
from ledger.canonical import canonical
from replay.history.event_text import game_title
from replay.language.catalogue import languages
from replay.language.renderer import Renderer
from replay.render.arms import arms_svg, empty_shield_svg
from service import wall_clock
from service.accounts.personal_tokens import digest_of
from service.games.access import is_correspondent
from service.games.summary import Summary
from service.http.blueprint import ApiResponse
from service.http.context import service
from service.http.language import request_language, request_renderer
from service.pages.announcements import announcements_to_show
from service.pages.assets import asset
from service.pages.dictionaries import dictionary_address
from service.pages.qr_code import qr_code_svg
from service.pages.return_addresses import (
    forgotten_password_address,
    login_address,
    page_address,
    registration_address,
    server_url,
)
from service.pages.rules.source import rules_url
from service.pages.session import can_write_session, current_player, session_token
from service.pages.symbols import symbols_of_page
from service.pages.theme import THEMES, chosen_theme
from service.pages.view_models.alert_lines import (
    alerts_on_page,
    badge_of,
    count_in_title,
    stream_address,
)
from service.pages.view_models.clock_view import clock_templates, clock_text, time_until
from service.pages.view_models.game_forms import latest_comments, new_key, reason_not_to_comment
from service.pages.view_models.game_lists import (
    profile_address,
    recap_of,
    reliability_of,
    rounded_time,
)
from service.tournaments.view_model import (
    format_name,
    place_text,
    registration_has_closed,
    system_title,
    title_of_round,
    winner_of,
)

_CODE: Final = re.compile(r"`([^`]+)`")
"""What messages put between backticks, as code is written in the terminal."""


def page(
    template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """Return a page: a template of this package with these values."""
    # A page has hundreds of texts, and one language.
    g.renderer = request_renderer()
    return ApiResponse(
        render_template(template, **values),
        status,
        headers,
        content_type="text/html; charset=utf-8",
    )


def register(app: Flask) -> None:
    """Add to the environment of the application's templates what the templates of pages use."""
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        text=_text,
        plural_text=_plural_text,
        render=_render,
        sentence=_sentence,
        with_code=_with_code,
        language=request_language,
        language_names=_language_names,
        announcements_to_show=announcements_to_show,
        arms_svg=_arms_svg,
        empty_shield_svg=_empty_shield_svg,
        icon_svg=_icon_svg,
        symbols_of_page=symbols_of_page,
        qr_code_svg=_qr_code_svg,
        themes=THEMES,
        chosen_theme=chosen_theme,
        asset=asset,
        dictionary_address=dictionary_address,
        clock_templates=_clock_templates,
        clock_text=clock_text,
        time_until=time_until,
        time_ago=_time_ago,
        alerts_on_page=alerts_on_page,
        latest_comments=latest_comments,
        reason_not_to_comment=reason_not_to_comment,
        new_key=new_key,
        count_in_title=count_in_title,
        stream_address=stream_address,
        badge_of=badge_of,
        rules_url=rules_url,
        explanation=_explanation,
        explanations_of=_explanations_of,
        english_word=english_word,
        csrf_field=_csrf_field,
        current_player=current_player,
        push_key=lambda: service().notifications.vapid_key.public,
        push_subscriptions=push_subscriptions,
        current_handle=_current_handle,
        handle_of=_handle_of,
        page_address=page_address,
        login_address=login_address,
        registration_address=registration_address,
        forgotten_password_address=forgotten_password_address,
        absolute_url=absolute_url,
        player_list=player_list,
        profile_address=profile_address,
        reliability_of=reliability_of,
        recap_of=recap_of,
        moment=moment,
        tournament_format=format_name,
        tournament_system=system_title,
        tournament_round=title_of_round,
        tournament_winner=winner_of,
        registration_has_closed=registration_has_closed,
        place_text=place_text,
        has_time_zone=lambda: g.get("time_zone") is not None,
        game_title=_game_title,
        club_name=_club_name,
        is_correspondent=is_correspondent,
        signing_keys=_signing_keys,
        names=_names,
        shown_head=_shown_head,
        Day=Day,
        Instant=Instant,
        PlayerAt=PlayerAt,
        PlayerWithId=PlayerWithId,
        hex_at=_hex_at,
    )


def _arms_svg(id: str, width: int) -> Markup:
    return Markup(arms_svg(id, width))  # noqa: S704 # the drawing contains no text


# A page has hundreds of icons, and few different ones.
@lru_cache(maxsize=1024)
def _icon_svg(name: str, classes: str = "") -> Markup:
    return Markup(
        '<svg class="{}" aria-hidden="true" focusable="false"><use href="#i-{}"/></svg>'
    ).format(f"i {classes}" if classes else "i", name)


def _empty_shield_svg(width: int) -> Markup:
    return Markup(empty_shield_svg(width))  # noqa: S704 # the drawing contains no text


def _qr_code_svg(link: str, title: str) -> Markup:
    return Markup(qr_code_svg(link, title))  # noqa: S704 # the drawing escapes the title


def _clock_templates(is_short: bool = False) -> Mapping[str, str]:  # noqa: FBT001, FBT002 # a template calls it
    return clock_templates(_renderer(), is_short=is_short)


def _club_name(game: Game) -> str | None:
    """Return the name of the club of a game; None if it has none, or one that the viewer may not see."""
    club = game.options.get("club")
    return None if club is None else service().clubs.visible_name(club, current_player())


@cache
def _language_names() -> tuple[tuple[str, str], ...]:
    """Return the tags of all languages, each with the name that the language has for itself."""
    return tuple((tag, _language_name(tag)) for tag in sorted(languages()))


def _language_name(tag: str) -> str:
    try:
        name = Locale.parse(tag).get_display_name()
    except UnknownLocaleError:
        name = None
    return name[:1].upper() + name[1:] if name else tag


def _renderer() -> Renderer:
    """Return the renderer of the page that is being made."""
    renderer: Renderer = g.renderer
    return renderer


def _text(template: str, /, **values: Value) -> str:
    return _renderer()(Message(template, values))


def _plural_text(one: str, other: str, /, count: int, **values: Value) -> str:
    return _renderer()(Message(one, {**values, "count": count}, other))


def _render(value: Value) -> str:
    return _renderer()(value)


def _sentence(value: Value) -> str:
    return _renderer().sentence(value)


def _with_code(text: str) -> Markup:
    """Return a text as HTML in which code, such as a command, is marked as such."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 # the text is escaped


def _game_title(game: Game | Summary) -> Text:
    """Return what a game is called."""
    if isinstance(game, Summary):
        return game_title(rule_system_for(game.rules, game.options), game.options)
    return game_title(game.rules, game.options)


class Explanation(NamedTuple):
    """What explains a word of a game: a clause, and its sentence."""

    clause: str
    sentence: Text


def _explanation(game: Game, word: str) -> Explanation | None:
    """Return what explains a word of a game; None if nothing does."""
    clause = game.rules.EXPLAINED_BY.get(word)
    return None if clause is None else Explanation(clause, game.rules.CLAUSES[clause])


def _explanations_of(game: Game) -> list[Explanation]:
    """Return what explains the words of a game, each clause once."""
    rules = game.rules
    clauses = dict.fromkeys(rules.EXPLAINED_BY.values())
    return [Explanation(clause, rules.CLAUSES[clause]) for clause in clauses]


def _names(players: Iterable[str]) -> Listing:
    """Return the names of players, given by their ids, as an enumeration."""
    return listing(map(PlayerWithId, players))


def _shown_head(head: Game) -> str | None:
    """Return the signed head of a game as JSON for the script that remembers it; None if it cannot be signed.

    `head` is the game at its head: the server states that no event came after it.
    """
    try:
        return canonical(service().games.queries.shown_head(head)).decode()
    except (CartularyError, OSError):
        # The page is shown all the same.
        return None


def _hex_at(at: Hex) -> Value:
    return hex_at(at)


def _csrf_field() -> Markup:
    if not can_write_session():
        return Markup()
    return Markup('<input type="hidden" name="csrf_token" value="{}">').format(generate_csrf())


def _signing_keys(game: Game) -> list[str]:
    """Return the ids of the keys with which the viewer can sign in a game.

    They are those in its log; a person without a seat who may sign something brings those of the account.
    """
    player_id = current_player()
    if player_id is None:
        return []
    if player_id not in game.keys and can_bring_keys(game, player_id):
        return list(service().accounts.keys.valid_keys(player_id))
    return [id for id, public in game.keys.get(player_id, {}).items() if public is not None]


def push_subscriptions() -> list[JsonObject]:
    """Return the push subscriptions of the visitor as JSON; those of this browser are `current`."""
    player_id, token = current_player(), session_token()
    if player_id is None or token is None:
        return []
    stored = service().notifications.push_subscriptions.of(player_id)
    return [item.as_json(digest_of(token)) for item in stored]


def _current_handle() -> str | None:
    player_id = current_player()
    if player_id is None:
        return None
    return service().accounts.players.handles([player_id]).get(player_id)


def moment(timestamp: str, *, is_exact: bool = False) -> Markup:
    """Return a timestamp as a `<time>` element, such as `Sun, Nov 22, 2026, 10:53 AM (Europe/Paris)`.

    It is shown to the minute, or to the millisecond.
    """
    text = _renderer()(Instant(timestamp, is_exact))
    # For the script of the page, which shows it again if the time zone of a new visitor was not known.
    exact = Markup(" data-exact") if is_exact else ""
    return Markup('<time datetime="{}"{}>{}</time>').format(timestamp, exact, text)


def _time_ago(timestamp: str) -> Text:
    """Return how long ago a timestamp was, such as `3 hours ago`."""
    seconds = (wall_clock.now() - wall_clock.parse(timestamp)).total_seconds()
    return message("{time} ago", time=rounded_time(seconds))


def _handle_of(player_id: str) -> str | None:
    """Return the handle of an account, whatever names the page has for the players of a game."""
    return service().accounts.players.handles([player_id]).get(player_id)


def player_list(game: Game) -> Listing:
    """Return the names of the players of a game, by seat or in the order of joining."""
    return comma_list(PlayerWithId(player) for player in game.participants)


def absolute_url(path: str) -> str:
    """Return the address of a path of this server, with its host."""
    return server_url() + path
