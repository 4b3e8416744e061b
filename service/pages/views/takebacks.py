"""The page of takebacks: asking to take the last action back, agreeing and declining."""

from typing import Final

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.disputes import disputes, takebacks
from domain.errors import Refused
from domain.game import Game
from service.games.dispute_view import pending_takeback
from service.http.context import service
from service.http.problems import status_of
from service.http.ratelimits import limit_disputes
from service.http.schemas.fields import MAX_INTEGER, Choice, StrictSchema, String
from service.pages.forms import Form, entered_form, read_form, see_other
from service.pages.templating import page
from service.pages.view_models.game_forms import (
    GameViewer,
    count_events,
    event_messages,
    game_viewer,
    key_of,
    new_key,
    require_player,
)

_TAKEBACKS: Final = "/games/<game_id>/takebacks"

blueprint = Blueprint("takebacks", __name__)


class RequestForm(StrictSchema):
    """A request to take back the last action."""

    key = String(load_default=None)


class AnswerForm(StrictSchema):
    """Whether the player agrees to a takeback."""

    answer = Choice(choices=("agree", "decline"), required=True)
    key = String(load_default=None)


@blueprint.get(_TAKEBACKS)
def show_takebacks(game_id: str) -> Response:
    """Show the takeback that waits for answers, and what the viewer can do."""
    return _page(game_viewer(game_id))


@blueprint.post(_TAKEBACKS)
@limit_disputes
def request_takeback(game_id: str) -> Response:
    """Ask the other players to take back the viewer's last action."""
    player = require_player(game_id)
    try:
        accepted = service().disputes.request_takeback(
            game_id, player, key_of(read_form(RequestForm()))
        )
    except Refused as error:
        return _page(game_viewer(game_id), error)
    count_events(accepted)
    return see_other(f"/games/{game_id}/takebacks")


@blueprint.post(f"{_TAKEBACKS}/<int(max={MAX_INTEGER}):seq>/answers")
@limit_disputes
def answer_takeback(game_id: str, seq: int) -> Response:
    """Agree to a takeback, or decline it."""
    player = require_player(game_id)
    try:
        values = read_form(AnswerForm())
        accepted = service().disputes.answer_takeback(
            game_id, seq, player, agree=values["answer"] == "agree", idempotency_key=key_of(values)
        )
    except Refused as error:
        return _page(game_viewer(game_id), error)
    count_events(accepted)
    return see_other(f"/games/{game_id}/takebacks")


def _page(current: GameViewer, error: Refused | None = None) -> Response:
    game = current.game
    pending = pending_takeback(game)
    number = 0 if pending is None else pending["takeback"]
    return page(
        "takebacks.html",
        200 if error is None else status_of(error),
        game=game,
        seat=current.seat,
        form=Form() if error is None else entered_form().refused(error),
        pending=pending,
        last=None if game.last_play is None else event_messages(game, game.last_play.seq),
        waiting_for=_waiting_for(game),
        request_reason=current.reason_not_to(lambda seat: takebacks.request(game, seat)),
        answer_reason=current.reason_not_to(
            lambda seat: takebacks.answer(game, number, seat, agree=True)
        ),
        key=new_key(),
    )


def _waiting_for(game: Game) -> list[int]:
    """Return the seats that have yet to answer the pending takeback."""
    pending = pending_takeback(game)
    if pending is None:
        return []
    answered = {pending["seat"], *pending["agreed_by"]}
    return [seat for seat in disputes.seats_that_agree(game) if seat not in answered]
