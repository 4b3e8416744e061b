"""The page on which a player who waits prepares conditional actions, chosen on a copy of the board."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from domain.errors import Malformed, Refused
from domain.json_types import JsonObject
from domain.messages import message
from service.conditional_actions.conditional_actions import ConditionalActionsOfPlayer, void_message
from service.conditional_actions.view_model import (
    conditional_action_rows,
    fingerprint,
    game_ahead,
    outlook_at,
    path_of,
    path_text,
    scene_ahead,
    with_node,
    without_node,
)
from service.errors import Stale
from service.games.player_signatures import PlayerSignature
from service.http.context import service
from service.http.validation import HexText, QueryInteger, StrictSchema, String, decode_json
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page
from service.pages.view_models.action_query import read_query
from service.pages.view_models.action_steps import ActionSteps, action_steps
from service.pages.view_models.game_forms import NOT_A_PLAYER, game_viewer, require_player
from service.pages.view_models.position_view import position_view

_CONDITIONAL_ACTIONS: Final = "/games/<game_id>/conditional-actions"
_ANY: Final = ""

blueprint = Blueprint("conditional_actions", __name__, template_folder="templates")


class ActionForm(StrictSchema):
    """An action to be added after a place of the tree, which had this fingerprint when it was chosen.

    `outcome` is `FIELD=VALUE`, or missing if any outcome will do.
    """

    action = String(required=True)
    seat = QueryInteger(required=True)
    at = String(load_default="")
    tree = String(required=True)
    expected_seq = QueryInteger(required=True)
    outcome = String(load_default=_ANY)


class SignatureForm(StrictSchema):
    """The player's signature for the tree with this fingerprint; `salt` are the bytes of its commitments."""

    tree = String(required=True)
    expected_seq = QueryInteger(required=True)
    signature_key = HexText(digits=16, required=True)
    signature = HexText(digits=128, required=True)
    salt = HexText(digits=64, required=True)


class DeletionForm(StrictSchema):
    """The node to be deleted with all after it; without `at`, everything is."""

    at = String(load_default="")
    tree = String(load_default=None)
    expected_seq = QueryInteger(load_default=None)


def _page(game_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    current = game_viewer(game_id)
    game, seat, player = current.game, current.seat, current.player
    values: dict[str, Any] = {"game": game, "seat": seat, "form": form}
    actions = service().conditional_actions
    if player is None or seat is None:
        return page(
            "conditional_actions.html", status, reason=NOT_A_PLAYER, prepared=None, **values
        )
    prepared = actions.get(game_id, player)
    values["prepared"] = prepared
    values["void"] = None if prepared.void is None else void_message(prepared.void, game.rules)
    reason = actions.reason_not_to_prepare(game, seat)
    if reason is None:
        values |= _choosing(prepared, game_id, seat, has_error=status != 200)
    return page("conditional_actions.html", status, reason=reason, **values)


@blueprint.get(_CONDITIONAL_ACTIONS)
def show_conditional_actions(game_id: str) -> Response:
    """Show what the viewer has prepared, and the position after one place of it, to go on from there."""
    return _page(game_id)


@blueprint.get("/games/<game_id>/plan")
def redirect_earlier_address(game_id: str) -> Response:
    """Redirect a bookmark of the address that this page had before."""
    return redirect(f"/games/{game_id}/conditional-actions", 301)


@blueprint.post(_CONDITIONAL_ACTIONS)
@shows_refusals(_page, Refused, Stale)
def add_action(game_id: str) -> Response:
    """Add an action to what the viewer has prepared."""
    player = require_player(game_id)
    values = read_form(ActionForm())
    tree, at = _tree(game_id, player, values)
    node: JsonObject = {"seat": values["seat"], "action": decode_json(values["action"].encode())}
    field, _, value = values["outcome"].partition("=")
    if field:
        node["outcome"] = {field: value}
    changed, added = with_node(tree, at, node)
    service().conditional_actions.put(game_id, player, changed, values["expected_seq"])
    return see_other(f"/games/{game_id}/conditional-actions?at={path_text(added)}")


@blueprint.post(f"{_CONDITIONAL_ACTIONS}/deletion")
@shows_refusals(_page, Refused, Stale)
def delete_action(game_id: str) -> Response:
    """Delete an action with all that come after it, or everything."""
    player = require_player(game_id)
    values = read_form(DeletionForm())
    if not values["at"]:
        service().conditional_actions.delete(game_id, player)
        return see_other(f"/games/{game_id}/conditional-actions")
    tree, at = _tree(game_id, player, values)
    changed = without_node(tree, at)
    service().conditional_actions.put(game_id, player, changed, values["expected_seq"] or 0)
    return see_other(f"/games/{game_id}/conditional-actions?at={path_text(at[:-1])}")


@blueprint.post(f"{_CONDITIONAL_ACTIONS}/signature")
@shows_refusals(_page, Refused, Stale)
def sign_actions(game_id: str) -> Response:
    """Add the signature of the viewer to their prepared actions. A script sends it (js/prepared.js)."""
    player = require_player(game_id)
    values = read_form(SignatureForm())
    tree, _ = _tree(game_id, player, values | {"at": ""})
    signature = PlayerSignature(values["signature_key"], values["signature"], salt=values["salt"])
    service().conditional_actions.put(game_id, player, tree, values["expected_seq"], signature)
    return see_other(f"/games/{game_id}/conditional-actions")


def _tree(
    game_id: str, player: str, values: dict[str, Any]
) -> tuple[list[JsonObject], tuple[int, ...]]:
    """Return what a player has prepared, and the path that a form names. Raises Malformed if it changed."""
    prepared = service().conditional_actions.get(game_id, player)
    tree = prepared.as_json()
    if values["tree"] != fingerprint(tree):
        raise Malformed(
            {"tree": message("what you have prepared has changed meanwhile: look at it again")}
        )
    return tree, path_of(values["at"], prepared.tree)


def _choosing(
    prepared: ConditionalActionsOfPlayer, game_id: str, seat: int, *, has_error: bool
) -> dict[str, Any]:
    """Return what the page needs to show the tree, and to choose the next action at one of its places."""
    game = service().games.queries.game(game_id)
    start = service().conditional_actions.outlook(game, seat)
    at = "" if has_error else request.args.get("at", "")
    query, faults = request.args.to_dict(flat=False), {}
    try:
        path = path_of(at, prepared.tree)
    except Malformed as error:
        # The address is usually one that the browser has kept, of a page before the last change.
        path, query, faults = (), {}, dict(error.fields)
    here, following = outlook_at(start, prepared.tree, path)
    has_own_action = any(node.seat == seat for node in following)
    steps: ActionSteps | None = None
    after = here
    if here.to_act is not None and not has_error and not has_own_action:
        fixed = (("at", path_text(path)),) if path else ()
        steps = action_steps(game_ahead(here), here.to_act, read_query(query, fixed))
        if steps is not None and steps.shown_action is not None:
            after = here.preview(here.to_act, dict(steps.action_json))
    return {
        "faults": faults,
        "steps": steps,
        "here": here,
        "at": path_text(path),
        "has_own_action": has_own_action,
        "rows": conditional_action_rows(start, prepared.tree, path),
        "tree": fingerprint(prepared.as_json()),
        "view": None
        if after.state is None
        else position_view(scene_ahead(after), links={} if steps is None else steps.links),
    }
