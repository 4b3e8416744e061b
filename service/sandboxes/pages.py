"""The pages of sandboxes: games that go on from an event of another one, beside it.

The maker of a sandbox acts for every seat; everybody who has its address can see it.
"""

import secrets
from typing import Final

from flask import Blueprint, g, redirect, request
from werkzeug.wrappers import Response

from domain.errors import Malformed, Refused
from domain.game import Game, copy
from domain.messages import message
from replay.bots.playout import quick_bot_names
from replay.language.renderer import NO_NAMES
from service.errors import Forbidden, NotFound, SandboxConflict, TooManySandboxes
from service.http.context import client_network, service
from service.http.language import game_names
from service.http.validation import Choice, QueryInteger, StrictSchema, String, decode_json
from service.pages import session
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import absolute_url, page
from service.pages.view_models.action_query import read_query
from service.pages.view_models.action_steps import ActionSteps, action_steps
from service.pages.view_models.game_forms import (
    event_messages,
    form_about_event,
    game_viewer,
    require_player,
    require_sure,
)
from service.pages.view_models.position_view import PositionView, position_view, unsealed_event
from service.sandboxes.sandboxes import OpenSandbox, reason_against_sandbox
from service.sandboxes.store import StoredSandbox

SEED_BYTES: Final = 16
_SANDBOXES: Final = "/games/<game_id>/sandboxes"
_SANDBOX: Final = "/sandboxes/<sandbox_id>"
_NOT_THE_MAKER: Final = message("only the player who made a sandbox can change it")

blueprint = Blueprint("sandboxes", __name__, template_folder="templates")


class SandboxForm(StrictSchema):
    """The event after which a sandbox begins."""

    seq = QueryInteger(minimum=1, required=True)


class ActionForm(StrictSchema):
    """An action as JSON, and the number of actions that the sandbox had when it was chosen."""

    action = String(required=True)
    after = QueryInteger(required=True)
    sure = Choice(choices=("yes",), load_default=None)


class UndoForm(StrictSchema):
    """The number of actions that the sandbox had when the last one was to be taken back."""

    after = QueryInteger(required=True)


class BotsForm(StrictSchema):
    """The bot that plays all seats, and for how many turns."""

    bot = String(required=True)
    turns = QueryInteger(minimum=1, required=True)
    after = QueryInteger(required=True)


def _list_page(game_id: str, form: Form, status: int = 200) -> Response:
    current = game_viewer(game_id)
    game, player = current.game, current.player
    return page(
        "sandboxes.html",
        status,
        game=game,
        form=form,
        reason=reason_against_sandbox(game, player),
        first=_start_seq(game),
        sandboxes=[] if player is None else service().sandboxes.of_player(player, game.id),
    )


def _start_seq(game: Game) -> int:
    """Return the first event after which a sandbox of the game can begin."""
    return min(game.seq, len(game.places) + 1)


@blueprint.get(_SANDBOXES)
def list_sandboxes(game_id: str) -> Response:
    """Show the viewer's sandboxes of a game, and the form to make one after event `seq`."""
    return _list_page(game_id, form_about_event())


@blueprint.post(_SANDBOXES)
@shows_refusals(_list_page, NotFound, field="seq")
@shows_refusals(_list_page, Refused, Forbidden, TooManySandboxes)
def create_sandbox(game_id: str) -> Response:
    """Make a sandbox of a game after one of its events."""
    player = require_player(game_id)
    values = read_form(SandboxForm())
    sandbox = service().sandboxes.create(
        player, client_network(), game_id, values["seq"], secrets.token_bytes(SEED_BYTES)
    )
    return see_other(f"/sandboxes/{sandbox.stored.id}")


