"""The page of the analysis of a game: requesting it, waiting for it, what it found; one's own mistakes."""

from itertools import dropwhile, islice

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from service.analyses.retry import mistakes_of_game, recent_mistakes
from service.analyses.view_model import HEIGHT, WIDTH, graph_of, luck_of_players, marked_actions
from service.http.context import service
from service.http.ratelimits import limit_audits
from service.pages import session
from service.pages.forms import see_other
from service.pages.return_addresses import next_address
from service.pages.templating import page
from service.pages.view_models.game_forms import game_viewer, require_player

blueprint = Blueprint("analyses", __name__, template_folder="templates")


@blueprint.get("/games/<game_id>/analysis")
def show_analysis(game_id: str) -> Response:
    """Show the analysis of a game, how far it is, or how to request it."""
    viewer = game_viewer(game_id)
    game = viewer.game
    stored = service().analyses.of(game)
    analysis = stored.state if stored is not None and stored.is_complete else None
    return page(
        "analysis.html",
        game=game,
        stored=stored,
        analysis=analysis,
        can_analyse=service().analyses.can_analyse(game),
        graph=None if analysis is None else graph_of(analysis),
        luck=[] if analysis is None else luck_of_players(analysis),
        mistakes=mistakes_of_game(service().analyses, game, viewer.player),
        marks=[] if analysis is None else marked_actions(game, analysis),
        width=WIDTH,
        height=HEIGHT,
    )


@blueprint.get("/retry")
def retry_mistakes() -> BaseResponse:
    """Show the first of the player's own mistakes, or with `after=GAME.SEQ` the one after that."""
    player = session.require_player()
    mistakes = recent_mistakes(
        service().analyses, service().games.queries, service().games.listings, player
    )
    game, _, seq = request.args.get("after", "").partition(".")
    if game:
        # Nothing follows a mistake that is not among them, such as one of somebody else.
        mistakes = islice(
            dropwhile(lambda each: (each.game, str(each.seq)) != (game, seq), mistakes), 1, None
        )
    following = next(mistakes, None)
    if following is None:
        return page("retry.html", is_end=bool(game))
    before = following.seq - 1
    return see_other(f"/games/{following.game}?seq={before}&explore=1&retry={following.seq}")


@blueprint.post("/games/<game_id>/analysis")
@limit_audits
def request_analysis(game_id: str) -> BaseResponse:
    """Request the analysis of a game, and show how far it is, where the form says: here or at the table."""
    service().analyses.request(game_id, require_player(game_id))
    return see_other(next_address(f"/games/{game_id}/analysis"))
