"""The page of what is proven about a game, and by whom; and the receipts of a player as a file."""

from itertools import islice
from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from ledger.canonical import canonical
from ledger.signed_note import NoteKey
from replay.secret_names import secret_label
from service.http.context import service
from service.http.headers import ApiResponse
from service.pages.templating import page
from service.pages.view_models import proof_view
from service.pages.view_models.game_forms import game_viewer, require_player

SHOWN_RECEIPTS: Final = 10
"""Receipts that the page lists; the file has all of them."""

blueprint = Blueprint("proofs", __name__)


@blueprint.get("/games/<game_id>/proofs")
def show_proofs(game_id: str) -> Response:
    """Show what is proven about a game."""
    current = game_viewer(game_id)
    game, player = current.game, current.player
    head, head_reason = proof_view.logged_head(service(), game)
    receipts = []
    if current.seat is not None and player is not None:
        receipts = list(islice(proof_view.receipts_of(service(), game, player), SHOWN_RECEIPTS + 1))
    return page(
        "proofs.html",
        game=game,
        secret_label=secret_label,
        seat=current.seat,
        commitments=proof_view.commitments(service(), game, current.seat),
        nonces=proof_view.nonces(service(), game),
        receipts=receipts[:SHOWN_RECEIPTS],
        has_more_receipts=len(receipts) > SHOWN_RECEIPTS,
        head=head,
        head_reason=head_reason,
        witnesses=[NoteKey.parse(key).short_name for key in service().settings.witnesses],
        server_keys=service().keyring.public_keys(),
        player_keys=proof_view.player_keys(game),
        host=request.host_url,
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
