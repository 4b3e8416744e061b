"""The buttons with which players leave their seats to substitutes, and take vacant seats."""

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.errors import Refused
from service.errors import TooManyGames
from service.http.context import metrics, service
from service.http.ratelimits import limit_new_places
from service.http.schemas.fields import StrictSchema, String
from service.pages.forms import read_form, see_other
from service.pages.parameters import sequence_number
from service.pages.session import require_player
from service.pages.view_models.game_forms import game_viewer, key_of
from service.pages.views.clocks import clock_page

blueprint = Blueprint("substitutes", __name__)


class LeavingForm(StrictSchema):
    """The form with which a player leaves a seat."""

    key = String(load_default=None)


class SeatForm(StrictSchema):
    """The vacant seat that a player takes."""

    seat = String(required=True)
    key = String(load_default=None)


@blueprint.post("/games/<game_id>/seats/leave")
def leave_seat(game_id: str) -> Response:
    """Leave the viewer's seat to a substitute."""
    player = require_player()
    try:
        game = service().substitutes.leave_seat(game_id, player, key_of(read_form(LeavingForm())))
    except Refused as error:
        return clock_page(game_viewer(game_id), error)
    metrics().count_events("SeatVacated", *["GameAbandoned"] * (game.status == "abandoned"))
    return see_other(f"/games/{game_id}")


@blueprint.post("/games/<game_id>/substitutes")
@limit_new_places
def take_seat(game_id: str) -> Response:
    """Take a vacant seat."""
    player = require_player()
    values = read_form(SeatForm())
    seat = sequence_number(values["seat"], "seat")
    try:
        game = service().substitutes.take_seat(game_id, player, seat, key_of(values))
    except (Refused, TooManyGames) as error:
        return clock_page(game_viewer(game_id), error)
    metrics().count_events("SubstituteSeated", *["PlayerKeyAdded"] * len(game.keys.get(player, {})))
    return see_other(f"/games/{game_id}")
