"""The rules of the games: a page for each rule system, and one that leads to them."""

from hashlib import sha256
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from domain.registry import rule_systems
from replay.language.catalogue import languages
from service.errors import NotFound
from service.http.blueprint import tagged_response
from service.http.language import request_language
from service.pages.rules.pictures import picture_svg
from service.pages.rules.source import INDEX, introduction_name, page_address
from service.pages.templating import page

if TYPE_CHECKING:
    from service.pages.rules.pages import RulesPage

_PICTURE_SECONDS = 24 * 3600

blueprint = Blueprint("rules", __name__)


@blueprint.get("/rules")
def show_index() -> Response:
    """Show how to read the rules, and which games there are."""
    return _rules_page(INDEX)


@blueprint.get("/rules/<name>")
def show_rules(name: str) -> Response:
    """Show the rules of a game, or of an expansion."""
    if name not in rule_systems():
        raise NotFound.with_message("there are no rules of this name")
    return _rules_page(name)


@blueprint.get("/rules/<name>/introduction")
def show_introduction(name: str) -> Response:
    """Show a game in five minutes, with pictures."""
    from service.pages.rules.pages import introduction

    shown = introduction(name, request_language())
    if shown is None:
        raise NotFound.with_message("there are no rules of this name")
    return _rules_page(name, shown)


@blueprint.get("/rules/pictures/<name>/<language>.svg")
def get_picture(name: str, language: str) -> Response:
    """Return a picture of the rules, which is the same for every visitor."""
    svg = picture_svg(name, language) if language in languages() else None
    if svg is None:
        raise NotFound.with_message("there is no such picture")
    return tagged_response(
        svg,
        "image/svg+xml; charset=utf-8",
        sha256(svg.encode()).hexdigest()[:32],
        {"Cache-Control": f"public, max-age={_PICTURE_SECONDS}", "Content-Language": language},
        is_weak=True,
    )


def _rules_page(name: str, shown: "RulesPage | None" = None) -> Response:
    """Return the page of the clauses of a game, or another one about it."""
    from service.pages.rules.pages import introduction, rules_pages

    games = [
        (page_address(other), entry.system.TITLE, other == name)
        for other, entry in rule_systems().items()
    ]
    language = request_language()
    introduced = [
        (page_address(introduction_name(other)), introduction(other, language))
        for other in ([name] if name else rule_systems())
    ]
    return page(
        "rules.html",
        rules=shown or rules_pages(language)[name],
        games=games,
        introductions=[(address, found.title) for address, found in introduced if found],
        clauses_address=None if shown is None else page_address(name),
    )
