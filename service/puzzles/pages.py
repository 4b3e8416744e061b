"""The pages of puzzles: today's one and the list, a puzzle at its table, and answering it."""

from urllib.parse import urlencode

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from replay.history.event_text import rules_title
from service.http.context import service
from service.http.ratelimits import limit_audits
from service.http.validation import StrictSchema, String
from service.pages import session
from service.pages.forms import number_parameter, read_form, see_other
from service.pages.session import current_player
from service.pages.templating import page
from service.pages.view_models.action_query import read_query
from service.puzzles.view_model import puzzle_view

blueprint = Blueprint("puzzles", __name__, template_folder="templates")


class _GivenAnswer(StrictSchema):
    """An action in short form; nothing if the player gives up."""

    action = String(load_default="")


@blueprint.get("/puzzles")
def list_puzzles() -> Response:
    """Show the puzzle of today, the reader's rating, and the puzzles with those they have answered."""
    player, puzzles = current_player(), service().puzzles
    before = number_parameter("before")
    today = puzzles.of_today() if before is None else None
    listed, following = puzzles.page(player, before)
    return page(
        "puzzles.html",
        today=None if today is None else puzzles.listed(today, player),
        rating=None if player is None else puzzles.store.rating_of(player),
        listed=listed,
        before=before,
        next=following,
        title_of=rules_title,
    )


@blueprint.get("/puzzles/next")
def show_next_puzzle() -> BaseResponse:
    """Show a puzzle that the reader has not answered, with `after=NUMBER` preferably one after that."""
    number = service().puzzles.next_for(current_player(), number_parameter("after"))
    return see_other("/puzzles" if number is None else f"/puzzles/{number}")


@blueprint.get("/puzzles/<int:number>")
def show_puzzle(number: int) -> BaseResponse:
    """Show the position of a puzzle, and what the check says of an answer once it may be shown."""
    player, puzzles = current_player(), service().puzzles
    puzzle, before = puzzles.get(number)
    parameters = request.args.to_dict(flat=False)
    listed = puzzles.listed(puzzle, player)
    try:
        shown = puzzle_view(listed, before, player, parameters)
    except Malformed:
        return see_other(f"/puzzles/{number}")
    event = shown.event
    return page(
        "puzzle.html",
        shown=shown,
        event=event,
        game=event.head,
        source=event.source,
        imported=None,
        steps=event.steps,
        view=event.view,
        table=event.table,
        seat=puzzle.seat,
        people=None,
        time_left=None,
        winners=(),
        rating=None if player is None else puzzles.store.rating_of(player),
    )


@blueprint.post("/puzzles/<int:number>/attempts")
@limit_audits
def answer_puzzle(number: int) -> BaseResponse:
    """Answer a puzzle with an action, or give up without one, and show what the check says."""
    player = session.require_player()
    _, before = service().puzzles.get(number)
    text = read_form(_GivenAnswer())["action"]
    if not text:
        service().puzzles.attempt(number, player, None)
        return see_other(f"/puzzles/{number}?line=1")
    query = read_query({"action": [text]})
    action = before.rules.parse_action_text(query.action or "")
    service().puzzles.attempt(number, player, action)
    return see_other(f"/puzzles/{number}?{urlencode({'action': text, 'answer': 1})}")
