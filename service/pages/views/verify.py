"""The pages that verify records: in the visitor's own browser, and for a game of this server by an audit."""

from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response

from domain.game import Game
from domain.json_types import JsonObject
from replay.audit.check_names import CHECK_TITLES
from service.http.context import service
from service.http.language import request_language
from service.pages.session import viewer
from service.pages.templating import page
from service.pages.view_models.verifier_texts import CHECKS, FINDINGS

MAX_SHOWN: Final = 20
"""Findings of an audit that the page lists."""

blueprint = Blueprint("verify", __name__)


@blueprint.get("/verify")
def verify_file() -> Response:
    """Show the page that verifies a file of the visitor's machine."""
    return _page()


@blueprint.get("/games/<game_id>/verify")
def verify_game(game_id: str) -> Response:
    """Show the page that verifies the record of a game."""
    return _page(game_id)


@blueprint.get("/games/<game_id>/record")
def download_record(game_id: str) -> Response:
    """Return the record of a game, with what the visitor may see."""
    game = service().queries.visible_game(game_id, viewer())
    return Response(
        _record(game),
        content_type="application/jsonl",
        headers={
            "Content-Disposition": f'attachment; filename="{game.id}.jsonl"',
            "Vary": "Cookie",
        },
    )


@blueprint.post("/games/<game_id>/audit")
def audit_game(game_id: str) -> Response:
    """Audit the record of a game, with what the visitor may see, and show the report."""
    game = service().queries.visible_game(game_id, viewer())
    if not service().audits.can_audit(game.seq):
        return _page(game_id)
    report = service().audits.audit(
        _record(game),
        service().keyring.public_keys(),
        request_language(),
    )
    return _page(game_id, report)


def _record(game: Game) -> Iterator[bytes]:
    player = viewer()
    seat = None if player is None else game.seat_of(player)
    return service().queries.record(game.id, seat)


def _page(game_id: str | None = None, report: JsonObject | None = None) -> Response:
    game = None if game_id is None else service().queries.visible_game(game_id, viewer())
    return page(
        "verify.html",
        game=game,
        can_audit=game is not None and service().audits.can_audit(game.seq),
        keys=service().keyring.public_keys(),
        checks=CHECKS,
        finding_texts=FINDINGS,
        report=report,
        audit_titles=CHECK_TITLES,
        max_shown=MAX_SHOWN,
    )
