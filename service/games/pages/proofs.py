"""What is proven about a game, and by whom; a player's receipts; and the pages that verify records: in the
visitor's own browser, and for a game of this server by an audit.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from flask import Blueprint
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response

from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.transparency.signed_note import NoteKey
from replay.audit.findings import CHECK_TITLES
from replay.audit.summary import checkable_sentence, meanings
from replay.history.event_values import secret_label
from service.http.blueprint import ApiResponse, json_response, read_query
from service.http.context import service
from service.http.language import request_language
from service.http.ratelimits import limit_audits
from service.http.responses import continuation
from service.http.schemas.requests import HeadQuery
from service.pages.assets import set_up_scripts
from service.pages.session import current_player
from service.pages.templating import absolute_url, page
from service.pages.view_models import proof_view
from service.pages.view_models.game_forms import game_viewer, require_player
from service.pages.view_models.proof_view import MAX_SHOWN_FINDINGS
from service.pages.view_models.verifier_texts import (
    CHECKS,
    FAULTS,
    FINDINGS,
    MEANINGS,
    NUMBERS,
    QUESTIONS,
    SENTENCES,
)

SHOWN_RECEIPTS: Final = 10
"""Receipts that the page lists; the file has all of them."""

blueprint = Blueprint("proofs", __name__, template_folder="../templates")


@blueprint.get("/games/<game_id>/proofs")
def show_proofs(game_id: str) -> Response:
    """Show what is proven about a game."""
    current = game_viewer(game_id)
    game, player = current.game, current.player
    head, head_reason = proof_view.logged_head(service(), game)
    nonces = proof_view.nonces(service(), game)
    receipts = []
    if current.seat is not None and player is not None:
        receipts = list(islice(proof_view.receipts_of(service(), game, player), SHOWN_RECEIPTS + 1))
    topics = proof_view.open_topics(service(), game, nonces, head)
    return page(
        "proofs.html",
        game=game,
        secret_label=secret_label,
        seat=current.seat,
        commitments=proof_view.commitments(service(), game, current.seat),
        nonces=nonces,
        conclusion=checkable_sentence(topics),
        meaning=meanings(topics),
        open_topics=topics,
        new_draws=proof_view.new_draws(service(), game),
        decisive_nonce=proof_view.decisive_nonce(nonces),
        receipts=receipts[:SHOWN_RECEIPTS],
        has_more_receipts=len(receipts) > SHOWN_RECEIPTS,
        head=head,
        head_reason=head_reason,
        witnesses=[NoteKey.parse(key).short_name for key in service().settings.witnesses],
        server_keys=service().keyring.public_keys(),
        player_keys=proof_view.player_keys(game),
        host=absolute_url("/"),
    )


@blueprint.get("/games/<game_id>/receipts")
def download_receipts(game_id: str) -> Response:
    """Return the viewer's receipts for actions in a game as a file: a receipt as JSON in each line."""
    player = require_player(game_id)
    game = game_viewer(game_id).game
    lines = [
        canonical(dict(receipt)) for receipt in proof_view.receipts_of(service(), game, player)
    ]
    return ApiResponse(
        b"".join(line + b"\n" for line in lines),
        content_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{game.id}.receipts"'},
    )


@blueprint.get("/verify")
def verify_file() -> Response:
    """Show the page that verifies a file of the visitor's machine."""
    return _verifier_page()


@blueprint.get("/games/<game_id>/verify")
def verify_game(game_id: str) -> Response:
    """Show the page that verifies the record of a game."""
    return _verifier_page(game_id)


@blueprint.get("/games/<game_id>/record")
def download_record(game_id: str) -> Response:
    """Return the record of a game, with what the visitor may see."""
    game = service().games.queries.visible_game(game_id, current_player())
    return FlaskResponse(
        _record(game),
        content_type="application/jsonl",
        headers={
            "Content-Disposition": f'attachment; filename="{game.id}.jsonl"',
            "Vary": "Cookie",
        },
    )


@blueprint.get("/games/<game_id>/head")
def get_head(game_id: str) -> Response:
    """Return the signed head of a game, and what links it with what this browser has seen before."""
    return json_response(continuation(game_id, current_player(), read_query(HeadQuery())))


@blueprint.get("/games/<game_id>/witness")
def show_witness(game_id: str) -> Response:
    """Show what this browser has seen of a game, to compare it with what another player has seen."""
    return page("witness.html", game=game_viewer(game_id).game)


@blueprint.post("/games/<game_id>/audit")
@limit_audits
def audit_game(game_id: str) -> Response:
    """Audit the record of a game, with what the visitor may see, and show the report."""
    game = service().games.queries.visible_game(game_id, current_player())
    if not service().audits.can_audit(game.seq):
        return _verifier_page(game_id)
    report = service().audits.audit(
        _record(game),
        service().keyring.public_keys(),
        request_language(),
        service().transparency.proofs.log_name(),
    )
    return _verifier_page(game_id, report)


def _record(game: Game) -> Iterator[bytes]:
    player = current_player()
    seat = None if player is None else game.seat_of(player)
    return service().games.queries.record(game.id, seat)


def _verifier_page(game_id: str | None = None, report: JsonObject | None = None) -> Response:
    game = (
        None if game_id is None else service().games.queries.visible_game(game_id, current_player())
    )
    return page(
        "verify.html",
        game=game,
        can_audit=game is not None and service().audits.can_audit(game.seq),
        keys=service().keyring.public_keys(),
        set_ups=set_up_scripts(),
        log_name=service().transparency.proofs.log_name(),
        checks=CHECKS,
        finding_texts=FINDINGS,
        questions=QUESTIONS,
        meanings=MEANINGS,
        faults=FAULTS,
        numbers=NUMBERS,
        sentences=SENTENCES,
        report=report,
        audit_titles=CHECK_TITLES,
        max_shown=MAX_SHOWN_FINDINGS,
    )