def _sandbox_page(sandbox_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    stored = service().sandboxes.get(sandbox_id)
    opened = service().sandboxes.open(stored)
    game = service().games.queries.game(stored.game)
    is_visible = _set_names(stored)
    is_maker = session.current_player() == stored.maker
    game_in_sandbox = _game_in_sandbox(opened, is_visible=is_visible)
    seat = opened.sandbox.to_act
    steps: ActionSteps | None = None
    if is_maker and seat is not None and status == 200:
        query = read_query(request.args.to_dict(flat=False))
        steps = action_steps(game_in_sandbox, seat, query)
    return page(
        "sandbox.html",
        status,
        game=game_in_sandbox,
        stored=stored,
        steps=steps,
        view=_view(opened, steps),
        actions=[
            (
                step,
                [
                    game_in_sandbox.rules.event_message(event.type, event.data)
                    for event in step.events
                ],
            )
            for step in reversed(opened.sandbox.steps)
        ],
        origin=event_messages(game, stored.seq) if is_visible else None,
        is_visible=is_visible,
        is_maker=is_maker,
        form=form,
        bots=quick_bot_names(game_in_sandbox.rules),
        address=absolute_url(f"/sandboxes/{stored.id}"),
    )


@blueprint.get(_SANDBOX)
def show_sandbox(sandbox_id: str) -> Response:
    """Show a sandbox as it stands, and to its maker what can be done next."""
    return _sandbox_page(sandbox_id)


@blueprint.get("/branches/<sandbox_id>")
def redirect_earlier_link(sandbox_id: str) -> Response:
    """Redirect a link that was shared when the addresses of these pages began with `/branches`."""
    return redirect(f"/sandboxes/{sandbox_id}", 301)


@blueprint.get(f"{_SANDBOX}/table")
def show_table(sandbox_id: str) -> Response:
    """Show the position of a sandbox as a table of its hexes."""
    stored = service().sandboxes.get(sandbox_id)
    sandbox = service().sandboxes.open(stored).sandbox
    _set_names(stored)
    view = PositionView(sandbox.rules.scene(sandbox.position(), None))
    return page("sandbox_table.html", stored=stored, view=view)


@blueprint.post(f"{_SANDBOX}/actions")
@shows_refusals(_sandbox_page, Refused, SandboxConflict)
def act_in_sandbox(sandbox_id: str) -> Response:
    """Let the seat whose turn it is act."""
    stored = _own_sandbox(sandbox_id)
    values = read_form(ActionForm())
    action = decode_json(values["action"].encode())
    service().sandboxes.act(stored, action, None, values["after"])
    return see_other(f"/sandboxes/{sandbox_id}")


@blueprint.post(f"{_SANDBOX}/undo")
@shows_refusals(_sandbox_page, Refused, SandboxConflict)
def undo_in_sandbox(sandbox_id: str) -> Response:
    """Take the last action back."""
    stored = _own_sandbox(sandbox_id)
    service().sandboxes.undo(stored, 1, read_form(UndoForm())["after"])
    return see_other(f"/sandboxes/{sandbox_id}")


@blueprint.post(f"{_SANDBOX}/bots")
@shows_refusals(_sandbox_page, Refused, SandboxConflict)
def let_bots_play(sandbox_id: str) -> Response:
    """Let a bot play all seats for some turns."""
    stored = _own_sandbox(sandbox_id)
    values = read_form(BotsForm())
    seats = range(service().sandboxes.open(stored).sandbox.game.seats)
    service().sandboxes.let_bots_act(stored, seats, values["bot"], values["turns"], values["after"])
    return see_other(f"/sandboxes/{sandbox_id}")


@blueprint.post(f"{_SANDBOX}/deletion")
@shows_refusals(_sandbox_page, Malformed)
def delete_sandbox(sandbox_id: str) -> Response:
    """Delete a sandbox."""
    stored = _own_sandbox(sandbox_id)
    require_sure()
    service().sandboxes.delete(stored)
    return see_other(f"/games/{stored.game}/sandboxes")


def _own_sandbox(sandbox_id: str) -> StoredSandbox:
    """Return a sandbox that the viewer has made. Raises NotFound, Unauthorised and Forbidden."""
    stored = service().sandboxes.get(sandbox_id)
    if session.require_player() != stored.maker:
        raise Forbidden(_NOT_THE_MAKER)
    return stored


def _set_names(stored: StoredSandbox) -> bool:
    """Show players by name to a viewer who may see the game of a sandbox; return whether the viewer may."""
    queries = service().games.queries
    is_visible = queries.access.can_see(queries.game(stored.game), session.current_player())
    g.names = game_names(stored.game) if is_visible else NO_NAMES
    return is_visible


def _game_in_sandbox(opened: OpenSandbox, *, is_visible: bool) -> Game:
    """Return the game of a sandbox as it stands after the actions in the sandbox.

    To a viewer who may not see the game of the sandbox, it has no name.
    """
    game = copy(opened.sandbox.game)
    game.state = opened.sandbox.state
    if not is_visible:
        game.options = game.options.copy()
        game.options.pop("name", None)
    return game


def _view(opened: OpenSandbox, steps: ActionSteps | None) -> PositionView:
    """Return the view of the sandbox, or of the preview of the action that its maker has chosen."""
    if steps is not None and steps.shown_action is not None:
        return position_view(steps.preview_scene, links=steps.links)
    sandbox = opened.sandbox
    step = sandbox.steps[-1] if sandbox.steps else None
    last = None if step is None else unsealed_event(sandbox.game, step.seat, step.events[-1])
    scene = sandbox.rules.scene(sandbox.position(), last)
    return position_view(scene, links={} if steps is None else steps.links)
