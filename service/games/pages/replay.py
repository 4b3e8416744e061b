"""The pages that replay a game: single events, the log, comparisons of two events, scores; private notes."""

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from service.http.context import service
from service.http.ratelimits import limit_messages
from service.http.validation import QueryInteger, StrictSchema, String
from service.pages.forms import number_parameter, read_form, see_other
from service.pages.replayed_pages import comparison_page, event_page, log_page, scores_page
from service.pages.return_addresses import next_address
from service.pages.view_models.game_forms import require_player
from service.pages.view_models.replayed_game import replayed_game

blueprint = Blueprint("replay", __name__, template_folder="../templates")


def show_event(game_id: str) -> Response:
    """Show the event that the parameter `seq` names; the view of a game calls this if there is one."""
    return event_page(replayed_game(game_id, number_parameter("seq")))


class NoteForm(StrictSchema):
    """The private note on an event; no text deletes it."""

    seq = QueryInteger(minimum=1, required=True)
    text = String(load_default=None)


@blueprint.post("/games/<game_id>/notes")
@limit_messages
def write_note(game_id: str) -> BaseResponse:
    """Write the viewer's private note on an event, or delete it, and show the event."""
    player = require_player(game_id)
    values = read_form(NoteForm())
    # Browsers send each line break of a text as two characters.
    text = (values["text"] or "").replace("\r\n", "\n").strip()
    if text:
        service().games.private_notes.write(game_id, player, values["seq"], text)
    else:
        service().games.private_notes.delete(game_id, player, values["seq"])
    return see_other(next_address(f"/games/{game_id}?seq={values['seq']}#notes"))


@blueprint.get("/games/<game_id>/log")
def list_events(game_id: str) -> Response:
    """List the events of a game, those that pass the filter of the form."""
    return log_page(replayed_game(game_id, (number_parameter("after") or 0) + 1))


@blueprint.get("/games/<game_id>/compare")
def compare_events(game_id: str) -> Response:
    """Show the positions after two events beside each other, and the differences between them."""
    seqs = [number_parameter(name) for name in ("from", "to")]
    return comparison_page(replayed_game(game_id, max(seq or 0 for seq in seqs)))


@blueprint.get("/games/<game_id>/scores")
def show_scores(game_id: str) -> Response:
    """Show the scores through a game, as a chart and as a table."""
    return scores_page(replayed_game(game_id))
