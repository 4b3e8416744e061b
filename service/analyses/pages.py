"""The page of the analysis of a game: requesting it, waiting for it, and what it found."""

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from service.analyses.view_model import HEIGHT, WIDTH, graph_of, marked_actions
from service.http.context import service
from service.http.ratelimits import limit_audits
from service.pages.forms import see_other
from service.pages.templating import page
from service.pages.view_models.game_forms import game_viewer, require_player

blueprint = Blueprint("analyses", __name__, template_folder="templates")


@blueprint.get("/games/<game_id>/analysis")
def show_analysis(game_id: str) -> Response:
    """Show the analysis of a game, how far it is, or how to request it."""
    game = game_viewer(game_id).game
    stored = service().analyses.of(game)
    analysis = stored.state if stored is not None and stored.is_complete else None
    return page(
        "analysis.html",
        game=game,
        stored=stored,
        analysis=analysis,
        can_analyse=service().analyses.can_analyse(game),
        graph=None if analysis is None else graph_of(analysis),
        marks=[] if analysis is None else marked_actions(game, analysis),
        width=WIDTH,
        height=HEIGHT,
    )


@blueprint.post("/games/<game_id>/analysis")
@limit_audits
def request_analysis(game_id: str) -> BaseResponse:
    """Request the analysis of a game, and show how far it is."""
    service().analyses.request(game_id, require_player(game_id))
    return see_other(f"/games/{game_id}/analysis")
